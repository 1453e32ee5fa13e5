// Names inside expressions.

#include <algorithm>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/binder.hpp"

namespace hillock::nmodl {

using ast::ExpressionKind;
using Kind = ast::Binding::Kind;

const Symbol* Binder::symbol_of(const ast::Binding& binding) const {
  if (binding.kind != Kind::symbol) return nullptr;
  return &module_.symbols[at(binding.index)];
}

int Binder::size_of(const ast::Binding& binding) const {
  if (const Symbol* symbol = symbol_of(binding)) return symbol->size;
  if (binding.kind != Kind::local) return 0;
  const auto& locals = module_.blocks[at(block_index_)].locals;
  return locals[at(binding.index)].size;
}

std::string Binder::suggestion(const std::string& name) const {
  if (name.size() < 2 || findings_.is_full()) return "";  // any letter would be near one
  std::vector<std::string> names;
  for (const auto& scope : scopes_)
    for (const auto& [local, index] : scope) names.push_back(local);
  for (const auto& [symbol, index] : analysis_.symbols) names.push_back(symbol);
  return did_you_mean(name, names);
}

ast::Binding Binder::find(const std::string& name, Position position) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) {
      if (facts().locals[at(found->second)].kind == LocalKind::flag)
        module_.net_receive->uses_flag = true;
      return {Kind::local, found->second};
    }
  if (const auto found = analysis_.symbols.find(name); found != analysis_.symbols.end())
    return {Kind::symbol, found->second};
  if (const int initial = add_initial_value(analysis_, name); initial >= 0)
    return {Kind::symbol, initial};
  if (const int tables = add_use_of_tables(analysis_, name); tables >= 0)
    return {Kind::symbol, tables};
  if (findings_.is_full()) {
    findings_.error(position, "'" + name + "' is declared nowhere");
    return {};
  }
  if (!unknown_here_.insert(name).second) return {};
  if (analysis_.functions.contains(name) || analysis_.solvable.contains(name))
    findings_.error(position, "'" + name + "' is a block and stands here as a variable");
  else if (name == "flag")
    findings_.error(position, "flag is known in NET_RECEIVE alone");
  else
    findings_.error(position, "'" + name + "' is declared nowhere." + suggestion(name));
  return {};
}

ast::Binding Binder::symbol_or_error(ast::Name& name, const std::string& what) {
  const auto found = analysis_.symbols.find(name.text);
  if (found != analysis_.symbols.end()) return {Kind::symbol, found->second};
  findings_.error(name.position,
                  "'" + name.text + "' is not " + what + " of this file." + suggestion(name.text));
  return {};
}

void Binder::expression(ast::Expression& node, Use use) {
  switch (node.kind) {
    case ExpressionKind::number:
      if (node.unit && !analysis_.units.parse(*node.unit))
        note_unknown_unit(*node.unit, node.position, findings_);
      return;
    case ExpressionKind::string:
      findings_.error(node.position, "a string has no value");
      return;
    case ExpressionKind::variable:
    case ExpressionKind::element:
      return variable(node, use);
    case ExpressionKind::call:
      return call_expression(node);
    case ExpressionKind::unary:
    case ExpressionKind::binary:
      for (auto& operand : node.operands) expression(operand);
      return;
  }
}

void Binder::variable(ast::Expression& node, Use use) {
  for (auto& index : node.operands) expression(index);
  node.binding = find(node.name, node.position);
  if (node.binding.kind == Kind::none) return;
  const int size = size_of(node.binding);
  const Symbol* symbol = symbol_of(node.binding);
  // An opaque or remote variable may be an array; only C code could index it.
  if (node.kind == ExpressionKind::element && size == 0) {
    findings_.error(node.position, "'" + node.name + "' is no array");
  } else if (node.kind == ExpressionKind::variable && size > 0 && use != Use::whole) {
    findings_.error(node.position, "'" + node.name + "' is an array and needs an index");
  } else if (node.kind == ExpressionKind::element &&
             node.operands[0].kind == ExpressionKind::number) {
    const double index = node.operands[0].value;
    if (!(index >= 0 && index < size))
      findings_.error(node.position,
                      "'" + node.name + "' has the elements 0 to " + std::to_string(size - 1));
  }
  if (symbol && symbol->role == Role::random)
    findings_.error(node.position,
                    "'" + node.name + "' is RANDOM and stands only as an argument of random_...");
  if (node.steps_back > 0 && (!symbol || symbol->role != Role::state))
    findings_.error(node.position,
                    "'@' goes back to earlier values of a STATE, and '" + node.name + "' is none");
  if (symbol && module_.point_neuron) check_environment(node, *symbol);
  if (use == Use::target) check_target(node);
}

void Binder::check_target(const ast::Expression& node) {
  if (node.steps_back > 0) findings_.error(node.position, "an earlier value cannot be assigned");
  if (const Symbol* symbol = symbol_of(node.binding)) {
    if (symbol->role == Role::environment && symbol->environment != Environment::v)
      findings_.error(node.position,
                      "'" + node.name + "' belongs to the simulator and cannot be assigned");
    if (symbol->is_use_of_tables)
      findings_.error(node.position,
                      "'" + node.name + "' is whether tables are used, and cannot be assigned");
    if (module_.point_neuron && node.binding.index == module_.point_neuron->injected)
      findings_.error(node.position,
                      "'" + node.name + "' is set by stimuli and cannot be assigned");
    return;
  }
  if (node.binding.kind != Kind::local) return;
  const LocalKind kind = facts().locals[at(node.binding.index)].kind;
  if (kind == LocalKind::loop_index || kind == LocalKind::flux)
    findings_.error(node.position, "'" + node.name + "' cannot be assigned");
}

void Binder::call_expression(ast::Expression& node) {
  const auto count = [&](std::size_t expected) {
    if (node.operands.size() != expected)
      findings_.error(node.position, "'" + node.name + "' takes " + std::to_string(expected) +
                                         (expected == 1 ? " argument" : " arguments") + ", not " +
                                         std::to_string(node.operands.size()));
  };
  if (const auto found = analysis_.functions.find(node.name); found != analysis_.functions.end()) {
    node.binding = {Kind::block, found->second};
    for (auto& argument : node.operands) expression(argument);
    count(module_.syntax.blocks[at(found->second)].arguments.size());
    auto& calls = facts().calls;
    if (std::ranges::none_of(calls, [&](const CallSite& c) { return c.block == found->second; }))
      calls.push_back({found->second, node.position});
    return;
  }
  if (const auto found = analysis_.tables.find(node.name); found != analysis_.tables.end()) {
    node.binding = {Kind::function_table, found->second};
    for (auto& argument : node.operands) expression(argument);
    const int block = module_.function_tables[at(found->second)].block;
    count(module_.syntax.blocks[at(block)].arguments.size());
    facts().function_tables.push_back(found->second);
    return;
  }
  if (const BuiltinFacts* known = find_builtin(node.name)) return builtin_call(node, *known);
  for (auto& argument : node.operands)
    if (argument.kind != ExpressionKind::string) expression(argument);
  if (is_refused_builtin(node.name)) {
    findings_.error(node.position, node.name + " is not supported");
  } else if (!findings_.is_full() && unknown_here_.insert(node.name + "()").second) {
    std::vector<std::string> names = builtin_names();
    for (const auto& [name, index] : analysis_.functions) names.push_back(name);
    for (const auto& [name, index] : analysis_.tables) names.push_back(name);
    if (const auto block = analysis_.solvable.find(node.name); block != analysis_.solvable.end())
      findings_.error(node.position, "'" + node.name + "' is solved with SOLVE, not called");
    else if (const auto symbol = analysis_.symbols.find(node.name);
             symbol != analysis_.symbols.end())
      findings_.error(node.position,
                      "'" + node.name + "' is a variable and stands here as a function");
    else
      findings_.error(node.position, "there is no function '" + node.name + "' in this file." +
                                         did_you_mean(node.name, names));
  }
}

void Binder::builtin_call(ast::Expression& node, const BuiltinFacts& known) {
  node.binding = {Kind::builtin, static_cast<int>(known.builtin)};
  facts().builtins.push_back(known.builtin);
  const int count = static_cast<int>(node.operands.size());
  if (count < known.least_arguments ||
      (known.most_arguments >= 0 && count > known.most_arguments)) {
    std::string range = std::to_string(known.least_arguments);
    if (known.most_arguments != known.least_arguments)
      range += " to " + std::to_string(known.most_arguments);
    findings_.error(node.position, "'" + node.name + "' takes " + range +
                                       (range == "1" ? " argument" : " arguments") + ", not " +
                                       std::to_string(count));
  }
  std::size_t first = 0;
  const bool draws = node.name.starts_with("random_");
  if (draws && count > 0) {  // the stream
    first = 1;
    ast::Expression& stream = node.operands[0];
    if (stream.kind == ExpressionKind::variable) {
      stream.binding = find(stream.name, stream.position);
      const Symbol* symbol = symbol_of(stream.binding);
      if (stream.binding.kind != Kind::none && (!symbol || symbol->role != Role::random))
        findings_.error(stream.position, "'" + stream.name + "' is not RANDOM");
    } else {
      findings_.error(stream.position, "the first argument of " + node.name + " is a RANDOM name");
    }
  }
  for (std::size_t i = first; i < node.operands.size(); ++i) {
    if (known.builtin == Builtin::ignored && node.operands[i].kind == ExpressionKind::string)
      continue;
    const bool target = known.builtin == Builtin::state_discontinuity && i == 0;
    expression(node.operands[i], target ? Use::target : Use::value);
    if (target && node.operands[i].kind != ExpressionKind::variable &&
        node.operands[i].kind != ExpressionKind::element)
      findings_.error(node.operands[i].position, "state_discontinuity changes a variable");
  }
  if (module_.point_neuron)
    check_event_of_point_neuron(node, known.builtin);
  else
    check_event(node, known.builtin);
  if (known.builtin == Builtin::at_time) module_.uses_at_time = true;
  if (known.builtin == Builtin::ignored)
    findings_.warning(node.position, node.name + " is ignored");
  if (node.name == "abs")
    findings_.warning(node.position, "abs is read as fabs (NEURON may truncate to a whole number)");
}

/// Where net_event, net_move and net_send may stand.
void Binder::check_event(const ast::Expression& node, Builtin builtin) {
  const bool receives = block().kind == ast::BlockKind::net_receive;
  if (builtin == Builtin::net_event || builtin == Builtin::net_move)
    require(receives, node.position, node.name + " stands in NET_RECEIVE");
  if (builtin == Builtin::net_send)
    require(receives || block().kind == ast::BlockKind::initial, node.position,
            "net_send stands in NET_RECEIVE or INITIAL");
}

}  // namespace hillock::nmodl
