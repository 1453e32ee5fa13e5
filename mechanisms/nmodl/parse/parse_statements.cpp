// Statements inside blocks, kinetics apart.

#include <utility>

#include "mechanisms/nmodl/parse/file_parser.hpp"

namespace hillock::nmodl {

ast::Statements FileParser::parse_body(std::string_view owner) {
  tokens_.expect_symbol("{", "for the body of " + std::string(owner));
  ast::Statements body;
  while (!tokens_.is_symbol("}")) {
    if (tokens_.at_end()) tokens_.fail_expected("'}' at the end of " + std::string(owner));
    body.push_back(parse_statement());
  }
  tokens_.take();
  return body;
}

ast::Statement FileParser::parse_statement() {
  const Level level(*this);
  const Token& token = tokens_.peek();
  const Position position = token.position;
  if (token.kind == TokenKind::verbatim)
    return {position, ast::Verbatim{std::string(tokens_.take().text)}};
  if (tokens_.is_symbol("~")) return parse_tilde();
  if (tokens_.is_symbol("{")) return {position, ast::Scope{parse_body("statements")}};
  if (token.kind != TokenKind::name) tokens_.fail_expected("a statement");
  const std::string_view word = token.text;
  if (word == "if" || word == "IF") return {position, parse_if()};
  if (word == "FROM") return {position, parse_loop()};
  if (word == "SOLVE") return {position, parse_solve()};
  if (word == "TABLE") return {position, parse_table()};
  if (word == "LOCAL") return {position, parse_locals()};
  if (word == "WATCH") return {position, parse_watch()};
  if (word == "FOR_NETCONS") return {position, parse_for_netcons()};
  if (word == "CONDUCTANCE") return {position, parse_conductance()};
  if (word == "PROTECT") return {position, parse_protected()};
  if (word == "CONSERVE") return {position, parse_conserve()};
  if (word == "COMPARTMENT")
    return {position, parse_states_with<ast::Compartment>(&ast::Compartment::volume)};
  if (word == "LONGITUDINAL_DIFFUSION")
    return {position, parse_states_with<ast::LongitudinalDiffusion>(
                          &ast::LongitudinalDiffusion::coefficient)};
  if (word == "MUTEXLOCK" || word == "MUTEXUNLOCK")
    return {position, ast::Mutex{tokens_.take().text == "MUTEXLOCK"}};
  if (word == "while" || word == "WHILE") {
    tokens_.take();
    tokens_.expect_symbol("(", "after while");
    ast::While loop;
    loop.condition = parse_expression();
    tokens_.expect_symbol(")", "after the condition");
    loop.body = parse_body("while");
    return {position, std::move(loop)};
  }
  if (word == "INITIAL") {
    tokens_.take();
    return {position, ast::ConnectionInitial{parse_body("INITIAL")}};
  }
  for (const std::string_view old : {"LAG", "RESET", "SWEEP", "FORALL", "PUTQ", "GETQ", "SENS"})
    if (word == old) tokens_.fail(std::string(old) + " is not supported");
  return parse_simple_statement();
}

ast::Statement FileParser::parse_simple_statement() {
  const Position position = tokens_.peek().position;
  if (tokens_.is_symbol("(", 1)) return {position, ast::Call{parse_primary()}};
  ast::Expression target = parse_variable("a statement");
  int order = 0;
  while (tokens_.accept_symbol("'")) ++order;
  if (!tokens_.is_symbol("=")) tokens_.fail_expected("'=' or '(' after '" + target.name + "'");
  tokens_.take();
  ast::Expression value = parse_expression();
  if (order > 0)
    return {position, ast::DerivativeEquation{std::move(target), order, std::move(value)}};
  return {position, ast::Assignment{std::move(target), std::move(value), false}};
}

ast::Assignment FileParser::parse_protected() {
  tokens_.take();
  ast::Statement statement = parse_simple_statement();
  auto* assignment = std::get_if<ast::Assignment>(&statement.node);
  if (!assignment) throw SyntaxError{statement.position, "PROTECT stands before an assignment"};
  assignment->is_protected = true;
  return std::move(*assignment);
}

ast::If FileParser::parse_if() {
  ast::If result;
  while (true) {
    tokens_.take();
    tokens_.expect_symbol("(", "after if");
    ast::Branch branch;
    branch.condition = parse_expression();
    tokens_.expect_symbol(")", "after the condition");
    branch.body = parse_body("if");
    result.branches.push_back(std::move(branch));
    if (!tokens_.accept_word("else") && !tokens_.accept_word("ELSE")) return result;
    if (!tokens_.is_word("if") && !tokens_.is_word("IF")) break;
  }
  result.otherwise = parse_body("else");
  return result;
}

ast::Loop FileParser::parse_loop() {
  tokens_.take();
  ast::Loop loop;
  loop.index = parse_name("the name of the loop's index");
  tokens_.expect_symbol("=", "after the loop's index");
  loop.first = parse_expression();
  tokens_.expect_word("TO", "after the first value");
  loop.last = parse_expression();
  if (tokens_.accept_word("BY")) loop.step = parse_expression();
  loop.body = parse_body("FROM");
  return loop;
}

ast::Solve FileParser::parse_solve() {
  tokens_.take();
  ast::Solve solve;
  solve.block = parse_name("the name of a block after SOLVE");
  solve.steady_state = tokens_.accept_word("STEADYSTATE");
  if (solve.steady_state || tokens_.accept_word("METHOD"))
    solve.method = parse_name("the name of a method");
  if (tokens_.accept_word("IFERROR")) solve.if_error = parse_body("IFERROR");
  return solve;
}

ast::Table FileParser::parse_table() {
  tokens_.take();
  ast::Table table;
  if (!tokens_.is_word("DEPEND") && !tokens_.is_word("FROM"))
    table.variables = parse_names("a variable of the TABLE");
  if (tokens_.accept_word("DEPEND")) table.dependencies = parse_names("a name after DEPEND");
  tokens_.expect_word("FROM", "in TABLE");
  table.first = parse_expression();
  tokens_.expect_word("TO", "after TABLE's first value");
  table.last = parse_expression();
  tokens_.expect_word("WITH", "after TABLE's last value");
  table.intervals = tokens_.expect_integer("the number of intervals after WITH");
  return table;
}

ast::Watch FileParser::parse_watch() {
  tokens_.take();
  ast::Watch watch;
  tokens_.expect_symbol("(", "after WATCH");
  watch.condition = parse_expression();
  tokens_.expect_symbol(")", "after the condition of WATCH");
  watch.flag = parse_expression(5);
  return watch;
}

ast::ForNetcons FileParser::parse_for_netcons() {
  tokens_.take();
  ast::ForNetcons loop;
  for (auto& argument : parse_arguments("FOR_NETCONS"))
    loop.arguments.push_back({std::move(argument.name), argument.position, 0, {}});
  loop.body = parse_body("FOR_NETCONS");
  return loop;
}

ast::Conductance FileParser::parse_conductance() {
  tokens_.take();
  ast::Conductance hint;
  hint.variable = parse_name("a conductance after CONDUCTANCE");
  if (tokens_.accept_word("USEION")) hint.ion = parse_name("the name of an ion");
  return hint;
}

ast::Locals FileParser::parse_locals() {
  tokens_.take();
  ast::Locals locals;
  do {
    const Token name = tokens_.expect_name("a name after LOCAL");
    locals.names.push_back({std::string(name.text), name.position, accept_size(), {}});
  } while (tokens_.accept_symbol(","));
  return locals;
}

}  // namespace hillock::nmodl
