// What is legal NMODL, and surely not what was meant.

#include <algorithm>
#include <set>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

namespace {

using Kind = ast::Binding::Kind;
using ast::Operator;

bool is(const ast::Expression& node, int symbol) {
  return node.kind == ast::ExpressionKind::variable &&
         node.binding == ast::Binding{Kind::symbol, symbol};
}

/// Whether a value is computed of the symbol itself, other than by a call or as what it was and
/// more.
bool is_made_of(const ast::Expression& node, int symbol) {
  if (node.kind == ast::ExpressionKind::call) return false;
  return is(node, symbol) ||
         std::ranges::any_of(node.operands, [&](const ast::Expression& operand) {
           return is_made_of(operand, symbol);
         });
}
bool adds_to(const ast::Expression& node, int symbol) {
  if (node.kind != ast::ExpressionKind::binary) return is(node, symbol);
  if (node.op != Operator::add && node.op != Operator::subtract) return false;
  return adds_to(node.operands[0], symbol) ||
         (node.op == Operator::add && adds_to(node.operands[1], symbol));
}

/// Walks what runs whatever the values are.
class Suspicions {
 public:
  explicit Suspicions(Analysis& analysis)
      : module_(analysis.module), findings_(analysis.findings) {}

  void look() {
    for (const auto kind : {ast::BlockKind::initial, ast::BlockKind::breakpoint})
      for (const int block : module_.blocks_of(kind)) look_at(block);
    for (const int block : module_.blocks_of(ast::BlockKind::net_receive))
      find_dropped(module_.syntax.blocks[at(block)].body);
  }

 private:
  /// What an event assigns to what is the ion's.
  void find_dropped(const ast::Statements& body) {
    for (const ast::Statement& statement : body)
      if (const auto* const scope = std::get_if<ast::Scope>(&statement.node)) {
        find_dropped(scope->body);
      } else if (const auto* const choice = std::get_if<ast::If>(&statement.node)) {
        for (const auto& branch : choice->branches) find_dropped(branch.body);
        if (choice->otherwise) find_dropped(*choice->otherwise);
      } else if (const auto* const assignment = std::get_if<ast::Assignment>(&statement.node);
                 assignment && assignment->target.binding.kind == Kind::symbol) {
        const Symbol& symbol = module_.symbols[at(assignment->target.binding.index)];
        if (symbol.role == Role::ion && symbol.quantity != IonQuantity::current)
          findings_.warning(statement.position,
                            "'" + symbol.name +
                                "' is the ion's, and what NET_RECEIVE assigns to "
                                "it is lost behind the event: make it a STATE");
      }
  }

  void look_at(int block) {
    if (!seen_.insert(block).second) return;
    const ast::Block& looked_at = module_.syntax.blocks[at(block)];
    walk(looked_at.body);
    if (looked_at.kind == ast::BlockKind::derivative) find_lost_primes(looked_at);
    for (const Solve& solve : module_.solves)
      if (solve.in_block == block && !solve.conditional) look_at(solve.block);
  }

  void find_lost_primes(const ast::Block& block) {
    const auto has_equation = [&](const std::string& name) {
      return std::ranges::any_of(block.body, [&](const ast::Statement& statement) {
        const auto* const equation = std::get_if<ast::DerivativeEquation>(&statement.node);
        return equation && equation->target.name == name;
      });
    };
    for (const ast::Statement& statement : block.body) {
      const auto* const assignment = std::get_if<ast::Assignment>(&statement.node);
      if (!assignment || assignment->target.binding.kind != Kind::symbol) continue;
      const int symbol = assignment->target.binding.index;
      const std::string& name = module_.symbols[at(symbol)].name;
      if (module_.symbols[at(symbol)].role == Role::state &&
          is_made_of(assignment->value, symbol) && !adds_to(assignment->value, symbol) &&
          !has_equation(name))
        findings_.warning(statement.position, "the STATE '" + name + "' is assigned, and has no " +
                                                  name + "' = ... in " + describe(block) +
                                                  ": is a prime missing?");
    }
  }

  /// The parameter that makes this 0 as long as no model sets it, or null.
  const Symbol* zero_by_default(const ast::Expression& node) const {
    if (node.kind == ast::ExpressionKind::variable && node.binding.kind == Kind::symbol) {
      const Symbol& symbol = module_.symbols[at(node.binding.index)];
      const bool is_zero = symbol.role == Role::parameter && !symbol.written && symbol.value == 0;
      return is_zero ? &symbol : nullptr;
    }
    if (node.kind == ast::ExpressionKind::unary && node.op == Operator::minus)
      return zero_by_default(node.operands[0]);
    if (node.kind != ast::ExpressionKind::binary || node.op != Operator::multiply) return nullptr;
    const Symbol* const left = zero_by_default(node.operands[0]);
    return left ? left : zero_by_default(node.operands[1]);
  }

  void expression(const ast::Expression& node) {
    const bool is_lazy = node.kind == ast::ExpressionKind::binary &&
                         (node.op == Operator::logical_and || node.op == Operator::logical_or);
    for (std::size_t i = 0; i < (is_lazy ? 1 : node.operands.size()); ++i)
      expression(node.operands[i]);
    if (node.kind == ast::ExpressionKind::call && node.binding.kind == Kind::block)
      look_at(node.binding.index);
    if (node.kind != ast::ExpressionKind::binary || node.op != Operator::divide) return;
    if (const Symbol* const zero = zero_by_default(node.operands[1]))
      findings_.warning(node.operands[1].position,
                        "divides by the PARAMETER '" + zero->name +
                            "', which is 0 where a model does not set it");
  }

  void walk(const ast::Statements& body) {
    for (const auto& statement : body)
      std::visit([&](const auto& node) { visit(node); }, statement.node);
  }
  void visit(const ast::Assignment& node) { expression(node.value); }
  void visit(const ast::DerivativeEquation& node) { expression(node.value); }
  void visit(const ast::Call& node) { expression(node.call); }
  void visit(const ast::Scope& node) { walk(node.body); }
  void visit(const ast::If& node) { expression(node.branches[0].condition); }
  void visit(const ast::Reaction& node) {
    expression(node.forward);
    if (node.backward) expression(*node.backward);
  }
  template <class Other>
  void visit(const Other&) {}

  const Module& module_;
  Findings& findings_;
  std::set<int> seen_;  ///< blocks
};

}  // namespace

void find_suspicions(Analysis& analysis) {
  Suspicions(analysis).look();
}

}  // namespace hillock::nmodl
