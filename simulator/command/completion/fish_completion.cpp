#include <fmt/format.h>

#include "simulator/command/completion/completed_command.hpp"

namespace hillock::command {

namespace {

std::string fish_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// When a command is the one that is typed.
std::string condition(const CompletedCommand& command) {
  std::string test = command.path.empty() ? "__fish_use_subcommand" : "";
  std::string path = command.path;
  while (!path.empty()) {
    const std::size_t end = path.find(' ');
    test += (test.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + path.substr(0, end));
    path.erase(0, end == path.npos ? path.size() : end + 1);
  }
  if (!command.path.empty() && !command.commands.empty()) {
    test += "; and not __fish_seen_subcommand_from";
    for (const CompletedCommand& below : command.commands) test += " " + below.name;
  }
  return fish_text(test);
}

std::string arguments(const CompletedValue& value) {
  using Kind = CompletedValue::Kind;
  if (value.kind == Kind::words)
    return " -f -a " + fish_text(fmt::format("{}", fmt::join(value.words, " ")));
  if (value.kind == Kind::folders) return " -f -a '(__fish_complete_directories)'";
  if (value.kind == Kind::unknown) return " -f";
  if (value.endings.empty()) return " -F";
  std::string calls;
  for (const std::string& ending : value.endings)
    calls += fmt::format("{}__fish_complete_suffix {}", calls.empty() ? "" : "; ", ending);
  return " -f -a '(" + calls + ")'";
}

}  // namespace

std::string fish_completion(const CompletedCommand& program) {
  std::string script =
      "# Completion of hillock's command line in fish, made by `hillock completion fish`.\n"
      "#   hillock completion fish | source\n\n"
      "complete -c hillock -f\n";
  for (const CompletedCommand* command : with_all_below(program)) {
    const std::string begin = "complete -c hillock -n " + condition(*command);
    for (const CompletedCommand& below : command->commands)
      script += fmt::format("{} -a {} -d {}\n", begin, below.name, fish_text(below.help));
    for (const CompletedOption& option : command->options) {
      std::string line = begin;
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) line += " -r" + arguments(option.value);
      script += line + " -d " + fish_text(option.help) + "\n";
    }
    if (command->takes_words) script += begin + arguments(command->words) + "\n";
  }
  return script;
}

}  // namespace hillock::command
