#pragma once
// What stands in the membrane of a cell, section by section, as the field's files of fitted cells
// say it: the Allen institute's .json and .nml.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

/// Numbers are kept as they are written.
struct SectionBiophysics {
  std::optional<std::string> Ra_ohm_cm, cm_uF_per_cm2, ena_mV, ek_mV;
  struct Parameter {
    std::string name;
    std::string value;
    Place place;
  };
  std::map<std::string, std::vector<Parameter>> mechanisms;  ///< those without any, too
  std::map<std::string, Place> places;                       ///< of mechanisms

  /// Puts a parameter in, in place of one of that name.
  void set(const std::string& mechanism, const std::string& parameter, const std::string& value,
           const Place& place);
  void insert(const std::string& mechanism, const Place& place);
};

/// NEURON's names of sections, by their first four letters.
inline constexpr std::array<const char*, 4> section_names{"soma", "dend", "apic", "axon"};
using Biophysics = std::map<std::string, SectionBiophysics>;

/// Of a .json of the Allen institute. Nothing after an error.
std::optional<Biophysics> read_fit(const Item& root);
/// Of a NeuroML file's biophysical properties. Nothing after an error.
std::optional<Biophysics> read_nml(const std::filesystem::path& path, const Place& named_at,
                                   Diagnostics& diagnostics);

}  // namespace hillock::io::circuit
