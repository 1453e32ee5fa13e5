#pragma once
// C code of VERBATIM, as far as NMODL has the like: a syntax tree of it, and what other C code
// declares.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/nmodl/findings/position.hpp"

namespace hillock::nmodl::c {

enum class ExpressionKind {
  number,      ///< value
  text,        ///< what stands between quotes
  variable,    ///< name
  element,     ///< name[operands[0]]
  call,        ///< name(operands...)
  unary,       ///< name is - + !
  binary,      ///< name is the operator
  choice,      ///< operands[0] ? operands[1] : operands[2]
  cast,        ///< name is int or double
  assignment,  ///< operands[0] name operands[1]: = += -= *= /= %=; ++ and -- are += 1 and -= 1
};

struct Expression {
  ExpressionKind kind = ExpressionKind::number;
  Position position;
  std::string name;
  double value = 0;
  bool is_whole = false;  ///< a number that is an int
  std::vector<Expression> operands;
};

enum class StatementKind {
  declaration,  ///< double or int (is_whole) name[size] = value
  foreign,      ///< extern variable name
  expression,   ///< value
  branch,       ///< if (value) body else otherwise
  loop,         ///< while (value) { body step }; without `value` for ever
  do_loop,      ///< do body while (value)
  block,        ///< { body }
  leave,        ///< return value
  leave_loop,   ///< break
  next_round,   ///< continue
};

struct Statement {
  StatementKind kind = StatementKind::expression;
  Position position;
  std::string name;
  bool is_whole = false;
  int size = 0;  ///< 0 of what is no array
  std::optional<Expression> value;
  std::vector<Statement> body, otherwise, step;
};

/// The statements of C code without what does nothing: comments, #include, declarations of
/// functions, texts, and what is printed to the terminal. `begin` is where the text begins.
/// Throws SyntaxError of all else that NMODL has not the like of.
std::vector<Statement> parse(std::string_view text, Position begin);

/// What C code leaves behind it that is not run.
struct Outline {
  std::vector<std::string> macros;     ///< #define, #undef
  std::vector<std::string> variables;  ///< outside of functions
  std::vector<std::string> functions;  ///< those that have a body
  std::vector<std::string> idle;       ///< those of them with nothing in it
  int open_brackets = 0;  ///< more { than }, #if than #endif; -1 where one is closed first
};

/// Throws SyntaxError where comments or texts do not end.
Outline outline(std::string_view text, Position begin);

}  // namespace hillock::nmodl::c
