#include "simulator/command/completion/completion.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

#include "simulator/command/completion/completed_command.hpp"

namespace hillock::command {

namespace {

/// type: "auto|cpu|cuda", or what stands before the name of a check: "INT:INT in [1 - 4096]".
CompletedValue value_of_type(std::string type, const WordsOfTypes& words, bool is_option) {
  using Kind = CompletedValue::Kind;
  type = type.substr(0, type.find(':'));
  if (const auto known = words.find(type); known != words.end())
    return {Kind::words, known->second, {}};
  if (type == "DIR") return {Kind::folders, {}, {}};
  if (type == "FILE.yaml") return {Kind::files, {}, {".yaml", ".yml"}};
  if (type == "FILE.json") return {Kind::files, {}, {".json"}};
  if (type == "FILE.mod") return {Kind::files, {}, {".mod"}};
  if (type == "FILE" || (!is_option && type.find('|') == type.npos)) return {Kind::files, {}, {}};
  if (type.find('|') == type.npos) return {};
  CompletedValue value{Kind::words, {}, {}};
  std::istringstream all(type);
  for (std::string word; std::getline(all, word, '|');) value.words.push_back(word);
  return value;
}

CompletedOption completed_option(const CLI::Option& option, const WordsOfTypes& words) {
  CompletedOption completed;
  for (const std::string& name : option.get_snames()) completed.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) completed.names.push_back("--" + name);
  completed.help = option.get_description();
  completed.takes_value = option.get_expected_min() > 0;
  completed.may_repeat = option.get_expected_max() > 1;
  if (completed.takes_value) completed.value = value_of_type(option.get_type_name(), words, true);
  return completed;
}

CompletedCommand command_below(const CLI::App& app, const std::string& path,
                               const WordsOfTypes& words) {
  CompletedCommand command;
  command.path = path;
  command.name = app.get_name();
  command.help = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) {
      command.options.push_back(completed_option(*option, words));
    } else {
      command.takes_words = true;
      command.words = value_of_type(option->get_type_name(), words, false);
    }
  }
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(
        command_below(*each, path + (path.empty() ? "" : " ") + each->get_name(), words));
  return command;
}

}  // namespace

CompletedCommand completed_command(const CLI::App& app, const WordsOfTypes& words) {
  return command_below(app, "", words);
}

std::vector<const CompletedCommand*> with_all_below(const CompletedCommand& command) {
  std::vector<const CompletedCommand*> all{&command};
  for (const CompletedCommand& each : command.commands)
    for (const CompletedCommand* below : with_all_below(each)) all.push_back(below);
  return all;
}

std::string completion_script(const CLI::App& app, Shell shell, const WordsOfTypes& words) {
  const CompletedCommand program = completed_command(app, words);
  if (shell == Shell::zsh) return zsh_completion(program);
  if (shell == Shell::fish) return fish_completion(program);
  return bash_completion(program);
}

}  // namespace hillock::command
