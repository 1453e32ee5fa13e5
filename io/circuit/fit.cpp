// Reads the Allen institute's fits of cells (ctdb:Biophys1).

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/circuit/biophysics.hpp"
#include "io/model/context/fit_file.hpp"

namespace hillock::io::circuit {

namespace {

/// Puts a number of a fit, as it is written, into a section.
void put(const FitEntry& entry, const std::string& number, SectionBiophysics& to) {
  const std::string& of = entry.mechanism;
  if (!of.empty()) to.insert(of, entry.mechanism_at.place());
  const std::string mechanism = !of.empty() && entry.name.ends_with("_" + of) ? of : "pas";
  if (entry.name == "Ra")
    to.Ra_ohm_cm = number;
  else if (entry.name == "cm")
    to.cm_uF_per_cm2 = number;
  else if (entry.name == "ena")
    to.ena_mV = number;
  else if (entry.name == "ek")
    to.ek_mV = number;
  else if (entry.name.ends_with("_" + mechanism))
    to.set(mechanism, entry.name.substr(0, entry.name.size() - mechanism.size() - 1), number,
           entry.name_at.place());
  else
    entry.name_at.error(
        fmt::format("'{}' is no parameter of a section or of '{}'", entry.name, of));
}

}  // namespace

void SectionBiophysics::insert(const std::string& mechanism, const Place& place) {
  mechanisms[mechanism];
  places.emplace(mechanism, place);
}

void SectionBiophysics::set(const std::string& mechanism, const std::string& parameter,
                            const std::string& value, const Place& place) {
  insert(mechanism, place);
  auto& all = mechanisms[mechanism];
  const auto known = std::ranges::find(all, parameter, &Parameter::name);
  if (known != all.end())
    *known = {parameter, value, place};
  else
    all.push_back({parameter, value, place});
}

std::optional<Biophysics> read_fit(const Item& root) {
  Biophysics result;
  for (const char* section : section_names) result[section].insert("pas", root.place());
  // bmtk passes over what it does not know.
  const bool is_good =
      read_fit_file(root, {{"na", "k"}, FitKeys::Others::passed_over}, [&](const FitEntry& entry) {
        if (is_temperature(entry) || !number_of(entry.value)) return;
        for (auto& [name, section] : result)
          if (!entry.section || entry.section->node().scalar == name)
            put(entry, entry.value.node().scalar, section);
      });
  return is_good ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace hillock::io::circuit
