#include "simulator/backends/cpu/layout/layout_builder.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "simulator/backends/cpu/layout/layout_parts.hpp"
#include "simulator/plan/cells/diffusion_links.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator::cpu {

namespace {

/// The group's cells as the plan has them.
class LayoutBuilder {
 public:
  LayoutBuilder(const RangePlan& plan, const GroupCells& cells,
                std::shared_ptr<const solver::LaneTree> tree)
      : plan_(plan), begin_(cells.begin), end_(cells.end) {
    group_.population = plan.population;
    group_.may_have_synapses_anywhere = plan.may_have_synapses_anywhere;
    group_.lanes = cells.lanes;
    group_.packs = cells.packs;
    group_.parts.assign(tree->parts().begin(), tree->parts().end());
    group_.tree = std::move(tree);
    for (std::size_t c = begin_; c < end_; ++c) {
      group_.indices.push_back(plan.indices[c]);
      identities_.push_back(plan.identity(c));
      cells_.push_back(plan.kinds[c]->cell.get());
    }
    sizes_differ_ = std::ranges::any_of(cells_, [&](const solver::Template* cell) {
      return cell->nodes() == cells_.front()->nodes() &&
             solver::has_own_sizes(*cell, *cells_.front());
    });
    one_v_init_ = !plan.population->begins_at_rest &&
                  std::all_of(plan.kinds.begin() + static_cast<std::ptrdiff_t>(begin_),
                              plan.kinds.begin() + static_cast<std::ptrdiff_t>(end_),
                              [](const auto& kind) { return kind->v_init_mV.empty(); });
  }

  GroupLayout build() {
    lay_out_rows();
    lay_out_layers(plan_, begin_, group_);
    find_detectors();
    std::vector<BlockColumns> columns;  // [block]
    columns.reserve(plan_.block_count());
    for (std::size_t b = 0; b < plan_.block_count(); ++b) {
      columns.emplace_back(plan_.mechanism(b).signature.variables.size());
      group_.blocks.push_back(plan_.is_density(b) ? density_block(b, columns[b])
                                                  : point_block(b, columns[b]));
    }
    lay_out_ions(plan_, begin_, identities_, group_);
    lay_out_pointers(plan_, begin_, group_);
    lay_out_probes(plan_, begin_, end_, group_);
    lay_out_fields(plan_, begin_, end_, group_);
    lay_out_gaps(plan_, begin_, end_, group_);
    lay_out_wiring(plan_, begin_, end_, group_);
    for (std::size_t b = 0; b < columns.size(); ++b)
      group_.blocks[b].put(std::move(columns[b]), group_.width(), group_.packs);
    return std::move(group_);
  }

 private:
  const CellKind& kind(std::size_t cell) const { return *plan_.kinds[begin_ + cell]; }

  void lay_out_rows() {
    const solver::LaneTree& tree = *group_.tree;
    const std::size_t lanes = group_.width(), packs = group_.packs;
    if (packs == 1) {
      group_.parent = tree.parent;
      group_.coupling_uS = tree.coupling_uS;
    } else {
      group_.parent.resize(tree.row_count() * packs);
      group_.coupling_uS.resize(tree.row_count() * packs * lanes);
      for (std::size_t r = 0; r < tree.row_count(); ++r)
        for (std::size_t p = 0; p < packs; ++p) {
          const std::size_t row = group_.row(r, p);
          const auto parent = static_cast<std::size_t>(std::max(0, tree.parent[r]));
          group_.parent[row] = r == 0 ? -1 : static_cast<int>(group_.row(parent, p));
          std::copy_n(&tree.coupling_uS[r * lanes], lanes, &group_.coupling_uS[row * lanes]);
        }
    }
    if (cells_.front()->same_nodes) take_own_matrices();
    group_.v_init_mV.assign((tree.row_count() * packs + 1) * lanes, 0);
    for (std::size_t r = 0; r < tree.row_count(); ++r)
      for (std::size_t p = 0; p < packs; ++p)
        begin_row(&tree.nodes[r * lanes], p, &group_.v_init_mV[group_.row(r, p) * lanes]);
  }

  /// The tree has the couplings and capacitances of some of the cells whose nodes lie alike.
  void take_own_matrices() {
    const solver::LaneTree& tree = *group_.tree;
    const std::size_t lanes = group_.width();
    group_.capacitance_nF.assign(group_.coupling_uS.size(), 1);
    for (std::size_t r = 0; r < tree.row_count(); ++r)
      for (std::size_t p = 0; p < group_.packs; ++p)
        for (std::size_t l = 0; l < lanes; ++l) {
          const int node = tree.node_of(r, l);
          if (node < 0) continue;
          const solver::Template& cell = *cells_[cell_of(p, l)];
          const std::size_t at = group_.row(r, p) * lanes + l;
          group_.capacitance_nF[at] = cell.capacitance_nF(static_cast<std::size_t>(node));
          if (r > 0) group_.coupling_uS[at] = cell.coupling_uS(static_cast<std::size_t>(node));
        }
  }

  /// Initial voltages of one row of a pack. nodes: [lane]
  void begin_row(const int* nodes, std::size_t pack, double* v_mV) const {
    const std::size_t lanes = group_.width();
    if (one_v_init_) {
      for (std::size_t l = 0; l < lanes; ++l)
        v_mV[l] = nodes[l] < 0 ? 0 : plan_.population->v_init_mV;
    } else {
      for (std::size_t l = 0; l < lanes; ++l) v_mV[l] = initial_voltage(nodes[l], cell_of(pack, l));
    }
  }

  /// Of lanes that only fill, the last cell.
  std::size_t cell_of(std::size_t pack, std::size_t lane) const {
    return std::min(pack * group_.width() + lane, group_.indices.size() - 1);
  }

  double initial_voltage(int node, std::size_t cell) const {
    if (node < 0) return 0;
    return plan_.initial_voltage_mV(begin_ + cell, NodeId(node), identities_[cell]);
  }

  void find_detectors() {
    if (!plan_.population->detects) return;
    for (std::size_t c = 0; c < group_.indices.size(); ++c) {
      RandomStream none(0, Purpose::location, {});
      const auto& at = plan_.population->cable->detector->at;
      const NodeId node = solver::resolve(*kind(c).cell, at, none).front();
      group_.detector_rows.push_back(static_cast<int>(group_.row_of(c, node)));
    }
  }

  /// Where in the density placement of a lane's cell each row of the tree is, or -1, into places_:
  /// [row of the tree][lane of so many]. The cells of all packs are of one kind.
  void find_places(std::size_t b, std::size_t lane, std::size_t of_lanes) {
    const std::span<const int> rows = group_.tree->rows_of(lane);
    int slot = 0;
    for (const int node : kind(cell_of(0, lane)).densities[b].nodes) {
      const int row = rows[static_cast<std::size_t>(node)];
      if (row >= 0) places_[static_cast<std::size_t>(row) * of_lanes + lane] = slot;
      ++slot;
    }
  }

  /// A block has an instance on every row where any lane has the mechanism.
  MechanismBlock density_block(std::size_t b, BlockColumns& columns) {
    const std::size_t packs = group_.packs, rows = group_.tree->row_count();
    MechanismBlock block;
    block.mechanism = &plan_.mechanism(b);
    block.own_areas = sizes_differ_ || !group_.tree->is_uniform();
    const std::size_t apart = block.own_areas ? group_.width() : 1;
    places_.assign(rows * apart, -1);
    for (std::size_t l = 0; l < apart; ++l) find_places(b, l, apart);
    // Those of rows with an instance move to the front.
    std::size_t there = 0;
    rows_there_.clear();
    for (std::size_t row = 0; row < rows; ++row) {
      const int* const here = &places_[row * apart];
      if (std::all_of(here, here + apart, [](int slot) { return slot < 0; })) continue;
      std::copy_n(here, apart, &places_[there++ * apart]);
      rows_there_.push_back(row);
    }
    block.count = there * packs;
    block.nodes.resize(block.count);
    block.area_factors.resize(block.count * apart);
    double* factor = block.area_factors.data();
    for (std::size_t k = 0; k < there; ++k)
      for (std::size_t p = 0; p < packs; ++p) {
        block.nodes[k * packs + p] = static_cast<int>(group_.row(rows_there_[k], p));
        for (std::size_t l = 0; l < apart; ++l, ++factor) {
          if (places_[k * apart + l] < 0) continue;
          const auto node = static_cast<std::size_t>(group_.tree->node_of(rows_there_[k], l));
          // mA/cm2 · um2 = 1e-8 mA = 0.01 nA
          *factor = cells_[cell_of(p, l)]->area_um2(node) * 0.01;
        }
      }
    for (std::size_t c = 0; c < columns.size(); ++c) fill_column(b, c, block, apart, columns[c]);
    if (block.mechanism->info->diffusion_count > 0) link(b, block);
    return block;
  }

  /// Neighbours along the cable, for states that diffuse.
  void link(std::size_t b, MechanismBlock& block) const {
    const std::size_t lanes = group_.width(), packs = group_.packs;
    std::vector<int> there(group_.tree->row_count(), -1);  // [row of the tree]
    for (std::size_t k = 0; k < rows_there_.size(); ++k)
      there[rows_there_[k]] = static_cast<int>(k);
    block.first_link.push_back(0);
    const std::size_t cells = group_.indices.size(), step = block.own_areas ? 1 : lanes;
    for (std::size_t c = 0; c < cells; c += step) {
      const std::size_t pack = c / lanes;
      const std::span<const int> rows = group_.tree->rows_of(c % lanes);
      const CellKind& its = kind(c);
      for (solver::DiffusionLink one : diffusion_links(*its.cell, its.densities[b].nodes)) {
        const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(one.row)]);
        one.instance = there[row] * static_cast<int>(packs) + static_cast<int>(pack);
        one.row = static_cast<int>(group_.row(row, pack));
        block.links.push_back(one);
      }
      block.first_link.push_back(block.links.size());
    }
  }

  /// A variable of a density mechanism in all instances.
  void fill_column(std::size_t b, std::size_t variable, const MechanismBlock& block,
                   std::size_t apart, BlockColumn& column) {
    if (has_default(b, variable)) {
      column.one = block.mechanism->signature.variables[variable].default_value;
      return;
    }
    const std::size_t lanes = group_.width(), packs = group_.packs;
    if (block.count > 0 && is_one_number(b, variable)) {
      std::array<double, 8> first;
      fill(b, variable, places_.data(), apart, 0, first.data());
      column.one = first[0];
      return;
    }
    if (block.count > 0 && has_ion_default(b, variable)) {
      const CellKind& first = kind(0);
      column.one = first.shared_value(*plan_.mechanism(b).supplier(variable), NodeId(0),
                                      identities_[0], plan_.population->thermal_mV);
      return;
    }
    if (block.count > 0 && packs == 1 && is_one_a_cell(b, variable)) {
      column.of_lane.resize(lanes);
      fill(b, variable, places_.data(), apart, 0, column.of_lane.data());
      return;
    }
    column.many.resize(block.count * lanes);
    // Instances of one row of the tree lie side by side, a pack each.
    for (std::size_t i = 0; i < block.count; ++i)
      fill(b, variable, &places_[i / packs * apart], apart, i % packs, &column.many[i * lanes]);
  }

  /// Whether nobody says anything of a density mechanism's variable.
  bool has_default(std::size_t b, std::size_t variable) const {
    if (plan_.mechanism(b).supplier(variable)) return false;
    const auto begin = plan_.kinds.begin() + static_cast<std::ptrdiff_t>(begin_);
    return std::none_of(
        begin, plan_.kinds.begin() + static_cast<std::ptrdiff_t>(end_),
        [&](const auto& kind) { return !kind->densities[b].values->is_default(variable); });
  }

  /// Whether a variable is an ion's, of which no cell says anything.
  bool has_ion_default(std::size_t b, std::size_t variable) const {
    const mechanisms::Coupling* const coupling = plan_.mechanism(b).supplier(variable);
    const CellKind* known = nullptr;
    for (std::size_t c = begin_; coupling && c < end_; ++c) {
      const CellKind* const kind = plan_.kinds[c].get();
      const SetValues& values = *kind->densities[b].values;
      if (kind == known) continue;
      if (!values.is_default(variable) || !kind->has_ion_default(*coupling)) return false;
      known = kind;
    }
    return coupling;
  }

  /// Whether a variable has one number in each cell, which stands everywhere in it.
  bool is_one_a_cell(std::size_t b, std::size_t variable) const {
    if (!group_.tree->is_uniform()) return false;  // a lane may lack the first instance
    for (std::size_t c = begin_; c < end_; ++c) {
      const SetValues& values = *plan_.kinds[c]->densities[b].values;
      const models::Value* const value = values.is_one(variable) ? values(variable, 0) : nullptr;
      if (!value || value->varies_along_cell()) return false;
    }
    return true;
  }

  /// Whether a variable has one number of the model everywhere.
  bool is_one_number(std::size_t b, std::size_t variable) const {
    const models::Value* const value = (*kind(0).densities[b].values)(variable, 0);
    if (!value || !std::holds_alternative<double>(value->content())) return false;
    for (std::size_t c = begin_; c < end_; ++c) {
      const SetValues& values = *plan_.kinds[c]->densities[b].values;
      if (!values.is_one(variable) || values(variable, 0) != value) return false;
    }
    return true;
  }

  /// One variable of one instance in all lanes; those without it take the first one's that has it.
  /// entries: [lane, or one for all]
  void fill(std::size_t b, std::size_t variable, const int* entries, std::size_t apart,
            std::size_t pack, double* values) {
    const std::size_t lanes = group_.width();
    std::size_t first = lanes;
    const auto place_in = [&](std::size_t lane) { return entries[apart == 1 ? 0 : lane]; };
    for (std::size_t l = 0; l < lanes; ++l) {
      if (place_in(l) < 0) continue;
      first = std::min(first, l);
      const std::size_t cell = cell_of(pack, l);
      const auto i = static_cast<std::size_t>(place_in(l));
      const models::Value* value = (*kind(cell).densities[b].values)(variable, i);
      // A number of the model that was looked at before, for whichever node, is the same.
      if (!value || value != known_) {
        number_ = plan_.density_value(b, variable, i, begin_ + cell, identities_[cell]);
        known_ = value && std::holds_alternative<double>(value->content()) ? value : nullptr;
      }
      values[l] = number_;
    }
    for (std::size_t l = 0; l < lanes; ++l)
      if (place_in(l) < 0) values[l] = values[first];
  }

  MechanismBlock point_block(std::size_t b, BlockColumns& columns) const {
    const PointSet& set = plan_.points[b - plan_.density_count()];
    const std::size_t lanes = group_.width();
    const auto count_on = [&](std::size_t cell) {
      return set.first[begin_ + cell + 1] - set.first[begin_ + cell];
    };
    MechanismBlock block;
    block.mechanism = set.mechanism;
    block.first_of_pack.push_back(0);
    for (std::size_t p = 0; p < group_.packs; ++p) {
      std::uint32_t most = 0;
      for (std::size_t l = 0; l < lanes && group_.is_used(p, l); ++l)
        most = std::max(most, count_on(p * lanes + l));
      block.first_of_pack.push_back(block.first_of_pack.back() + most);
    }
    block.count = block.first_of_pack.back();
    // Instances that only fill a lane sit on the row after the last one, and have what all others
    // have, or defaults.
    const int nowhere = static_cast<int>(group_.row_count());
    block.nodes.assign(block.count * lanes, nowhere);
    block.is_there.assign(block.count * lanes, 0);
    const auto& variables = set.mechanism->signature.variables;
    for (std::size_t c = 0; c < variables.size(); ++c) {
      if (set.count() > 0 && set.values[c].is_one())
        columns[c].one = set.values[c].one();
      else
        columns[c].many.assign(block.count * lanes, variables[c].default_value);
    }
    for (std::size_t cell = 0; cell < group_.indices.size(); ++cell)
      for (std::uint32_t k = 0; k < count_on(cell); ++k) {
        const std::size_t from = set.first[begin_ + cell] + k;
        const std::size_t l = cell % lanes, i = block.first_of_pack[cell / lanes] + k;
        block.nodes[i * lanes + l] = static_cast<int>(group_.row_of(cell, NodeId(set.nodes[from])));
        block.is_there[i * lanes + l] = 1;
        for (std::size_t c = 0; c < variables.size(); ++c)
          if (!columns[c].one) columns[c].many[i * lanes + l] = set.values[c][from];
      }
    block.aligned = is_aligned(block);
    if (set.mechanism->info->keeps_arguments) lay_out_connections(set, block);
    return block;
  }

  bool is_aligned(const MechanismBlock& block) const {
    const std::size_t lanes = group_.width();
    for (std::size_t p = 0; p < group_.packs; ++p)
      for (std::size_t i = block.first_of_pack[p]; i < block.first_of_pack[p + 1]; ++i)
        for (std::size_t l = 0; l < lanes && group_.is_used(p, l); ++l)
          if (!block.is_there[i * lanes + l] ||
              block.nodes[i * lanes + l] != block.nodes[i * lanes])
            return false;
    return true;
  }

  /// Sorts slots by the instance that the connections lead to.
  void lay_out_connections(const PointSet& set, MechanismBlock& block) const {
    const std::size_t lanes = group_.width();
    const auto arguments = static_cast<std::size_t>(set.mechanism->info->arguments);
    // Connections lie cell by cell, so those of the group lie together.
    const auto first_of = [&](std::size_t cell) {
      const auto& all = set.connection_instances;
      return std::partition_point(
                 all.begin(), all.end(),
                 [&](std::uint32_t instance) { return instance < set.first[cell]; }) -
             all.begin();
    };
    const auto begin = static_cast<std::size_t>(first_of(begin_));
    const auto end = static_cast<std::size_t>(first_of(end_));
    block.first_connection_of_range = static_cast<std::uint32_t>(begin);
    block.arguments.assign((end - begin) * arguments, 0);
    std::vector<std::size_t> slot(set.first[end_] - set.first[begin_]);  // [instance of the group]
    for (std::size_t cell = 0; cell < group_.indices.size(); ++cell)
      for (std::size_t i = set.first[begin_ + cell]; i < set.first[begin_ + cell + 1]; ++i)
        slot[i - set.first[begin_]] =
            (block.first_of_pack[cell / lanes] + i - set.first[begin_ + cell]) * lanes +
            cell % lanes;
    const auto slot_of = [&](std::size_t c) {
      return slot[set.connection_instances[c] - set.first[begin_]];
    };
    block.first_connection.assign(block.count * lanes + 1, 0);
    for (std::size_t c = begin; c < end; ++c) {
      for (std::size_t a = 0; a < arguments; ++a)
        block.arguments[(c - begin) * arguments + a] = set.connection_arguments[a][c];
      ++block.first_connection[slot_of(c) + 1];
    }
    std::partial_sum(block.first_connection.begin(), block.first_connection.end(),
                     block.first_connection.begin());
    block.connections.resize(end - begin);
    std::vector<std::uint32_t> next(block.first_connection);
    for (std::size_t c = begin; c < end; ++c)
      block.connections[next[slot_of(c)]++] = static_cast<unsigned>((c - begin) * arguments);
  }

  const RangePlan& plan_;
  std::size_t begin_, end_;
  std::vector<CellIdentity> identities_;  ///< [cell]
  const models::Value* known_ = nullptr;  ///< a constant of the model, and its number
  double number_ = 0;
  bool one_v_init_ = false;                     ///< no cell says where it begins
  bool sizes_differ_ = false;                   ///< of cells whose nodes lie alike
  std::vector<const solver::Template*> cells_;  ///< [cell]
  std::vector<int> places_;                     ///< of the density mechanism at hand
  std::vector<std::size_t> rows_there_;         ///< of the tree, with an instance of it
  GroupLayout group_;
};

}  // namespace

std::shared_ptr<const solver::LaneTree> tree_of(const RangePlan& plan, const GroupCells& cells,
                                                solver::RowOrder order) {
  std::vector<solver::LaneCell> lanes;
  const std::size_t end = std::min(cells.end, cells.begin + static_cast<std::size_t>(cells.lanes));
  for (std::size_t c = cells.begin; c < end; ++c)
    lanes.push_back({plan.kinds[c]->cell.get(), &plan.kinds[c]->ends_in_use});
  return std::make_shared<const solver::LaneTree>(
      solver::lay_out_lanes(lanes, cells.lanes, order, cells.parts));
}

GroupLayout lay_out(const RangePlan& plan, const GroupCells& cells,
                    std::shared_ptr<const solver::LaneTree> tree) {
  return LayoutBuilder(plan, cells, std::move(tree)).build();
}

}  // namespace hillock::simulator::cpu
