#pragma once
// Private: the HDF5 virtual file driver that hands every read and write to a DiskFile.

#include "io/hdf5/hdf5_disk_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace hillock::io::hdf5 {

/// Files opened with this access list are `disk`, which must outlive them. False on failure.
bool set_driver(hid_t access, DiskFile& disk);

}  // namespace hillock::io::hdf5
