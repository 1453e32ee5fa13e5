#include "io/sonata/earlier_file.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "core/errors/errors.hpp"

namespace hillock::io {

namespace {

std::string text_attribute(hid_t file, const char* name) {
  const hdf5::Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  if (!attribute) return {};
  const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose);
  char* text = nullptr;
  if (H5Tis_variable_str(type.id()) <= 0 || H5Aread(attribute.id(), type.id(), &text) < 0 || !text)
    return {};
  std::string result(text);
  H5free_memory(text);
  return result;
}

}  // namespace

EarlierFile::EarlierFile(const std::filesystem::path& directory, const std::string& name,
                         const Provenance& provenance)
    : path_(directory / (name + ".partial")) {
  if (!std::filesystem::exists(path_) && std::filesystem::exists(directory / name))
    path_ = directory / name;
  std::error_code none;
  if (std::filesystem::exists(path_, none) && !std::filesystem::is_regular_file(path_, none))
    fail("is not a file");
  hdf5::begin_library();
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id(), false, true);  // the run's directory is locked
#endif
  file_ = hdf5::Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!file_) fail(std::filesystem::exists(path_) ? "cannot be read" : "is not there");
  if (text_attribute(file_.id(), "model_sha256") != provenance.model_sha256)
    fail("is of another model");
}

void EarlierFile::fail(const std::string& problem) const {
  throw InputOutputError(path_.string(),
                         problem + ", so the run cannot be resumed (--force begins anew)");
}

void EarlierFile::need(const std::string& dataset, hsize_t rows, hsize_t columns) const {
  const hdf5::Handle data(H5Dopen2(file_.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const hdf5::Handle space(data ? H5Dget_space(data.id()) : H5I_INVALID_HID, H5Sclose);
  const int rank = space ? H5Sget_simple_extent_ndims(space.id()) : 0;
  std::array<hsize_t, 2> extent{0, 0};
  if (rank != (columns == 0 ? 1 : 2) ||
      H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr) < 0)
    fail("has no " + dataset);
  if (columns != 0 && extent[1] != columns)
    fail(fmt::format("has {} columns where {} belong", extent[1], columns));
  if (extent[0] < rows)
    fail(fmt::format("has {} rows of {}, and the checkpoint needs {}", extent[0], dataset, rows));
}

void EarlierFile::see_that_same(const std::string& dataset, const KeptRows& read,
                                const KeptRows& kept) const {
  if (read != kept)
    fail(fmt::format("is damaged, or of another run: {} is not what was saved", dataset));
}

void EarlierFile::read(const std::string& dataset, hid_t type, hsize_t begin, hsize_t count,
                       void* values) const {
  const hdf5::Handle data(H5Dopen2(file_.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const hdf5::Handle from(data ? H5Dget_space(data.id()) : H5I_INVALID_HID, H5Sclose);
  std::array<hsize_t, 2> extent{0, 0};
  const int rank = from ? H5Sget_simple_extent_dims(from.id(), extent.data(), nullptr) : -1;
  if (rank < 1 || rank > 2) fail("cannot be read");
  const std::array<hsize_t, 2> offset{begin, 0}, some{count, extent[1]};
  const hdf5::Handle memory(H5Screate_simple(rank, some.data(), nullptr), H5Sclose);
  if (!memory ||
      H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, offset.data(), nullptr, some.data(), nullptr) <
          0 ||
      H5Dread(data.id(), type, memory.id(), from.id(), H5P_DEFAULT, values) < 0)
    fail("cannot be read");
}

}  // namespace hillock::io
