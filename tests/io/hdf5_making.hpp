#pragma once
// Small HDF5 files for the tests of what reads them.

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace hillock::io {

/// A file of datasets in groups that are made on the way; each call opens it anew.
class MadeHdf5 {
 public:
  explicit MadeHdf5(std::filesystem::path path) : path_(std::move(path)) {
    const hdf5::Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                            H5Fclose);
  }

  /// In place of one of that name; of so many columns where it has two dimensions. stored: as what.
  MadeHdf5& numbers(const std::string& name, const std::vector<double>& values, hsize_t columns = 0,
                    hid_t stored = H5T_IEEE_F64LE) {
    const hsize_t size[2] = {columns == 0 ? values.size() : values.size() / columns, columns};
    write(name, stored, columns == 0 ? 1 : 2, size, H5T_NATIVE_DOUBLE, values.data());
    return *this;
  }
  MadeHdf5& texts(const std::string& name, const std::vector<std::string>& values) {
    const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    std::vector<const char*> each;
    for (const std::string& value : values) each.push_back(value.c_str());
    const hsize_t size = each.size();
    write(name, type.id(), 1, &size, type.id(), each.data());
    return *this;
  }

 private:
  void write(const std::string& name, hid_t stored, int dimensions, const hsize_t* size, hid_t type,
             const void* values) {
    const hdf5::Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hdf5::Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    H5E_BEGIN_TRY {
      H5Ldelete(file.id(), name.c_str(), H5P_DEFAULT);
    }
    H5E_END_TRY
    const hdf5::Handle space(H5Screate_simple(dimensions, size, nullptr), H5Sclose);
    const hdf5::Handle data(H5Dcreate2(file.id(), name.c_str(), stored, space.id(), links.id(),
                                       H5P_DEFAULT, H5P_DEFAULT),
                            H5Dclose);
    H5Dwrite(data.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  }

  std::filesystem::path path_;
};

}  // namespace hillock::io
