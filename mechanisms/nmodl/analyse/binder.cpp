#include "mechanisms/nmodl/analyse/binder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/verbatim.hpp"

namespace hillock::nmodl {

using ast::BlockKind;

int Binder::add_local(const std::string& name, LocalKind kind, int size, std::string unit,
                      Position position) {
  const int index = static_cast<int>(facts().locals.size());
  facts().locals.push_back({name, kind, size, std::move(unit)});
  if (!scopes_.back().emplace(name, index).second)
    findings_.error(position, "'" + name + "' is declared twice");
  return index;
}

void Binder::open_locals(const ast::Block& block) {
  scopes_.assign(1, {});
  for (const auto& argument : block.arguments) {
    add_local(argument.name, LocalKind::argument, 0, argument.unit.value_or(""), argument.position);
    if (argument.unit && !analysis_.units.parse(*argument.unit))
      note_unknown_unit(*argument.unit, argument.position, findings_);
  }
  if (block.unit && !analysis_.units.parse(*block.unit))
    note_unknown_unit(*block.unit, block.position, findings_);
  if (block.kind == BlockKind::function)
    add_local(block.name, LocalKind::result, 0, block.unit.value_or(""), block.position);
  if (block.kind == BlockKind::net_receive && !scopes_.back().contains("flag"))
    add_local("flag", LocalKind::flag, 0, "", block.position);
  if (block.kind == BlockKind::kinetic)
    for (const char* name : {"f_flux", "b_flux"})
      if (!analysis_.symbols.contains(name))
        add_local(name, LocalKind::flux, 0, "", block.position);
}

void Binder::bind_block(int index) {
  block_index_ = index;
  unknown_here_.clear();
  unknowns_.clear();
  conditional_depth_ = 0;
  in_connection_initial_ = false;
  has_begun_ = false;
  ast::Block& here = module_.syntax.blocks[at(index)];
  open_locals(here);
  for (auto& name : here.solve_for) {
    name.binding = symbol_or_error(name, "a STATE");
    if (const Symbol* symbol = symbol_of(name.binding); symbol && symbol->role == Role::state)
      add_unknown(name.binding.index);
  }
  scoped(here.body);
  facts().unknowns.assign(unknowns_.begin(), unknowns_.end());
}

void Binder::scoped(ast::Statements& list) {
  scopes_.emplace_back();
  statements(list);
  scopes_.pop_back();
}

void Binder::statements(ast::Statements& list) {
  bool only_locals = true;
  for (auto& item : list) {
    const bool is_local = std::holds_alternative<ast::Locals>(item.node);
    if (is_local && !only_locals)
      findings_.error(item.position, "LOCAL stands before the first statement of its block");
    only_locals = only_locals && is_local;
    statement(item);
  }
}

bool Binder::require(bool allowed, Position position, const std::string& what) {
  if (!allowed) findings_.error(position, what + ", not in " + describe(block()));
  return allowed;
}

/// A statement of each kind.
struct Binder::OfKind {
  Binder& b;
  Position position;
  bool kinetic;
  void operator()(ast::Locals& node) const { b.locals(node); }
  void operator()(ast::Assignment& node) const { b.assignment(node); }
  void operator()(ast::DerivativeEquation& node) const { b.derivative(node, position); }
  void operator()(ast::Call& node) const { b.call(node, position); }
  void operator()(ast::If& node) const { b.conditional(node); }
  void operator()(ast::While& node) const {
    b.expression(node.condition);
    ++b.conditional_depth_;
    b.scoped(node.body);
    --b.conditional_depth_;
  }
  void operator()(ast::Loop& node) const { b.loop(node); }
  void operator()(ast::Scope& node) const { b.scoped(node.body); }
  void operator()(ast::Solve& node) const { b.solve(node, position); }
  void operator()(ast::Reaction& node) const {
    if (b.require(kinetic, position, "a reaction stands in KINETIC")) b.reaction(node);
  }
  void operator()(ast::Conserve& node) const {
    if (b.require(kinetic, position, "CONSERVE stands in KINETIC")) b.conserve(node);
  }
  void operator()(ast::Compartment& node) const {
    if (b.require(kinetic, position, "COMPARTMENT stands in KINETIC"))
      b.states_with(node.index, node.volume, node.states, "COMPARTMENT");
  }
  void operator()(ast::LongitudinalDiffusion& node) const {
    if (!b.require(kinetic, position, "LONGITUDINAL_DIFFUSION stands in KINETIC")) return;
    b.states_with(node.index, node.coefficient, node.states, "LONGITUDINAL_DIFFUSION");
    b.module_.has_longitudinal_diffusion = true;
  }
  void operator()(ast::Equation& node) const {
    const BlockKind here = b.block().kind;
    if (b.require(here == BlockKind::linear || here == BlockKind::nonlinear, position,
                  "an equation stands in LINEAR or NONLINEAR"))
      b.equation(node);
  }
  void operator()(ast::Table& node) const { b.table(node, position); }
  void operator()(ast::ConnectionInitial& node) const { b.connection_initial(node, position); }
  void operator()(ast::Watch& node) const {
    if (b.require(b.block().kind == BlockKind::net_receive, position,
                  "WATCH stands in NET_RECEIVE"))
      b.watch(node);
  }
  void operator()(ast::ForNetcons& node) const { b.for_netcons(node, position); }
  void operator()(ast::Conductance& node) const {
    if (b.require(b.block().kind == BlockKind::breakpoint, position,
                  "CONDUCTANCE stands in BREAKPOINT"))
      b.conductance(node);
  }
  void operator()(ast::Mutex&) const {}
  void operator()(ast::Verbatim& node) const { b.verbatim(node, position); }
};

void Binder::statement(ast::Statement& item) {
  std::visit(OfKind{*this, item.position, block().kind == BlockKind::kinetic}, item.node);
  has_begun_ = has_begun_ || !(std::holds_alternative<ast::Locals>(item.node) ||
                               std::holds_alternative<ast::Verbatim>(item.node));
}

/// A current that BREAKPOINT has as a LOCAL is that current where there are CONDUCTANCE statements,
/// as in NEURON, which refuses other files; by C's rules it would stay 0.
void Binder::take_hidden_currents(ast::Locals& node) {
  const ast::Statements& body = module_.syntax.blocks[at(block_index_)].body;
  const bool is_taken = std::ranges::any_of(body, [](const ast::Statement& statement) {
    return std::holds_alternative<ast::Conductance>(statement.node);
  });
  std::erase_if(node.names, [&](const ast::LocalDeclaration& local) {
    const bool is_current = std::ranges::any_of(module_.currents, [&](const Current& current) {
      return current.symbol >= 0 && module_.symbols[at(current.symbol)].name == local.name;
    });
    if (is_current && !is_taken)
      findings_.error(local.position, "LOCAL '" + local.name +
                                          "' hides the current of that name, " +
                                          "without CONDUCTANCE: take it out of LOCAL");
    return is_current;
  });
}

void Binder::locals(ast::Locals& node) {
  if (block().kind == BlockKind::breakpoint) take_hidden_currents(node);
  for (auto& name : node.names)
    name.binding = {ast::Binding::Kind::local,
                    add_local(name.name, LocalKind::variable, name.size, "", name.position)};
}

void Binder::assignment(ast::Assignment& node) {
  expression(node.value);
  expression(node.target, Use::target);
}

void Binder::conditional(ast::If& node) {
  ++conditional_depth_;
  for (auto& branch : node.branches) {
    expression(branch.condition);
    scoped(branch.body);
  }
  if (node.otherwise) scoped(*node.otherwise);
  --conditional_depth_;
}

void Binder::loop(ast::Loop& node) {
  expression(node.first);
  expression(node.last);
  if (node.step) expression(*node.step);
  scopes_.emplace_back();
  node.index.binding = {ast::Binding::Kind::local, add_local(node.index.text, LocalKind::loop_index,
                                                             0, "", node.index.position)};
  ++conditional_depth_;
  scoped(node.body);
  --conditional_depth_;
  scopes_.pop_back();
}

void Binder::call(ast::Call& node, Position position) {
  if (node.call.kind != ast::ExpressionKind::call) {
    findings_.error(position, "a value alone is no statement");
    return;
  }
  if (const int stepped = called_for_a_step(node.call); stepped >= 0) {
    node.call.binding = {ast::Binding::Kind::block, stepped};
    facts().calls.push_back({stepped, position});
    return;
  }
  expression(node.call);
}

/// A DERIVATIVE block that INITIAL calls and BREAKPOINT solves by cnexp: nocmodl makes it a
/// function that takes a step. -1 of what else is called.
int Binder::called_for_a_step(const ast::Expression& call) const {
  const auto found = analysis_.solvable.find(call.name);
  if (found == analysis_.solvable.end() || !call.operands.empty() ||
      block().kind != ast::BlockKind::initial ||
      module_.syntax.blocks[at(found->second)].kind != ast::BlockKind::derivative)
    return -1;
  for (const ast::Block& breakpoint : module_.syntax.blocks) {
    if (breakpoint.kind != ast::BlockKind::breakpoint) continue;
    for (const ast::Statement& s : breakpoint.body) {
      const auto* solve = std::get_if<ast::Solve>(&s.node);
      if (solve && solve->block.text == call.name && solve->method &&
          solve->method->text == "cnexp")
        return found->second;
    }
  }
  return -1;
}

void Binder::watch(ast::Watch& node) {
  expression(node.condition);
  expression(node.flag);
  const bool compares =
      node.condition.kind == ast::ExpressionKind::binary &&
      (node.condition.op == ast::Operator::less || node.condition.op == ast::Operator::greater);
  if (!compares)
    findings_.error(node.condition.position, "WATCH compares two values with '<' or '>'");
  ++module_.net_receive->watches;
}

void Binder::for_netcons(ast::ForNetcons& node, Position position) {
  if (!require(block().kind == BlockKind::net_receive, position,
               "FOR_NETCONS stands in NET_RECEIVE"))
    return;
  module_.net_receive->uses_for_netcons = true;
  if (node.arguments.size() != block().arguments.size())
    findings_.error(position, "FOR_NETCONS takes as many arguments as NET_RECEIVE: " +
                                  std::to_string(block().arguments.size()) + ", not " +
                                  std::to_string(node.arguments.size()));
  scopes_.emplace_back();
  for (auto& argument : node.arguments)
    argument.binding = {ast::Binding::Kind::local,
                        add_local(argument.name, LocalKind::connection, 0, "", argument.position)};
  ++conditional_depth_;
  scoped(node.body);
  --conditional_depth_;
  scopes_.pop_back();
}

void Binder::connection_initial(ast::ConnectionInitial& node, Position position) {
  if (!require(block().kind == BlockKind::net_receive, position,
               "INITIAL inside a block stands in NET_RECEIVE"))
    return;
  if (module_.net_receive->has_initial)
    findings_.error(position, "a second INITIAL in NET_RECEIVE");
  module_.net_receive->has_initial = true;
  const bool before = std::exchange(in_connection_initial_, true);
  scoped(node.body);
  in_connection_initial_ = before;
}

void Binder::conductance(ast::Conductance& node) {
  node.variable.binding = find(node.variable.text, node.variable.position);
  if (!node.ion) return;
  for (std::size_t i = 0; i < module_.ions.size(); ++i)
    if (module_.ions[i].name == node.ion->text) return;
  findings_.error(node.ion->position, "'" + node.ion->text + "' is no ion of this file");
}

void bind_names(Analysis& analysis) {
  Binder binder(analysis);
  for (std::size_t i = 0; i < analysis.module.syntax.blocks.size(); ++i)
    binder.bind_block(static_cast<int>(i));
}

/// Whether a variable has its ion's value where INITIAL has come to: unless the file writes it, or
/// as long as nothing has been computed.
bool Binder::has_what_the_ion_has(const std::string& name) const {
  const auto found = analysis_.symbols.find(name);
  if (found == analysis_.symbols.end()) return false;
  for (const Ion& ion : module_.ions)
    for (const IonVariable& variable : ion.variables)
      if (variable.symbol == found->second)
        return variable.read && (!variable.write || !has_begun_);
  return false;
}

/// C code that is left does nothing, or is `cai = _ion_cai;` in INITIAL, with which files make sure
/// that a STATE begins with its ion's value, as it does anyway, or is refused where it is run.
void Binder::verbatim(const ast::Verbatim& node, Position position) {
  const std::string code = doing_code(node.text);
  if (code.empty()) return;
  const std::vector<std::string> names = taken_from_ions(code);
  if (block().kind == BlockKind::initial && !names.empty() &&
      std::all_of(names.begin(), names.end(),
                  [&](const std::string& name) { return has_what_the_ion_has(name); }))
    return;
  const bool is_known = node.refused_at.line > 0;
  analysis_.refused_code.push_back(
      {block_index_, is_known ? node.refused_at : position, node.refused});
}

}  // namespace hillock::nmodl
