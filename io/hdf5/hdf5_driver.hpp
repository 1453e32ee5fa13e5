#pragma once
// Private: the HDF5 virtual file driver that hands every read and write to a DiskFile.

#include "io/hdf5/hdf5_disk_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace hillock::io::hdf5 {

/// A file access list whose file is `disk`, which must outlive the file.
/// The returned handle is negative on failure.
Handle driver_access_list(DiskFile& disk);

}  // namespace hillock::io::hdf5
