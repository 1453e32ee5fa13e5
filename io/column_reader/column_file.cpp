#include "io/column_reader/column_file.hpp"

namespace hillock::io::columns {

namespace {

// The library keeps what it is given, in place of copies: the bytes stay where they are.
void* same_bytes(std::size_t size, H5FD_file_image_op_t, void* bytes) {
  auto& whole = *static_cast<std::span<char>*>(bytes);
  return size == whole.size() ? whole.data() : nullptr;
}
void* no_copy(void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) {
  return to;
}
void* no_growth(void*, std::size_t, H5FD_file_image_op_t, void*) {
  return nullptr;
}
herr_t no_free(void*, H5FD_file_image_op_t, void*) {
  return 0;
}
void* same_span(void* span) {
  return span;
}
herr_t no_free_of_span(void*) {
  return 0;
}

/// Called where a path leads through an external link: notes it and stops.
herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t,
                   void* met) {
  *static_cast<bool*>(met) = true;
  return -1;
}

Answer refusal(Problem problem, std::uint32_t detail = 0) {
  return {static_cast<std::uint32_t>(problem), detail, 0};
}

/// What of a dataset's storage is not read.
Answer check_storage(hid_t dataset) {
  const hdf5::Handle made(H5Dget_create_plist(dataset), H5Pclose);
  const H5D_layout_t layout = made ? H5Pget_layout(made.id()) : H5D_LAYOUT_ERROR;
  if (layout == H5D_VIRTUAL) return refusal(Problem::virtual_dataset);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    return refusal(Problem::damaged);
  const int outside = H5Pget_external_count(made.id()), filters = H5Pget_nfilters(made.id());
  if (outside < 0 || filters < 0) return refusal(Problem::damaged);
  if (outside > 0) return refusal(Problem::external_storage);
  for (unsigned i = 0; i < static_cast<unsigned>(filters); ++i) {
    unsigned flags = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(made.id(), i, &flags, &parameters, nullptr, 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE)
      return refusal(Problem::filter, static_cast<std::uint32_t>(filter));
  }
  return {};
}

}  // namespace

void start_library() {
  H5dont_atexit();
  H5open();
  H5PLset_loading_state(0);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

ColumnFile::ColumnFile(std::span<char> bytes) : bytes_(bytes) {
  if (bytes.empty()) return;
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5FD_file_image_callbacks_t in_place{same_bytes, no_copy,         no_growth, no_free,
                                       same_span,  no_free_of_span, &bytes_};
  if (H5Pset_fapl_core(access.id(), 1 << 20, false) < 0 ||
      H5Pset_file_image_callbacks(access.id(), &in_place) < 0 ||
      H5Pset_file_image(access.id(), bytes.data(), bytes.size()) < 0)
    return;
  file_ = hdf5::Handle(H5Fopen("connections", H5F_ACC_RDONLY, access.id()), H5Fclose);
}

Answer ColumnFile::open_object(const std::string& path, hdf5::Handle& object) {
  if (!file_) return refusal(Problem::not_hdf5);
  if (path.find('\0') != std::string::npos) return refusal(Problem::no_dataset);
  bool leads_out = false;
  const hdf5::Handle access(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
  if (H5Pset_elink_cb(access.id(), refuse_link, &leads_out) < 0) return refusal(Problem::damaged);
  object = hdf5::Handle(H5Oopen(file_.id(), path.c_str(), access.id()), H5Oclose);
  if (leads_out) return refusal(Problem::external_link);
  return object ? Answer() : refusal(Problem::no_dataset);
}

Answer ColumnFile::open_dataset(const std::string& path, hdf5::Handle& data) {
  if (const Answer opened = open_object(path, data); opened.problem != 0) return opened;
  if (H5Iget_type(data.id()) != H5I_DATASET) return refusal(Problem::no_dataset);
  return check_storage(data.id());
}

Answer ColumnFile::open_numbers(const std::string& path, hdf5::Handle& data) {
  if (const Answer opened = open_dataset(path, data); opened.problem != 0) return opened;
  const hdf5::Handle type(H5Dget_type(data.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  return kind == H5T_INTEGER || kind == H5T_FLOAT ? Answer() : refusal(Problem::not_numbers);
}

Answer ColumnFile::read(const std::string& path, std::uint64_t most_values, const Part& part,
                        std::vector<double>& values) {
  hdf5::Handle data;
  if (const Answer opened = open_numbers(path, data); opened.problem != 0) return opened;
  const hdf5::Handle space(H5Dget_space(data.id()), H5Sclose);
  hsize_t size = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 ||
      H5Sget_simple_extent_dims(space.id(), &size, nullptr) != 1)
    return refusal(Problem::not_one_dimensional);
  if (size > most_values) return refusal(Problem::too_many_values);
  const hsize_t begin = part.begin(size), count = part.end(size) - begin;
  values.resize(count);
  if (count == 0) return {0, 0, size};
  const hdf5::Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &begin, nullptr, &count, nullptr) < 0 ||
      H5Dread(data.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()) <
          0)
    return refusal(Problem::damaged);
  return {0, 0, size};
}

}  // namespace hillock::io::columns
