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
          group_.v_init_mV[row * lanes + l] = initial_voltage(row, l);
        }
      }
  }

  double initial_voltage(std::size_t row, std::size_t lane) const {
    const int node = group_.node_at(row, lane);
    if (node < 0) return 0;
    const std::size_t cell = group_.cell_at(row, lane);
    const models::Value* value = kind(cell).v_init_mV[static_cast<std::size_t>(node)];
    return value ? evaluate_at(*value, *kind(cell).cell, NodeId(node), identities_[cell], "v_init")
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

  /// Where in a cell's density placement a row's node is, or -1.
  std::ptrdiff_t place_at(std::size_t b, std::size_t row, std::size_t lane) const {
    const int node = group_.node_at(row, lane);
    const auto& nodes = kind(group_.cell_at(row, lane)).densities[b].nodes;
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
    return node >= 0 && at != nodes.end() && *at == node ? at - nodes.begin() : -1;
  }

  /// A block has an instance on every row where any lane has the mechanism.
  MechanismBlock density_block(std::size_t b) const {
    const std::size_t lanes = group_.width();
    MechanismBlock block;
    block.mechanism = &plan_.mechanism(b);
    block.own_areas = !group_.tree->is_uniform();
    std::vector<std::ptrdiff_t> places;  // [instance][lane]
    for (std::size_t row = 0; row < group_.row_count(); ++row) {
      const std::size_t before = places.size();
      bool anywhere = false;
      for (std::size_t l = 0; l < lanes; ++l) {
        places.push_back(!block.own_areas && l > 0 ? places[before] : place_at(b, row, l));
        anywhere = anywhere || places.back() >= 0;
      }
      if (anywhere)
        block.nodes.push_back(static_cast<int>(row));
      else
        places.resize(before);
    }
    block.count = block.nodes.size();
    block.nodes.shrink_to_fit();
    block.area_factors.reserve(block.count * (block.own_areas ? lanes : 1));
    for (std::size_t i = 0; i < block.count; ++i)
      for (std::size_t l = 0; l < (block.own_areas ? lanes : 1); ++l) {
        const auto row = static_cast<std::size_t>(block.nodes[i]);
        const auto node = static_cast<std::size_t>(group_.node_at(row, l));
        const solver::Template& cell = *kind(group_.cell_at(row, l)).cell;
        // mA/cm2 · um2 = 1e-8 mA = 0.01 nA
        block.area_factors.push_back(places[i * lanes + l] < 0 ? 0 : cell.area_um2[node] * 0.01);
      }
    const std::size_t variables = block.mechanism->signature.variables.size();
    block.columns.resize(variables * block.count * lanes);
    for (std::size_t c = 0; c < variables; ++c)
      for (std::size_t i = 0; i < block.count; ++i)
        fill(b, c, &places[i * lanes], static_cast<std::size_t>(block.nodes[i]),
             &block.columns[block.index_of(lanes, c, i * lanes)]);
    return block;
  }

  /// One variable of one instance in all lanes; those without it take the first one's that has it.
  void fill(std::size_t b, std::size_t variable, const std::ptrdiff_t* places, std::size_t row,
            double* values) const {
    const std::size_t lanes = group_.width();
    std::size_t first = lanes;
    for (std::size_t l = lanes; l-- > 0;) {
      if (places[l] < 0) continue;
      first = l;
      const std::size_t cell = group_.cell_at(row, l);
      values[l] = plan_.density_value(b, variable, static_cast<std::size_t>(places[l]),
                                      begin_ + cell, identities_[cell]);
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
