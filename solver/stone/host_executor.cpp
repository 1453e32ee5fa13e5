// The host's run of NeuroGPU's schedules, and the conversion of values to rows and back.

#include <algorithm>
#include <string>

#include "core/index.hpp"
#include "solver/stone/elimination.hpp"
#include "solver/stone/schedule.hpp"

namespace hillock::solver::stone {
namespace {

View view_of(const Schedule& s) {
  return {.n = s.n,
          .n_levels = s.n_levels(),
          .rounds = s.rounds,
          .parent_of_row = s.parent_of_row.data(),
          .level_first = s.level_first.data(),
          .branch_first = s.branch_first.data(),
          .branch_rows = s.branch_rows.data(),
          .child_first = s.child_first.data(),
          .active_first = s.active_first.data(),
          .ancestor_first = s.ancestor_first.data(),
          .ancestor = s.ancestor.data()};
}

void check_sizes(const Schedule& s, BatchSize size, std::size_t per_trace, std::size_t per_cell) {
  if (size.n_cells < 0 || size.n_traces < 0 || per_trace != size.n_systems() * at(s.n) ||
      per_cell != at(size.n_cells) * at(s.n))
    throw InvalidInput("values are not those of " + std::to_string(size.n_cells) + " cells of " +
                       std::to_string(size.n_traces) + " traces and " + std::to_string(s.n) +
                       " compartments");
}

/// Row order: to[i][row] = from[i][node_of_row[row]].
template <class T>
std::vector<T> permute(const Schedule& s, const std::vector<T>& from) {
  std::vector<T> to(from.size());
  for (std::size_t base = 0; base < from.size(); base += at(s.n))
    for (std::size_t row = 0; row < at(s.n); ++row)
      to[base + row] = from[base + at(s.node_of_row[row])];
  return to;
}

// Teams of threads take rows from the deepest up, 4 a thread at a time as the kernel does: a tile
// is read whole before it is written, and an ancestor lies in the same tile or in a later one.
template <class T>
void double_down(const View& view, int team, T* factor, T* y) {
  std::vector<Doubled<T>> tile(at(4 * team));
  for (int round = 0; round < view.rounds; ++round) {
    const int first = view.active_first[round];
    const int* ancestor = view.ancestor + view.ancestor_first[round];
    for (int end = view.n; end > first; end -= 4 * team) {
      const int begin = std::max(first, end - 4 * team);
      for (int row = begin; row < end; ++row)
        tile[at(row - begin)] = double_reach(row, ancestor[row - first], factor, y);
      for (int row = begin; row < end; ++row) {
        factor[row] = tile[at(row - begin)].factor;
        y[row] = tile[at(row - begin)].y;
      }
    }
  }
}

}  // namespace

template <class T>
Values<T> arrange(const Schedule& schedule, BatchSize size, const Values<T>& values) {
  check_sizes(schedule, size, values.diagonal.size(), values.coupling.size());
  check_sizes(schedule, size, values.rhs.size(), values.coupling.size());
  Values<T> rows{permute(schedule, values.diagonal), permute(schedule, values.coupling),
                 permute(schedule, values.rhs)};
  for (std::size_t root = 0; root < rows.coupling.size(); root += at(schedule.n))
    rows.coupling[root] = 0;
  return rows;
}

template <class T>
std::vector<T> gather(const Schedule& s, BatchSize size, std::span<const T> solution) {
  check_sizes(s, size, solution.size(), at(size.n_cells) * at(s.n));
  std::vector<T> nodes(solution.size());
  for (std::size_t base = 0; base < nodes.size(); base += at(s.n))
    for (std::size_t row = 0; row < at(s.n); ++row)
      nodes[base + at(s.node_of_row[row])] = solution[base + row];
  return nodes;
}

template <class T>
std::vector<T> solve_on_host(const Schedule& schedule, BatchSize size, BackSubstitution back,
                             const Values<T>& arranged, int team) {
  check_sizes(schedule, size, arranged.diagonal.size(), arranged.coupling.size());
  check_sizes(schedule, size, arranged.rhs.size(), arranged.coupling.size());
  const View view = view_of(schedule);
  std::vector<T> factors = arranged.diagonal, solution = arranged.rhs;
  for (std::size_t system = 0; system < size.n_systems(); ++system) {
    T* factor = factors.data() + system * at(schedule.n);
    T* y = solution.data() + system * at(schedule.n);
    const T* coupling = arranged.coupling.data() + system / at(size.n_traces) * at(schedule.n);
    for (int level = view.n_levels - 1; level >= 0; --level)
      for (int b = view.level_first[level]; b < view.level_first[level + 1]; ++b)
        eliminate_branch(view, b, factor, coupling, y);
    if (back == BackSubstitution::segment) {
      double_down(view, team, factor, y);
    } else {
      for (int b = 0; b < schedule.n_branches(); ++b) substitute_branch(view, b, factor, y);
    }
  }
  return solution;
}

template Values<float> arrange(const Schedule&, BatchSize, const Values<float>&);
template Values<double> arrange(const Schedule&, BatchSize, const Values<double>&);
template std::vector<float> gather(const Schedule&, BatchSize, std::span<const float>);
template std::vector<double> gather(const Schedule&, BatchSize, std::span<const double>);
template std::vector<float> solve_on_host(const Schedule&, BatchSize, BackSubstitution,
                                          const Values<float>&, int);
template std::vector<double> solve_on_host(const Schedule&, BatchSize, BackSubstitution,
                                           const Values<double>&, int);

}  // namespace hillock::solver::stone
