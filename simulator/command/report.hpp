#pragma once
// Words for the user on standard error. A run goes on, and keeps its exit code, when nobody can
// read them (a closed descriptor, a full disk).

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace hillock::command {

template <class... Arguments>
void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace hillock::command
