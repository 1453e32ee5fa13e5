#pragma once
// What there is to complete, command by command, as a parser of command lines describes it.

#include <string>
#include <vector>

#include "simulator/command/completion/completion.hpp"

namespace hillock::command {

/// What may stand in a place of a command line.
struct CompletedValue {
  enum class Kind { unknown, words, folders, files } kind = Kind::unknown;
  std::vector<std::string> words;    ///< of kind words
  std::vector<std::string> endings;  ///< of kind files: ".yaml"; none: all of them
};

struct CompletedOption {
  std::vector<std::string> names;  ///< "-o", "--output"
  std::string help;
  bool takes_value = false;
  bool may_repeat = false;
  CompletedValue value;
};

struct CompletedCommand {
  std::string path;  ///< "mech check"; empty: the program
  std::string name;  ///< "check"
  std::string help;
  std::vector<CompletedOption> options;
  std::vector<CompletedCommand> commands;
  bool takes_words = false;
  CompletedValue words;  ///< what it is given
};

CompletedCommand completed_command(const CLI::App& app, const WordsOfTypes& words);

/// The command, and all below it.
std::vector<const CompletedCommand*> with_all_below(const CompletedCommand& command);

std::string bash_completion(const CompletedCommand& program);
std::string zsh_completion(const CompletedCommand& program);
std::string fish_completion(const CompletedCommand& program);

}  // namespace hillock::command
