#pragma once
// The inside of bind_names: walks one block after another, gives every name its meaning, and checks
// which statement may stand where.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

class Binder {
 public:
  explicit Binder(Analysis& analysis)
      : analysis_(analysis), module_(analysis.module), findings_(analysis.findings) {}
  void bind_block(int index);

 private:
  /// How an expression's name is used.
  enum class Use { value, target, whole };

  // binder.cpp
  void open_locals(const ast::Block& block);
  int add_local(const std::string& name, LocalKind kind, int size, std::string unit,
                Position position);
  void statements(ast::Statements& list);
  void scoped(ast::Statements& list);
  struct OfKind;
  void statement(ast::Statement& statement);
  bool require(bool allowed, Position position, const std::string& what);
  void assignment(ast::Assignment& node);
  void conditional(ast::If& node);
  void loop(ast::Loop& node);
  void locals(ast::Locals& node);
  void call(ast::Call& node, Position position);
  int called_for_a_step(const ast::Expression& call) const;
  void solve(ast::Solve& node, Position position);
  void check_method(const Solve& solve, const ast::Block& block, const ast::Name* name);
  void table(ast::Table& node, Position position);
  void watch(ast::Watch& node);
  void for_netcons(ast::ForNetcons& node, Position position);
  void connection_initial(ast::ConnectionInitial& node, Position position);
  void conductance(ast::Conductance& node);
  void take_hidden_currents(ast::Locals& node);
  void verbatim(const ast::Verbatim& node, Position position);
  bool has_what_the_ion_has(const std::string& name) const;

  // binder_kinetics.cpp
  void derivative(ast::DerivativeEquation& node, Position position);
  void equation(ast::Equation& node);
  void reaction(ast::Reaction& node);
  void reaction_terms(std::vector<ast::ReactionTerm>& terms);
  void conserve(ast::Conserve& node);
  void states_with(std::optional<ast::Name>& index, ast::Expression& value,
                   std::vector<ast::Name>& states, const std::string& word);
  bool is_of_index(ast::Name& state, const std::optional<ast::Name>& index,
                   const std::string& word);
  void add_unknown(int symbol);
  void add_unknowns_of(const ast::Expression& expression);

  // binder_point_neuron.cpp
  void check_environment(const ast::Expression& node, const Symbol& symbol);
  void check_spike(const ast::Expression& node);
  void check_event_of_point_neuron(const ast::Expression& node, Builtin builtin);

  // binder_expressions.cpp
  void expression(ast::Expression& node, Use use = Use::value);
  void variable(ast::Expression& node, Use use);
  void check_target(const ast::Expression& node);
  void call_expression(ast::Expression& node);
  void check_event(const ast::Expression& node, Builtin builtin);
  void builtin_call(ast::Expression& node, const BuiltinFacts& facts);
  ast::Binding find(const std::string& name, Position position);
  ast::Binding symbol_or_error(ast::Name& name, const std::string& what);
  std::string suggestion(const std::string& name) const;
  int size_of(const ast::Binding& binding) const;
  const Symbol* symbol_of(const ast::Binding& binding) const;

  BlockFacts& facts() { return module_.blocks[at(block_index_)]; }
  const ast::Block& block() const { return module_.syntax.blocks[at(block_index_)]; }

  Analysis& analysis_;
  Module& module_;
  Findings& findings_;
  int block_index_ = -1;
  std::vector<std::map<std::string, int, std::less<>>> scopes_;
  std::set<std::string> unknown_here_;  ///< reported once a block
  std::set<int> unknowns_;              ///< of the block
  int conditional_depth_ = 0;
  bool in_connection_initial_ = false;
  bool has_begun_ = false;  ///< a statement of the block computes something
};

}  // namespace hillock::nmodl
