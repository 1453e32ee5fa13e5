#pragma once
// Names that files get which users name.

#include <algorithm>
#include <string_view>

namespace hillock {

/// Whether a text may name a file in a folder of outputs: any but a path, one with control
/// characters, one that begins with . or -, or one of more than 100 bytes.
inline bool is_file_name(std::string_view text) {
  return !text.empty() && text.size() <= 100 && text[0] != '.' && text[0] != '-' &&
         std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/';
         });
}

}  // namespace hillock
