#pragma once
// Reads one-dimensional arrays of numbers from HDF5 files, in a program of its own: the HDF5
// library may fail in any way on a file from a stranger, and takes only that program down.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/program/whole_file.hpp"
#include "io/columns/part.hpp"

namespace hillock::io {

struct ColumnsRequest {
  /// The program hillock-read-columns. Empty: the one beside the program that runs, else beside the
  /// library that this is linked into.
  std::filesystem::path reader;
  Blocks& file;  ///< its bytes, all of which are read
  std::vector<std::string> datasets;
  std::size_t most_values = 0;  ///< of a dataset
  Part part = {};               ///< of its values
};

/// A part of a dataset.
struct ReadColumn {
  std::vector<double> values;
  std::uint64_t size = 0;  ///< of the whole dataset
};

/// Why the datasets cannot be read, or the part of their values in `columns`, in the order asked
/// for. Only what lies in the file itself is read. Thread-safe.
/// Throws InputOutputError when the reader cannot be started, and what the file's blocks throw.
std::string read_hdf5_columns(const ColumnsRequest& request, std::vector<ReadColumn>& columns);

}  // namespace hillock::io
