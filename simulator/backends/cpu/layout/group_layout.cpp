#include "simulator/backends/cpu/layout/group_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "core/containers/memory_size.hpp"
#include "simulator/backends/cpu/layout/layout_builder.hpp"
#include "simulator/plan/network/population_cells.hpp"

namespace hillock::simulator::cpu {

LaneArray& IonBlock::values(mechanisms::SharedQuantity quantity) {
  using mechanisms::SharedQuantity;
  switch (quantity) {
    case SharedQuantity::current:
      return current_mA_per_cm2;
    case SharedQuantity::reversal:
      return reversal_mV;
    case SharedQuantity::inside:
      return inside_mM;
    case SharedQuantity::outside:
      return outside_mM;
    default:
      throw std::logic_error("not a variable of an ion");
  }
}

bool MechanismBlock::may_be_uniform() const {
  const mechanisms::MechanismInfo& info = *mechanism->info;
  const bool may_change = info.changes_parameters || info.changes_in_current ||
                          (info.is_point_process && !info.is_linear);
  return count > 0 && !may_change && !is_looked_into && !is_pointed_at && pointers.empty();
}

namespace {

/// Whether the first numbers speak for all that follow, to the last bit: the first `period` of
/// [instance][lane].
bool repeats(std::span<const double> numbers, std::size_t period) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  for (std::size_t i = period; i < numbers.size(); ++i)
    if (bits(numbers[i]) != bits(numbers[i - period])) return false;
  return true;
}

/// Lanes of one pack are those of its cells; those of several are of several cells each.
std::size_t period_of(std::size_t lanes, std::size_t packs) {
  return packs == 1 ? lanes : 1;
}

}  // namespace

void MechanismBlock::put(LaneArray all, std::size_t lanes, std::size_t packs) {
  const auto others = static_cast<std::size_t>(mechanism->info->first_state());
  const std::size_t states = static_cast<std::size_t>(mechanism->info->states) * count * lanes;
  const auto column = [&](std::size_t c) {
    return std::span<const double>(all).subspan(states + c * count * lanes, count * lanes);
  };
  uniform = may_be_uniform();
  lanes_differ = false;
  for (std::size_t c = 0; uniform && c < others; ++c) {
    uniform = repeats(column(c), period_of(lanes, packs));
    lanes_differ = lanes_differ || !repeats(column(c).first(lanes), 1);
  }
  if (!uniform) {
    columns = std::move(all);
    return;
  }
  columns.resize(states + others * lanes);
  std::copy_n(all.begin(), states, columns.begin());
  for (std::size_t c = 0; c < others; ++c)
    std::ranges::copy(column(c).first(lanes), &columns[states + c * lanes]);
}

void MechanismBlock::put(BlockColumns all, std::size_t lanes, std::size_t packs) {
  const auto first_state = static_cast<std::size_t>(mechanism->info->first_state());
  uniform = may_be_uniform();
  lanes_differ = false;
  for (std::size_t c = 0; uniform && c < first_state; ++c) {
    const BlockColumn& column = all[c];
    if (column.one) continue;
    const std::span<const double> known(column.of_lane.empty() ? column.many : column.of_lane);
    uniform = repeats(known, period_of(lanes, packs));
    lanes_differ = lanes_differ || !repeats(known.first(lanes), 1);
  }
  const std::size_t size = count * lanes, size_of_others = uniform ? lanes : size;
  const auto append = [&](const BlockColumn& column, std::size_t numbers) {
    if (column.one)
      columns.insert(columns.end(), numbers, *column.one);
    else if (column.of_lane.empty())
      columns.insert(columns.end(), column.many.begin(),
                     column.many.begin() + static_cast<std::ptrdiff_t>(numbers));
    else
      for (std::size_t i = 0; i < numbers; i += lanes)
        columns.insert(columns.end(), column.of_lane.begin(), column.of_lane.end());
  };
  columns.reserve((all.size() - first_state) * size + first_state * size_of_others);
  for (std::size_t c = first_state; c < all.size(); ++c) append(all[c], size);
  for (std::size_t c = 0; c < first_state; ++c) append(all[c], size_of_others);
}

LaneArray MechanismBlock::unfolded(std::size_t lanes) const {
  if (!uniform) return columns;
  const std::size_t states = static_cast<std::size_t>(mechanism->info->states) * count * lanes;
  LaneArray all;
  all.reserve(states + static_cast<std::size_t>(mechanism->info->first_state()) * count * lanes);
  all.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(states));
  for (std::size_t at = states; at < columns.size(); at += lanes) {
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(at);
    if (lanes == 1) all.insert(all.end(), count, *first);
    for (std::size_t i = 0; lanes > 1 && i < count; ++i)
      all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(lanes));
  }
  return all;
}

std::size_t MechanismBlock::bytes() const {
  std::size_t bytes = bytes_of(nodes) + bytes_of(area_factors) + bytes_of(columns) +
                      bytes_of(is_there) + bytes_of(first_of_pack) + bytes_of(arguments) +
                      bytes_of(connections) + bytes_of(first_connection) + bytes_of(links) +
                      bytes_of(first_link);
  // An address and what it was made from.
  for (const auto& some : pointers) bytes += bytes_of(some) + some.size() * sizeof(double*);
  return bytes;
}

std::size_t GroupLayout::bytes() const {
  std::size_t bytes = sizeof(GroupLayout) + bytes_of(indices) + bytes_of(parts) + bytes_of(parent) +
                      bytes_of(coupling_uS) + bytes_of(v_init_mV) + bytes_of(blocks) +
                      bytes_of(ions) + bytes_of(played) + bytes_of(fields) +
                      bytes_of(gaps_published) + bytes_of(gaps_read) + bytes_of(samples) +
                      bytes_of(terms) + bytes_of(sampled_at) + bytes_of(detector_rows);
  for (const MechanismBlock& block : blocks) bytes += block.bytes();
  for (const IonBlock& ion : ions)
    bytes += bytes_of(ion.current_mA_per_cm2) + bytes_of(ion.reversal_mV) +
             bytes_of(ion.inside_mM) + bytes_of(ion.outside_mM) + bytes_of(ion.nernst);
  for (const FieldOnRows& field : fields)
    bytes += bytes_of(field.in_time) + bytes_of(field.nA) + bytes_of(field.ground_nA);
  return bytes + layers.bytes();
}

std::size_t LayersOfRows::bytes() const {
  std::size_t bytes = bytes_of(has);
  for (const std::vector<LaneArray>* arrays : {&along_uS, &across_uS, &capacitance_nF})
    for (const LaneArray& array : *arrays) bytes += bytes_of(array);
  return bytes;
}

std::size_t GroupLayout::cell_at(std::size_t row, std::size_t lane) const {
  return std::min(row % packs * width() + lane, indices.size() - 1);
}

std::size_t GroupLayout::row_of(std::size_t cell, NodeId node) const {
  const int tree_row = tree->row_of(cell % width(), node);
  if (tree_row < 0) throw std::logic_error("a node in use was left out of the group's tree");
  return row(static_cast<std::size_t>(tree_row), cell / width());
}

namespace {

/// The cells of one of a group's packs, which share a tree.
RangePlan pack_of(const GroupLayout& group, std::size_t pack) {
  RangePlan some;
  some.population = group.population;
  const std::size_t begin = pack * group.width();
  const std::size_t end = std::min(begin + group.width(), group.indices.size());
  some.indices.assign(group.indices.begin() + static_cast<std::ptrdiff_t>(begin),
                      group.indices.begin() + static_cast<std::ptrdiff_t>(end));
  some.kinds = group.population->cells->kinds_of(*group.population, some.indices);
  return some;
}

}  // namespace

std::string GroupLayout::describe(std::size_t row, std::size_t lane) const {
  const std::size_t cell = cell_at(row, lane);
  const RangePlan some = pack_of(*this, cell / width());
  const auto nodes = tree_of(some, {0, some.cell_count(), lanes, 1, part_count()});
  const int node = row < row_count() ? nodes->node_of(row / packs, lane) : -1;
  return some.kinds[cell % width()]->cell->describe(NodeId(std::max(0, node)));
}

void GroupLayout::recall_nodes() {
  const RangePlan some = pack_of(*this, 0);
  tree = tree_of(some, {0, some.cell_count(), lanes, 1, part_count()});
}

}  // namespace hillock::simulator::cpu
