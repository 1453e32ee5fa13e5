// What a file is asked part by part (io/columns/file_questions.hpp).

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "io/column_reader/column_file.hpp"

namespace hillock::io::columns {

namespace {

/// More names of a group than any run has; more bytes of texts than a model file may have.
constexpr std::size_t most_names = 1'000'000;
constexpr std::size_t most_text_bytes = std::size_t{64} << 20;

Told told_of(const Answer& answer) {
  Told told;
  told.problem = answer.problem;
  told.detail = answer.detail;
  return told;
}

Told told_of(Problem problem) {
  return told_of(Answer{static_cast<std::uint32_t>(problem), 0, 0});
}

struct Names {
  std::vector<char> bytes;
  std::size_t count = 0;
};

herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  auto& all = *static_cast<Names*>(names);
  if (++all.count > most_names) return -1;
  const std::string_view text(name);
  all.bytes.insert(all.bytes.end(), text.begin(), text.end());
  all.bytes.push_back('\0');
  return 0;
}

/// One dimension or two.
bool extent_of(hid_t space, std::array<hsize_t, 2>& extent, int& dimensions) {
  dimensions = H5Sget_simple_extent_ndims(space);
  extent = {1, 1};
  return (dimensions == 1 || dimensions == 2) &&
         H5Sget_simple_extent_dims(space, extent.data(), nullptr) == dimensions;
}

void add_text(std::vector<char>& texts, const char* from, std::size_t most) {
  const char* end = std::find(from, from + most, '\0');
  texts.insert(texts.end(), from, end);
  texts.push_back('\0');
}

/// read(type, into): the values in memory of that type.
template <class Read>
Told read_texts(hid_t type, std::size_t count, std::vector<char>& texts, const Read& read) {
  const hdf5::Handle memory(H5Tcopy(type), H5Tclose);
  if (H5Tis_variable_str(type) > 0) {
    if (count > most_text_bytes / sizeof(char*)) return told_of(Problem::too_many_values);
    std::vector<const char*> each(count);
    if (!read(memory.id(), each.data())) return told_of(Problem::damaged);
    for (const char* text : each)
      if (text != nullptr)
        add_text(texts, text, std::string_view(text).size());
      else
        texts.push_back('\0');
    return {};
  }
  const std::size_t length = H5Tget_size(type);
  if (length == 0 || count > most_text_bytes / length) return told_of(Problem::too_many_values);
  std::vector<char> bytes(count * length);
  if (!read(memory.id(), bytes.data())) return told_of(Problem::damaged);
  for (std::size_t i = 0; i < count; ++i) add_text(texts, bytes.data() + i * length, length);
  return {};
}

}  // namespace

Told ColumnFile::children(const std::string& group, std::vector<char>& names) {
  hdf5::Handle object;
  if (const Answer opened = open_object(group, object); opened.problem != 0) return told_of(opened);
  if (H5Iget_type(object.id()) != H5I_GROUP) return told_of(Problem::no_dataset);
  Names all;
  hsize_t at = 0;
  if (H5Literate(object.id(), H5_INDEX_NAME, H5_ITER_INC, &at, add_name, &all) < 0)
    return told_of(all.count > most_names ? Problem::too_many_values : Problem::damaged);
  names = std::move(all.bytes);
  return {};
}

Told ColumnFile::extent(const std::string& path) {
  hdf5::Handle data;
  if (const Answer opened = open_numbers(path, data); opened.problem != 0) return told_of(opened);
  const hdf5::Handle space(H5Dget_space(data.id()), H5Sclose);
  std::array<hsize_t, 2> extent{};
  int dimensions = 0;
  if (!extent_of(space.id(), extent, dimensions)) return told_of(Problem::not_one_dimensional);
  Told told;
  told.extent = {extent[0], extent[1]};
  return told;
}

Told ColumnFile::numbers(const Question& question, const std::string& path,
                         std::vector<double>& values) {
  hdf5::Handle data;
  if (const Answer opened = open_numbers(path, data); opened.problem != 0) return told_of(opened);
  const hdf5::Handle space(H5Dget_space(data.id()), H5Sclose);
  std::array<hsize_t, 2> extent{};
  int dimensions = 0;
  if (!extent_of(space.id(), extent, dimensions)) return told_of(Problem::not_one_dimensional);
  const std::array<hsize_t, 2> begin{question.begin[0], question.begin[1]};
  const std::array<hsize_t, 2> count{question.count[0], question.count[1]};
  for (std::size_t d = 0; d < 2; ++d)
    if (begin[d] > extent[d] || count[d] > extent[d] - begin[d]) return told_of(Problem::damaged);
  if (count[0] == 0 || count[1] == 0) return {};
  if (count[0] > most_told_bytes / sizeof(double) / count[1])
    return told_of(Problem::too_many_values);
  values.resize(count[0] * count[1]);
  const hdf5::Handle memory(H5Screate_simple(dimensions, count.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, begin.data(), nullptr, count.data(),
                          nullptr) < 0 ||
      H5Dread(data.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()) <
          0)
    return told_of(Problem::damaged);
  return {};
}

Told ColumnFile::texts(const std::string& path, const std::string& attribute,
                       std::vector<char>& texts) {
  hdf5::Handle object;
  if (const Answer opened = open_object(path, object); opened.problem != 0) return told_of(opened);
  const bool of_attribute = !attribute.empty();
  if (of_attribute && H5Aexists(object.id(), attribute.c_str()) <= 0)
    return told_of(Problem::no_dataset);
  if (!of_attribute)
    if (const Answer opened = open_dataset(path, object); opened.problem != 0)
      return told_of(opened);
  const hdf5::Handle named =
      of_attribute ? hdf5::Handle(H5Aopen(object.id(), attribute.c_str(), H5P_DEFAULT), H5Aclose)
                   : hdf5::Handle();
  const hid_t from = of_attribute ? named.id() : object.id();
  const hdf5::Handle type(of_attribute ? H5Aget_type(from) : H5Dget_type(from), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING) return told_of(Problem::no_dataset);
  const hdf5::Handle space(of_attribute ? H5Aget_space(from) : H5Dget_space(from), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (count < 0) return told_of(Problem::damaged);
  return read_texts(type.id(), static_cast<std::size_t>(count), texts, [&](hid_t as, void* into) {
    return of_attribute ? H5Aread(from, as, into) >= 0
                        : H5Dread(from, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, into) >= 0;
  });
}

Told ColumnFile::number(const std::string& path, const std::string& attribute,
                        std::vector<double>& values) {
  hdf5::Handle object;
  if (const Answer opened = open_object(path, object); opened.problem != 0) return told_of(opened);
  if (H5Aexists(object.id(), attribute.c_str()) <= 0) return told_of(Problem::no_dataset);
  const hdf5::Handle named(H5Aopen(object.id(), attribute.c_str(), H5P_DEFAULT), H5Aclose);
  const hdf5::Handle type(H5Aget_type(named.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  const hdf5::Handle space(H5Aget_space(named.id()), H5Sclose);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || H5Sget_simple_extent_npoints(space.id()) != 1)
    return told_of(Problem::no_dataset);
  values.resize(1);
  if (H5Aread(named.id(), H5T_NATIVE_DOUBLE, values.data()) < 0) return told_of(Problem::damaged);
  return {};
}

}  // namespace hillock::io::columns
