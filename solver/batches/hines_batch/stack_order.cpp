#include "solver/batches/hines_batch/stack_order.hpp"

#include <algorithm>
#include <cstddef>

namespace hillock::solver::hines {
namespace {

/// Children of every node, each list ordered by what its subtree needs, the neediest last.
struct Children {
  std::vector<std::size_t> first;  // [n + 1]
  std::vector<int> node;           // [n - 1]
  std::vector<int> need;           // [n] stack entries while the subtree is walked
};

Children order_children(std::span<const int> parent) {
  const std::size_t n = parent.size();
  Children c{std::vector<std::size_t>(n + 1, 0), std::vector<int>(n - 1), std::vector<int>(n, 0)};
  for (std::size_t i = 1; i < n; ++i) ++c.first[static_cast<std::size_t>(parent[i]) + 1];
  for (std::size_t i = 0; i < n; ++i) c.first[i + 1] += c.first[i];
  std::vector<std::size_t> next(c.first.begin(), c.first.end() - 1);
  for (std::size_t i = 1; i < n; ++i)
    c.node[next[static_cast<std::size_t>(parent[i])]++] = static_cast<int>(i);
  for (std::size_t i = n; i-- > 0;) {  // children come after their parent
    const auto begin = c.node.begin() + static_cast<std::ptrdiff_t>(c.first[i]);
    const auto end = c.node.begin() + static_cast<std::ptrdiff_t>(c.first[i + 1]);
    if (begin == end) continue;
    std::stable_sort(begin, end, [&](int a, int b) {
      return c.need[static_cast<std::size_t>(a)] < c.need[static_cast<std::size_t>(b)];
    });
    int need = c.need[static_cast<std::size_t>(*(end - 1))];
    if (end - begin > 1) need = std::max(need, 1 + c.need[static_cast<std::size_t>(*(end - 2))]);
    c.need[i] = need;
  }
  return c;
}

}  // namespace

StackOrder make_stack_order(std::span<const int> parent) {
  StackOrder order;
  if (parent.empty()) return order;
  const Children children = order_children(parent);
  order.depth = children.need[0];
  order.node_of_row.reserve(parent.size());
  order.step.reserve(parent.size());
  struct Visit {
    int node;
    Step step;
  };
  std::vector<Visit> to_visit{{0, Step::follows}};
  while (!to_visit.empty()) {
    const Visit visit = to_visit.back();
    to_visit.pop_back();
    order.node_of_row.push_back(visit.node);
    order.step.push_back(visit.step);
    const auto begin = children.first[static_cast<std::size_t>(visit.node)];
    const auto end = children.first[static_cast<std::size_t>(visit.node) + 1];
    for (std::size_t k = end; k-- > begin;) {
      Step step = Step::between;
      if (end - begin == 1)
        step = Step::follows;
      else if (k == begin)
        step = Step::opens;
      else if (k == end - 1)
        step = Step::closes;
      to_visit.push_back({children.node[k], step});
    }
  }
  return order;
}

}  // namespace hillock::solver::hines
