#include "solver/contraction/packed_tasks.hpp"

#include <stdexcept>

namespace hillock::solver::contraction {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Where entries are in the inbox.
struct Inbox {
  std::vector<int> number;                  ///< [entry]
  std::vector<int> extra_begin, extra_end;  ///< [task]
  int numbers = 0;

  explicit Inbox(const ContractionSchedule& schedule) : number(at(schedule.entry_count)) {
    const int early = early_counts(schedule).tasks, tasks = schedule.task_count();
    const auto first_of = [&](int task) {
      return task < early ? own_entries * task : own_entries * (2 * task - early);
    };
    numbers = first_of(tasks);
    for (int t = 0; t < tasks; ++t) {
      const int width = t < early ? 1 : 2, begin = schedule.inbox_start[at(t)];
      extra_begin.push_back(numbers);
      for (int e = begin; e < schedule.inbox_start[at(t) + 1]; ++e) {
        const bool is_own = e - begin < own_entries;
        number[at(e)] = is_own ? first_of(t) + (e - begin) * width : numbers;
        if (!is_own) numbers += width;
      }
      extra_end.push_back(numbers);
    }
  }
};

}  // namespace

PackedTasks packed_tasks(const ContractionSchedule& schedule) {
  const auto [early, early_entries] = early_counts(schedule);
  const Inbox inbox(schedule);
  const auto half = [](int number) {
    if (number >= nowhere) throw std::length_error("a tree is too large for packed tasks");
    return static_cast<unsigned short>(number);
  };
  std::vector<int> task_of(at(schedule.node_count));
  for (int t = 0; t < schedule.task_count(); ++t) task_of[at(schedule.node[at(t)])] = t;
  PackedTasks packed;
  packed.inbox_numbers = inbox.numbers;
  for (int t = 0; t < schedule.task_count(); ++t) {
    const bool is_early = t < early;
    // An early task gives right-hand sides alone: the second number of a late entry.
    const auto give = [&](int entry) {
      if (entry < 0) return nowhere;
      return half(inbox.number[at(entry)] + (is_early && entry >= early_entries ? 1 : 0));
    };
    const auto neighbour = [&](int node) { return half(node < 0 ? t : task_of[at(node)]); };
    const int edge = schedule.give_edge[at(t)];
    packed.tasks.push_back({neighbour(schedule.a[at(t)]), neighbour(schedule.b[at(t)]),
                            give(schedule.give_a[at(t)]), give(schedule.give_b[at(t)]),
                            is_early || edge < 0 ? nowhere : half(edge - 2 * early),
                            half(inbox.extra_begin[at(t)]), half(inbox.extra_end[at(t)]), 0});
  }
  return packed;
}

}  // namespace hillock::solver::contraction
