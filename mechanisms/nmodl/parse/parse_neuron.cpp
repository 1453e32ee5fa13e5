// The NEURON block: how the mechanism meets its membrane.

#include <utility>

#include "mechanisms/nmodl/parse/file_parser.hpp"

namespace hillock::nmodl {

namespace {

void append(std::vector<ast::Name>& list, std::vector<ast::Name> more) {
  for (auto& name : more) list.push_back(std::move(name));
}

}  // namespace

std::vector<ast::Name> FileParser::parse_names(std::string_view what) {
  std::vector<ast::Name> names;
  do {
    names.push_back(parse_name(what));
  } while (tokens_.accept_symbol(","));
  return names;
}

void FileParser::parse_neuron() {
  tokens_.take();
  tokens_.expect_symbol("{", "after NEURON");
  while (!tokens_.accept_symbol("}")) parse_neuron_statement();
}

void FileParser::parse_neuron_statement() {
  if (accept_verbatim()) return;
  if (tokens_.peek().kind != TokenKind::name)
    tokens_.fail_expected("a statement of the NEURON block or '}'");
  const std::string word(tokens_.peek().text);
  if (word == "SUFFIX") return set_mechanism(ast::MechanismForm::density);
  if (word == "POINT_PROCESS") return set_mechanism(ast::MechanismForm::point_process);
  if (word == "ARTIFICIAL_CELL") return set_mechanism(ast::MechanismForm::artificial_cell);
  if (word == "USEION") return parse_ion();
  struct List {
    std::string_view word;
    std::vector<ast::Name>& names;
  };
  for (const List& list :
       {List{"RANGE", out_.range}, List{"GLOBAL", out_.global}, List{"POINTER", out_.pointers},
        List{"BBCOREPOINTER", out_.bbcore_pointers}, List{"EXTERNAL", out_.external},
        List{"RANDOM", out_.random}, List{"NONSPECIFIC_CURRENT", out_.nonspecific_currents},
        List{"NONSPECIFIC_CURRENTS", out_.nonspecific_currents},
        List{"ELECTRODE_CURRENT", out_.electrode_currents},
        List{"ELECTRODE_CURRENTS", out_.electrode_currents}})
    if (word == list.word) {
      tokens_.take();
      append(list.names, parse_names("a name after " + word));
      return;
    }
  if (tokens_.accept_word("THREADSAFE")) {
    out_.threadsafe = true;
    return;
  }
  if (tokens_.accept_word("REPRESENTS")) {
    parse_curie();
    return;
  }
  tokens_.fail("'" + word + "' is no statement of the NEURON block");
}

void FileParser::set_mechanism(ast::MechanismForm form) {
  const Token word = tokens_.take();
  const ast::Name name = parse_name("a name after " + std::string(word.text));
  if (out_.mechanism)
    state_.findings.warning(word.position,
                            "the name '" + name.text + "' replaces '" + out_.mechanism->text + "'");
  out_.mechanism = name;
  out_.form = form;
}

/// CHEBI:29101, [CHEBI:29101], NCIT:C17145; read by a lexer to which ':' begins a comment.
std::string FileParser::parse_curie() {
  const bool bracket = tokens_.accept_symbol("[");
  const std::string text(tokens_.expect_name("an ontology term after REPRESENTS").text);
  if (bracket) tokens_.accept_symbol("]");
  return text;
}

void FileParser::parse_ion() {
  tokens_.take();
  ast::IonStatement ion;
  ion.ion = parse_name("the name of an ion after USEION");
  while (true) {
    if (tokens_.accept_word("READ")) {
      append(ion.read, parse_names("a variable of the ion after READ"));
    } else if (tokens_.accept_word("WRITE")) {
      append(ion.write, parse_names("a variable of the ion after WRITE"));
    } else if (tokens_.accept_word("VALENCE") || tokens_.accept_word("CHARGE")) {
      ion.valence = tokens_.expect_number("a number after VALENCE");
    } else if (tokens_.accept_word("REPRESENTS")) {
      ion.represents = parse_curie();
    } else {
      break;
    }
  }
  out_.ions.push_back(std::move(ion));
}

}  // namespace hillock::nmodl
