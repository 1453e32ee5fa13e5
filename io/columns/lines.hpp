#pragma once
// The lines of a text that comes in blocks, of which some are asked for.

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/program/whole_file.hpp"
#include "io/columns/part.hpp"

namespace hillock::io {

/// Some whole lines, each with its end but perhaps the text's last. False: no more are wanted.
using TakeLines = std::function<bool(std::string_view lines, bool is_of_part)>;

/// Gives all lines of a text in their order, some at a time. A line is of the part in which its
/// first byte lies. Memory: two blocks, or the longest line. Throws what the blocks throw.
void each_lines(Blocks& text, const Part& part, const TakeLines& take);

}  // namespace hillock::io
