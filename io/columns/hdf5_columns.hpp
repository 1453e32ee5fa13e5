#pragma once
// Reads one-dimensional arrays of numbers from HDF5 files, in a program of its own: the HDF5
// library may fail in any way on a file from a stranger, and takes only that program down.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hillock::io {

struct ColumnsRequest {
  /// The program hillock-read-columns. Empty: the one beside the program that runs, else beside the
  /// library that this is linked into.
  std::filesystem::path reader;
  std::string_view file;  ///< the file's bytes
  std::vector<std::string> datasets;
  std::size_t most_values = 0;  ///< of a dataset
};

/// Why the datasets cannot be read, or their values as doubles in `columns`, in the order asked
/// for. Only what lies in the file itself is read. Thread-safe.
/// Throws InputOutputError when the reader cannot be started.
std::string read_hdf5_columns(const ColumnsRequest& request,
                              std::vector<std::vector<double>>& columns);

}  // namespace hillock::io
