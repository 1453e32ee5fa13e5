#include <fmt/format.h>

#include "simulator/command/completion/completed_command.hpp"

namespace hillock::command {

namespace {

constexpr const char* bash_head =
    R"(# Completion of hillock's command line in bash, made by `hillock completion bash`.
#   source <(hillock completion bash)

# Words that begin with the one that is completed.
_hillock_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# Folders, and files with one of some endings; without an ending all files.
_hillock_files() {
  local ending
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(
    compgen -d -- "$cur"
    for ending in "$@"; do compgen -f -X "!*$ending" -- "$cur"; done
  )
}

_hillock() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command="" is_value="" word i
  # --option=value is three words.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  # The command that the words before lead to.
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == "=" || $is_value ]]; then
      is_value=""
      continue
    fi
    case "$command:$word" in
)";

std::string reply(const CompletedValue& value) {
  using Kind = CompletedValue::Kind;
  switch (value.kind) {
    case Kind::words:
      return fmt::format("_hillock_words '{}'; ", fmt::join(value.words, " "));
    case Kind::folders:
      return "_hillock_files; ";
    case Kind::files:
      return value.endings.empty()
                 ? "_hillock_files ''; "
                 : fmt::format("_hillock_files {}; ", fmt::join(value.endings, " "));
    case Kind::unknown:
      break;
  }
  return "";
}

/// "'run:-o' | 'run:--output'"
std::string cases_of(const CompletedCommand& command, const CompletedOption& option) {
  std::vector<std::string> cases;
  for (const std::string& name : option.names)
    cases.push_back(fmt::format("'{}:{}'", command.path, name));
  return fmt::format("{}", fmt::join(cases, " | "));
}

std::string names_of_options(const CompletedCommand& command) {
  std::vector<std::string> names;
  for (const CompletedOption& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

std::string bash_completion(const CompletedCommand& program) {
  const auto all = with_all_below(program);
  std::string script = bash_head;
  for (const CompletedCommand* command : all)
    for (const CompletedCommand& below : command->commands)
      script +=
          fmt::format("      '{}:{}') command='{}' ;;\n", command->path, below.name, below.path);
  for (const CompletedCommand* command : all)
    for (const CompletedOption& option : command->options)
      if (option.takes_value)
        script += fmt::format("      {}) is_value=1 ;;\n", cases_of(*command, option));
  script += "    esac\n  done\n  COMPREPLY=()\n  case \"$command:$prev\" in\n";
  for (const CompletedCommand* command : all)
    for (const CompletedOption& option : command->options)
      if (option.takes_value)
        script +=
            fmt::format("    {}) {}return ;;\n", cases_of(*command, option), reply(option.value));
  script += "  esac\n  case \"$command:$cur\" in\n";
  for (const CompletedCommand* command : all)
    if (!command->options.empty())
      script += fmt::format("    '{}:-'*) _hillock_words '{}' ;;\n", command->path,
                            names_of_options(*command));
  for (const CompletedCommand* command : all) {
    if (command->commands.empty() && !command->takes_words) continue;
    CompletedValue given = command->words;
    for (const CompletedCommand& below : command->commands) {
      given.kind = CompletedValue::Kind::words;
      given.words.push_back(below.name);
    }
    script += fmt::format("    '{}:'*) {}return ;;\n", command->path, reply(given));
  }
  return script + "  esac\n}\n\ncomplete -F _hillock hillock\n";
}

}  // namespace hillock::command
