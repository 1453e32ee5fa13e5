#pragma once
// Private: what Hillock asks the program hillock-read-columns of a file that the program was
// started with the name of, question by question. Numbers are as they lie in memory
// (column_protocol.hpp).

#include <array>
#include <cstdint>

namespace hillock::io::columns {

enum class Asked : std::uint32_t {
  children,  ///< the names in a group
  extent,    ///< of a dataset of numbers
  numbers,   ///< a part of a dataset of numbers, as doubles
  texts,     ///< of an attribute, or of a dataset where no attribute is named
  number     ///< of an attribute that has one, as a double
};
constexpr std::uint32_t questions = static_cast<std::uint32_t>(Asked::number) + 1;

/// Then come the path and the attribute's name.
struct Question {
  std::uint32_t asked = 0;
  std::uint32_t path_bytes = 0;
  std::uint32_t attribute_bytes = 0;
  std::uint32_t unused = 0;
  std::array<std::uint64_t, 2> begin{};  ///< numbers: of rows and columns
  std::array<std::uint64_t, 2> count{};
};

/// Then come so many bytes: doubles row by row, or texts, each with a zero behind it.
struct Told {
  std::uint32_t problem = 0;  ///< a Problem
  std::uint32_t detail = 0;
  std::array<std::uint64_t, 2>
      extent{};  ///< rows and columns; one column of what has one dimension
  std::uint64_t bytes = 0;
};

/// The longest path or name of an attribute.
constexpr std::uint32_t most_name_bytes = 1 << 16;
/// Of one answer.
constexpr std::uint64_t most_told_bytes = std::uint64_t{1} << 29;

}  // namespace hillock::io::columns
