#pragma once
// The syntax of a .mod file as plain data. Bindings are filled in by the analysis (module.hpp);
// everything else is what stands in the file.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mechanisms/nmodl/findings/position.hpp"

namespace hillock::nmodl::ast {

enum class Operator {
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  minus,
  logical_not,  ///< with one operand
};

/// What a name in an expression means. `index` counts in the list that `kind` names.
struct Binding {
  enum class Kind {
    none,
    symbol,          ///< Module::symbols
    local,           ///< BlockFacts::locals of the block the name stands in
    block,           ///< ast::File::blocks: a FUNCTION or PROCEDURE that is called
    function_table,  ///< Module::function_tables
    builtin,         ///< nmodl::Builtin, as an integer
  };
  Kind kind = Kind::none;
  int index = -1;

  bool operator==(const Binding&) const = default;
};

enum class ExpressionKind {
  number,    ///< value; `name` when it came from a DEFINE
  string,    ///< name holds the text; only as an argument of printf and the like
  variable,  ///< name; an array's name without an index stands for the whole array
  element,   ///< name[operands[0]]
  call,      ///< name(operands...)
  unary,     ///< op, operands[0]
  binary,    ///< op, operands[0], operands[1]
};

struct Expression {
  ExpressionKind kind = ExpressionKind::number;
  Operator op = Operator::add;
  Position position;
  std::string name;
  double value = 0;
  std::optional<std::string> unit;  ///< text of a number's unit, without parentheses
  int steps_back = 0;               ///< name@2: the value two steps ago (DISCRETE)
  std::vector<Expression> operands;
  int depth = 1;  ///< longest path to a leaf, in nodes; bounded by the parser
  Binding binding;
};

struct Name {
  std::string text;
  Position position;
  Binding binding;
};

struct Statement;
using Statements = std::vector<Statement>;

struct LocalDeclaration {
  std::string name;
  Position position;
  int size = 0;  ///< 0 for a scalar
  Binding binding;
};

/// LOCAL a, b[3]
struct Locals {
  std::vector<LocalDeclaration> names;
};
/// target = value; target is a variable or an element
struct Assignment {
  Expression target;
  Expression value;
  bool is_protected = false;  ///< PROTECT
};
/// target' = value; target'' has order 2
struct DerivativeEquation {
  Expression target;
  int order = 1;
  Expression value;
};
/// A call for its effects.
struct Call {
  Expression call;
};
struct Branch {
  Expression condition;
  Statements body;
};
/// if, any number of else if, else
struct If {
  std::vector<Branch> branches;
  std::optional<Statements> otherwise;
};
struct While {
  Expression condition;
  Statements body;
};
/// FROM index = first TO last BY step; last is included
struct Loop {
  Name index;
  Expression first, last;
  std::optional<Expression> step;
  Statements body;
};
/// { ... }, a scope of its own
struct Scope {
  Statements body;
};
/// SOLVE block METHOD method, SOLVE block STEADYSTATE method
struct Solve {
  Name block;
  bool steady_state = false;
  std::optional<Name> method;
  std::optional<Statements> if_error;
};
struct ReactionTerm {
  int coefficient = 1;
  Expression state;  ///< variable or element
};
enum class Arrow {
  both,  ///< ~ a + b <-> c (forward, backward)
  out,   ///< ~ a -> (rate)
  into,  ///< ~ a << (flux)
};
struct Reaction {
  Arrow arrow = Arrow::both;
  std::vector<ReactionTerm> left, right;
  Expression forward;
  std::optional<Expression> backward;
};
/// CONSERVE a + 2 b = total
struct Conserve {
  std::vector<ReactionTerm> terms;
  Expression total;
};
/// COMPARTMENT index, volume {states}
struct Compartment {
  std::optional<Name> index;
  Expression volume;
  std::vector<Name> states;
};
/// LONGITUDINAL_DIFFUSION index, coefficient {states}
struct LongitudinalDiffusion {
  std::optional<Name> index;
  Expression coefficient;
  std::vector<Name> states;
};
/// ~ left = right; ~+ left = right adds its terms to the equation before
struct Equation {
  Expression left, right;
  bool adds_to_previous = false;
};
/// TABLE variables DEPEND dependencies FROM first TO last WITH intervals
struct Table {
  std::vector<Name> variables, dependencies;
  Expression first, last;
  int intervals = 0;
};
/// INITIAL { } inside NET_RECEIVE
struct ConnectionInitial {
  Statements body;
};
/// WATCH (left op right) flag; op is less or greater
struct Watch {
  Expression condition;
  Expression flag;
};
/// FOR_NETCONS (arguments) { }: every connection's arguments, in the order of NET_RECEIVE's
struct ForNetcons {
  std::vector<LocalDeclaration> arguments;
  Statements body;
};
/// CONDUCTANCE g USEION na: a hint
struct Conductance {
  Name variable;
  std::optional<Name> ion;
};
/// MUTEXLOCK, MUTEXUNLOCK: nothing to do here
struct Mutex {
  bool lock = true;
};
/// C code; what NMODL has the like of is that after the analysis
struct Verbatim {
  std::string text;
  std::string refused = {};  ///< why it is no NMODL, and where that stands
  Position refused_at = {};
};

struct Statement {
  Position position;
  std::variant<Locals, Assignment, DerivativeEquation, Call, If, While, Loop, Scope, Solve,
               Reaction, Conserve, Compartment, LongitudinalDiffusion, Equation, Table,
               ConnectionInitial, Watch, ForNetcons, Conductance, Mutex, Verbatim>
      node;
};

enum class BlockKind {
  initial,
  breakpoint,
  derivative,
  kinetic,
  linear,
  nonlinear,
  discrete,
  function,
  procedure,
  function_table,
  net_receive,
  before_initial,
  before_breakpoint,
  before_step,
  after_initial,
  after_solve,
  constructor,
  destructor,
};

struct Argument {
  std::string name;
  Position position;
  std::optional<std::string> unit;
};

struct Block {
  BlockKind kind = BlockKind::initial;
  std::string name;  ///< empty for blocks without one
  Position position;
  std::vector<Argument> arguments;
  std::optional<std::string> unit;  ///< of a function's value
  std::vector<Name> solve_for;      ///< SOLVEFOR a, b
  Statements body;
};

struct Limits {
  double minimum = 0, maximum = 0;
};

/// One entry of PARAMETER, CONSTANT, ASSIGNED or STATE, or of top-level LOCAL.
struct Declaration {
  enum class Section { parameter, constant, assigned, state, local, stepped };
  Section section = Section::parameter;
  std::string name;
  Position position;
  int size = 0;                 ///< 0 for a scalar
  std::optional<double> value;  ///< PARAMETER and CONSTANT: the default; STATE: START
  std::optional<std::string> unit;
  Position unit_position;
  std::optional<Limits> limits;
};

/// (name) = (definition)
struct UnitDefinition {
  std::string name, definition;
  Position position;
};

/// name = number (unit), name = (constant) (unit), name = (from) -> (to)
struct UnitConstant {
  std::string name;
  Position position;
  std::optional<double> value;  ///< nothing: `definition` holds the value
  std::optional<std::string> definition;
  std::string unit;
  bool is_conversion = false;  ///< name = (definition) -> (unit)
};

struct IonStatement {
  Name ion;
  std::vector<Name> read, write;
  std::optional<double> valence;
  std::string represents;
};

enum class MechanismForm { density, point_process, artificial_cell };

struct Define {
  std::string name;
  int value = 0;
  Position position;
};

/// Everything in a .mod file and the files it includes, in their order.
struct File {
  std::vector<std::string> files;  ///< names for messages; the first is the .mod file
  std::string title;
  std::optional<Name> mechanism;  ///< the name after SUFFIX, POINT_PROCESS or ARTIFICIAL_CELL
  MechanismForm form = MechanismForm::density;
  bool threadsafe = false;
  std::vector<Name> range, global, pointers, bbcore_pointers, external, random;
  std::vector<Name> nonspecific_currents, electrode_currents;
  std::vector<IonStatement> ions;
  std::vector<UnitDefinition> units;
  std::vector<UnitConstant> unit_constants;
  std::vector<Declaration> declarations;
  std::vector<Define> defines;
  std::vector<Block> blocks;
  std::vector<Statement> verbatims;  ///< at the top level
};

}  // namespace hillock::nmodl::ast
