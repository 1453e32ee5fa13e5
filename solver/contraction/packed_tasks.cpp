#include "solver/contraction/packed_tasks.hpp"

#include <stdexcept>

#include "solver/contraction/inbox_places.hpp"

namespace hillock::solver::contraction {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

PackedTasks packed_tasks(const ContractionSchedule& schedule) {
  const auto [early, early_entries] = early_counts(schedule);
  const InboxPlaces inbox = place_entries(schedule);
  const auto half = [](int number) {
    if (number >= nowhere) throw std::length_error("a tree is too large for packed tasks");
    return number;
  };
  const auto halves = [](int low, int high) {
    return Halves{static_cast<unsigned>(low) | static_cast<unsigned>(high) << 16};
  };
  std::vector<int> task_of(at(schedule.node_count));
  for (int t = 0; t < schedule.task_count(); ++t) task_of[at(schedule.node[at(t)])] = t;
  PackedTasks packed{{}, inbox.kept, inbox.numbers};
  for (int step = 0; step < schedule.steps(); ++step)
    for (int t = schedule.step_start[at(step)]; t < schedule.step_start[at(step + 1)]; ++t) {
      PackedTask task{};
      const auto neighbour = [&](int node) { return half(node < 0 ? t : task_of[at(node)]); };
      task.neighbours = halves(neighbour(schedule.a[at(t)]), neighbour(schedule.b[at(t)]));
      const auto taken = [&](int k) {
        const int entry = schedule.inbox_start[at(t)] + k;
        return entry < schedule.inbox_start[at(t + 1)] ? half(inbox.place[at(entry)]) : 0;
      };
      task.taken = halves(taken(0), taken(1));
      task.extras = halves(half(inbox.extra_begin[at(t)]), half(inbox.extra_end[at(t)]));
      // An early task gives right-hand sides alone: the second number of a late entry.
      const auto given = [&](int entry) {
        if (entry < 0) return nowhere;
        return half(inbox.place[at(entry)] + (t < early && entry >= early_entries ? 1 : 0));
      };
      task.given = halves(given(schedule.give_a[at(t)]), given(schedule.give_b[at(t)]));
      const int edge = schedule.give_edge[at(t)];
      task.edge_and_step =
          halves(t < early || edge < 0 ? nowhere : half(edge - 2 * early), half(step));
      packed.tasks.push_back(task);
    }
  return packed;
}

}  // namespace hillock::solver::contraction
