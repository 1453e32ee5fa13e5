#pragma once
// All words for the user, on standard output and standard error. Whatever text of a model or name
// of a file is in them, they are printable: nothing in them can steer a terminal. A run goes on,
// and keeps its exit code, when nobody can read them (a closed descriptor, a full disk). Lines fit
// the terminal.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "core/text/folded_text.hpp"
#include "core/text/utf8.hpp"

namespace hillock::command {

/// Of several ranks one speaks for all. To be set before there is another thread.
inline bool is_silent = false;

/// How the command was started, for words that name the next one: what HILLOCK_CALLED says (./dev
/// sets it), else "hillock".
std::string called();

/// Writes to standard error. Where a pipe is full, waits until somebody reads it or a stop signal
/// comes: what is not written then is lost.
void say(std::string_view text);

/// From now on words that nobody takes at once are lost. A signal's handler may call it.
void say_without_waiting();

/// Whether words were lost that way.
bool has_lost_words();

/// On standard error, where lines are folded on a terminal and nowhere else.
template <class... Arguments>
void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  constexpr std::size_t indent = 4;
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  if (!is_silent)
    say(printable_lines(folded(printable_lines(text), terminal_columns(STDERR_FILENO), indent)));
}

/// On standard output.
inline void write_printable(const std::string& text) {
  if (is_silent) return;
  const std::string shown = printable_lines(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

/// What was asked for, on standard output. JSON stays JSON, with the same meaning.
template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_printable(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// The same in words, whose lines are folded on a terminal.
template <class... Arguments>
void print_folded(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  constexpr std::size_t indent = 4;
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  write_printable(folded(printable_lines(text), terminal_columns(STDOUT_FILENO), indent));
}

/// What was asked for as a line with a name: folded beside it, for people, wherever it goes.
inline void print_entry(const std::string& name, const std::string& text) {
  constexpr std::size_t width = 22;
  write_printable(entry(printable(name), width, printable(text), page_columns(STDOUT_FILENO)));
}

/// Draws over the line on the terminal; empty text clears it.
inline void redraw(const std::string& line) {
  if (is_silent) return;
  const std::size_t columns = std::max<std::size_t>(terminal_columns(STDERR_FILENO), 2) - 1;
  const std::string text = printable(line);
  const std::string_view fitting = cut(text, columns);
  std::string shown = "\r";
  shown += fitting;
  shown.append(columns - columns_of(fitting), ' ');
  if (line.empty()) shown += '\r';
  say(shown);
}

}  // namespace hillock::command
