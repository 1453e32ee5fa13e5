#pragma once
// Reads one-dimensional number arrays from an HDF5 file, converted to double.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace hillock::io {

/// Opens a file for reading. All calls on one thread (HDF5's rule).
class Hdf5Columns {
 public:
  /// Throws InputOutputError when it is not an HDF5 file.
  Hdf5Columns(const std::filesystem::path& path, std::string shown);
  ~Hdf5Columns();
  Hdf5Columns(const Hdf5Columns&) = delete;
  Hdf5Columns& operator=(const Hdf5Columns&) = delete;

  /// Reads a dataset of at most `limit` values. Throws InputOutputError.
  std::vector<double> read(const std::string& dataset, std::size_t limit) const;

 private:
  std::string shown_;
  long long file_ = -1;  ///< hid_t
};

}  // namespace hillock::io
