// The function that kernels call solves one cell with threads of the host as its team: its syncs
// are enough, and the number of threads changes no bit.

#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "solver/contraction/host.hpp"
#include "solver/random_trees.hpp"

namespace hillock::solver {
namespace {

/// Threads of the host.
struct ThreadTeam {
  int number, count;
  std::barrier<>* meeting;
  int rank() const { return number; }
  int size() const { return count; }
  void sync() const { meeting->arrive_and_wait(); }
};

template <class Real>
std::vector<Real> by_threads(const TreeSystem& s, int count, int repeats) {
  const auto schedule = make_contraction_schedule(s.parent);
  const std::vector<Real> coupling(s.coupling.begin(), s.coupling.end()),
      diagonal(s.diagonal.begin(), s.diagonal.end());
  std::vector<Real> x(s.rhs.begin(), s.rhs.end());
  const contraction::Tables tables = contraction::tables_of(schedule);
  contraction::HostCell<Real> cell(schedule, coupling, diagonal, x);
  std::barrier<> meeting(count);
  std::vector<std::jthread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      const ThreadTeam team{k, count, &meeting};
      contraction::place_couplings(team, tables, cell);
      for (int repeat = 0; repeat < repeats; ++repeat) contraction::solve<Real>(team, tables, cell);
    });
  threads.clear();
  return x;
}

TEST(ContractionTeam, OfAnySizeGivesTheBitsOfOneThread) {
  for (const auto& tree : {attachment_tree(200, 0.9, 1), star_tree(30, 4), cable_tree(65),
                           cable_tree(1), attachment_tree(90, 0, 2)}) {
    const TreeSystem s = random_system(tree, 10, 5, Excess::one);
    std::vector<double> expected = s.rhs;
    const auto schedule = make_contraction_schedule(s.parent);
    for (int repeat = 0; repeat < 3; ++repeat)
      contraction_solve<double>(schedule, s.coupling, s.diagonal, expected);
    for (const int count : {1, 2, 3, 7}) {
      EXPECT_EQ(by_threads<double>(s, count, 3), expected) << count << " threads";
      EXPECT_EQ(by_threads<float>(s, count, 3), by_threads<float>(s, 1, 3)) << count << " threads";
    }
  }
}

}  // namespace
}  // namespace hillock::solver
