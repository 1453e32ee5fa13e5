#pragma once
// Files of spikes that virtual nodes send: HDF5 files of SONATA, of today's form and of the first,
// and CSV files.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

/// Spikes of one population of nodes.
struct SpikeTrains {
  /// What the file calls it; empty of a file that names no population, and of one that has no
  /// spikes of it.
  std::string population;
  bool are_missing = false;  ///< the file has other populations'
  std::vector<double> times_ms;
  std::vector<std::uint64_t> nodes;
};

/// Spikes of `population`; of an HDF5 file's only one, too, where the circuit has none of that name
/// (is_of_circuit). named: the value that names the file, for messages. Nothing after an error.
std::optional<SpikeTrains> read_spike_trains(
    const Item& named, const std::filesystem::path& path, bool is_csv,
    const std::string& population, const std::function<bool(const std::string&)>& is_of_circuit,
    const std::filesystem::path& column_reader);

}  // namespace hillock::io::circuit
