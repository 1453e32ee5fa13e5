#pragma once
// Private: one HDF5 file being written through DiskFile, and the checked calls that fill it.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors/errors.hpp"
#include "io/hdf5/hdf5_disk_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace hillock::io::hdf5 {

/// An HDF5 file that appears in its directory only when it can be opened.
/// It is created as `.<name>.new`; publish() commits and renames it.
/// Objects carry no times and the format is the oldest one, so equal contents are equal bytes.
class OutputFile {
 public:
  OutputFile(const std::filesystem::path& directory, const std::string& name);
  /// Closes; what was committed stays on the disk under the last published name. A file that has
  /// none is gone.
  ~OutputFile();

  hid_t id() const { return file_.id(); }
  std::string path() const { return disk_->path().string(); }

  /// Everything written so far is on the disk when this returns.
  void flush();
  /// What was flushed stays through a loss of power.
  void sync();
  /// Flushes and gives the file this name in its directory.
  void publish(const std::string& name);
  /// Flushes and closes. All handles into the file must be closed.
  void close();
  /// Closes a file that is published; between this and take_up() it takes next to nothing.
  void set_aside();
  void take_up();
  bool is_published() const { return disk_->is_named(); }
  bool is_set_aside() const { return !file_; }
  void rename(const std::string& name) { disk_->rename(disk_->path().parent_path() / name); }

  /// Throws InputOutputError with the file's name and the reason, and writes nothing more.
  [[noreturn]] void fail(std::string_view doing);

  hid_t check(hid_t id, std::string_view doing) {
    if (id < 0) fail(doing);
    return id;
  }
  void check_status(herr_t status, std::string_view doing) {
    if (status < 0) fail(doing);
  }

  Handle create_group(hid_t parent, const std::string& name);
  /// plist: a dataset creation list, or H5P_DEFAULT.
  Handle create_dataset(hid_t parent, const std::string& name, hid_t type, hid_t space,
                        hid_t plist);
  /// name: from the root on.
  Handle open_dataset(const std::string& name);
  /// A one-dimensional dataset of fixed size, stored in one piece.
  Handle create_array(hid_t parent, const std::string& name, hid_t type, const void* data,
                      std::size_t size);
  /// Texts of any length, each padded with zeros to that of the longest.
  void create_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts);
  void write_attribute(hid_t object, const std::string& name, hid_t type, const void* data,
                       std::size_t size, bool scalar);
  void write_attribute(hid_t object, const std::string& name, const std::string& text);
  void write_attribute(hid_t object, const std::string& name,
                       const std::vector<std::string>& texts);

  /// For writing chunks: a full node of their index keeps all of its entries when the next one is
  /// begun.
  hid_t transfer();

  /// A dataset creation list with times off.
  Handle dataset_properties();

 private:
  hid_t access_list();

  std::unique_ptr<DiskFile> disk_;
  Handle file_;
};

}  // namespace hillock::io::hdf5
