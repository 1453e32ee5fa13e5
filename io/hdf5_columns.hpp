#pragma once
// Reads one-dimensional arrays of numbers from HDF5 files. All calls on one thread (HDF5's rule).

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace hillock::io {

/// The values of a dataset as doubles, at most `limit` of them. `shown` names the file in messages.
/// Throws InputOutputError.
std::vector<double> read_hdf5_column(const std::filesystem::path& path, const std::string& shown,
                                     const std::string& dataset, std::size_t limit);

}  // namespace hillock::io
