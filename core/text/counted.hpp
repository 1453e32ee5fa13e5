#pragma once
// Numbers of things, as sentences say them.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace hillock {

/// "1 file", "2 files".
inline std::string counted(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

}  // namespace hillock
