#include "io/hdf5/hdf5_output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "io/hdf5/hdf5_driver.hpp"

namespace hillock::io::hdf5 {

namespace {

herr_t keep_description(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 1;  // the first one is where it happened
}

std::string last_hdf5_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_description, &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

/// A creation list with times off, and what else `set` puts into it.
template <class Set>
Handle list_of(hid_t kind, const Set& set) {
  Handle list(H5Pcreate(kind), H5Pclose);
  if (H5Pset_obj_track_times(list.id(), false) < 0 || !set(list.id())) list.reset();
  return list;
}

/// The list that `make` makes, which is made once: lists take longer to make than what is made with
/// them, and a run may write thousands of files.
template <class Make>
hid_t kept(const Make& make) {
  static Handle list;  // of this Make alone
  if (!list) list = make();
  return list.id();
}

hid_t of_files() {
  return kept([] { return list_of(H5P_FILE_CREATE, [](hid_t) { return true; }); });
}

hid_t of_groups() {
  return kept([] { return list_of(H5P_GROUP_CREATE, [](hid_t) { return true; }); });
}

hid_t of_arrays() {
  return kept([] {
    return list_of(H5P_DATASET_CREATE, [](hid_t id) {
      return H5Pset_alloc_time(id, H5D_ALLOC_TIME_EARLY) >= 0 &&
             H5Pset_fill_time(id, H5D_FILL_TIME_NEVER) >= 0;
    });
  });
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& directory, const std::string& name)
    : disk_(std::make_unique<DiskFile>(directory / ("." + name + ".new"))) {
  begin_library();
  const hid_t access = access_list();
  file_ = Handle(check(H5Fcreate(path().c_str(), H5F_ACC_TRUNC,
                                 check(of_files(), "making its properties"), access),
                       "creating it"),
                 H5Fclose);
}

hid_t OutputFile::access_list() {
  const hid_t list = kept([this] {
    Handle made(check(H5Pcreate(H5P_FILE_ACCESS), "making its driver"), H5Pclose);
    check_status(H5Pset_libver_bounds(made.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18),
                 "choosing its format");
    // A node of a chunk index (2616 bytes) lies within one page of DiskFile, so it is written
    // whole.
    check_status(H5Pset_alignment(made.id(), 2048, DiskFile::page_bytes), "aligning its index");
    return made;
  });
  if (!set_driver(list, *disk_)) fail("making its driver");
  return list;
}

OutputFile::~OutputFile() {
  if (!disk_->is_named() || (file_ && H5Fflush(id(), H5F_SCOPE_LOCAL) < 0)) disk_->abandon();
  if (file_.reset()) return;
  // HDF5 keeps what it cannot close.
  disk_->abandon();
  disk_.release();
}

void OutputFile::fail(std::string_view doing) {
  const int error = disk_->error();
  const std::string reason =
      error != 0 ? std::generic_category().message(error) : last_hdf5_error();
  disk_->abandon();
  throw InputOutputError(path(), fmt::format("cannot be written: {} ({})", reason, doing));
}

void OutputFile::flush() {
  check_status(H5Fflush(id(), H5F_SCOPE_LOCAL), "flushing");
}

void OutputFile::sync() {
  if (!disk_->sync()) fail("forcing it to the disk");
}

void OutputFile::publish(const std::string& name) {
  flush();
  rename(name);
}

void OutputFile::close() {
  flush();
  if (!file_.reset()) fail("closing");
}

void OutputFile::set_aside() {
  close();
  disk_->set_aside();
}

void OutputFile::take_up() {
  disk_->take_up();
  file_ = Handle(check(H5Fopen(path().c_str(), H5F_ACC_RDWR, access_list()), "opening it again"),
                 H5Fclose);
}

Handle OutputFile::create_group(hid_t parent, const std::string& name) {
  return {
      check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, check(of_groups(), name), H5P_DEFAULT),
            name),
      H5Gclose};
}

hid_t OutputFile::transfer() {
  return kept([this] {
    Handle made(check(H5Pcreate(H5P_DATASET_XFER), "data"), H5Pclose);
    check_status(H5Pset_btree_ratios(made.id(), 0.1, 0.5, 1.0), "data");
    return made;
  });
}

Handle OutputFile::dataset_properties() {
  Handle properties = list_of(H5P_DATASET_CREATE, [](hid_t) { return true; });
  check(properties.id(), "making a dataset");
  return properties;
}

Handle OutputFile::create_dataset(hid_t parent, const std::string& name, hid_t type, hid_t space,
                                  hid_t plist) {
  return {
      check(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT), name),
      H5Dclose};
}

Handle OutputFile::open_dataset(const std::string& name) {
  return {check(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), name), H5Dclose};
}

Handle OutputFile::create_array(hid_t parent, const std::string& name, hid_t type, const void* data,
                                std::size_t size) {
  const hsize_t extent = size;
  const Handle space(check(H5Screate_simple(1, &extent, nullptr), name), H5Sclose);
  Handle dataset = create_dataset(parent, name, type, space.id(), check(of_arrays(), name));
  if (size != 0 && data != nullptr)
    check_status(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), name);
  return dataset;
}

void OutputFile::create_texts(hid_t parent, const std::string& name,
                              const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const auto& text : texts) length = std::max(length, text.size());
  std::vector<char> bytes(texts.size() * length);
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(i * length));
  const Handle type(check(H5Tcopy(H5T_C_S1), name), H5Tclose);
  check_status(H5Tset_size(type.id(), length), name);
  check_status(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), name);
  check_status(H5Tset_cset(type.id(), H5T_CSET_UTF8), name);
  create_array(parent, name, type.id(), bytes.data(), texts.size());
}

void OutputFile::write_attribute(hid_t object, const std::string& name, hid_t type,
                                 const void* data, std::size_t size, bool scalar) {
  const hsize_t extent = size;
  const Handle space(
      check(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr), name),
      H5Sclose);
  const Handle attribute(
      check(H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), name),
      H5Aclose);
  check_status(H5Awrite(attribute.id(), type, data), name);
}

namespace {

/// Strings of any length: a fixed-length attribute is limited to 64 KiB, which a model can pass.
Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

void OutputFile::write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const char* data = text.c_str();
  write_attribute(object, name, string_type().id(), &data, 1, true);
}

void OutputFile::write_attribute(hid_t object, const std::string& name,
                                 const std::vector<std::string>& texts) {
  std::vector<const char*> data;
  for (const auto& text : texts) data.push_back(text.c_str());
  write_attribute(object, name, string_type().id(), data.data(), data.size(), false);
}

}  // namespace hillock::io::hdf5
