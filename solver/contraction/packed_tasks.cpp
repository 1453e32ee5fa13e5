#include "solver/contraction/packed_tasks.hpp"

#include <limits>
#include <stdexcept>

namespace hillock::solver::contraction {

std::vector<PackedTask> packed_tasks(const ContractionSchedule& schedule) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto [early, early_entries] = early_counts(schedule);
  const int first_late = (early_entries + 1) / 2 * 2;
  const auto half = [](int number) {
    if (number > std::numeric_limits<short>::max())
      throw std::length_error("a tree is too large for packed tasks");
    return static_cast<short>(number);
  };
  const auto number_of = [&](int entry) {
    return entry < early_entries ? entry : first_late + 2 * (entry - early_entries);
  };
  std::vector<PackedTask> packed;
  for (int t = 0; t < schedule.task_count(); ++t) {
    const bool is_early = t < early;
    // An early task gives right-hand sides alone: the second number of a late entry.
    const auto give = [&](int entry) {
      return entry < 0 ? -1 : number_of(entry) + (is_early && entry >= early_entries ? 1 : 0);
    };
    const int edge = schedule.give_edge[at(t)];
    const int begin = schedule.inbox_start[at(t)], end = schedule.inbox_start[at(t) + 1];
    packed.push_back({half(schedule.node[at(t)]), half(schedule.a[at(t)]), half(schedule.b[at(t)]),
                      half(give(schedule.give_a[at(t)])), half(give(schedule.give_b[at(t)])),
                      half(is_early || edge < 0 ? -1 : edge - 2 * early), half(number_of(begin)),
                      half(number_of(begin) + (end - begin) * (is_early ? 1 : 2))});
  }
  return packed;
}

int wide_steps(const ContractionSchedule& schedule, int few) {
  int wide = 0;
  for (int step = 0; step < schedule.steps(); ++step) {
    const auto i = static_cast<std::size_t>(step);
    if (schedule.step_start[i + 1] - schedule.step_start[i] > few) wide = step + 1;
  }
  return wide;
}

}  // namespace hillock::solver::contraction
