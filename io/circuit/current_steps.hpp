#pragma once
// Currents that a file has step by step.

#include <filesystem>
#include <optional>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

/// Each amplitude holds from its time to the next; zero before the first.
struct CurrentSteps {
  std::vector<double> times_ms;    ///< rising
  std::vector<double> amplitudes;  ///< as many
  double end_ms = 0;               ///< of the last one; not before it begins
};

/// The `file` of an input: a table with the columns timestamps and amps, or those that it names.
/// The last amplitude holds for as long as the one before. Nothing after an error.
std::optional<CurrentSteps> read_table_of_currents(const Item& input);

/// A sweep of an NWB file of the Allen institute's, in nA, from 0 ms on; its last value stays.
std::optional<CurrentSteps> read_sweep(const Item& input,
                                       const std::filesystem::path& column_reader);

}  // namespace hillock::io::circuit
