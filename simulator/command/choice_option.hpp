#pragma once
// An option that takes one of some words. Help and completion have them from its type,
// "auto|on|off".

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/program/command_line.hpp"

namespace hillock::command {

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// Words that are no choice, and what is to be said of them.
using Mistakes = std::map<std::string, std::string>;

/// Adds an option whose word is one of `choices`, and sets `to` to what that stands for.
template <class Target, class Value>
CLI::Option& add_choice(CLI::App& command, const std::string& name, Target& to,
                        const Choices<Value>& choices, const std::string& help,
                        const Mistakes& mistakes = {}) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  const auto set = [&to, choices](const std::string& word) {
    to = std::ranges::find(choices, word, &std::pair<std::string, Value>::first)->second;
  };
  const auto check = [words, mistakes](const std::string& word) {
    const auto mistake = mistakes.find(word);
    return mistake == mistakes.end() ? unless_among(word, words) : mistake->second;
  };
  return *command.add_option_function<std::string>(name, set, help)
              ->type_name(fmt::format("{}", fmt::join(words, "|")))
              ->check(check);
}

}  // namespace hillock::command
