#pragma once
// SHA-256 of texts and files, as 64 lower-case hexadecimal digits.

#include <filesystem>
#include <string>
#include <string_view>

namespace hillock::io {

std::string sha256(std::string_view bytes);

/// Of a file's contents, read in blocks. Throws InputOutputError.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace hillock::io
