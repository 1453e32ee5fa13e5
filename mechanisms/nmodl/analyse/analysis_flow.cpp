// What each block reads and writes, and which shared values become an instance's own.

#include <set>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/analysis_calls.hpp"
#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

namespace {

using Marks = std::vector<bool>;
using Kind = ast::Binding::Kind;

/// Walks one block in the order of execution; the facts of its callees are complete.
class Flow {
 public:
  Flow(Module& module, std::size_t block)
      : module_(module),
        facts_(module.blocks[block]),
        reads_(module.symbols.size()),
        writes_(module.symbols.size()),
        needs_(module.symbols.size()),
        set_(module.symbols.size()) {
    builtins_.insert(facts_.builtins.begin(), facts_.builtins.end());
    tables_.insert(facts_.function_tables.begin(), facts_.function_tables.end());
    walk(module.syntax.blocks[block].body);
    if (!module.syntax.blocks[block].solve_for.empty())
      for (const int symbol : facts_.unknowns) update(symbol);
    facts_.reads = list(reads_);
    facts_.writes = list(writes_);
    facts_.needs = list(needs_);
    facts_.sets = list(set_);
    facts_.builtins.assign(builtins_.begin(), builtins_.end());
    facts_.function_tables.assign(tables_.begin(), tables_.end());
  }

 private:
  static std::vector<int> list(const Marks& marks) {
    std::vector<int> result;
    for (std::size_t i = 0; i < marks.size(); ++i)
      if (marks[i]) result.push_back(static_cast<int>(i));
    return result;
  }

  void read(int symbol) {
    const auto i = at(symbol);
    reads_[i] = true;
    if (!set_[i]) needs_[i] = true;
  }
  void write(int symbol, bool whole) {
    writes_[at(symbol)] = true;
    if (whole) set_[at(symbol)] = true;
  }
  /// A state that an equation carries from its old value to a new one.
  void update(int symbol) {
    read(symbol);
    write(symbol, true);
  }

  void expression(const ast::Expression& node) {
    const bool lazy =
        node.kind == ast::ExpressionKind::binary &&
        (node.op == ast::Operator::logical_and || node.op == ast::Operator::logical_or);
    const bool jumps = node.kind == ast::ExpressionKind::call &&
                       node.binding.kind == Kind::builtin &&
                       node.binding.index == static_cast<int>(Builtin::state_discontinuity);
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (lazy && i == 1) {
        const Marks before = set_;
        expression(node.operands[i]);
        set_ = before;
      } else {
        expression(node.operands[i]);
      }
    }
    if (jumps && !node.operands.empty()) target(node.operands[0]);
    if (node.binding.kind == Kind::symbol) read(node.binding.index);
    if (node.binding.kind != Kind::block) return;
    const BlockFacts& callee = module_.blocks[at(node.binding.index)];
    for (const int symbol : callee.reads) reads_[at(symbol)] = true;
    for (const int symbol : callee.needs) read(symbol);
    for (const int symbol : callee.writes) write(symbol, false);
    for (const int symbol : callee.sets) write(symbol, true);
    builtins_.insert(callee.builtins.begin(), callee.builtins.end());
    tables_.insert(callee.function_tables.begin(), callee.function_tables.end());
  }

  void target(const ast::Expression& node) {
    for (const auto& index : node.operands) expression(index);
    if (node.binding.kind == Kind::symbol)
      write(node.binding.index, node.kind == ast::ExpressionKind::variable);
  }

  void walk(const ast::Statements& body) {
    for (const auto& statement : body)
      std::visit([&](const auto& node) { visit(node); }, statement.node);
  }
  /// A body that may not run.
  void perhaps(const ast::Statements& body) {
    const Marks before = set_;
    walk(body);
    set_ = before;
  }

  void visit(const ast::Assignment& node) {
    expression(node.value);
    target(node.target);
  }
  void visit(const ast::DerivativeEquation& node) {
    expression(node.value);
    for (const auto& index : node.target.operands) expression(index);
    if (node.target.binding.kind == Kind::symbol) update(node.target.binding.index);
  }
  void visit(const ast::Call& node) { expression(node.call); }
  void visit(const ast::If& node) {
    Marks all;
    for (std::size_t i = 0; i < node.branches.size(); ++i) {
      expression(node.branches[i].condition);
      const Marks before = set_;
      walk(node.branches[i].body);
      if (i == 0)
        all = set_;
      else
        keep_common(all);
      set_ = before;
    }
    if (!node.otherwise) return;
    walk(*node.otherwise);
    keep_common(all);
    set_ = std::move(all);
  }
  void keep_common(Marks& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] && set_[i];
  }
  void visit(const ast::While& node) {
    expression(node.condition);
    perhaps(node.body);
  }
  void visit(const ast::Loop& node) {
    expression(node.first);
    expression(node.last);
    if (node.step) expression(*node.step);
    perhaps(node.body);
  }
  void visit(const ast::Scope& node) { walk(node.body); }
  void visit(const ast::Solve& node) {
    if (node.if_error) perhaps(*node.if_error);
  }
  void visit(const ast::Reaction& node) {
    expression(node.forward);
    if (node.backward) expression(*node.backward);
    for (const auto* terms : {&node.left, &node.right})
      for (const auto& term : *terms) {
        expression(term.state);
        if (const auto* symbol = state(term.state)) write(*symbol, false);
      }
  }
  void visit(const ast::Conserve& node) {
    for (const auto& term : node.terms) {
      expression(term.state);
      if (const auto* symbol = state(term.state)) write(*symbol, false);
    }
    expression(node.total);
  }
  const int* state(const ast::Expression& node) const {
    if (node.binding.kind != Kind::symbol) return nullptr;
    const auto& symbol = module_.symbols[at(node.binding.index)];
    return symbol.role == Role::state ? &node.binding.index : nullptr;
  }
  void visit(const ast::Compartment& node) { expression(node.volume); }
  void visit(const ast::LongitudinalDiffusion& node) { expression(node.coefficient); }
  void visit(const ast::Equation& node) {
    expression(node.left);
    expression(node.right);
    for (const int symbol : facts_.unknowns) writes_[at(symbol)] = true;
  }
  void visit(const ast::Table& node) {
    expression(node.first);
    expression(node.last);
    for (const auto& name : node.dependencies)
      if (name.binding.kind == Kind::symbol) read(name.binding.index);
  }
  void visit(const ast::ConnectionInitial& node) { perhaps(node.body); }
  void visit(const ast::Watch& node) {
    expression(node.condition);
    expression(node.flag);
  }
  void visit(const ast::ForNetcons& node) { perhaps(node.body); }
  void visit(const ast::Conductance&) {}
  void visit(const ast::Locals&) {}
  void visit(const ast::Mutex&) {}
  void visit(const ast::Verbatim&) {}

  Module& module_;
  BlockFacts& facts_;
  Marks reads_, writes_, needs_, set_;
  std::set<Builtin> builtins_;
  std::set<int> tables_;
};

}  // namespace

void follow_data(Analysis& analysis) {
  Module& module = analysis.module;
  for (const int block : order_of_calls(analysis)) Flow(module, at(block));
  mark_reached(module);
  for (const auto& facts : module.blocks)
    for (const int symbol : facts.writes) module.symbols[at(symbol)].written = true;
  for (auto& symbol : module.symbols) {
    if (!symbol.written || symbol.storage != Storage::shared) continue;
    symbol.storage = Storage::instance;
    symbol.became_instance = true;
  }
  for (std::size_t i = 0; i < module.blocks.size(); ++i) {
    const ast::Block& block = module.syntax.blocks[i];
    const bool solvable =
        block.kind == ast::BlockKind::derivative || block.kind == ast::BlockKind::kinetic ||
        block.kind == ast::BlockKind::linear || block.kind == ast::BlockKind::nonlinear ||
        block.kind == ast::BlockKind::discrete;
    if (solvable && !module.blocks[i].reached)
      analysis.findings.warning(block.position, describe(block) + " is never solved");
  }
}

}  // namespace hillock::nmodl
