#pragma once
// A stranger's HDF5 file in memory, and its columns of numbers. Runs confined (confinement.hpp):
// the library may fail on a file in any way.

#include <span>
#include <string>
#include <vector>

#include "io/columns/column_protocol.hpp"
#include "io/columns/file_questions.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace hillock::io::columns {

/// Readies the library, which is not to load filters or to print. Before confine().
void start_library();

class ColumnFile {
 public:
  /// The file's bytes must outlive this.
  explicit ColumnFile(std::span<char> bytes);
  ColumnFile(const ColumnFile&) = delete;
  ColumnFile& operator=(const ColumnFile&) = delete;

  /// A part of the values of a one-dimensional dataset of numbers that lie in this file, as
  /// doubles. What leads out of the file and what only plugins read is refused before it is
  /// followed.
  Answer read(const std::string& dataset, std::uint64_t most_values, const Part& part,
              std::vector<double>& values);

  /// The names in a group of what lies in this file, each with a zero behind it.
  Told children(const std::string& group, std::vector<char>& names);
  Told extent(const std::string& dataset);
  /// Part of a dataset of numbers of one or two dimensions.
  Told numbers(const Question& question, const std::string& dataset, std::vector<double>& values);
  /// What an attribute or a dataset says, each text with a zero behind it.
  Told texts(const std::string& object, const std::string& attribute, std::vector<char>& texts);
  /// The number that an attribute has, if it has one.
  Told number(const std::string& object, const std::string& attribute, std::vector<double>& values);

 private:
  /// What a path leads to in this file.
  Answer open_object(const std::string& path, hdf5::Handle& object);
  Answer open_dataset(const std::string& path, hdf5::Handle& data);
  Answer open_numbers(const std::string& path, hdf5::Handle& data);

  std::span<char> bytes_;
  hdf5::Handle file_;
};

}  // namespace hillock::io::columns
