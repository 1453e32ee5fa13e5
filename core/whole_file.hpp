#pragma once
// Whole files at once. What is read may have been named by somebody else: no device, no pipe,
// nothing without end.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace hillock {

/// Why a file cannot be read, or its text in `text`. Only regular files up to `limit` bytes are
/// read, and nothing else is waited for.
std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t limit,
                            std::string& text);

/// Writes all of a text to an open file; false, and errno, when that fails.
bool write_all(int file, std::string_view text);

}  // namespace hillock
