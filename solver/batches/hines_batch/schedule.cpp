#include "solver/batches/hines_batch/schedule.hpp"

#include <algorithm>
#include <numeric>

#include "solver/batches/hines_batch/elimination.hpp"

namespace hillock::solver {

using namespace hines;

HinesArrangement HinesArrangement::flat() {
  return {.width = 1};
}
HinesArrangement HinesArrangement::fully_interleaved(Padding padding) {
  return {.width = 0, .padding = padding};
}
HinesArrangement HinesArrangement::block_interleaved(int width) {
  return {.width = width};
}
HinesArrangement HinesArrangement::block_shared(int width) {
  return {.width = width, .walk = HinesArrangement::Walk::parents_shared_rhs};
}
HinesArrangement HinesArrangement::streamed() {
  return {.width = 32,
          .walk = HinesArrangement::Walk::stream,
          .order = HinesArrangement::Order::sorted};
}

std::string HinesArrangement::name() const {
  std::string name = width == 0 ? "full" : width == 1 ? "flat" : "block-" + std::to_string(width);
  if (walk == Walk::parents_shared_rhs) name = "shared-" + std::to_string(width);
  if (walk == Walk::stream) name = "stream";
  if (order == Order::sorted && walk != Walk::stream) name += "-sorted";
  if (padding == Padding::skipped) name += "-skipped";
  return name;
}

namespace {

int lanes_that_fit(int width, int rows, std::size_t bytes_of_value, std::size_t shared_bytes) {
  while (width > 0 &&
         static_cast<std::size_t>(width) * static_cast<std::size_t>(rows) * bytes_of_value >
             shared_bytes)
    width /= 2;
  return width;
}

std::vector<int> order_systems(const Forest& shape, HinesArrangement::Order order) {
  std::vector<int> systems(shape.n_systems());
  std::iota(systems.begin(), systems.end(), 0);
  if (order == HinesArrangement::Order::sorted && !shape.is_uniform())
    std::stable_sort(systems.begin(), systems.end(), [&](int a, int b) {
      const auto s = static_cast<std::size_t>(a), t = static_cast<std::size_t>(b);
      if (shape.size(s) != shape.size(t)) return shape.size(s) > shape.size(t);
      return shape.tree_of(s) < shape.tree_of(t);
    });
  return systems;
}

void place_systems(const Forest& shape, HinesSchedule& schedule) {
  const std::size_t width = static_cast<std::size_t>(schedule.width);
  const std::size_t groups = (shape.n_systems() + width - 1) / width;
  schedule.system_of_slot = order_systems(shape, schedule.arrangement.order);
  schedule.system_of_slot.resize(groups * width, -1);
  schedule.size_of_slot.assign(groups * width, 0);
  schedule.tree_of_slot.assign(groups * width, 0);
  schedule.group_first.assign(1, 0);
  const bool stream = schedule.arrangement.walk == HinesArrangement::Walk::stream;
  schedule.one_size = true;
  for (std::size_t g = 0; g < groups; ++g) {
    int rows = 0;
    for (std::size_t slot = g * width; slot < (g + 1) * width; ++slot) {
      if (schedule.system_of_slot[slot] < 0) continue;
      const auto system = static_cast<std::size_t>(schedule.system_of_slot[slot]);
      schedule.size_of_slot[slot] = shape.size(system);
      schedule.tree_of_slot[slot] = shape.tree_of(system);
      rows = std::max(rows, shape.size(system));
    }
    schedule.one_size = schedule.one_size && rows == shape.largest();
    if (stream) rows = (rows + rows_of_quad - 1) / rows_of_quad * rows_of_quad;
    schedule.group_first.push_back(schedule.group_first.back() +
                                   static_cast<std::size_t>(rows) * width);
  }
  for (const int size : schedule.size_of_slot)
    schedule.one_size = schedule.one_size && (size == 0 || size == shape.largest());
}

void number_rows_as_nodes(const Forest& shape, HinesSchedule& schedule) {
  schedule.parent_of_row.assign(shape.parents().begin(), shape.parents().end());
  schedule.node_of_row.resize(schedule.parent_of_row.size());
  for (std::size_t t = 0; t < shape.n_trees(); ++t)
    std::iota(
        schedule.node_of_row.begin() + static_cast<std::ptrdiff_t>(schedule.tree_first[t]),
        schedule.node_of_row.begin() + static_cast<std::ptrdiff_t>(schedule.tree_first[t + 1]), 0);
}

void number_rows_for_stack(const Forest& shape, HinesSchedule& schedule) {
  schedule.word_first.push_back(0);
  for (std::size_t t = 0; t < shape.n_trees(); ++t) {
    const auto parent = shape.parent(t);
    const StackOrder order = make_stack_order(parent);
    schedule.stack_depth = std::max(schedule.stack_depth, order.depth);
    std::vector<int> row_of_node(parent.size());
    for (std::size_t row = 0; row < parent.size(); ++row)
      row_of_node[static_cast<std::size_t>(order.node_of_row[row])] = static_cast<int>(row);
    const std::size_t first_word = schedule.step_words.size();
    schedule.step_words.resize(first_word + (parent.size() + rows_per_word - 1) / rows_per_word);
    for (std::size_t row = 0; row < parent.size(); ++row) {
      const auto node = static_cast<std::size_t>(order.node_of_row[row]);
      schedule.node_of_row.push_back(static_cast<int>(node));
      schedule.parent_of_row.push_back(
          row == 0 ? -1 : row_of_node[static_cast<std::size_t>(parent[node])]);
      schedule.step_words[first_word + row / rows_per_word] |=
          static_cast<std::uint32_t>(order.step[row]) << (2 * (row % rows_per_word));
    }
    schedule.word_first.push_back(schedule.step_words.size());
  }
}

}  // namespace

std::size_t HinesSchedule::bytes_moved(std::size_t bytes_of_value, std::size_t compartments) const {
  const std::size_t words = arrangement.walk == HinesArrangement::Walk::stream               ? 8
                            : arrangement.walk == HinesArrangement::Walk::parents_shared_rhs ? 7
                                                                                             : 9;
  return words * bytes_of_value * compartments;
}

HinesSchedule make_hines_schedule(const Forest& shape, HinesArrangement arrangement,
                                  std::size_t bytes_of_value, std::size_t shared_bytes) {
  if (arrangement.width < 0) throw UsageError("Hines batch: a group has at least one lane");
  if (arrangement.walk == HinesArrangement::Walk::stream) arrangement.width = 32;
  if (arrangement.walk == HinesArrangement::Walk::parents_shared_rhs) {
    const int wish = arrangement.width == 0 ? 32 : arrangement.width;
    const int fit = lanes_that_fit(wish, shape.largest(), bytes_of_value, shared_bytes);
    arrangement.width = fit > 0 ? fit : wish;
    if (fit == 0) arrangement.walk = HinesArrangement::Walk::parents;
  }
  HinesSchedule schedule;
  schedule.arrangement = arrangement;
  schedule.n_systems = shape.n_systems();
  schedule.one_tree = shape.is_uniform();
  schedule.width = arrangement.width > 0
                       ? arrangement.width
                       : std::max(32, (static_cast<int>(shape.n_systems()) + 31) / 32 * 32);
  if (arrangement.walk == HinesArrangement::Walk::stream)
    schedule.together = static_cast<int>(16 / bytes_of_value);
  place_systems(shape, schedule);
  schedule.tree_first.assign(shape.tree_first().begin(), shape.tree_first().end());
  if (arrangement.walk == HinesArrangement::Walk::stream)
    number_rows_for_stack(shape, schedule);
  else
    number_rows_as_nodes(shape, schedule);
  return schedule;
}

template <class T>
HinesValues<T> arrange(const Forest& shape, const HinesSchedule& schedule,
                       const BatchValues<T>& flat) {
  check_values(shape, flat);
  HinesValues<T> values{std::vector<T>(schedule.length(), T(1)),
                        std::vector<T>(schedule.length(), T(0)),
                        std::vector<T>(schedule.length(), T(0))};
  for (std::size_t slot = 0; slot < schedule.n_slots(); ++slot) {
    if (schedule.system_of_slot[slot] < 0) continue;
    const auto first = shape.first()[static_cast<std::size_t>(schedule.system_of_slot[slot])];
    const auto tree = schedule.tree_first[static_cast<std::size_t>(schedule.tree_of_slot[slot])];
    for (int row = 0; row < schedule.size_of_slot[slot]; ++row) {
      const std::size_t from =
          first +
          static_cast<std::size_t>(schedule.node_of_row[tree + static_cast<std::size_t>(row)]);
      const std::size_t to = schedule.at(slot, row);
      values.diagonal[to] = flat.diagonal[from];
      if (row > 0) values.coupling[to] = flat.coupling[from];
      values.rhs[to] = flat.rhs[from];
    }
  }
  return values;
}

template <class T>
std::vector<T> gather(const Forest& shape, const HinesSchedule& schedule, std::span<const T> rhs) {
  std::vector<T> flat(shape.total());
  for (std::size_t slot = 0; slot < schedule.n_slots(); ++slot) {
    if (schedule.system_of_slot[slot] < 0) continue;
    const auto first = shape.first()[static_cast<std::size_t>(schedule.system_of_slot[slot])];
    const auto tree = schedule.tree_first[static_cast<std::size_t>(schedule.tree_of_slot[slot])];
    for (int row = 0; row < schedule.size_of_slot[slot]; ++row)
      flat[first +
           static_cast<std::size_t>(schedule.node_of_row[tree + static_cast<std::size_t>(row)])] =
          rhs[schedule.at(slot, row)];
  }
  return flat;
}

template HinesValues<float> arrange(const Forest&, const HinesSchedule&, const BatchValues<float>&);
template HinesValues<double> arrange(const Forest&, const HinesSchedule&,
                                     const BatchValues<double>&);
template std::vector<float> gather(const Forest&, const HinesSchedule&, std::span<const float>);
template std::vector<double> gather(const Forest&, const HinesSchedule&, std::span<const double>);

}  // namespace hillock::solver
