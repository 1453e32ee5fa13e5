// The function that kernels call solves one cell with threads of the host as its team: its syncs
// are enough, and the number of threads changes no bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "solver/batches/contraction/host.hpp"
#include "solver/contraction/packed_tasks.hpp"
#include "solver/random_trees.hpp"
#include "tests/solver/some_late.hpp"

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

/// A cell of late_solve.hpp in host memory, all of it NaN that need not be 0.
class LateCell {
 public:
  LateCell(const contraction::PackedTasks& packed, const contraction::EarlyPivots& early,
           std::vector<double>& diagonal, std::vector<double>& rhs)
      : early_(early),
        edges_(early.edges),
        diagonal_(diagonal),
        rhs_(rhs),
        inbox_(static_cast<std::size_t>(packed.inbox_numbers),
               std::numeric_limits<double>::quiet_NaN()) {
    std::fill_n(inbox_.begin(), packed.kept, 0.0);
  }

  double diagonal(int node) const { return diagonal_[static_cast<std::size_t>(node)]; }
  double& x(int node) { return rhs_[static_cast<std::size_t>(node)]; }
  double& inbox(int number) { return inbox_[static_cast<std::size_t>(number)]; }
  Pair<double>& entry(int number) { return reinterpret_cast<Pair<double>&>(inbox(number)); }
  double reciprocal(int t) const { return early_.reciprocal[static_cast<std::size_t>(t)]; }
  double factor_a(int t) const { return early_.factor_a[static_cast<std::size_t>(t)]; }
  double factor_b(int t) const { return early_.factor_b[static_cast<std::size_t>(t)]; }
  Pair<double> edges(int late) { return {edge(2 * late), edge(2 * late + 1)}; }
  double& edge(int slot) { return edges_[static_cast<std::size_t>(slot)]; }

 private:
  const contraction::EarlyPivots& early_;
  std::vector<double> edges_;
  std::vector<double>&diagonal_, &rhs_;
  std::vector<double> inbox_;
};

/// Solves three times, each time with other diagonals of late nodes.
TEST(ContractionTeam, EarlyPivotsServeAllDiagonalsOfLateNodes) {
  std::mt19937 random(3);
  for (const auto& tree : {attachment_tree(200, 0.9, 1), star_tree(30, 4), cable_tree(65),
                           cable_tree(1), attachment_tree(90, 0, 2)})
    for (const double late_share : {0.0, 0.05, 0.4, 1.0}) {
      const TreeSystem s = random_system(tree, 10, 5, Excess::one);
      const std::vector<char> is_late = some_late(s.parent.size(), late_share, random);
      const auto schedule =
          make_contraction_schedule(s.parent, is_late, std::numeric_limits<int>::max());
      const int early_tasks = contraction::early_counts(schedule).tasks;
      for (int t = 0; t < early_tasks; ++t)
        EXPECT_FALSE(is_late[static_cast<std::size_t>(schedule.node[static_cast<std::size_t>(t)])]);
      if (late_share == 0) {
        EXPECT_EQ(schedule.early_steps, schedule.steps());
      }
      const auto early = contraction::eliminate_early(schedule, s.coupling, s.diagonal);
      const auto packed = contraction::packed_tasks(schedule);
      const contraction::LateTables tables{packed.tasks.data(), schedule.task_count(),
                                           schedule.steps(), schedule.early_steps, early_tasks};
      std::vector<double> diagonal(is_late.size()), x(is_late.size()), whole = s.diagonal;
      const auto node_of = [&](std::size_t t) {
        return static_cast<std::size_t>(schedule.node[t]);
      };
      LateCell cell(packed, early, diagonal, x);
      contraction::HeldTasks<double, 201> tasks;
      tasks.load(TeamOfOne{}, tables, cell);
      for (int solve = 0; solve < 3; ++solve) {
        for (std::size_t t = 0; t < x.size(); ++t) {
          const std::size_t i = node_of(t);
          diagonal[t] = early.diagonal[i] + (is_late[i] ? solve : 0);
          whole[i] = s.diagonal[i] + (is_late[i] ? solve : 0);
          x[t] = s.rhs[i];
        }
        tasks.solve(TeamOfOne{}, cell);
        std::vector<double> expected = s.rhs;
        contraction_solve<double>(make_contraction_schedule(s.parent), s.coupling, whole, expected);
        for (std::size_t t = 0; t < x.size(); ++t)
          EXPECT_NEAR(x[t], expected[node_of(t)], 1e-12 * (1 + std::abs(expected[node_of(t)])));
      }
    }
}

/// Threads of the host, so many a squad.
struct SquadTeam {
  int number, count, squad_size;
  std::barrier<>*meeting, *squad_meeting;
  int rank() const { return number; }
  int size() const { return count; }
  int squad() const { return squad_size; }
  void sync() const { meeting->arrive_and_wait(); }
  void sync_squad() const { squad_meeting->arrive_and_wait(); }
};

/// Solves again and again, each solution the next right-hand side, by squads of a team.
std::vector<double> by_squads(const TreeSystem& s, const ContractionSchedule& schedule, int squads,
                              int squad_size) {
  const int count = squads * squad_size;
  const auto early = contraction::eliminate_early(schedule, s.coupling, s.diagonal);
  const auto packed = contraction::packed_tasks(schedule);
  const contraction::LateTables tables{packed.tasks.data(), schedule.task_count(), schedule.steps(),
                                       schedule.early_steps,
                                       contraction::early_counts(schedule).tasks};
  std::vector<double> diagonal, x;
  for (const int node : schedule.node) {
    diagonal.push_back(early.diagonal[static_cast<std::size_t>(node)]);
    x.push_back(s.rhs[static_cast<std::size_t>(node)]);
  }
  LateCell cell(packed, early, diagonal, x);
  std::barrier<> meeting(count);
  std::vector<std::unique_ptr<std::barrier<>>> squad_meetings;
  for (int k = 0; k < squads; ++k)
    squad_meetings.push_back(std::make_unique<std::barrier<>>(squad_size));
  std::vector<std::jthread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      const SquadTeam team{k, count, squad_size, &meeting,
                           squad_meetings[static_cast<std::size_t>(k / squad_size)].get()};
      contraction::HeldTasks<double, 201> tasks;
      tasks.load(team, tables, cell);
      for (int repeat = 0; repeat < 3; ++repeat) {
        tasks.solve(team, cell);
        team.sync();
      }
    });
  threads.clear();
  return x;
}

TEST(ContractionTeam, TakesTreesOfTheLargestSize) {
  const int n = static_cast<int>(contraction::most_packed_nodes);
  std::mt19937 random(5);
  const auto tree = [&](auto parent_of) {
    std::vector<int> parent{-1};
    while (parent.size() < contraction::most_packed_nodes)
      parent.push_back(parent_of(static_cast<int>(parent.size())));
    return parent;
  };
  for (const auto& parent :
       {tree([](int i) { return i - 1; }), tree([](int) { return 0; }),
        tree([](int i) { return (i - 1) / 2; }), tree([](int i) { return (i - 1) / 2 * 2; }),
        tree([&](int i) { return static_cast<int>(random() % static_cast<unsigned>(i)); }),
        tree([&](int i) { return i - 1 - static_cast<int>(random() % 3) * (i > 3); })})
    for (const double late_share : {0.0, 0.5, 1.0}) {
      const std::vector<char> is_late = some_late(parent.size(), late_share, random);
      const auto packed = contraction::packed_tasks(
          make_contraction_schedule(parent, is_late, std::numeric_limits<int>::max()));
      EXPECT_EQ(packed.tasks.size(), parent.size());
      EXPECT_LE(packed.inbox_numbers, 4 * n);
    }
}

TEST(ContractionTeam, OfSquadsGivesTheBitsOfOneThread) {
  std::mt19937 random(4);
  for (const auto& tree : {attachment_tree(200, 0.9, 1), star_tree(30, 4), star_tree(60, 1),
                           cable_tree(65), cable_tree(1), attachment_tree(90, 0, 2)})
    for (const double late_share : {0.0, 0.05, 0.4, 1.0}) {
      const TreeSystem s = random_system(tree, 10, 5, Excess::one);
      const std::vector<char> is_late = some_late(s.parent.size(), late_share, random);
      const auto schedule =
          make_contraction_schedule(s.parent, is_late, std::numeric_limits<int>::max());
      const std::vector<double> expected = by_squads(s, schedule, 1, 1);
      for (const auto& [squads, size] : {std::pair(1, 3), {2, 1}, {2, 4}, {3, 2}, {4, 3}})
        EXPECT_EQ(by_squads(s, schedule, squads, size), expected) << squads << " of " << size;
    }
}

}  // namespace
}  // namespace hillock::solver
