#include "python/bindings/recorded.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "io/recorded/report_layout.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/worker.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr std::uint64_t most_spikes = std::uint64_t{1} << 30;

struct RecordedSpikes {
  std::vector<double> times_ms, nodes;
};

struct RecordedReport {
  io::recorded::ReportLayout layout;
  std::vector<double> values;  ///< [row][column]
};

/// By population.
struct RecordedFile {
  std::map<std::string, RecordedSpikes> spikes;
  std::map<std::string, RecordedReport> reports;
};

RecordedSpikes read_spikes(io::ConfinedFile& file, const std::string& group) {
  auto times = file.column(group + "/timestamps", most_spikes);
  auto nodes = file.column(group + "/node_ids", most_spikes);
  if (!times || !nodes || times->size() != nodes->size())
    throw InputOutputError(file.path().string(),
                           group + " has no timestamps and node_ids of like number");
  return {std::move(*times), std::move(*nodes)};
}

RecordedReport read_report(io::ConfinedFile& file, const std::string& population) {
  RecordedReport report{io::recorded::read_report_layout(file, population), {}};
  io::recorded::each_slab(
      file, report.layout, [] {},
      [&](std::span<const double> slab) {
        report.values.insert(report.values.end(), slab.begin(), slab.end());
      });
  return report;
}

RecordedFile read(const std::string& path) {
  io::ConfinedFile file(path);
  RecordedFile found;
  for (const std::string& name : file.children("/spikes"))
    found.spikes[name] = read_spikes(file, "/spikes/" + name);
  for (const std::string& name : io::recorded::reported_in(file))
    found.reports[name] = read_report(file, name);
  return found;
}

template <class To, class From>
nb::object array_from(const std::vector<From>& numbers) {
  std::vector<To> converted(numbers.size());
  std::ranges::transform(numbers, converted.begin(),
                         [](From number) { return static_cast<To>(number); });
  return array_of(std::move(converted));
}

nb::dict report_as_dict(RecordedReport report) {
  std::vector<std::uint32_t> branches;
  std::vector<double> positions;
  for (const io::page::Element& element : report.layout.elements) {
    branches.push_back(element.branch);
    positions.push_back(element.position);
  }
  nb::dict all;
  all["units"] = report.layout.units;
  all["start_ms"] = report.layout.start_ms;
  all["every_ms"] = report.layout.every_ms;
  all["data"] = array_of(std::move(report.values))
                    .attr("reshape")(report.layout.rows, report.layout.columns());
  all["node_ids"] = array_from<std::uint64_t>(report.layout.nodes);
  all["index_pointers"] = array_from<std::uint64_t>(report.layout.pointers);
  all["element_ids"] = array_of(std::move(branches));
  all["element_pos"] = array_of(std::move(positions));
  return all;
}

/// ({population: (times, nodes)}, {population: columns of its report}); what of the two a file
/// has. Raises FileError.
nb::tuple recorded(const std::string& path) {
  RecordedFile found;
  do_job([&] { found = read(path); });
  nb::dict spikes, reports;
  for (auto& [name, some] : found.spikes)
    spikes[name.c_str()] =
        nb::make_tuple(array_of(std::move(some.times_ms)), array_from<std::uint64_t>(some.nodes));
  for (auto& [name, report] : found.reports)
    reports[name.c_str()] = report_as_dict(std::move(report));
  return nb::make_tuple(spikes, reports);
}

}  // namespace

void bind_recorded(nb::module_& module) {
  module.def("recorded", &recorded, "path"_a);
}

}  // namespace hillock::python
