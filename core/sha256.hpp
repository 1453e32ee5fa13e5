#pragma once
// SHA-256 of texts.

#include <string>
#include <string_view>

namespace hillock {

/// As 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace hillock
