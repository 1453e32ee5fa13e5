#pragma once
// Reads a file that somebody else named: no device, no pipe, nothing without end.

#include <cstdint>
#include <filesystem>
#include <string>

namespace hillock {

/// Why a file cannot be read, or its text in `text`. Only regular files up to `limit` bytes are
/// read, and nothing else is waited for.
std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t limit,
                            std::string& text);

}  // namespace hillock
