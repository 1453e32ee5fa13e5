// The host's run of NeuroGPU's schedules, and the conversion of values to rows and back.

#include <algorithm>
#include <string>

#include "core/index.hpp"
#include "solver/batches/stone/elimination.hpp"
#include "solver/batches/stone/host.hpp"

namespace hillock::solver {
namespace {

using namespace stone;

View view_of(const StoneSchedule& s) {
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

/// Row order: to[i][row] = from[i][node_of_row[row]].
template <class T>
std::vector<T> permute(const StoneSchedule& s, const std::vector<T>& from) {
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

void check_traces(const Forest& forest, int traces) {
  const auto refuse = [&](const std::string& problem) {
    throw InvalidBatch(forest.n_systems(), forest.total(), problem);
  };
  for (const int tree : forest.tree_of_system())
    if (tree != forest.tree_of(0)) refuse("Stone's method takes systems of one tree");
  if (traces < 1 || forest.n_systems() % at(traces) != 0)
    refuse("they are not whole cells of " + std::to_string(traces) + " traces");
}

template <class T>
StoneValues<T> arrange(const Forest& forest, const StoneSchedule& schedule,
                       const BatchValues<T>& values, int traces) {
  check_values(forest, values);
  check_traces(forest, traces);
  const std::size_t n = at(schedule.n);
  check_size(forest.n_systems(), forest.total(), forest.n_systems() * n, "rows");
  std::vector<T> of_cells;
  for (std::size_t first = 0; first < values.coupling.size(); first += at(traces) * n)
    of_cells.insert(of_cells.end(), values.coupling.begin() + static_cast<std::ptrdiff_t>(first),
                    values.coupling.begin() + static_cast<std::ptrdiff_t>(first + n));
  StoneValues<T> rows{permute(schedule, values.diagonal), permute(schedule, of_cells),
                      permute(schedule, values.rhs)};
  for (std::size_t root = 0; root < rows.coupling.size(); root += n) rows.coupling[root] = 0;
  return rows;
}

template <class T>
std::vector<T> gather(const Forest& forest, const StoneSchedule& s, std::span<const T> solution) {
  check_size(forest.n_systems(), forest.total(), solution.size(), "values of a solution");
  std::vector<T> nodes(solution.size());
  for (std::size_t base = 0; base < nodes.size(); base += at(s.n))
    for (std::size_t row = 0; row < at(s.n); ++row)
      nodes[base + at(s.node_of_row[row])] = solution[base + row];
  return nodes;
}

template <class T>
std::vector<T> solve_on_host(const StoneSchedule& schedule, BackSubstitution back,
                             const StoneValues<T>& arranged, int team) {
  const View view = view_of(schedule);
  const std::size_t n = at(schedule.n), cells = arranged.coupling.size() / n;
  std::vector<T> factors = arranged.diagonal, solution = arranged.rhs;
  for (std::size_t system = 0; system < solution.size() / n; ++system) {
    T* factor = factors.data() + system * n;
    T* y = solution.data() + system * n;
    const T* coupling = arranged.coupling.data() + system / (solution.size() / n / cells) * n;
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

#define HILLOCK_INSTANTIATE(T)                                                                \
  template StoneValues<T> arrange(const Forest&, const StoneSchedule&, const BatchValues<T>&, \
                                  int);                                                       \
  template std::vector<T> gather(const Forest&, const StoneSchedule&, std::span<const T>);    \
  template std::vector<T> solve_on_host(const StoneSchedule&, BackSubstitution,               \
                                        const StoneValues<T>&, int);
HILLOCK_INSTANTIATE(float)
HILLOCK_INSTANTIATE(double)
#undef HILLOCK_INSTANTIATE

}  // namespace hillock::solver
