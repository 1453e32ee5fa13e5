#pragma once
// Batches of traces with known solutions for the tests of stone, on the host and on the GPU.

#include <vector>

#include "solver/batches/stone/paper_trees.hpp"
#include "tests/solver/batches/hines_batch_cases.hpp"

namespace hillock::solver {

/// How many cells, and traces of each.
struct TraceCount {
  int cells = 1, traces = 1;
  std::size_t systems() const { return static_cast<std::size_t>(cells * traces); }
};

/// Traces as the batch they are: a system a trace, couplings repeated.
template <class T>
struct TraceCase {
  Forest shape;
  BatchValues<T> values;
};

template <class T>
TraceCase<T> make_case(const std::vector<int>& parent, TraceCount size, double kappa,
                       std::uint64_t seed) {
  TraceCase<T> c{Forest::uniform(parent, size.systems()), {}};
  c.values = random_values<T>(c.shape, kappa, seed);
  const std::size_t n = parent.size();
  const auto traces = static_cast<std::size_t>(size.traces);
  for (std::size_t system = 0; system < size.systems(); ++system) {
    const std::size_t first = system / traces * traces;  // the cell's first trace has its couplings
    for (std::size_t i = 0; i < n; ++i)
      c.values.coupling[system * n + i] = c.values.coupling[first * n + i];
    if (system == first) continue;
    std::vector<long double> diagonal(n);
    RandomStream draw(seed, Purpose::stimulus, {system, 3, 0});
    for (std::size_t i = 0; i < n; ++i) {
      diagonal[i] += 1 + draw.uniform();
      if (i == 0) continue;
      diagonal[i] += c.values.coupling[system * n + i];
      diagonal[static_cast<std::size_t>(parent[i])] += c.values.coupling[system * n + i];
    }
    for (std::size_t i = 0; i < n; ++i)
      c.values.diagonal[system * n + i] = static_cast<T>(diagonal[i]);
  }
  return c;
}

struct TreeCase {
  std::string name;
  std::vector<int> parent;
  TraceCount size;
};

inline std::vector<TreeCase> all_trees() {
  std::vector<TreeCase> cases;
  for (const int n : {1, 2, 31, 32, 33, 200})
    cases.push_back({"tree of " + std::to_string(n), random_tree(n, 0.7, 5), {3, 13}});
  for (const int n : {320, 640, 960})
    cases.push_back({"fork of " + std::to_string(n), make_fork(n), {2, 14}});
  for (const int depth : {5, 8, 10})
    cases.push_back({"binary tree of " + std::to_string(depth), make_binary_tree(depth), {2, 13}});
  cases.push_back({"giant", random_morphology(20000, 2001, 4), {1, 2}});
  cases.push_back({"star", star_tree(500, 3), {1, 3}});
  cases.push_back({"cable", cable_tree(5000), {1, 2}});
  return cases;
}

}  // namespace hillock::solver
