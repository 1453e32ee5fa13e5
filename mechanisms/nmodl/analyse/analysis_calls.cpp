// Which block calls which: callees before callers, recursion refused, what is reached at all.

#include "mechanisms/nmodl/analyse/analysis_calls.hpp"
#include "core/index.hpp"

#include <algorithm>

namespace hillock::nmodl {

namespace {

/// Reports one cycle among the blocks that have `left` unresolved callees.
void report_cycle(Analysis& analysis, const std::vector<int>& left) {
  const Module& module = analysis.module;
  std::size_t here = 0;
  while (left[here] == 0) ++here;
  std::vector<bool> seen(module.blocks.size());
  std::vector<std::size_t> path;
  while (!seen[here]) {
    seen[here] = true;
    path.push_back(here);
    for (const CallSite& call : module.blocks[here].calls)
      if (left[at(call.block)] > 0) {
        here = at(call.block);
        break;
      }
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), here));
  std::string chain;
  for (std::size_t i = 0; i < path.size() && i < 8; ++i)
    chain += module.syntax.blocks[path[i]].name + " calls ";
  chain += path.size() > 8 ? "..." : module.syntax.blocks[here].name;
  for (const CallSite& call : module.blocks[path.back()].calls)
    if (at(call.block) == here)
      analysis.findings.error(call.position, "recursion is not supported: " + chain);
}

bool is_entry(ast::BlockKind kind) {
  using enum ast::BlockKind;
  return kind == initial || kind == breakpoint || kind == net_receive || kind == before_initial ||
         kind == before_breakpoint || kind == before_step || kind == after_initial ||
         kind == after_solve || kind == constructor || kind == destructor;
}

}  // namespace

std::vector<int> order_of_calls(Analysis& analysis) {
  Module& module = analysis.module;
  const std::size_t count = module.blocks.size();
  std::vector<int> left(count), order;
  for (std::size_t i = 0; i < count; ++i) {
    left[i] = static_cast<int>(module.blocks[i].calls.size());
    for (const CallSite& call : module.blocks[i].calls)
      module.blocks[at(call.block)].callers.push_back(static_cast<int>(i));
    if (left[i] == 0) order.push_back(static_cast<int>(i));
  }
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const int caller : module.blocks[at(order[next])].callers)
      if (--left[at(caller)] == 0) order.push_back(caller);
  if (order.size() == count) return order;
  report_cycle(analysis, left);
  return {};
}

void mark_reached(Module& module) {
  std::vector<int> open;
  const auto reach = [&](int block) {
    BlockFacts& facts = module.blocks[at(block)];
    if (!facts.reached) open.push_back(block);
    facts.reached = true;
  };
  std::vector<std::vector<int>> solved(module.blocks.size());
  for (const Solve& solve : module.solves) solved[at(solve.in_block)].push_back(solve.block);
  for (std::size_t i = 0; i < module.blocks.size(); ++i)
    if (is_entry(module.syntax.blocks[i].kind)) reach(static_cast<int>(i));
  while (!open.empty()) {
    const auto block = at(open.back());
    open.pop_back();
    for (const CallSite& call : module.blocks[block].calls) reach(call.block);
    for (const int other : solved[block]) reach(other);
  }
}

}  // namespace hillock::nmodl
