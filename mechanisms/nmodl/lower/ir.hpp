#pragma once
// The form between a checked .mod file and emitted code: straight-line assignments to scalars,
// branches and loops. Functions and procedures are inlined, loops over arrays unrolled, tables
// computed exactly. Built by lowering (lower.hpp), worked on by differentiation and integration,
// printed by the emitters.

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace hillock::nmodl::ir {

enum class Operator {
  add,
  subtract,
  multiply,
  divide,
  minus,
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  select,  ///< operands: condition, yes, no
};

enum class Function {
  exp,
  log,
  log10,
  sqrt,
  pow,
  sin,
  cos,
  tan,
  tanh,
  sinh,
  cosh,
  asin,
  acos,
  atan,
  atan2,
  abs,
  floor,
  ceil,
  fmod,
  min,
  max,
  erf,
  draw_uniform,    ///< of (stream, source, count), as all draws; in (0, 1)
  draw_normal,     ///< mean 0, standard deviation 1
  draw_poisson,    ///< of (..., mean)
  draw_integer,    ///< below 2^32
  ran4_word,       ///< of (high, low), below 2^32
  random123_word,  ///< of (key, id1, id2, id3, number), below 2^32
  fma,             ///< a·b + c, rounded once
  table,           ///< of (number of the FUNCTION_TABLE, its arguments)
  table_slope,     ///< of (the same number, by which argument, the arguments)
  /// Of (x, e^x - 1): what the second says, where few digits are carried computed from x near 0.
  exp_less_one,
  one_less_exp,  ///< of (x, 1 - e^x): the same
  element,       ///< of (a whole number, the elements of an array): NaN outside of it
};

struct Node;
/// Shared and never changed.
using Expr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind { number, variable, operation, call };
  Kind kind = Kind::number;
  double value = 0;
  int variable = -1;  ///< index in Program::variables
  Operator op = Operator::add;
  Function function = Function::exp;
  std::vector<Expr> operands;
};

/// Builders; they fold constants and drop neutral elements: 0·x is 0 whatever x.
Expr number(double value);
Expr variable(int index);
Expr operation(Operator op, std::vector<Expr> operands);
Expr call(Function function, std::vector<Expr> operands);
inline Expr operator+(const Expr& a, const Expr& b) {
  return operation(Operator::add, {a, b});
}
inline Expr operator-(const Expr& a, const Expr& b) {
  return operation(Operator::subtract, {a, b});
}
inline Expr operator*(const Expr& a, const Expr& b) {
  return operation(Operator::multiply, {a, b});
}
inline Expr operator/(const Expr& a, const Expr& b) {
  return operation(Operator::divide, {a, b});
}
inline Expr operator-(const Expr& a) {
  return operation(Operator::minus, {a});
}

bool is_number(const Expr& e);
bool is_number(const Expr& e, double value);
bool is_condition(const Expr& e);  ///< a comparison or a logical operation
bool same(const Expr& a, const Expr& b);
/// Whether the expression reads a variable.
bool reads(const Expr& e, int variable);
/// The expression with a variable replaced.
Expr substitute(const Expr& e, int variable, const Expr& by);

/// What an event asks for; mechanisms::Message says what each means.
enum class Message { self, move, spike, watch };

struct Statement;
using Body = std::vector<Statement>;

struct Statement {
  enum class Kind {
    assign,  ///< variables[target] = value
    store,   ///< variables[elements[index]] = value, of a whole number; nothing outside of these
    branch,  ///< if value then body else otherwise
    loop,    ///< while value: body
    newton,  ///< body computes residuals and their derivatives; see Newton
    /// Asks for an event (Message): at time `value`, with `flag`; of a WATCH `number`.
    /// In `start`, `connect` and `receive` alone, where nothing is differentiated or reordered.
    send,
    connections,  ///< FOR_NETCONS: body for every connection's arguments
  };
  Kind kind = Kind::assign;
  int target = -1;
  std::vector<int> elements;
  Expr index;
  Expr value;
  Body body, otherwise;
  Message message = Message::self;
  Expr flag;
  int number = 0;
  std::shared_ptr<const struct Newton> newton;
};

/// All of a statement but its bodies: each link of a chain of branches holds all the next ones.
inline Statement without_bodies(const Statement& s) {
  return {s.kind, s.target,  s.elements, s.index,  s.value, {},
          {},     s.message, s.flag,     s.number, s.newton};
}

/// What a statement reads by itself; null where it has none of it.
inline std::array<Expr, 3> read_by(const Statement& s) {
  return {s.value, s.flag, s.index};
}

/// Solves F(x) = 0 for a few unknowns: `body` of the statement sets residuals and Jacobian from the
/// unknowns; x is moved by -J⁻¹·F until it rests, at most `most_rounds` times.
struct Newton {
  /// When x rests: where it is right to nine digits, or, as NEURON has it, where all of it has
  /// moved by 1e-6 together, and is never below 0, or where what is above 1e-8 has moved by 1e-6 of
  /// itself and no F is above 1e-8.
  enum class Rest { exact, as_sparse, as_newton };

  std::vector<int> unknowns;
  std::vector<int> residuals;  ///< [n]
  /// [n][n] variable, -1 where it is always 0. Empty: the body leaves J⁻¹·F in the residuals.
  std::vector<std::vector<int>> jacobian;
  bool is_linear = false;  ///< one round is exact
  Rest rest = Rest::exact;
  int most_rounds = 50;
};

struct Variable {
  enum class Kind {
    v,
    time,
    dt,
    implicit_dt,  ///< Instant::implicit_dt_ms
    celsius,
    parameter,  ///< fixed during a run
    shared,     ///< supplied by the location: an ion's variable, the area, the diameter
    assigned,
    state,
    local,
    event_voltage,  ///< what NET_RECEIVE leaves as the voltage
    argument,       ///< `index` of NET_RECEIVE, the weight first
    connection,     ///< the same of the connection at hand in FOR_NETCONS
    flag,           ///< of the event
  };
  std::string name;
  Kind kind = Kind::local;
  int index = 0;
  /// Of an element of an array that a run indexes, its name; `index` is the element's.
  std::string array = {};
};

struct Program {
  std::vector<Variable> variables;
  int add_local(std::string name) {
    variables.push_back({std::move(name), Variable::Kind::local});
    return static_cast<int>(variables.size()) - 1;
  }
};

/// Whether a body, its branches and loops included, reads or assigns a variable.
bool mentions(const Body& body, int variable);
/// The body with another variable in place of one, read or assigned; Newton's unknowns stay.
Body renamed(const Body& body, int from, int to);
/// What a body assigns, its branches and loops included.
std::vector<int> assigned_in(const Body& body);

Statement assign(int target, Expr value);
Statement store(std::vector<int> elements, Expr index, Expr value);
Statement send(Message message, Expr time, Expr flag, int number = 0);

/// Whether some statement of a body reads a variable.
bool reads(const Body& body, int variable);
/// Whether a body, its branches and loops included, holds such a statement.
bool contains(const Body& body, Statement::Kind kind);

}  // namespace hillock::nmodl::ir
