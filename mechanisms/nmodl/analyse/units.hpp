#pragma once
// Units as .mod files write them: NEURON's names and grammar on top of core's, and a file's own
// definitions.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/constants.hpp"
#include "core/units/units.hpp"

namespace hillock::nmodl {

class UnitTable {
 public:
  explicit UnitTable(Constants constants = Constants::codata2018) : constants_(constants) {}

  /// (name) = (definition); the first definition of a name stays.
  void define(const std::string& name, const Unit& unit) { defined_.emplace(name, unit); }

  /// Reads "mA/cm2", "/mM-ms", "1/ms", "10+3 ohm", "um2 mV". Blanks, '-', '*' and '.' multiply,
  /// everything behind '/' divides, digits behind a name are its power. Names take long prefixes
  /// (milli, mega) and a plural s; what is no name of NEURON's may be one of core's (mV, kHz).
  /// mole is Avogadro's number, as in NEURON, and molar is mol/l. A name that is none as it is
  /// written is the file's own or a usual one in another case (mv, HZ), if a single one is like it.
  /// Nothing when it is no unit.
  std::optional<Unit> parse(std::string_view text) const;

  /// A unit as a model file spells it: "/mM-ms" as "1/mM/ms", "mv" as "mV". What a model file has
  /// no word for (a file's own definitions, numbers such as 1e3) is "1": plain numbers, in the
  /// .mod file's unit.
  std::string for_models(const std::string& text) const;

 private:
  std::optional<Unit> find(std::string_view name) const;
  std::optional<Unit> find_as_written(std::string_view name) const;
  std::vector<std::string_view> in_another_case(std::string_view name) const;
  std::string name_for_models(std::string_view name) const;

  Constants constants_;
  std::map<std::string, Unit, std::less<>> defined_;
};

}  // namespace hillock::nmodl
