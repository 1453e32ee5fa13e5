#pragma once
// A page that a subcommand writes.

#include <string>

namespace hillock::command {

/// Writes a file, in place of the one of that name: a reader sees the old text or the new one.
/// Throws InputOutputError.
void write_page(const std::string& file, const std::string& text);

}  // namespace hillock::command
