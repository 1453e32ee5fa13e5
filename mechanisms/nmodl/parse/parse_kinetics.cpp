// Reactions of KINETIC blocks and equations of LINEAR and NONLINEAR blocks.

#include <utility>

#include "mechanisms/nmodl/parse/file_parser.hpp"

namespace hillock::nmodl {

/// Whether an arrow comes before anything that ends a statement.
bool FileParser::reaction_ahead() const {
  for (std::size_t ahead = 0;; ++ahead) {
    const Token& token = tokens_.peek(ahead);
    if (token.kind == TokenKind::end) return false;
    if (token.kind != TokenKind::symbol) continue;
    if (token.text == "<->" || token.text == "->" || token.text == "<<") return true;
    if (token.text == "=" || token.text == "{" || token.text == "}" || token.text == "~")
      return false;
  }
}

ast::Statement FileParser::parse_tilde() {
  const Position position = tokens_.take().position;
  if (reaction_ahead()) return {position, parse_reaction()};
  ast::Equation equation;
  equation.adds_to_previous = tokens_.accept_symbol("+");
  equation.left = parse_expression();
  if (!tokens_.accept_symbol("=")) tokens_.fail_expected("'=', '<->', '->' or '<<' after '~'");
  equation.right = parse_expression();
  return {position, std::move(equation)};
}

std::vector<ast::ReactionTerm> FileParser::parse_terms(std::string_view where) {
  std::vector<ast::ReactionTerm> terms;
  do {
    ast::ReactionTerm term;
    if (tokens_.peek().kind == TokenKind::number || tokens_.defined(tokens_.peek().text))
      term.coefficient = tokens_.expect_integer("a whole coefficient " + std::string(where));
    tokens_.accept_symbol("*");
    term.state = parse_variable("a state " + std::string(where));
    terms.push_back(std::move(term));
  } while (tokens_.accept_symbol("+"));
  return terms;
}

ast::Reaction FileParser::parse_reaction() {
  ast::Reaction reaction;
  reaction.left = parse_terms("in a reaction");
  if (tokens_.accept_symbol("<->")) {
    reaction.right = parse_terms("in a reaction");
    tokens_.expect_symbol("(", "before the rates of the reaction");
    reaction.forward = parse_expression();
    tokens_.expect_symbol(",", "between the rates of the reaction");
    reaction.backward = parse_expression();
  } else {
    reaction.arrow = tokens_.is_symbol("->") ? ast::Arrow::out : ast::Arrow::into;
    if (!tokens_.accept_symbol("->")) tokens_.expect_symbol("<<", "in a reaction");
    if (!tokens_.is_symbol("("))
      tokens_.fail_expected(
          reaction.arrow == ast::Arrow::out
              ? "'(' and the rate after '->' (a reaction with products is written '<->')"
              : "'(' and the flux after '<<'");
    tokens_.take();
    reaction.forward = parse_expression();
  }
  tokens_.expect_symbol(")", "after the rates of the reaction");
  return reaction;
}

ast::Conserve FileParser::parse_conserve() {
  tokens_.take();
  ast::Conserve conserve;
  conserve.terms = parse_terms("in CONSERVE");
  tokens_.expect_symbol("=", "in CONSERVE");
  conserve.total = parse_expression();
  return conserve;
}

template <class Node>
Node FileParser::parse_states_with(ast::Expression Node::*value) {
  const std::string word(tokens_.take().text);
  Node node;
  if (tokens_.peek().kind == TokenKind::name && tokens_.is_symbol(",", 1)) {
    node.index = parse_name("an index after " + word);
    tokens_.take();
  }
  node.*value = parse_expression();
  tokens_.expect_symbol("{", "before the states of " + word);
  while (!tokens_.accept_symbol("}")) {
    node.states.push_back(parse_name("a state or '}' in " + word));
    tokens_.accept_symbol(",");
  }
  return node;
}

template ast::Compartment FileParser::parse_states_with(ast::Expression ast::Compartment::*);
template ast::LongitudinalDiffusion FileParser::parse_states_with(
    ast::Expression ast::LongitudinalDiffusion::*);

}  // namespace hillock::nmodl
