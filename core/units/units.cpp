#include "core/units/units.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace hillock {

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < result.exponents.size(); ++i)
    result.exponents[i] = a.exponents[i] + b.exponents[i];
  return result;
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  return a * power(b, -1);
}

Dimension power(const Dimension& a, int exponent) {
  Dimension result = a;
  for (int& e : result.exponents) e *= exponent;
  return result;
}

double Unit::si_factor() const {
  return significand * std::pow(10.0, exponent10);
}

namespace {

struct Symbol {
  std::string_view name;
  std::array<int, 6> exponents;  // m kg s A K mol
  double significand;
  int exponent10;
  bool takes_prefix;
};

// clang-format off
// Farad, ohm and the like by their SI base units (BIPM, SI Brochure, 9th edition, tables 2 to 4).
constexpr Symbol symbols[] = {
    {"m", {1, 0, 0, 0, 0, 0}, 1, 0, true},
    {"meter", {1, 0, 0, 0, 0, 0}, 1, 0, true},
    {"micron", {1, 0, 0, 0, 0, 0}, 1, -6, false},
    {"g", {0, 1, 0, 0, 0, 0}, 1, -3, true},
    {"s", {0, 0, 1, 0, 0, 0}, 1, 0, true},
    {"sec", {0, 0, 1, 0, 0, 0}, 1, 0, true},
    {"second", {0, 0, 1, 0, 0, 0}, 1, 0, true},
    {"min", {0, 0, 1, 0, 0, 0}, 6, 1, false},
    {"h", {0, 0, 1, 0, 0, 0}, 3.6, 3, false},
    {"A", {0, 0, 0, 1, 0, 0}, 1, 0, true},
    {"amp", {0, 0, 0, 1, 0, 0}, 1, 0, true},
    {"K", {0, 0, 0, 0, 1, 0}, 1, 0, true},
    {"degC", {0, 0, 0, 0, 1, 0}, 1, 0, false},
    {"mol", {0, 0, 0, 0, 0, 1}, 1, 0, true},
    {"mole", {0, 0, 0, 0, 0, 1}, 1, 0, true},
    {"M", {-3, 0, 0, 0, 0, 1}, 1, 3, true},
    {"l", {3, 0, 0, 0, 0, 0}, 1, -3, true},
    {"L", {3, 0, 0, 0, 0, 0}, 1, -3, true},
    {"liter", {3, 0, 0, 0, 0, 0}, 1, -3, true},
    {"Hz", {0, 0, -1, 0, 0, 0}, 1, 0, true},
    {"V", {2, 1, -3, -1, 0, 0}, 1, 0, true},
    {"volt", {2, 1, -3, -1, 0, 0}, 1, 0, true},
    {"ohm", {2, 1, -3, -2, 0, 0}, 1, 0, true},
    {"Ohm", {2, 1, -3, -2, 0, 0}, 1, 0, true},
    {"S", {-2, -1, 3, 2, 0, 0}, 1, 0, true},
    {"siemens", {-2, -1, 3, 2, 0, 0}, 1, 0, true},
    {"mho", {-2, -1, 3, 2, 0, 0}, 1, 0, true},
    {"F", {-2, -1, 4, 2, 0, 0}, 1, 0, true},
    {"farad", {-2, -1, 4, 2, 0, 0}, 1, 0, true},
    {"C", {0, 0, 1, 1, 0, 0}, 1, 0, true},
    {"coulomb", {0, 0, 1, 1, 0, 0}, 1, 0, true},
    {"J", {2, 1, -2, 0, 0, 0}, 1, 0, true},
    {"joule", {2, 1, -2, 0, 0, 0}, 1, 0, true},
    {"W", {2, 1, -3, 0, 0, 0}, 1, 0, true},
    {"N", {1, 1, -2, 0, 0, 0}, 1, 0, true},
    {"Pa", {-1, 1, -2, 0, 0, 0}, 1, 0, true},
};

struct Prefix {
  std::string_view name;
  int exponent10;
};

constexpr Prefix prefixes[] = {
    {"f", -15},     {"p", -12},     {"n", -9},      {"u", -6},      {"\u00b5", -6}, {"\u03bc", -6},
    {"m", -3},      {"c", -2},      {"d", -1},      {"k", 3},       {"M", 6},       {"G", 9},
    {"femto", -15}, {"pico", -12},  {"nano", -9},   {"micro", -6},  {"milli", -3},  {"centi", -2},
    {"deci", -1},   {"kilo", 3},    {"mega", 6},    {"giga", 9},
};
// clang-format on

std::optional<Unit> find_symbol(std::string_view word) {
  for (const auto& symbol : symbols)
    if (symbol.name == word)
      return Unit{{symbol.exponents}, symbol.significand, symbol.exponent10, 0};
  for (const auto& prefix : prefixes) {
    if (!word.starts_with(prefix.name)) continue;
    const std::string_view rest = word.substr(prefix.name.size());
    for (const auto& symbol : symbols)
      if (symbol.takes_prefix && symbol.name == rest)
        return Unit{
            {symbol.exponents}, symbol.significand, symbol.exponent10 + prefix.exponent10, 0};
  }
  return std::nullopt;
}

bool is_word_byte(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
}

/// Reads an exponent (an optional ^, an optional minus, digits) at `position`; 1 when there is
/// none.
std::optional<int> read_exponent(std::string_view text, std::size_t& position) {
  std::size_t at = position;
  const bool caret = at < text.size() && text[at] == '^';
  if (caret) ++at;
  std::size_t digits = at;
  if (digits < text.size() && text[digits] == '-') ++digits;
  if (digits >= text.size() || !std::isdigit(static_cast<unsigned char>(text[digits])))
    return caret ? std::nullopt : std::optional<int>(1);
  int exponent = 0;
  const auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
  if (status != std::errc{} || exponent == 0 || std::abs(exponent) > 9) return std::nullopt;
  position = static_cast<std::size_t>(end - text.data());
  return exponent;
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) {
  if (text == "degC") return Unit{find_symbol("degC")->dimension, 1, 0, 273.15};
  Unit unit;
  if (text.empty() || text == "1") return unit;
  bool divide = false;
  std::size_t i = 0;
  if (text[0] == '/') {
    divide = true;
    i = 1;
  } else if (text.starts_with("1/")) {
    divide = true;
    i = 2;
  }
  while (true) {
    const std::size_t start = i;
    while (i < text.size() && is_word_byte(text[i])) ++i;
    const auto symbol = find_symbol(text.substr(start, i - start));
    if (!symbol) return std::nullopt;
    const auto exponent = read_exponent(text, i);
    if (!exponent) return std::nullopt;
    const int signed_exponent = divide ? -*exponent : *exponent;
    unit.dimension = unit.dimension * power(symbol->dimension, signed_exponent);
    unit.significand *= std::pow(symbol->significand, signed_exponent);
    unit.exponent10 += symbol->exponent10 * signed_exponent;
    if (i == text.size()) return unit;
    if (text[i] == '/') {
      divide = true;
    } else if (text[i] == '.' || text[i] == '*') {
      divide = false;
    } else {
      return std::nullopt;
    }
    ++i;
  }
}

double convert(double value, const Unit& from, const Unit& to) {
  if (from == to) return value;
  if (from.offset != 0 || to.offset != 0)
    return (value * from.si_factor() + from.offset - to.offset) / to.si_factor();
  const double scaled =
      from.significand == to.significand ? value : value * (from.significand / to.significand);
  const int shift = from.exponent10 - to.exponent10;
  return shift >= 0 ? scaled * std::pow(10.0, shift) : scaled / std::pow(10.0, -shift);
}

Unit unit_of(std::string_view text) {
  const auto unit = parse_unit(text);
  if (!unit) throw std::logic_error("not a unit: " + std::string(text));
  return *unit;
}

namespace units {
const Unit number = unit_of("");
const Unit ms = unit_of("ms");
const Unit mV = unit_of("mV");
const Unit um = unit_of("um");
const Unit um2 = unit_of("um2");
const Unit nA = unit_of("nA");
const Unit uS = unit_of("uS");
const Unit S_per_cm2 = unit_of("S/cm2");
const Unit mA_per_cm2 = unit_of("mA/cm2");
const Unit uF_per_cm2 = unit_of("uF/cm2");
const Unit ohm_cm = unit_of("ohm.cm");
const Unit degC = unit_of("degC");
const Unit mM = unit_of("mM");
const Unit Hz = unit_of("Hz");
const Unit MOhm = unit_of("MOhm");
const Unit um_per_ms = unit_of("um/ms");
}  // namespace units

std::string describe(const Dimension& dimension) {
  struct Name {
    std::string_view unit;
    std::string_view name;
  };
  static constexpr Name names[] = {
      {"", "a plain number"},     {"m", "a length"},
      {"m2", "an area"},          {"s", "a time"},
      {"Hz", "a rate"},           {"V", "a voltage"},
      {"A", "a current"},         {"A/m2", "a current per area"},
      {"S", "a conductance"},     {"S/m2", "a conductance per area"},
      {"S/m", "a conductivity"},  {"ohm", "a resistance"},
      {"ohm.m", "a resistivity"}, {"ohm.m2", "a resistance times area"},
      {"F", "a capacitance"},     {"F/m2", "a capacitance per area"},
      {"K", "a temperature"},     {"mM", "a concentration"},
      {"m/s", "a velocity"},      {"1/m", "an inverse length"},
      {"mol", "an amount"},       {"C", "a charge"},
  };
  for (const auto& name : names)
    if (unit_of(name.unit).dimension == dimension) return std::string(name.name);
  static constexpr std::string_view base[] = {"m", "kg", "s", "A", "K", "mol"};
  std::string text = "a quantity in";
  for (std::size_t i = 0; i < dimension.exponents.size(); ++i) {
    if (dimension.exponents[i] == 0) continue;
    text += ' ';
    text += base[i];
    if (dimension.exponents[i] != 1) text += '^' + std::to_string(dimension.exponents[i]);
  }
  return text;
}

}  // namespace hillock
