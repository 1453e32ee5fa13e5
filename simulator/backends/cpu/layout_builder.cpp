#include "simulator/backends/cpu/layout_builder.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "simulator/backends/cpu/layout_parts.hpp"

namespace hillock::simulator::cpu {

namespace {

/// The group's cells as the plan has them.
class LayoutBuilder {
 public:
  LayoutBuilder(const RangePlan& plan, const GroupCells& cells,
                std::shared_ptr<const solver::LaneTree> tree)
      : plan_(plan), begin_(cells.begin), end_(cells.end) {
    group_.population = plan.population;
    group_.lanes = cells.lanes;
    group_.packs = cells.packs;
    group_.tree = std::move(tree);
    for (std::size_t c = begin_; c < end_; ++c) {
      group_.indices.push_back(plan.indices[c]);
      identities_.push_back(plan.identity(c));
    }
  }

  GroupLayout build() {
    lay_out_rows();
    find_detectors();
    for (std::size_t b = 0; b < plan_.block_count(); ++b)
      group_.blocks.push_back(plan_.is_density(b) ? density_block(b) : point_block(b));
    lay_out_ions(plan_, begin_, identities_, group_);
    lay_out_pointers(plan_, begin_, group_);
    lay_out_probes(plan_, begin_, end_, group_);
    for (MechanismBlock& block : group_.blocks)
      block.put(std::exchange(block.columns, {}), group_.width());
    return std::move(group_);
  }

 private:
  const CellKind& kind(std::size_t cell) const { return *plan_.kinds[begin_ + cell]; }

  void lay_out_rows() {
    const solver::LaneTree& tree = *group_.tree;
    const std::size_t lanes = group_.width(), packs = group_.packs;
    group_.parent.resize(tree.row_count() * packs);
    group_.coupling_uS.resize(tree.row_count() * packs * lanes);
    group_.v_init_mV.assign((tree.row_count() * packs + 1) * lanes, 0);
    for (std::size_t r = 0; r < tree.row_count(); ++r)
      for (std::size_t p = 0; p < packs; ++p) {
        const std::size_t row = group_.row(r, p);
        group_.parent[row] =
            r == 0 ? -1 : static_cast<int>(group_.row(static_cast<std::size_t>(tree.parent[r]), p));
        for (std::size_t l = 0; l < lanes; ++l) {
          group_.coupling_uS[row * lanes + l] = tree.coupling_uS[r * lanes + l];
          group_.v_init_mV[row * lanes + l] =
              initial_voltage(tree.nodes[r * lanes + l], cell_of(p, l));
        }
      }
  }

  /// Of lanes that only fill, the last cell.
  std::size_t cell_of(std::size_t pack, std::size_t lane) const {
    return std::min(pack * group_.width() + lane, group_.indices.size() - 1);
  }

  double initial_voltage(int node, std::size_t cell) const {
    if (node < 0) return 0;
    const auto& values = kind(cell).v_init_mV;
    if (values.empty()) return plan_.population->v_init_mV;
    const models::Value* value = values[static_cast<std::size_t>(node)];
    return value
               ? evaluate_at(*value, *kind(cell).cell, NodeId(node), identities_[cell], {"v_init"})
               : plan_.population->v_init_mV;
  }

  void find_detectors() {
    if (!plan_.population->detects) return;
    for (std::size_t c = 0; c < group_.indices.size(); ++c) {
      RandomStream none(0, Purpose::place, {});
      const auto& at = plan_.population->cable->detector->at;
      const NodeId node = solver::resolve(*kind(c).cell, at, none).front();
      group_.detector_rows.push_back(static_cast<int>(group_.row_of(c, node)));
    }
  }

  /// Where in the density placement of a lane's cell each node of the tree is, or -1. The cells of
  /// all packs are of one kind. [row of the tree]
  std::vector<std::ptrdiff_t> places_of_lane(std::size_t b, std::size_t lane) const {
    const CellKind& cell = kind(cell_of(0, lane));
    const auto& nodes = cell.densities[b].nodes;
    std::vector<std::ptrdiff_t> of_node(cell.cell->node_count(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      of_node[static_cast<std::size_t>(nodes[i])] = static_cast<std::ptrdiff_t>(i);
    std::vector<std::ptrdiff_t> places(group_.tree->row_count(), -1);
    for (std::size_t row = 0; row < places.size(); ++row) {
      const int node = group_.tree->node_of(row, lane);
      if (node >= 0) places[row] = of_node[static_cast<std::size_t>(node)];
    }
    return places;
  }

  /// A block has an instance on every row where any lane has the mechanism.
  MechanismBlock density_block(std::size_t b) {
    const std::size_t lanes = group_.width(), packs = group_.packs;
    MechanismBlock block;
    block.mechanism = &plan_.mechanism(b);
    block.own_areas = !group_.tree->is_uniform();
    std::vector<std::vector<std::ptrdiff_t>> of_lane;  // [lane, or one for all][row]
    for (std::size_t l = 0; l < (block.own_areas ? lanes : 1); ++l)
      of_lane.push_back(places_of_lane(b, l));
    std::vector<std::ptrdiff_t> places;  // [instance][lane]
    for (std::size_t row = 0; row < group_.tree->row_count(); ++row) {
      if (std::ranges::none_of(of_lane, [&](const auto& lane) { return lane[row] >= 0; })) continue;
      for (std::size_t p = 0; p < packs; ++p) {
        block.nodes.push_back(static_cast<int>(group_.row(row, p)));
        for (std::size_t l = 0; l < lanes; ++l)
          places.push_back(of_lane[block.own_areas ? l : 0][row]);
        for (std::size_t l = 0; l < of_lane.size(); ++l) {
          const solver::Template& cell = *kind(cell_of(p, l)).cell;
          const auto node = static_cast<std::size_t>(group_.tree->node_of(row, l));
          // mA/cm2 · um2 = 1e-8 mA = 0.01 nA
          block.area_factors.push_back(of_lane[l][row] < 0 ? 0 : cell.area_um2[node] * 0.01);
        }
      }
    }
    block.count = block.nodes.size();
    block.nodes.shrink_to_fit();
    block.area_factors.shrink_to_fit();
    const std::size_t variables = block.mechanism->signature.variables.size();
    block.columns.resize(variables * block.count * lanes);
    for (std::size_t c = 0; c < variables; ++c) {
      if (has_default(b, c)) {
        std::fill_n(&block.columns[block.index_of(lanes, c, 0)], block.count * lanes,
                    block.mechanism->signature.variables[c].default_value);
        continue;
      }
      // Instances of one row of the tree lie side by side, a pack each.
      for (std::size_t i = 0, pack = 0; i < block.count;
           ++i, pack = pack + 1 < packs ? pack + 1 : 0)
        fill(b, c, &places[i * lanes], pack, &block.columns[block.index_of(lanes, c, i * lanes)]);
    }
    return block;
  }

  /// Whether nobody says anything of a density mechanism's variable.
  bool has_default(std::size_t b, std::size_t variable) const {
    if (plan_.mechanism(b).supplier(variable)) return false;
    const auto begin = plan_.kinds.begin() + static_cast<std::ptrdiff_t>(begin_);
    return std::none_of(
        begin, plan_.kinds.begin() + static_cast<std::ptrdiff_t>(end_),
        [&](const auto& kind) { return !kind->densities[b].values[variable].empty(); });
  }

  /// One variable of one instance in all lanes; those without it take the first one's that has it.
  void fill(std::size_t b, std::size_t variable, const std::ptrdiff_t* places, std::size_t pack,
            double* values) {
    const std::size_t lanes = group_.width();
    std::size_t first = lanes;
    for (std::size_t l = lanes; l-- > 0;) {
      if (places[l] < 0) continue;
      first = l;
      const std::size_t cell = cell_of(pack, l);
      const auto i = static_cast<std::size_t>(places[l]);
      const models::Value* value = kind(cell).densities[b].value(variable, i);
      // A number of the model that was looked at before, for whichever node, is the same.
      if (!value || value != known_) {
        number_ = plan_.density_value(b, variable, i, begin_ + cell, identities_[cell]);
        known_ = value && std::holds_alternative<double>(value->content()) ? value : nullptr;
      }
      values[l] = number_;
    }
    for (std::size_t l = 0; l < lanes; ++l)
      if (places[l] < 0) values[l] = values[first];
  }

  MechanismBlock point_block(std::size_t b) const {
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
    block.columns.resize(variables.size() * block.count * lanes);
    for (std::size_t c = 0; c < variables.size(); ++c)
      std::fill_n(&block.columns[block.index_of(lanes, c, 0)], block.count * lanes,
                  set.values[c].is_one() ? set.values[c].one() : variables[c].default_value);
    for (std::size_t cell = 0; cell < group_.indices.size(); ++cell)
      for (std::uint32_t k = 0; k < count_on(cell); ++k) {
        const std::size_t from = set.first[begin_ + cell] + k;
        const std::size_t l = cell % lanes, i = block.first_of_pack[cell / lanes] + k;
        block.nodes[i * lanes + l] = static_cast<int>(group_.row_of(cell, NodeId(set.nodes[from])));
        block.is_there[i * lanes + l] = 1;
        for (std::size_t c = 0; c < variables.size(); ++c)
          block.columns[block.index_of(lanes, c, i * lanes + l)] = set.values[c][from];
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
    std::vector<std::size_t> place(set.first[end_] - set.first[begin_]);  // [instance of the group]
    for (std::size_t cell = 0; cell < group_.indices.size(); ++cell)
      for (std::size_t i = set.first[begin_ + cell]; i < set.first[begin_ + cell + 1]; ++i)
        place[i - set.first[begin_]] =
            (block.first_of_pack[cell / lanes] + i - set.first[begin_ + cell]) * lanes +
            cell % lanes;
    const auto place_of = [&](std::size_t c) {
      return place[set.connection_instances[c] - set.first[begin_]];
    };
    block.first_connection.assign(block.count * lanes + 1, 0);
    for (std::size_t c = begin; c < end; ++c) {
      block.arguments[(c - begin) * arguments] = set.connection_weights[c];
      ++block.first_connection[place_of(c) + 1];
    }
    std::partial_sum(block.first_connection.begin(), block.first_connection.end(),
                     block.first_connection.begin());
    block.connections.resize(end - begin);
    std::vector<std::uint32_t> next(block.first_connection);
    for (std::size_t c = begin; c < end; ++c)
      block.connections[next[place_of(c)]++] = static_cast<unsigned>((c - begin) * arguments);
  }

  const RangePlan& plan_;
  std::size_t begin_, end_;
  std::vector<CellIdentity> identities_;  ///< [cell]
  const models::Value* known_ = nullptr;  ///< a constant of the model, and its number
  double number_ = 0;
  GroupLayout group_;
};

}  // namespace

std::shared_ptr<const solver::LaneTree> tree_of(const RangePlan& plan, const GroupCells& cells) {
  std::vector<solver::LaneCell> lanes;
  const std::size_t end = std::min(cells.end, cells.begin + static_cast<std::size_t>(cells.lanes));
  for (std::size_t c = cells.begin; c < end; ++c)
    lanes.push_back({plan.kinds[c]->cell.get(), &plan.kinds[c]->ends_in_use});
  return std::make_shared<const solver::LaneTree>(solver::lay_out_lanes(lanes, cells.lanes));
}

GroupLayout lay_out(const RangePlan& plan, const GroupCells& cells,
                    std::shared_ptr<const solver::LaneTree> tree) {
  return LayoutBuilder(plan, cells, std::move(tree)).build();
}

}  // namespace hillock::simulator::cpu
