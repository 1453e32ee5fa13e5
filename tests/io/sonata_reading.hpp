#pragma once
// Reads SONATA files back with HDF5's own driver, and makes the layouts and folders of the tests.

#include <hdf5.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/sonata/sonata.hpp"

namespace hillock::io {

/// A folder that is removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hillock-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// An HDF5 file opened for reading; every failure throws.
class H5Reader {
 public:
  explicit H5Reader(const std::filesystem::path& path)
      : path_(path.string()), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_) throw std::runtime_error(path_ + " cannot be opened");
  }

  hid_t id() const { return file_.id(); }

  hdf5::Handle dataset(const std::string& name) const {
    hdf5::Handle handle(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!handle) throw std::runtime_error(path_ + " has no " + name);
    return handle;
  }

  std::vector<hsize_t> extent(const std::string& name) const {
    const auto handle = dataset(name);
    const hdf5::Handle space(H5Dget_space(handle.id()), H5Sclose);
    std::vector<hsize_t> dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.id())));
    H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
    return dims;
  }

  std::vector<double> doubles(const std::string& name) const {
    return read<double>(name, H5T_NATIVE_DOUBLE);
  }
  std::vector<std::uint64_t> integers(const std::string& name) const {
    return read<std::uint64_t>(name, H5T_NATIVE_UINT64);
  }

  bool exists(const std::string& name) const {
    return H5Lexists(id(), name.c_str(), H5P_DEFAULT) > 0;
  }

  std::string text(const std::string& object, const std::string& name) const {
    const auto attribute = open_attribute(object, name);
    const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose);
    char* value = nullptr;
    if (H5Aread(attribute.id(), type.id(), &value) < 0) throw std::runtime_error(name);
    std::string copy = value;
    H5free_memory(value);
    return copy;
  }

  std::uint64_t integer(const std::string& object, const std::string& name) const {
    std::uint64_t value = 0;
    if (H5Aread(open_attribute(object, name).id(), H5T_NATIVE_UINT64, &value) < 0)
      throw std::runtime_error(name);
    return value;
  }

  /// The name of an enumeration's value.
  std::string enumeration(const std::string& object, const std::string& name) const {
    const auto attribute = open_attribute(object, name);
    const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose);
    if (H5Tget_class(type.id()) != H5T_ENUM) throw std::runtime_error(name + " is no enumeration");
    std::uint8_t value = 0;
    std::string text(64, '\0');
    H5Aread(attribute.id(), type.id(), &value);
    H5Tenum_nameof(type.id(), &value, text.data(), text.size());
    return text.c_str();
  }

  hdf5::Handle open_attribute(const std::string& object, const std::string& name) const {
    hdf5::Handle handle(
        H5Aopen_by_name(id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!handle) throw std::runtime_error(object + " has no attribute " + name);
    return handle;
  }

 private:
  template <typename Value>
  std::vector<Value> read(const std::string& name, hid_t type) const {
    std::size_t size = 1;
    for (const hsize_t n : extent(name)) size *= n;
    std::vector<Value> values(size);
    const auto handle = dataset(name);
    if (size != 0 && H5Dread(handle.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      throw std::runtime_error(path_ + ": " + name + " cannot be read");
    return values;
  }

  std::string path_;
  hdf5::Handle file_;
};

/// One cell of `columns` compartments.
inline models::ReportLayout one_cell(const std::string& name, std::size_t columns,
                                     std::uint64_t samples) {
  models::ReportLayout layout;
  layout.name = name;
  layout.population = "exc";
  layout.units = "mV";
  layout.float64 = true;
  layout.every_ms = 0.125;
  layout.samples = samples;
  layout.node_ids = {0};
  layout.index_pointers = {0, columns};
  layout.element_ids.assign(columns, 0);
  layout.element_pos.assign(columns, 0.5F);
  return layout;
}

/// What row and column hold in the tests: every value of a file is different.
inline double value_at(std::uint64_t row, std::uint64_t column) {
  return static_cast<double>(row) * 1e6 + static_cast<double>(column) + 0.5;
}

inline std::vector<double> rows_of(std::size_t columns, std::uint64_t begin, std::uint64_t end) {
  std::vector<double> values;
  for (std::uint64_t row = begin; row < end; ++row)
    for (std::uint64_t column = 0; column < columns; ++column)
      values.push_back(value_at(row, column));
  return values;
}

}  // namespace hillock::io
