#include "io/hdf5/hdf5_driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <new>

namespace hillock::io::hdf5 {

namespace {

/// What the access list carries; HDF5 copies it byte by byte.
struct Info {
  DiskFile* disk = nullptr;
};

struct OpenFile : H5FD_t {
  DiskFile* disk = nullptr;
  haddr_t end = 0;  ///< of the addresses in use
};

DiskFile& disk_of(H5FD_t* file) {
  return *static_cast<OpenFile*>(file)->disk;
}

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const Info*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto* file = new (std::nothrow) OpenFile;
  if (file != nullptr) file->disk = info->disk;
  return file;
}

herr_t close(H5FD_t* file) {
  const auto* open_file = static_cast<OpenFile*>(file);
  const bool done = open_file->disk->close(open_file->end);
  delete open_file;
  return done ? 0 : -1;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  // No aggregation, no accumulation: addresses follow the order of creation and nothing else.
  *flags = 0;
  return 0;
}

haddr_t get_end_of_addresses(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<const OpenFile*>(file)->end;
}

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  static_cast<OpenFile*>(file)->end = address;
  return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) {
  const auto* open_file = static_cast<const OpenFile*>(file);
  return std::max<haddr_t>(open_file->disk->size(), open_file->end);
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  return disk_of(file).read(address, {static_cast<std::byte*>(buffer), size}) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size,
             const void* buffer) {
  const std::span bytes(static_cast<const std::byte*>(buffer), size);
  DiskFile& disk = disk_of(file);
  bool done = false;
  if (type == H5FD_MEM_DRAW)
    done = disk.write_data(address, bytes);
  else if (type == H5FD_MEM_SUPER)
    done = disk.write_superblock(address, bytes);
  else
    done = disk.write_metadata(address, bytes);
  return done ? 0 : -1;
}

herr_t flush(H5FD_t* file, hid_t, hbool_t) {
  return disk_of(file).commit(static_cast<OpenFile*>(file)->end) ? 0 : -1;
}

hid_t driver_id() {
  static const hid_t id = [] {
    H5open();
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(500);  // within the range for private drivers
#endif
    driver.name = "hillock_commit";
    driver.maxaddr = HADDR_MAX;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.fapl_size = sizeof(Info);
    driver.open = open;
    driver.close = close;
    driver.query = query;
    driver.get_eoa = get_end_of_addresses;
    driver.set_eoa = set_end_of_addresses;
    driver.get_eof = get_end_of_file;
    driver.read = read;
    driver.write = write;
    driver.flush = flush;
    const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
    return H5FDregister(&driver);
  }();
  return id;
}

}  // namespace

bool set_driver(hid_t access, DiskFile& disk) {
  const Info info{&disk};
  return H5Pset_driver(access, driver_id(), &info) >= 0;
}

}  // namespace hillock::io::hdf5
