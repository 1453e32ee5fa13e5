#include "io/sonata/sonata_shape.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace hillock::io {

namespace {

constexpr std::size_t longest_branch_name = 128;  // bytes; the names of a file have one length

/// Whole characters of a name.
std::string cut_name(const std::string& name) {
  if (name.size() <= longest_branch_name) return name;
  std::size_t end = longest_branch_name;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

}  // namespace

void write_shape(hdf5::OutputFile& file, const models::ReportLayout& layout) {
  if (!layout.shape) return;
  const auto all = file.create_group(file.id(), "morphology");
  const auto shape = file.create_group(all.id(), layout.population);
  std::vector<std::int32_t> parents;
  std::vector<float> at;
  std::vector<std::string> names;
  std::vector<std::uint64_t> pointers{0};
  std::array<std::vector<float>, 4> points;
  for (const models::Branch& branch : layout.shape->branches) {
    parents.push_back(branch.parent);
    at.push_back(static_cast<float>(branch.at));
    names.push_back(cut_name(branch.name));
    for (const models::Point& point : branch.points) {
      points[0].push_back(static_cast<float>(point.x_um));
      points[1].push_back(static_cast<float>(point.y_um));
      points[2].push_back(static_cast<float>(point.z_um));
      points[3].push_back(static_cast<float>(point.diameter_um));
    }
    pointers.push_back(points[0].size());
  }
  const auto put = [&](const char* name, hid_t type, const auto& values) {
    return file.create_array(shape.id(), name, type, values.data(), values.size());
  };
  put("parent", H5T_STD_I32LE, parents);
  put("at", H5T_IEEE_F32LE, at);
  file.create_texts(shape.id(), "names", names);
  put("point_pointers", H5T_STD_U64LE, pointers);
  constexpr std::array<const char*, 4> columns{"x", "y", "z", "diameter"};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = put(columns[i], H5T_IEEE_F32LE, points[i]);
    file.write_attribute(column.id(), "units", "um");
  }
}

}  // namespace hillock::io
