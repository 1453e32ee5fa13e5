#pragma once
// All words for the user, on standard output and standard error. Whatever text of a model or name
// of a file is in them, they are printable: nothing in them can steer a terminal. A run goes on,
// and keeps its exit code, when nobody can read them (a closed descriptor, a full disk).

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "core/utf8.hpp"

namespace hillock::command {

/// Of several ranks one speaks for all. To be set before there is another thread.
inline bool is_silent = false;

inline void write_printable(std::FILE* file, const std::string& text) {
  if (is_silent) return;
  const std::string shown = printable_lines(text);
  std::fwrite(shown.data(), 1, shown.size(), file);
}

/// On standard error.
template <class... Arguments>
void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_printable(stderr, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// What was asked for, on standard output. JSON stays JSON, with the same meaning.
template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_printable(stdout, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Draws over the line on the terminal; empty text clears it.
inline void redraw(const std::string& line) {
  if (is_silent) return;
  const std::string shown = fmt::format("\r{:<78}{}", printable(line), line.empty() ? "\r" : "");
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace hillock::command
