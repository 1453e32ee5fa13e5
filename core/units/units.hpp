#pragma once
// The one unit grammar, shared by model files and mechanism files: "S/cm2", "ohm.cm", "1/ms".

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace hillock {

/// Exponents of metre, kilogram, second, ampere, kelvin and mole.
struct Dimension {
  std::array<int, 6> exponents{};

  bool operator==(const Dimension&) const = default;
  bool is_number() const { return *this == Dimension{}; }
};

Dimension operator*(const Dimension& a, const Dimension& b);
Dimension operator/(const Dimension& a, const Dimension& b);
Dimension power(const Dimension& a, int exponent);

/// A unit: value in SI = value × significand × 10^exponent10 (+ offset for degC alone).
struct Unit {
  Dimension dimension;
  double significand = 1;
  int exponent10 = 0;
  double offset = 0;  ///< 273.15 for degC, else 0

  double si_factor() const;
  bool operator==(const Unit&) const = default;
};

/// Reads a unit. An empty text and "1" are the unit of plain numbers.
/// Symbols take SI prefixes; exponents are written cm2 or cm^2; `.` and `*` multiply, `/` divides.
/// Returns nothing when the text is not a unit.
std::optional<Unit> parse_unit(std::string_view text);

/// `value` of unit `from`, in unit `to`. Powers of ten are exact to one rounding.
/// Requires equal dimensions.
double convert(double value, const Unit& from, const Unit& to);

/// A physical quantity's name for messages: "a voltage", "a conductance per area", else its SI
/// form.
std::string describe(const Dimension& dimension);

/// The units inside Hillock, which are NEURON's: each quantity is stored in exactly one of them.
namespace units {
extern const Unit number, ms, mV, um, um2, nA, uS, S_per_cm2, mA_per_cm2, uF_per_cm2, ohm_cm, degC,
    mM, Hz, MOhm, um_per_ms;
}

/// parse_unit for a text that is part of Hillock; throws std::logic_error when it is not a unit.
Unit unit_of(std::string_view text);

}  // namespace hillock
