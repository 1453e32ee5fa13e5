#include "core/program/command_line.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/text/folded_text.hpp"

namespace hillock {

namespace {

/// The innermost command that was reached.
struct Reached {
  const CLI::App* command;
  std::string words;  ///< "hillock mech check"
  std::string place;  ///< "mech check: "
};

Reached reached_in(const CLI::App& parser) {
  Reached reached{&parser, parser.get_name(), ""};
  while (!reached.command->get_subcommands().empty()) {
    reached.command = reached.command->get_subcommands().front();
    reached.words += " " + reached.command->get_name();
  }
  if (reached.command != &parser)
    reached.place = reached.words.substr(parser.get_name().size() + 1) + ": ";
  return reached;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(each->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(fmt::format("--{}", name));
    for (const std::string& name : option->get_snames()) names.push_back(fmt::format("-{}", name));
  }
  return names;
}

std::string without_newline(std::string line) {
  line.pop_back();
  return line;
}

/// A page of help, whose lines have a word or a name, and beside it from column `beside` on what it
/// means, with `columns` at most.
std::string folded_help(const std::string& page, std::size_t beside, std::size_t columns) {
  std::string lines, line;
  for (std::istringstream text(page); std::getline(text, line); lines += '\n') {
    const std::size_t name_end = line.find("  ", line.find_first_not_of(' '));
    const std::size_t meaning = line.find_first_not_of(' ', name_end);
    if (name_end == line.npos || meaning != beside) {
      const bool is_meaning = line.find_first_not_of(' ') == beside;  // below a long name
      lines += is_meaning ? without_newline(entry("", beside, line.substr(beside), columns))
                          : folded(line, columns, 4);
      continue;
    }
    lines +=
        without_newline(entry(line.substr(0, name_end), beside, line.substr(meaning), columns));
  }
  return lines;
}

}  // namespace

std::string explain(const CLI::App& parser, const CLI::ParseError& error) {
  const Reached at = reached_in(parser);
  const std::vector<std::string> commands = commands_of(*at.command);
  const std::string help = fmt::format(" ({} --help)", at.words);
  const std::vector<std::string> unknown = parser.remaining(true);
  if (unknown.empty() && !commands.empty())
    return fmt::format("{}a command is missing: {}{}", at.place, fmt::join(commands, ", "), help);
  if (unknown.empty()) return at.place + error.what() + help;
  const std::string& word = unknown.front();
  if (word.size() > 1 && word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{}unknown option '{}'.{}{}", at.place, name,
                       did_you_mean(name, options_of(*at.command)), help);
  }
  if (commands.empty()) return fmt::format("{}'{}' is one word too many{}", at.place, word, help);
  std::string meant = did_you_mean(word, commands);
  if (meant.empty() && word.ends_with(".yaml") && std::ranges::count(commands, "run") > 0)
    meant = fmt::format(" Did you mean 'run {}'?", word);
  if (meant.empty()) meant = fmt::format(" Known: {}", fmt::join(commands, ", "));
  return fmt::format("{}unknown command '{}'.{}{}", at.place, word, meant, help);
}

std::string unless_among(const std::string& word, const std::vector<std::string>& known) {
  if (std::ranges::count(known, word) > 0) return {};
  return fmt::format("'{}' is not known.{} Known: {}", word, did_you_mean(word, known),
                     fmt::join(known, ", "));
}

bool print_what_was_asked(const CLI::App& parser, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) return false;
  // Not by way of std::cout, which is flushed and then forgets why it could not be.
  std::ostringstream text;
  parser.exit(error, text, text);
  std::fputs(folded_help(text.str(), parser.get_formatter()->get_column_width(),
                         page_columns(STDOUT_FILENO))
                 .c_str(),
             stdout);
  return true;
}

}  // namespace hillock
