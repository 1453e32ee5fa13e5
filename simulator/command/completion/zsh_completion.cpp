#include <fmt/format.h>

#include <algorithm>

#include "simulator/command/completion/completed_command.hpp"

namespace hillock::command {

namespace {

/// In single quotes, where a few more signs mean something to _arguments and _describe.
std::string zsh_text(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') quoted += "'\\'";
    if (c == '[' || c == ']' || c == ':' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string action(const CompletedValue& value) {
  using Kind = CompletedValue::Kind;
  if (value.kind == Kind::words) return fmt::format("({})", fmt::join(value.words, " "));
  if (value.kind == Kind::folders) return "_files -/";
  if (value.kind == Kind::unknown) return " ";
  std::vector<std::string> patterns;
  for (const std::string& ending : value.endings) patterns.push_back("*" + ending);
  return patterns.empty() ? "_files" : fmt::format("_files -g \"({})\"", fmt::join(patterns, "|"));
}

std::string function_name(const CompletedCommand& command) {
  std::string name = "_hillock" + (command.path.empty() ? "" : "_" + command.path);
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string option_lines(const CompletedCommand& command) {
  std::string lines;
  for (const CompletedOption& option : command.options) {
    for (const std::string& name : option.names) {
      const std::string others =
          option.may_repeat ? "*" : fmt::format("({})", fmt::join(option.names, " "));
      lines += fmt::format("    '{}{}[{}]{}' \\\n", others, name, zsh_text(option.help),
                           option.takes_value ? ":value:" + action(option.value) : "");
    }
  }
  return lines;
}

std::string function_of(const CompletedCommand& command) {
  const std::string name = function_name(command);
  if (command.commands.empty())
    return fmt::format("{}() {{\n  _arguments \\\n{}    {}\n}}\n\n", name, option_lines(command),
                       command.takes_words ? "'*:argument:" + action(command.words) + "'" : "''");
  std::string script = fmt::format(
      "{}() {{\n  local context state line\n  _arguments -C \\\n{}    '1:command:->command' "
      "'*::argument:->argument'\n  case $state in\n    command)\n      local -a commands=(\n",
      name, option_lines(command));
  for (const CompletedCommand& below : command.commands)
    script += fmt::format("        '{}:{}'\n", below.name, zsh_text(below.help));
  script +=
      "      )\n      _describe command commands\n      ;;\n    argument)\n      case "
      "$line[1] in\n";
  for (const CompletedCommand& below : command.commands)
    script += fmt::format("        {}) {} ;;\n", below.name, function_name(below));
  return script + "      esac\n      ;;\n  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CompletedCommand& program) {
  std::string script =
      "#compdef hillock\n"
      "# Completion of hillock's command line in zsh, made by `hillock completion zsh`.\n"
      "#   source <(hillock completion zsh)\n\n";
  for (const CompletedCommand* command : with_all_below(program)) script += function_of(*command);
  return script +
         "if [[ $funcstack[1] == _hillock ]]; then\n  _hillock \"$@\"\nelse\n  compdef _hillock "
         "hillock\nfi\n";
}

}  // namespace hillock::command
