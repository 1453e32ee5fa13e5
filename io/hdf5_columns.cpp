#include "io/hdf5_columns.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include "core/errors.hpp"
#include "io/hdf5_handle.hpp"

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

}  // namespace

std::vector<double> read_hdf5_column(const std::filesystem::path& path, const std::string& shown,
                                     const std::string& dataset, std::size_t limit) {
  const QuietHdf5 quiet;
  const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) throw InputOutputError(shown, "this is not an HDF5 file that can be opened");
  const hdf5::Handle data(H5Dopen2(file.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) throw InputOutputError(shown, fmt::format("has no dataset '{}'", dataset));
  const hdf5::Handle type(H5Dget_type(data.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT)
    throw InputOutputError(shown, fmt::format("dataset '{}' does not hold numbers", dataset));
  const hdf5::Handle space(H5Dget_space(data.id()), H5Sclose);
  hsize_t size = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 ||
      H5Sget_simple_extent_dims(space.id(), &size, nullptr) != 1)
    throw InputOutputError(shown, fmt::format("dataset '{}' is not one-dimensional", dataset));
  if (size > limit)
    throw InputOutputError(shown,
                           fmt::format("dataset '{}' has more than {} values", dataset, limit));
  std::vector<double> values(size);
  if (size > 0 &&
      H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw InputOutputError(shown, fmt::format("dataset '{}' cannot be read", dataset));
  return values;
}

}  // namespace hillock::io
