#include "io/hdf5_columns.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include "core/errors.hpp"

namespace hillock::io {

namespace {

/// Keeps HDF5 from printing its error stack while it lives; our messages say what went wrong.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &handler_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, handler_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t handler_ = nullptr;
  void* data_ = nullptr;
};

/// Closes a dataset and a dataspace.
struct OpenDataset {
  hid_t dataset = -1;
  hid_t space = -1;
  hid_t type = -1;
  ~OpenDataset() {
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
  }
};

}  // namespace

Hdf5Columns::Hdf5Columns(const std::filesystem::path& path, std::string shown)
    : shown_(std::move(shown)) {
  const QuietHdf5 quiet;
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) throw InputOutputError(shown_, "this is not an HDF5 file that can be opened");
}

Hdf5Columns::~Hdf5Columns() {
  if (file_ >= 0) H5Fclose(static_cast<hid_t>(file_));
}

std::vector<double> Hdf5Columns::read(const std::string& dataset, std::size_t limit) const {
  const QuietHdf5 quiet;
  OpenDataset open;
  open.dataset = H5Dopen2(static_cast<hid_t>(file_), dataset.c_str(), H5P_DEFAULT);
  if (open.dataset < 0) throw InputOutputError(shown_, fmt::format("has no dataset '{}'", dataset));
  open.space = H5Dget_space(open.dataset);
  open.type = H5Dget_type(open.dataset);
  const H5T_class_t kind = H5Tget_class(open.type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT)
    throw InputOutputError(shown_, fmt::format("dataset '{}' does not hold numbers", dataset));
  hsize_t size = 0;
  if (H5Sget_simple_extent_ndims(open.space) != 1 ||
      H5Sget_simple_extent_dims(open.space, &size, nullptr) != 1)
    throw InputOutputError(shown_, fmt::format("dataset '{}' is not one-dimensional", dataset));
  if (size > limit)
    throw InputOutputError(shown_,
                           fmt::format("dataset '{}' has more than {} values", dataset, limit));
  std::vector<double> values(size);
  if (size > 0 &&
      H5Dread(open.dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw InputOutputError(shown_, fmt::format("dataset '{}' cannot be read", dataset));
  return values;
}

}  // namespace hillock::io
