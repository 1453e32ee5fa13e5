// Expressions: powers bind tightest and to the right, then signs and !, then as in C. A minus
// before a power belongs to the power's value: -2^2 is -4.

#include <array>
#include <utility>

#include "mechanisms/nmodl/parse/file_parser.hpp"

namespace hillock::nmodl {

namespace {

constexpr int deepest_nesting = 200;      ///< of brackets and statements, while parsing
constexpr int deepest_expression = 1000;  ///< of a tree, long sums included

struct BinaryOperator {
  std::string_view symbol;
  ast::Operator op;
  int strength;
};

constexpr std::array binary_operators = {
    BinaryOperator{"||", ast::Operator::logical_or, 1},
    BinaryOperator{"&&", ast::Operator::logical_and, 2},
    BinaryOperator{"==", ast::Operator::equal, 3},
    BinaryOperator{"!=", ast::Operator::not_equal, 3},
    BinaryOperator{"<", ast::Operator::less, 4},
    BinaryOperator{">", ast::Operator::greater, 4},
    BinaryOperator{"<=", ast::Operator::less_equal, 4},
    BinaryOperator{">=", ast::Operator::greater_equal, 4},
    BinaryOperator{"+", ast::Operator::add, 5},
    BinaryOperator{"-", ast::Operator::subtract, 5},
    BinaryOperator{"*", ast::Operator::multiply, 6},
    BinaryOperator{"/", ast::Operator::divide, 6},
};

}  // namespace

FileParser::Level::Level(FileParser& parser) : parser_(parser) {
  if (parser.level_ >= deepest_nesting)
    parser.tokens_.fail("brackets, calls and blocks are nested too deeply");
  ++parser.level_;
}

ast::Expression FileParser::combined(ast::ExpressionKind kind, ast::Operator op, Position position,
                                     std::vector<ast::Expression> operands) {
  ast::Expression result;
  result.kind = kind;
  result.op = op;
  result.position = position;
  for (const auto& operand : operands) result.depth = std::max(result.depth, operand.depth + 1);
  if (result.depth > deepest_expression)
    throw SyntaxError{position, "the expression has more than " +
                                    std::to_string(deepest_expression) +
                                    " terms in a row; split it over several assignments"};
  result.operands = std::move(operands);
  return result;
}

ast::Expression FileParser::parse_expression(int least) {
  const Level level(*this);
  ast::Expression left = parse_unary();
  while (tokens_.peek().kind == TokenKind::symbol) {
    const auto found = std::find_if(
        binary_operators.begin(), binary_operators.end(),
        [&](const auto& candidate) { return candidate.symbol == tokens_.peek().text; });
    if (found == binary_operators.end() || found->strength < least) break;
    const Position position = tokens_.take().position;
    ast::Expression right = parse_expression(found->strength + 1);
    std::vector<ast::Expression> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    left = combined(ast::ExpressionKind::binary, found->op, position, std::move(operands));
  }
  return left;
}

ast::Expression FileParser::parse_unary() {
  const Level level(*this);
  const bool minus = tokens_.is_symbol("-");
  if (minus || tokens_.is_symbol("!")) {
    const Position position = tokens_.take().position;
    std::vector<ast::Expression> operand;
    operand.push_back(parse_unary());
    return combined(ast::ExpressionKind::unary,
                    minus ? ast::Operator::minus : ast::Operator::logical_not, position,
                    std::move(operand));
  }
  ast::Expression base = parse_primary();
  if (!tokens_.is_symbol("^")) return base;
  const Position position = tokens_.take().position;
  std::vector<ast::Expression> operands;
  operands.push_back(std::move(base));
  operands.push_back(parse_unary());
  return combined(ast::ExpressionKind::binary, ast::Operator::power, position, std::move(operands));
}

ast::Expression FileParser::parse_primary() {
  const Token& token = tokens_.peek();
  if (token.kind == TokenKind::number ||
      (token.kind == TokenKind::name && tokens_.defined(token.text))) {
    ast::Expression number;
    number.position = token.position;
    if (token.kind == TokenKind::name) number.name = std::string(token.text);
    number.value = token.kind == TokenKind::name ? *tokens_.defined(token.text) : token.value;
    tokens_.take();
    number.unit = tokens_.accept_unit();
    return number;
  }
  if (token.kind == TokenKind::string) {
    ast::Expression text;
    text.kind = ast::ExpressionKind::string;
    text.position = token.position;
    text.name = std::string(tokens_.take().text);
    return text;
  }
  if (tokens_.accept_symbol("(")) {
    ast::Expression inner = parse_expression();
    tokens_.expect_symbol(")", "to close the bracket");
    return inner;
  }
  if (token.kind != TokenKind::name) tokens_.fail_expected("an expression");
  if (!tokens_.is_symbol("(", 1)) return parse_variable("an expression");
  const Token name = tokens_.expect_name("an expression");
  tokens_.take();
  std::vector<ast::Expression> arguments;
  if (!tokens_.is_symbol(")")) {
    do {
      arguments.push_back(parse_expression());
    } while (tokens_.accept_symbol(","));
  }
  tokens_.expect_symbol(")", "after the arguments of " + std::string(name.text));
  ast::Expression call =
      combined(ast::ExpressionKind::call, ast::Operator::add, name.position, std::move(arguments));
  call.name = std::string(name.text);
  return call;
}

ast::Expression FileParser::parse_variable(std::string_view what) {
  const Token name = tokens_.expect_name(what);
  ast::Expression variable;
  if (tokens_.accept_symbol("[")) {
    std::vector<ast::Expression> index;
    index.push_back(parse_expression());
    tokens_.expect_symbol("]", "after the index of " + std::string(name.text));
    variable =
        combined(ast::ExpressionKind::element, ast::Operator::add, name.position, std::move(index));
  } else {
    variable.kind = ast::ExpressionKind::variable;
    variable.position = name.position;
  }
  variable.name = std::string(name.text);
  if (tokens_.accept_symbol("@"))
    variable.steps_back = tokens_.expect_integer("the number of steps back after '@'");
  return variable;
}

ast::Name FileParser::parse_name(std::string_view what) {
  const Token name = tokens_.expect_name(what);
  return {std::string(name.text), name.position, {}};
}

}  // namespace hillock::nmodl
