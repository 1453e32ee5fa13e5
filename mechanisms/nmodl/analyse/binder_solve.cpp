// SOLVE and TABLE: what is solved how and where, what is tabulated over what.

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/binder.hpp"

namespace hillock::nmodl {

using ast::BlockKind;

void Binder::solve(ast::Solve& node, Position position) {
  const auto found = analysis_.solvable.find(node.block.text);
  if (node.if_error) scoped(*node.if_error);
  if (found == analysis_.solvable.end()) {
    std::vector<std::string> names;
    for (const auto& [name, index] : analysis_.solvable) names.push_back(name);
    findings_.error(node.block.position, "SOLVE names '" + node.block.text +
                                             "', which is no block of this file." +
                                             did_you_mean(node.block.text, names));
    return;
  }
  node.block.binding = {ast::Binding::Kind::block, found->second};
  Solve facts;
  facts.block = found->second;
  facts.in_block = block_index_;
  facts.steady_state = node.steady_state;
  facts.conditional = conditional_depth_ > 0;
  facts.position = position;
  static const std::map<std::string, Method, std::less<>> methods = {
      {"cnexp", Method::cnexp},
      {"euler", Method::euler},
      {"derivimplicit", Method::derivimplicit},
      {"sparse", Method::sparse},
      {"runge", Method::runge},
      {"newton", Method::newton},
      {"after_cvode", Method::after_cvode},
      {"cvode_t", Method::cvode_t},
      {"cvode_t_v", Method::cvode_t_v},
      {"simeq", Method::unspecified},
      {"adrunge", Method::unspecified},
      {"_advance", Method::unspecified}};
  if (node.method) {
    const auto method = methods.find(node.method->text);
    if (method == methods.end()) {
      findings_.error(node.method->position,
                      "the method '" + node.method->text + "' is not supported");
      return;
    }
    facts.method = method->second;
  }
  check_method(facts, module_.syntax.blocks[at(found->second)],
               node.method ? &*node.method : nullptr);
  module_.solves.push_back(facts);
}

void Binder::check_method(const Solve& solve, const ast::Block& solved, const ast::Name* name) {
  const auto fits = [&] {
    switch (solved.kind) {
      case BlockKind::derivative:
        return solve.method == Method::unspecified || solve.method == Method::cnexp ||
               solve.method == Method::euler || solve.method == Method::derivimplicit ||
               solve.method == Method::runge || solve.method == Method::sparse;
      case BlockKind::kinetic:
        return solve.method == Method::unspecified || solve.method == Method::sparse ||
               solve.method == Method::derivimplicit;
      case BlockKind::linear:
        return solve.method == Method::unspecified;
      case BlockKind::nonlinear:
        return solve.method == Method::unspecified || solve.method == Method::newton;
      default:
        return solve.method == Method::unspecified || solve.method == Method::after_cvode ||
               solve.method == Method::cvode_t || solve.method == Method::cvode_t_v;
    }
  };
  if (!fits())
    findings_.error(name->position,
                    "the method '" + name->text + "' does not fit " + describe(solved));
  const bool in_time = solved.kind == BlockKind::derivative || solved.kind == BlockKind::kinetic;
  if (solve.steady_state && !in_time)
    findings_.error(solve.position, "STEADYSTATE is for DERIVATIVE and KINETIC blocks");
  const BlockKind here = block().kind;
  const bool anywhere =
      solve.steady_state || solved.kind == BlockKind::linear || solved.kind == BlockKind::nonlinear;
  const bool callable = here == BlockKind::function || here == BlockKind::procedure;
  if (here != BlockKind::breakpoint && here != BlockKind::initial && !(anywhere && callable))
    findings_.error(solve.position,
                    "SOLVE stands in BREAKPOINT or INITIAL, not in " + describe(block()));
  else if (in_time && here == BlockKind::initial && !solve.steady_state)
    findings_.error(solve.position,
                    "SOLVE in INITIAL needs STEADYSTATE: there is no time step to take");
}

void Binder::table(ast::Table& node, Position position) {
  const bool function = block().kind == BlockKind::function;
  if (!require(function || block().kind == BlockKind::procedure, position,
               "TABLE stands in FUNCTION or PROCEDURE"))
    return;
  TableFacts facts_of_table;
  facts_of_table.block = block_index_;
  facts_of_table.intervals = node.intervals;
  if (node.intervals < 1) findings_.error(position, "a TABLE needs at least one interval");
  if (block().arguments.size() != 1)
    findings_.error(position, "TABLE needs exactly one argument, and " + describe(block()) +
                                  " has " + std::to_string(block().arguments.size()));
  if (function && !node.variables.empty())
    findings_.error(node.variables[0].position,
                    "TABLE in a FUNCTION names no variables: its value is what is tabulated");
  if (!function && node.variables.empty())
    findings_.error(position, "TABLE in a PROCEDURE names the variables it tabulates");
  for (auto& name : node.variables) {
    if (function) break;
    name.binding = symbol_or_error(name, "a variable");
    if (name.binding.kind == ast::Binding::Kind::symbol)
      facts_of_table.variables.push_back(name.binding.index);
  }
  for (auto& name : node.dependencies) {
    name.binding = symbol_or_error(name, "a variable");
    if (name.binding.kind == ast::Binding::Kind::symbol)
      facts_of_table.dependencies.push_back(name.binding.index);
  }
  expression(node.first);
  expression(node.last);
  module_.tables.push_back(std::move(facts_of_table));
}

}  // namespace hillock::nmodl
