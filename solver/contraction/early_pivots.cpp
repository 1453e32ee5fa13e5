#include "solver/contraction/early_pivots.hpp"

#include "solver/contraction/elimination.hpp"

namespace hillock::solver::contraction {

EarlyCounts early_counts(const ContractionSchedule& schedule) {
  const int tasks = schedule.step_start[static_cast<std::size_t>(schedule.early_steps)];
  return {tasks, schedule.inbox_start[static_cast<std::size_t>(tasks)]};
}

EarlyPivots eliminate_early(const ContractionSchedule& schedule, std::span<const double> coupling,
                            std::span<const double> diagonal) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int early = early_counts(schedule).tasks;
  EarlyPivots result;
  result.diagonal.assign(diagonal.begin(), diagonal.end());
  std::vector<double> edges(2 * schedule.node.size(), 0), given(at(schedule.entry_count), 0);
  for (std::size_t slot = 0; slot < edges.size(); ++slot)
    if (const int node = schedule.coupling_of[slot]; node >= 0) edges[slot] = coupling[at(node)];
  const auto taken = [&](int task) {
    double sum = 0;
    for (int e = schedule.inbox_start[at(task)]; e < schedule.inbox_start[at(task) + 1]; ++e)
      sum += given[at(e)];
    return sum;
  };
  for (int task = 0; task < schedule.task_count(); ++task) {
    const int node = schedule.node[at(task)], give_a = schedule.give_a[at(task)];
    const double off = taken(task);  // of late tasks: what early ones gave
    if (node < 0) {
      given[at(give_a)] = off;
      if (task < early)
        for (auto* all : {&result.reciprocal, &result.factor_a, &result.factor_b})
          all->push_back(0);
      continue;
    }
    const double d = diagonal[at(node)] - off;
    if (task >= early) {
      result.diagonal[at(node)] = d;
      continue;
    }
    const Pivot<double> pivot({edges[2 * at(task)], edges[2 * at(task) + 1]}, d, 0);
    const int give_b = schedule.give_b[at(task)], give_edge = schedule.give_edge[at(task)];
    if (give_a >= 0) given[at(give_a)] = pivot.to_a().x;
    if (give_b >= 0) given[at(give_b)] = pivot.to_b().x;
    if (give_edge >= 0) edges[at(give_edge)] = pivot.between();
    result.reciprocal.push_back(pivot.q);
    result.factor_a.push_back(pivot.factors().x);
    result.factor_b.push_back(pivot.factors().y);
  }
  result.edges.assign(edges.begin() + 2 * early, edges.end());
  return result;
}

}  // namespace hillock::solver::contraction
