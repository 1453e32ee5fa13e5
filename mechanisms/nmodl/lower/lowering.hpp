#pragma once
// The state of one lowering, shared by the lower_*.cpp files.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/mechanism/mechanism_options.hpp"
#include "mechanisms/nmodl/analyse/module.hpp"
#include "mechanisms/nmodl/lower/differentiate.hpp"
#include "mechanisms/nmodl/lower/evaluator_ir.hpp"
#include "mechanisms/nmodl/lower/not_supported.hpp"

namespace hillock::nmodl {

class Lowering {
 public:
  Lowering(const Module& module, const GivenTables& tables, TableUse use, CurrentSlope slope)
      : m_(module), given_tables_(tables), table_use_(use), slope_(slope) {}
  EvaluatorIr run();

 private:
  using Expr = ir::Expr;
  using Body = ir::Body;

  /// What a block's locals are while it is lowered.
  struct Meaning {
    Expr value;                  ///< of a loop index: a number or a variable; else null
    std::vector<int> variables;  ///< one, or one an element
  };
  struct Frame {
    int block = -1;
    std::vector<Meaning> locals;
  };
  /// One function of the evaluator, with what it returns.
  struct Piece {
    const Body* body;
    std::vector<Expr> results;
  };
  /// How derivative equations of the block at hand are to be integrated.
  enum class Equations { none, cnexp, euler, rates };

  void blocks_of(ast::BlockKind kind, Body& out);
  void check_constructor(int block) const;
  void breakpoint();
  void check_before_breakpoint() const;
  void begin_bodies();
  void differentiate_current();
  void take_secant(const Expr& total, const Body& current);

  // lower_symbols.cpp
  void declare_symbols();
  int symbol_variable(int symbol, int element) const;
  void initial_values(Body& body);
  void forget_what_is_read();
  /// The variable of v, time, dt or celsius.
  int environment(ir::Variable::Kind kind);
  struct Uses;
  Uses find_uses() const;
  void join_indexed(std::set<int>& variables) const;
  void classify();
  std::set<int> find_varying() const;
  void note_lasting(const Uses& uses, const std::set<int>& varying);
  void keep_numbers_of_the_engine(const Uses& uses);
  std::vector<Piece> pieces() const;
  void collect_couplings();
  bool is_shared(const Symbol& symbol, int variable) const;
  bool is_peer_voltage(const Symbol& symbol) const;

  // lower_expressions.cpp
  Expr expression(const ast::Expression& e, Frame& frame, Body& out);
  Expr condition(const ast::Expression& e, Frame& frame, Body& out);
  Expr call(const ast::Expression& e, Frame& frame, Body& out);
  Expr table(const ast::Expression& e, Frame& frame, Body& out);
  Expr ghk(const ast::Expression& e, Frame& frame, Body& out);
  Expr gauss(const ast::Expression& e, Frame& frame, Body& out);
  Expr builtin(const ast::Expression& e, Frame& frame, Body& out);
  Expr inlined(int block, std::vector<Expr> arguments, Position position, Body& out);
  Expr inlined_exactly(int block, const std::vector<Expr>& arguments, Position position, Body& out);
  int target(const ast::Expression& e, Frame& frame, Body& out);

  // lower_tables.cpp
  const ast::Table* table_of(int block) const;
  Expr between_points(const ast::Table& table, int block, const Expr& argument, Position position,
                      Body& out);
  Expr exact_or_between_points(const ast::Table& table, int block, const Expr& argument,
                               Position position, Body& out);
  std::vector<int> tabulated_variables(const ast::Table& table) const;

  // lower_arrays.cpp
  /// The variables that a name stands for: one, or one an element.
  struct Elements {
    const Lowering& lowering;
    const std::vector<int>* locals;  ///< null: of a symbol
    int symbol;

    std::size_t size() const;
    int operator[](std::size_t k) const;
  };
  Elements elements_of(const ast::Expression& e, const Frame& frame) const;
  std::vector<int> indexed(const Elements& elements);
  Expr index_of(const ast::Expression& e, std::size_t size, Frame& frame, Body& out);
  Expr value_of(const ast::Expression& e, Frame& frame, Body& out);
  void store(const ast::Expression& to, const Expr& value, Frame& frame, Body& out);

  // lower_random.cpp
  Expr random(const ast::Expression& e, Frame& frame, Body& out);
  Expr draw(ir::Function function, int random, std::vector<Expr> more, Body& out);
  int draw_count(int random);
  int stream();

  // lower_statements.cpp
  void statements(const ast::Statements& list, Frame& frame, Body& out);
  void statement(const ast::Statement& s, Frame& frame, Body& out);
  void branch(const ast::If& s, std::size_t from, Frame& frame, Body& out);
  void loop(const ast::Loop& s, Frame& frame, Body& out);
  void counted_loop(const ast::Loop& s, const Expr& first, const Expr& last, const Expr& step,
                    Frame& frame, Body& out);
  Frame frame_of(int block);

  // lower_events.cpp
  void net_receive(const NetReceive& receive);
  void put_back_of_ions(const std::vector<int>& assigned, Body& body);
  Expr message(Builtin which, const ast::Expression& e, Frame& frame, Body& out);
  void watch(const ast::Watch& s, Position position, Frame& frame, Body& out);
  void for_netcons(const ast::ForNetcons& s, Position position, Frame& frame, Body& out);

  // lower_point_neuron.cpp
  void point_neuron();
  int hidden_state(const std::string& name);
  void inputs();
  void add_inputs(const ast::Statements& list, const Expr& sum, bool positive, Frame& frame);
  void keep_hidden_states();
  void forget_transients();

  // lower_solve.cpp
  void solve_step(int breakpoint, Body& out);
  void solve_here(Position position, const Frame& frame, Body& out);
  void solve(const Solve& s, Body& out);
  void exact_step(const Solve& s, Body& out);
  void euler_step(const Solve& s, Body& out);
  void runge_step(const Solve& s, Body& out);
  void equation(const ast::DerivativeEquation& e, Position position, Frame& frame, Body& out);

  // lower_kinetics.cpp
  void compartment(const ast::Compartment& c, Frame& frame, Body& out);
  void conserve(const ast::Conserve& c, Frame& frame, Body& out);
  void diffusion_stands(const ast::Statement& s, const Frame& frame) const;
  void diffusion(int block, Body& out);
  void reaction(const ast::Reaction& r, Frame& frame, Body& out);
  Expr rate_variable(int state);
  Expr amount(int state);
  bool is_integrated(const Expr& value) const;

  // lower_implicit.cpp
  /// F(x) = 0: what computes F, and the rows that say what is conserved.
  struct System {
    std::vector<int> unknowns;
    std::vector<int> old;  ///< where a step began; empty of what takes no step
    std::vector<Expr> residuals;
    std::set<int> last;
    Body body;
  };
  void implicit_step(const Solve& s, bool algebraic, Body& out);
  bool depends_on_states(const System& system, const Body& reacting) const;
  void react(System& system, Body& body) const;
  void step_with_held_rates(const Solve& s, System held, System& whole, Body& out);
  Expr half_is_explicit();
  bool ends_as_neuron(const Solve& s) const;
  System step_system(const Solve& s, Body& before);
  System algebraic_system(const Solve& s);
  std::map<int, int> with_own_copies(const std::vector<int>& unknowns, Body& body);
  void settle(const System& system, const std::map<int, int>& copies, const Body& block, Body& out);
  void extrapolate(const System& system, Body& out);
  void newton(const Solve& s, System& system, Body& out);
  void hold_slopes(const std::vector<std::vector<Expr>>& slopes, ir::Newton& newton, Body& body);

  const Module& m_;
  const GivenTables& given_tables_;
  const TableUse table_use_;
  const CurrentSlope slope_;
  EvaluatorIr e_;
  std::map<std::pair<int, int>, int> variables_;  ///< (symbol, element) to variable

  Equations equations_ = Equations::none;
  std::map<int, int> rates_;    ///< state to the local that holds its rate
  std::map<int, int> amounts_;  ///< state to the local that reacts in its place
  bool mass_action_is_linear_ = true;
  std::vector<std::pair<int, Expr>>
      conservation_;             ///< state whose equation it replaces, left-right
  std::vector<Expr> residuals_;  ///< of LINEAR and NONLINEAR, in order
  std::map<int, Expr> volumes_;  ///< COMPARTMENT of a state
  bool begins_ = false;          ///< INITIAL is lowered
  bool steps_ = false;           ///< BREAKPOINT is lowered for what it solves
  int copy_of_v_ = -1;           ///< the local that a file assigns as v
  std::map<int, int> totals_;    ///< own current to the ion's, where a file reads and writes it
  bool in_connections_ = false;  ///< inside FOR_NETCONS
  std::vector<int> hidden_states_;
  int stream_ = -1;   ///< the key of random draws
  int draws_ = -1;    ///< the count of those without a RANDOM
  int branches_ = 0;  ///< in which the statement at hand is
  int depth_ = 0;
  std::size_t statements_ = 0;
};

/// Variables that a body may read before it assigns them; `assigned` grows by what it surely does.
void find_needs(const ir::Body& body, std::set<int>& assigned, std::set<int>& needs);

}  // namespace hillock::nmodl
