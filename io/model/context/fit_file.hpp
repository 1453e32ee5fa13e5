#pragma once
// Reads files of fitted cells as the Allen Cell Types database has them, `ctdb:Biophys1` of a
// SONATA circuit: what they set, and where. What that comes to whoever asks knows.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/yaml/item.hpp"

namespace hillock::io {

/// A number of a fit.
struct FitEntry {
  std::optional<Item> section;  ///< soma, axon, dend or apic; nothing: the whole cell
  std::string name;             ///< NEURON's: "cm", "Ra", "ena", "gbar_Ih", "celsius"
  std::string mechanism;        ///< that it is of; empty where the file names none
  Item value;
  Item name_at, mechanism_at;  ///< where they stand; the value where they do not
};

/// At which the fit was made.
inline bool is_temperature(const FitEntry& entry) {
  return !entry.section && entry.name == "celsius";
}

struct FitKeys {
  std::vector<std::string> ions;  ///< whose reversal potentials may be there
  enum class Others { refused, passed_over } others;
};

/// Calls take() for each entry, in the file's order; those of the section 'glob' are left out, with
/// a warning. False after an error.
bool read_fit_file(const Item& fit, const FitKeys& keys,
                   const std::function<void(const FitEntry& entry)>& take);

}  // namespace hillock::io
