#include "io/recorded/report_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors/errors.hpp"
#include "io/recorded/reading.hpp"

namespace hillock::io::recorded {

namespace {

constexpr std::uint64_t most_columns = std::uint64_t{1} << 25;

[[noreturn]] void refuse(const ConfinedFile& file, const std::string& group) {
  throw InputOutputError(file.path().string(),
                         fmt::format("the parts of '{}' do not fit together", group));
}

std::vector<double> needed(ConfinedFile& file, const std::string& dataset, std::uint64_t most) {
  auto column = file.column(dataset, most);
  if (!column) throw InputOutputError(file.path().string(), "has no dataset '" + dataset + "'");
  return std::move(*column);
}

std::uint32_t number_of(double value) {
  return value >= 0 && value < 4e9 ? static_cast<std::uint32_t>(value) : 0;
}

/// Whose elements are those of cells.
void read_mapping(ConfinedFile& file, std::uint64_t data_columns, ReportLayout& layout) {
  const std::string mapping = layout.group + "/mapping/";
  layout.nodes = needed(file, mapping + "node_ids", most_columns);
  const auto has = file.children(layout.group + "/mapping");
  const bool is_bmtks = std::ranges::find(has, "index_pointers") == has.end();
  const auto pointers =
      needed(file, mapping + (is_bmtks ? "index_pointer" : "index_pointers"), most_columns + 1);
  const auto branches = needed(file, mapping + "element_ids", most_columns);
  const auto positions = needed(file, mapping + "element_pos", most_columns);
  const auto columns = static_cast<double>(data_columns);
  if (pointers.size() != layout.nodes.size() + 1 || pointers.front() != 0 ||
      pointers.back() != columns || !std::ranges::is_sorted(pointers) ||
      branches.size() != data_columns || positions.size() != branches.size())
    refuse(file, layout.group);
  for (const double pointer : pointers)
    layout.pointers.push_back(static_cast<std::size_t>(pointer));
  for (std::size_t c = 0; c < branches.size(); ++c)
    layout.elements.push_back(
        {number_of(branches[c]), std::isfinite(positions[c]) ? positions[c] : 0});
}

/// Where contacts are, which Hillock's own files say.
void read_contacts(ConfinedFile& file, ReportLayout& layout) {
  std::vector<std::array<double, 3>> places(layout.elements.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto um = file.column(fmt::format("/ecp/channel_{}_um", "xyz"[axis]), most_columns);
    if (!um || um->size() != places.size()) return;
    for (std::size_t c = 0; c < places.size(); ++c) {
      if (!std::isfinite((*um)[c])) return;
      places[c][axis] = (*um)[c];
    }
  }
  layout.contacts_um = std::move(places);
}

}  // namespace

std::vector<std::string> reported_in(ConfinedFile& file) {
  std::vector<std::string> all = file.children("/report");
  if (file.extent("/ecp/data") || file.extent("/dipole/data")) all.emplace_back();
  return all;
}

std::string group_of_report(ConfinedFile& file, const std::string& population) {
  if (!population.empty()) return "/report/" + population;
  return file.extent("/ecp/data") ? "/ecp" : "/dipole";
}

std::string time_of_report(ConfinedFile& file, const std::string& population) {
  return group_of_report(file, population) + (population.empty() ? "/time" : "/mapping/time");
}

ReportLayout read_report_layout(ConfinedFile& file, const std::string& population) {
  ReportLayout layout;
  layout.group = group_of_report(file, population);
  const auto extent = file.extent(layout.group + "/data");
  if (!extent || (*extent)[1] > most_columns) refuse(file, layout.group);
  layout.rows = (*extent)[0];
  layout.units = file.text(layout.group + "/data", "units");
  if (population.empty()) {
    layout.nodes = {0};
    layout.pointers = {0, (*extent)[1]};
    if (layout.group == "/dipole")
      for (const std::uint32_t axis : {0, 1, 2}) layout.elements.push_back({axis, 0});
    else
      for (const double channel : needed(file, "/ecp/channel_id", most_columns))
        layout.elements.push_back({number_of(channel), 0});
    if (layout.elements.size() != (*extent)[1]) refuse(file, layout.group);
    if (layout.group == "/ecp") read_contacts(file, layout);
  } else {
    read_mapping(file, (*extent)[1], layout);
  }
  const auto time = needed(file, time_of_report(file, population), 3);
  if (time.size() != 3 || !std::isfinite(time[0]) || !(time[2] > 0) || !std::isfinite(time[2]))
    refuse(file, layout.group);
  layout.start_ms = time[0];
  layout.every_ms = time[2];
  return layout;
}

void each_slab(ConfinedFile& file, const ReportLayout& layout,
               const std::function<void()>& is_reading,
               const std::function<void(std::span<const double>)>& take) {
  if (layout.columns() == 0) return;
  const std::uint64_t at_once =
      std::clamp<std::uint64_t>(numbers_at_once / layout.columns(), 1, 65536);
  for (std::uint64_t row = 0; row < layout.rows; row += at_once) {
    is_reading();
    take(file.numbers(layout.group + "/data", {row, 0},
                      {std::min(at_once, layout.rows - row), layout.columns()}));
  }
}

}  // namespace hillock::io::recorded
