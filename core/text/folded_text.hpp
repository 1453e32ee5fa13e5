#pragma once
// Lines that fit a terminal: how many columns it has, and text that is broken between words.

#include <cstddef>
#include <string>
#include <string_view>

namespace hillock {

/// Columns of the terminal that a descriptor is: what COLUMNS says, else what the terminal says,
/// else 80. 0 where it is none.
std::size_t terminal_columns(int descriptor);

/// The same for what is laid out for people wherever it goes: where there is no terminal, what
/// COLUMNS says, else 80.
std::size_t page_columns(int descriptor);

/// How many columns a text takes: one a code point.
std::size_t columns_of(std::string_view text);

/// `text`, whose lines have `columns` at most: one that has more is broken between words, and goes
/// on behind `indent` spaces. A word that is longer than a line stays whole, so that a path
/// can be copied. columns: 0 for any number.
std::string folded(std::string_view text, std::size_t columns, std::size_t indent);

/// The beginning of `text` that has so many columns.
std::string_view cut(std::string_view text, std::size_t columns);

/// `name`, padded to `width` columns, and `text` beside it, which is folded there; where that
/// leaves no place, below it. Ends with a newline.
std::string entry(std::string_view name, std::size_t width, std::string_view text,
                  std::size_t columns);

}  // namespace hillock
