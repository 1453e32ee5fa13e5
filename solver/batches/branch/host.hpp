#pragma once
// Runs a branch plan on the host, block by block, level by level, branch by branch, as the kernels
// do. The test of a plan that needs no GPU. Not fast.

#include <cstddef>
#include <span>
#include <vector>

#include "core/index.hpp"
#include "solver/schedules/branch_plan.hpp"

namespace hillock::solver {

/// Solves a batch in place (the matrix is solver/hines.hpp's). Arrays hold the cells one after
/// another in their trees' own order: [value_count]. coupling: of each node to its given parent.
/// A pivot of 0 gives values that are not finite. Cost O(n). Deterministic.
template <class Real>
void branch_solve(const BranchPlan& plan, std::span<const Real> coupling,
                  std::span<const Real> diagonal, std::span<Real> rhs) {
  struct Entry {
    Real d = 0, b = 0;
  };
  for (std::size_t block = 0; block < plan.blocks(); ++block) {
    const BranchPattern& p = plan.patterns[at(plan.pattern_of[block])];
    const std::size_t first = plan.first_node[block];
    std::vector<Real> d(at(p.storage)), b(at(p.storage)), u(at(p.storage));
    std::vector<Entry> inbox(at(p.inbox_start.back()));
    for (std::size_t i = 0; i < p.slot.size(); ++i) {
      d[at(p.slot[i])] = diagonal[first + i];
      b[at(p.slot[i])] = rhs[first + i];
    }
    for (std::size_t s = 0; s < u.size(); ++s)
      if (p.coupling_of[s] >= 0) u[s] = coupling[first + at(p.coupling_of[s])];

    for (int level = p.levels(); level-- > 0;) {
      const int begin = p.level_start[at(level)], width = p.level_start[at(level + 1)] - begin;
      for (int j = 0; j < width; ++j) {
        const int number = begin + j;
        int s = p.level_offset[at(level)] + (p.length[at(number)] - 1) * width + j;
        for (int e = p.inbox_start[at(number)]; e < p.inbox_start[at(number + 1)]; ++e) {
          d[at(s)] -= inbox[at(e)].d;
          b[at(s)] += inbox[at(e)].b;
        }
        for (int k = p.length[at(number)]; k-- > 0; s -= width) {
          const Real q = 1 / d[at(s)], a = u[at(s)];
          const Entry given{a * a * q, a * b[at(s)] * q};
          d[at(s)] = a * q;
          b[at(s)] *= q;
          if (k > 0) {
            d[at(s - width)] -= given.d;
            b[at(s - width)] += given.b;
          } else if (p.give[at(number)] >= 0) {
            inbox[at(p.give[at(number)])] = given;
          }
        }
      }
    }
    for (int level = 0; level < p.levels(); ++level) {
      const int begin = p.level_start[at(level)], width = p.level_start[at(level + 1)] - begin;
      for (int j = 0; j < width; ++j) {
        const int number = begin + j, above = p.parent_slot[at(number)];
        Real v = above < 0 ? 0 : b[at(above)];
        int s = p.level_offset[at(level)] + j;
        for (int k = 0; k < p.length[at(number)]; ++k, s += width) {
          v = b[at(s)] + d[at(s)] * v;
          b[at(s)] = v;
        }
      }
    }
    for (std::size_t i = 0; i < p.slot.size(); ++i) rhs[first + i] = b[at(p.slot[i])];
  }
}

}  // namespace hillock::solver
