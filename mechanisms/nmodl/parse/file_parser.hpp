#pragma once
// The parser's inside: one object reads one source file into a syntax tree that an included file
// shares with the file that includes it.

#include <map>
#include <string>
#include <vector>

#include "mechanisms/nmodl/parse/parser.hpp"
#include "mechanisms/nmodl/parse/token_stream.hpp"

namespace hillock::nmodl {

/// What a file and those it includes have in common.
struct ParserState {
  Parsed& parsed;
  Findings& findings;
  const ReadInclude& include;
  std::map<std::string, int, std::less<>> defines = {};
  int include_depth = 0;
  int included_files = 0;
};

class FileParser {
 public:
  /// `path` is where the file lies, for INCLUDE.
  FileParser(std::string_view source, int file, std::filesystem::path path, ParserState& state);
  void parse_file();

 private:
  // parse_file.cpp
  void parse_item();
  void parse_include();
  void parse_define();
  void skip_old_construct();
  void parse_block(ast::BlockKind kind, bool has_name);
  void parse_function(ast::BlockKind kind);
  void parse_before_after(bool before);
  std::vector<ast::Argument> parse_arguments(std::string_view where);

  // parse_declarations.cpp
  /// Takes C code that stands where the next entry or block would begin.
  bool accept_verbatim();
  /// An entry's name and size; `word` names its block in messages.
  ast::Declaration parse_entry(ast::Declaration::Section section, const std::string& word);
  void parse_values(ast::Declaration::Section section);
  void parse_variables(ast::Declaration::Section section);
  void parse_top_level_locals();
  void parse_units();
  void parse_independent();
  void parse_stepped();
  std::optional<ast::Limits> accept_limits();
  int accept_size();

  // parse_neuron.cpp
  void parse_neuron();
  void parse_neuron_statement();
  void parse_ion();
  void set_mechanism(ast::MechanismForm form);
  std::vector<ast::Name> parse_names(std::string_view what);
  std::string parse_curie();

  // parse_statements.cpp
  ast::Statements parse_body(std::string_view owner);
  ast::Statement parse_statement();
  ast::Statement parse_simple_statement();
  ast::If parse_if();
  ast::Loop parse_loop();
  ast::Solve parse_solve();
  ast::Table parse_table();
  ast::Watch parse_watch();
  ast::ForNetcons parse_for_netcons();
  ast::Conductance parse_conductance();
  ast::Locals parse_locals();
  ast::Assignment parse_protected();

  // parse_kinetics.cpp
  ast::Statement parse_tilde();
  std::vector<ast::ReactionTerm> parse_terms(std::string_view where);
  bool reaction_ahead() const;
  ast::Reaction parse_reaction();
  ast::Conserve parse_conserve();
  template <class Node>
  Node parse_states_with(ast::Expression Node::*value);

  // parse_expressions.cpp
  ast::Expression parse_expression(int least = 1);
  ast::Expression parse_unary();
  ast::Expression parse_primary();
  ast::Expression parse_variable(std::string_view what);
  ast::Expression combined(ast::ExpressionKind kind, ast::Operator op, Position position,
                           std::vector<ast::Expression> operands);
  ast::Name parse_name(std::string_view what);

  /// Bounds recursion; lives as long as one level of nesting.
  class Level {
   public:
    explicit Level(FileParser& parser);
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    FileParser& parser_;
  };

  TokenStream tokens_;
  int file_;
  std::filesystem::path path_;
  ParserState& state_;
  ast::File& out_;
  int level_ = 0;
};

}  // namespace hillock::nmodl
