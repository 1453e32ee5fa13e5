#include "mechanisms/nmodl/analyse/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hillock::nmodl {

namespace {

struct NamedUnit {
  std::string_view name;
  std::string_view base;  ///< in core's grammar
  double factor;
};

// Names that core does not know, in terms of those it does.
constexpr NamedUnit names[] = {
    {"coul", "C", 1},
    {"ampere", "A", 1},
    {"liter", "l", 1},
    {"litre", "l", 1},
    {"metre", "m", 1},
    {"gram", "g", 1},
    {"gm", "g", 1},
    {"ms", "ms", 1},
    {"us", "us", 1},
    {"ns", "ns", 1},
    {"msec", "ms", 1},
    {"usec", "us", 1},
    {"minute", "s", 60},
    {"hour", "s", 3600},
    {"hr", "s", 3600},
    {"day", "s", 86400},
    {"year", "s", 31556925.9746784},
    {"hertz", "Hz", 1},
    {"hz", "Hz", 1},
    {"newton", "N", 1},
    {"nt", "N", 1},
    {"watt", "W", 1},
    {"pascal", "Pa", 1},
    {"kelvin", "K", 1},
    {"degC", "K", 1},
    {"degK", "K", 1},
    {"DegC", "K", 1},
    {"celsius", "K", 1},
    {"molar", "M", 1},
    {"mho", "S", 1},
    {"umho", "uS", 1},
    {"megohm", "MOhm", 1},
    {"kilohm", "kOhm", 1},
    {"Mohm", "MOhm", 1},
    {"cc", "cm3", 1},
    {"angstrom", "nm", 0.1},
    {"cal", "J", 4.1868},
    {"kcal", "kJ", 4.1868},
    {"calorie", "J", 4.1868},
    {"torr", "Pa", 133.322},
    {"atm", "Pa", 101325},
    {"atmosphere", "Pa", 101325},
    {"pi", "1", 3.14159265358979323846},
    {"c", "m/s", 2.99792458e8},
    {"gforce", "m/s2", 9.80665},
    {"g", "m/s2", 9.80665},
    {"percent", "1", 0.01},
    {"%", "1", 0.01},
    {"radian", "1", 0.5 / 3.14159265358979323846},
    {"rad", "1", 1},
    {"degree", "1", 1.0 / 360},
    {"dimensionless", "1", 1},
    {"fuzz", "1", 1},
};

struct NamedConstant {
  std::string_view name;
  std::string_view base;
  double PhysicalConstants::*value;
};
constexpr NamedConstant named_constants[] = {
    {"mole", "1", &PhysicalConstants::avogadro},
    {"e", "C", &PhysicalConstants::charge},
    {"ev", "J", &PhysicalConstants::charge},
    {"eV", "J", &PhysicalConstants::charge},
    {"k", "J/K", &PhysicalConstants::boltzmann},
    {"boltzmann", "J/K", &PhysicalConstants::boltzmann},
    {"faraday", "C", &PhysicalConstants::faraday_unit},
    {"gasconstant", "J/K", &PhysicalConstants::gas_unit},
    {"R", "J/K", &PhysicalConstants::gas_unit},
    {"planck", "J.s", &PhysicalConstants::planck},
    {"hbar", "J.s", &PhysicalConstants::hbar},
};

/// What files may spell in another case, as model files spell it. Those that differ in nothing else
/// (mM and mm) stand for neither then; MS is ms.
constexpr std::string_view usual_names[] = {
    "ms", "mV", "uV", "V",  "A",  "mA",   "uA", "nA",  "pA",  "S",   "pS",   "mM",   "mm",   "uM",
    "um", "nM", "nm", "uS", "us", "nS",   "ns", "F",   "mF",  "uF",  "nF",   "pF",   "C",    "pC",
    "cm", "s",  "J",  "mJ", "K",  "degC", "Hz", "kHz", "MHz", "ohm", "kOhm", "MOhm", "GOhm",
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](char c) { return lower(c); });
  return result;
}

/// MV, MA, Ms: no cell has mega of these, and NEURON knows no prefix of one letter.
bool is_never_mega(std::string_view name) {
  return name.size() == 2 && name[0] == 'M' &&
         std::string_view("VvAaSsMmFf").find(name[1]) != std::string_view::npos;
}

bool are_equal(const Unit& a, const Unit& b) {
  return a.dimension == b.dimension &&
         std::abs(a.si_factor() - b.si_factor()) <= 1e-12 * b.si_factor();
}

struct Prefix {
  std::string_view name;
  int exponent10;
};
constexpr Prefix prefixes[] = {
    {"giga", 9},  {"mega", 6},   {"meg", 6},     {"kilo", 3},   {"hecto", 2},
    {"deka", 1},  {"deci", -1},  {"centi", -2},  {"milli", -3}, {"micro", -6},
    {"nano", -9}, {"pico", -12}, {"femto", -15}, {"atto", -18},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A byte of a name: anything but digits and what separates names.
bool is_name_byte(char c) {
  return !is_digit(c) && std::string_view(" \t-*./^()|+").find(c) == std::string_view::npos;
}

Unit product(const Unit& a, const Unit& b, int power_of_b) {
  Unit result;
  result.dimension = a.dimension * power(b.dimension, power_of_b);
  result.significand = a.significand * std::pow(b.significand, power_of_b);
  result.exponent10 = a.exponent10 + b.exponent10 * power_of_b;
  return result;
}

/// A number: 12, 0.5, 1e-3, 10+3 (10 000), 1|60.
std::optional<Unit> read_number(std::string_view text, std::size_t& at) {
  Unit number;
  const char* end_of_text = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data() + at, end_of_text, number.significand);
  if (status != std::errc{}) return std::nullopt;
  at = static_cast<std::size_t>(end - text.data());
  const bool exponent =
      at + 1 < text.size() && (text[at] == '+' || text[at] == '-') && is_digit(text[at + 1]);
  if (exponent) {
    const std::size_t digits = text[at] == '+' ? at + 1 : at;
    const auto [behind, valid] =
        std::from_chars(text.data() + digits, end_of_text, number.exponent10);
    if (valid != std::errc{} || std::abs(number.exponent10) > 300) return std::nullopt;
    at = static_cast<std::size_t>(behind - text.data());
  } else if (at + 1 < text.size() && text[at] == '|' && is_digit(text[at + 1])) {
    double divisor = 1;
    const auto [behind, valid] = std::from_chars(text.data() + at + 1, end_of_text, divisor);
    if (valid != std::errc{} || divisor == 0) return std::nullopt;
    number.significand /= divisor;
    at = static_cast<std::size_t>(behind - text.data());
  }
  if (!std::isfinite(number.significand) || number.significand == 0) return std::nullopt;
  return number;
}

/// The power behind a name: 2, ^2, ^-1; 1 when there is none.
std::optional<int> read_power(std::string_view text, std::size_t& at) {
  const bool caret = at < text.size() && text[at] == '^';
  if (caret) ++at;
  if (!caret && (at == text.size() || !is_digit(text[at]))) return 1;
  int value = 0;
  const auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (status != std::errc{} || std::abs(value) > 9) return std::nullopt;
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

}  // namespace

std::optional<Unit> UnitTable::find(std::string_view name) const {
  if (defined_.contains(name)) return find_as_written(name);
  if (!is_never_mega(name))
    if (auto unit = find_as_written(name)) return unit;
  const std::vector<std::string_view> alike = in_another_case(name);
  if (alike.size() == 1) return find_as_written(alike.front());
  return alike.empty() && !is_never_mega(name) ? find_as_written(lower(name)) : std::nullopt;
}

/// What is like it but for the case: names of the file's own, else usual ones.
std::vector<std::string_view> UnitTable::in_another_case(std::string_view name) const {
  const std::string folded = lower(name);
  if (folded == "ms") return {"ms"};  // the time of every file, also where it has (mS)
  std::vector<std::string_view> alike;
  const auto compare = [&](std::string_view candidate) {
    if (lower(candidate) == folded) alike.push_back(candidate);
  };
  for (const auto& [own, unit] : defined_) compare(own);
  if (alike.empty()) std::ranges::for_each(usual_names, compare);
  return alike;
}

std::optional<Unit> UnitTable::find_as_written(std::string_view name) const {
  const auto plain = [&](std::string_view word) -> std::optional<Unit> {
    if (const auto own = defined_.find(word); own != defined_.end() && word != "molar")
      return own->second;
    for (const auto& known : names)
      if (known.name == word) {
        Unit unit = unit_of(known.base);
        unit.significand *= known.factor;
        return unit;
      }
    for (const auto& known : named_constants)
      if (known.name == word) {
        Unit unit = unit_of(known.base);
        unit.significand *= constants_of(constants_).*known.value;
        return unit;
      }
    return std::nullopt;
  };
  const auto singular = [&](std::string_view word) -> std::optional<Unit> {
    if (auto unit = plain(word)) return unit;
    if (word.size() > 1 && word.back() == 's') return plain(word.substr(0, word.size() - 1));
    return std::nullopt;
  };
  if (auto unit = singular(name)) return unit;
  if (auto unit = parse_unit(name)) return unit;
  if (name.size() > 2 && name.back() == 's')
    if (auto unit = parse_unit(name.substr(0, name.size() - 1))) return unit;
  for (const auto& prefix : prefixes) {
    if (!name.starts_with(prefix.name)) continue;
    if (name.size() == prefix.name.size()) return Unit{{}, 1, prefix.exponent10, 0};
    if (auto unit = singular(name.substr(prefix.name.size()))) {
      unit->exponent10 += prefix.exponent10;
      return unit;
    }
  }
  return std::nullopt;
}

std::optional<Unit> UnitTable::parse(std::string_view text) const {
  if (text == "degC") return unit_of("degC");
  Unit unit;
  int sign = 1;
  std::size_t at = 0;
  bool separated = true;
  while (at < text.size()) {
    const char c = text[at];
    const bool starts_number =
        is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]));
    if (c == '/') {
      sign = -1;
      ++at;
    } else if (starts_number && separated) {
      const auto number = read_number(text, at);
      if (!number) return std::nullopt;
      unit = product(unit, *number, sign);
      separated = false;
      continue;
    } else if (!is_name_byte(c)) {
      if (c == '^' || c == '(' || c == ')' || c == '|' || c == '+') return std::nullopt;
      ++at;
    } else {
      const std::size_t start = at;
      while (at < text.size() && is_name_byte(text[at])) ++at;
      const auto named = find(text.substr(start, at - start));
      if (!named) return std::nullopt;
      const auto exponent = read_power(text, at);
      if (!exponent) return std::nullopt;
      unit = product(unit, *named, sign * *exponent);
      separated = false;
      continue;
    }
    separated = true;
  }
  return unit;
}

/// A name as model files have it, when the file has it in another case.
std::string UnitTable::name_for_models(std::string_view name) const {
  if (parse_unit(name) && !is_never_mega(name)) return std::string(name);
  const auto unit = find(name);
  const std::string folded = lower(name);
  if (unit)
    for (const std::string_view usual : usual_names)
      if (lower(usual) == folded && are_equal(unit_of(usual), *unit)) return std::string(usual);
  if (unit && parse_unit(folded) && are_equal(unit_of(folded), *unit)) return folded;
  if (unit && !unit->dimension.is_number() && !defined_.contains(name))
    for (const std::string_view usual : usual_names)
      if (are_equal(unit_of(usual), *unit)) return std::string(usual);
  return std::string(name);
}

std::string UnitTable::for_models(const std::string& text) const {
  std::string usual;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    if (end == at)
      usual += text[at++];
    else
      usual += name_for_models(std::string_view(text).substr(at, end - at));
    at = std::max(at, end);
  }
  if (usual.empty()) return "1";
  if (parse_unit(usual)) return usual;
  std::string spelled;
  char joint = 0;  // between two names: none yet, '.' or, behind the first '/', always '/'
  bool divides = false;
  for (const char c : usual) {
    divides = divides || c == '/';
    if (c == ' ' || c == '-' || c == '*' || c == '.' || c == '/') {
      joint = divides ? '/' : '.';
      continue;
    }
    if (joint == '/' && spelled.empty()) spelled = "1";
    if (joint && !spelled.empty()) spelled += joint;
    joint = 0;
    spelled += c;
  }
  return parse_unit(spelled) ? spelled : "1";
}

}  // namespace hillock::nmodl
