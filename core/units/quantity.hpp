#pragma once
// A number with its unit, as users write it: "0.12 S/cm2", "10um", "-65 mV", "0.5".
// Not here: arithmetic (core/expressions/expression.hpp).

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/units/units.hpp"

namespace hillock {

/// The pieces of a number and the unit that follows it.
struct Quantity {
  double value = 0;
  std::string_view number_text;  ///< "0.12"
  std::string_view unit_text;    ///< "S/cm2"; empty when there is none
  std::optional<Unit> unit;      ///< nothing when unit_text is not a unit
};

/// Reads a decimal number at the start of `text`; `length` becomes the bytes it takes.
/// Returns nothing when there is none. A number too large for a double gives infinity.
std::optional<double> read_number(std::string_view text, std::size_t& length);

/// Splits a text that is nothing but a number and one word after it, with or without a space
/// between them. Returns nothing for everything else, arithmetic for example.
std::optional<Quantity> read_quantity(std::string_view text);

/// `text` without white space at its ends.
std::string_view trim(std::string_view text);

}  // namespace hillock
