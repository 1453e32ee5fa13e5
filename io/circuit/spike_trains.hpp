#pragma once
// Files of spikes that virtual nodes send: HDF5 files of SONATA, of today's form and of the first,
// and CSV files.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

/// Spikes of one population of nodes.
struct SpikeTrains {
  std::vector<double> times_ms;
  std::vector<std::uint64_t> nodes;
};

/// Spikes of `population`, of the file's only one where it names none. named: the value that names
/// the file, for messages. Nothing after an error.
std::optional<SpikeTrains> read_spike_trains(const Item& named, const std::filesystem::path& path,
                                             bool is_csv, const std::string& population,
                                             const std::filesystem::path& column_reader);

}  // namespace hillock::io::circuit
