#include "solver/contraction/schedule.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "solver/batch.hpp"

namespace hillock::solver {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// An edge of the shrinking tree. It ends as a slot of whichever end goes first.
struct Edge {
  int u = 0, v = 0;
  int coupling_of = -1;  ///< node of the given coupling
  int producer = -1;     ///< node whose elimination made it
  int owner = -1;        ///< node that was eliminated first
  int side = 0;          ///< owner's slot
  int other(int node) const { return node == u ? v : u; }
};

/// A node's place in the elimination.
struct Elimination {
  int round = -1;
  std::array<int, 2> edges{-1, -1};
  int new_edge = -1;
};

struct Rounds {
  std::vector<Edge> edges;
  std::vector<Elimination> nodes;
  std::vector<int> order;  ///< nodes by round, then number
  int count = 0;
  int early = 0;  ///< rounds before late nodes go
};

using Adjacency = std::vector<std::vector<int>>;  ///< [node] edges of each that is left

/// A tree's edges, each to the node that is its child. Nodes from the deepest on: what is left.
std::vector<int> all_left(std::span<const int> parent, Rounds& rounds, Adjacency& adjacent) {
  const int n = static_cast<int>(parent.size());
  rounds.nodes.resize(at(n));
  adjacent.resize(at(n));
  std::vector<int> depth(at(n), 0);
  for (int i = 1; i < n; ++i) {
    const int p = parent[at(i)];
    depth[at(i)] = depth[at(p)] + 1;
    const int edge = static_cast<int>(rounds.edges.size());
    rounds.edges.push_back({p, i, i, -1, -1, 0});
    adjacent[at(p)].push_back(edge);
    adjacent[at(i)].push_back(edge);
  }
  std::vector<int> left(at(n));
  std::iota(left.begin(), left.end(), 0);
  std::stable_sort(left.begin(), left.end(),
                   [&](int i, int j) { return depth[at(i)] > depth[at(j)]; });
  return left;
}

/// Takes a node away in the round at hand; two neighbours are joined by an edge.
void take_away(int i, Rounds& rounds, Adjacency& adjacent) {
  Elimination& gone = rounds.nodes[at(i)];
  gone.round = rounds.count;
  std::vector<int> own = adjacent[at(i)];
  std::sort(own.begin(), own.end(), [&](int e, int f) {
    return rounds.edges[at(e)].other(i) < rounds.edges[at(f)].other(i);
  });
  for (std::size_t side = 0; side < own.size(); ++side) {
    Edge& edge = rounds.edges[at(own[side])];
    edge.owner = i;
    edge.side = static_cast<int>(side);
    gone.edges[side] = own[side];
    std::erase(adjacent[at(edge.other(i))], own[side]);
  }
  if (own.size() != 2) return;
  const int u = rounds.edges[at(own[0])].other(i), v = rounds.edges[at(own[1])].other(i);
  gone.new_edge = static_cast<int>(rounds.edges.size());
  rounds.edges.push_back({u, v, -1, i, -1, 0});
  adjacent[at(u)].push_back(gone.new_edge);
  adjacent[at(v)].push_back(gone.new_edge);
}

/// Repeats: an independent set of nodes with at most two neighbours, deepest first, goes at once.
Rounds eliminate(std::span<const int> parent, std::span<const char> is_late) {
  Rounds rounds;
  Adjacency adjacent;
  std::vector<int> left = all_left(parent, rounds, adjacent);
  std::vector<int> blocked(parent.size(), -1);
  bool is_early = !is_late.empty();
  const auto may_go = [&](int i) {
    return adjacent[at(i)].size() <= 2 && !(is_early && is_late[at(i)]);
  };
  while (!left.empty()) {
    if (is_early && std::ranges::none_of(left, may_go)) {
      is_early = false;
      rounds.early = rounds.count;
    }
    std::vector<int> chosen, kept;
    for (const int i : left) {
      if (!may_go(i) || blocked[at(i)] == rounds.count) {
        kept.push_back(i);
        continue;
      }
      chosen.push_back(i);
      for (const int e : adjacent[at(i)]) blocked[at(rounds.edges[at(e)].other(i))] = rounds.count;
    }
    std::sort(chosen.begin(), chosen.end());
    for (const int i : chosen) take_away(i, rounds, adjacent);
    rounds.order.insert(rounds.order.end(), chosen.begin(), chosen.end());
    left = std::move(kept);
    ++rounds.count;
  }
  if (is_early) rounds.early = rounds.count;
  return rounds;
}

/// A task before tasks are ordered by step. Numbers below n are nodes, from n on folds.
struct Draft {
  int step = 0;
  std::vector<std::array<int, 2>> inbox;  ///< {giving draft, its side}, in the order of the sum
};

/// Gives every elimination the first step at which all it needs is there, those of late rounds
/// after `early_steps`, which it finds; makes the folds.
std::vector<Draft> place_in_steps(const Rounds& rounds, int most_at_once, int& early_steps) {
  const int n = static_cast<int>(rounds.nodes.size());
  const std::size_t most = at(most_at_once);
  std::vector<Draft> drafts(at(n));
  for (const int i : rounds.order) {
    std::vector<std::array<int, 2>> all = std::move(drafts[at(i)].inbox), ready;
    const auto arrival = [&](const std::array<int, 2>& from) {
      return drafts[at(from[0])].step + 1;
    };
    const bool is_early = rounds.nodes[at(i)].round < rounds.early;
    int step = is_early ? 0 : early_steps;
    for (const int e : rounds.nodes[at(i)].edges)
      if (e >= 0 && rounds.edges[at(e)].producer >= 0)
        step = std::max(step, drafts[at(rounds.edges[at(e)].producer)].step + 1);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& f, const auto& g) { return arrival(f) < arrival(g); });
    std::vector<std::array<int, 2>> folded;  // what the folds of the step before gave
    for (std::size_t k = 0; k < all.size() || !folded.empty();) {
      const int now = folded.empty() ? arrival(all[k]) : arrival(folded.front());
      std::vector<std::array<int, 2>> group = std::move(folded);
      folded.clear();
      while (k < all.size() && arrival(all[k]) == now) group.push_back(all[k++]);
      if (group.size() <= most) {
        ready.insert(ready.end(), group.begin(), group.end());
        step = std::max(step, now);
        continue;
      }
      for (std::size_t from = 0; from < group.size(); from += most) {
        const std::size_t to = std::min(group.size(), from + most);
        Draft fold;
        fold.step = now;
        fold.inbox.assign(group.begin() + static_cast<std::ptrdiff_t>(from),
                          group.begin() + static_cast<std::ptrdiff_t>(to));
        folded.push_back({static_cast<int>(drafts.size()), 0});
        drafts.push_back(std::move(fold));
      }
    }
    drafts[at(i)].inbox = std::move(ready);
    drafts[at(i)].step = step;
    if (is_early) early_steps = std::max(early_steps, step + 1);
    for (int side = 0; side < 2; ++side) {
      const int e = rounds.nodes[at(i)].edges[at(side)];
      if (e >= 0) drafts[at(rounds.edges[at(e)].other(i))].inbox.push_back({i, side});
    }
  }
  return drafts;
}

}  // namespace

ContractionSchedule make_contraction_schedule(std::span<const int> parent,
                                              std::span<const char> is_late, int most_at_once) {
  check_tree(parent);
  const Rounds rounds = eliminate(parent, is_late);
  int early_steps = 0;
  const std::vector<Draft> drafts = place_in_steps(rounds, most_at_once, early_steps);
  const int n = static_cast<int>(parent.size()), tasks = static_cast<int>(drafts.size());

  std::vector<int> order(at(tasks)), number(at(tasks));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return drafts[at(i)].step < drafts[at(j)].step; });
  for (int t = 0; t < tasks; ++t) number[at(order[at(t)])] = t;

  ContractionSchedule s;
  s.node_count = n;
  s.rounds = rounds.count;
  s.early_steps = early_steps;
  s.node.assign(at(tasks), -1);
  s.a = s.b = s.give_a = s.give_b = s.give_edge = s.node;
  s.coupling_of.assign(at(2 * tasks), -1);
  for (int t = 0; t < tasks; ++t) {
    const int i = order[at(t)];
    const Draft& draft = drafts[at(i)];
    while (s.step_start.size() <= at(draft.step)) s.step_start.push_back(t);
    s.inbox_start.push_back(s.entry_count);
    for (const auto& [from, side] : draft.inbox) {
      (side == 0 ? s.give_a : s.give_b)[at(number[at(from)])] = s.entry_count++;
      s.arrival.push_back(drafts[at(from)].step + 1);
    }
    if (i >= n) continue;
    s.node[at(t)] = i;
    const Elimination& gone = rounds.nodes[at(i)];
    for (int side = 0; side < 2; ++side) {
      if (gone.edges[at(side)] < 0) continue;
      const Edge& edge = rounds.edges[at(gone.edges[at(side)])];
      (side == 0 ? s.a : s.b)[at(t)] = edge.other(i);
      s.coupling_of[at(2 * t + side)] = edge.coupling_of;
    }
    if (gone.new_edge >= 0) {
      const Edge& edge = rounds.edges[at(gone.new_edge)];
      s.give_edge[at(t)] = 2 * number[at(edge.owner)] + edge.side;
    }
  }
  s.step_start.push_back(tasks);
  s.inbox_start.push_back(s.entry_count);
  return s;
}

}  // namespace hillock::solver
