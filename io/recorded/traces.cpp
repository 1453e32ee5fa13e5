#include "io/recorded/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/text/utf8.hpp"
#include "io/page/trace_panel.hpp"
#include "io/page/tree_panel.hpp"
#include "io/recorded/report_layout.hpp"
#include "io/recorded/shape.hpp"

namespace hillock::io::recorded {

namespace {

constexpr std::size_t most_cells = 16;
/// A cell's course over time is to have so many frames, where it is that long.
constexpr std::size_t enough_frames = 200;

/// "exc[3] dend[1](0.5)", as a model file names the place.
std::string label_of(const ReportLayout& layout, const std::string& population, std::size_t column,
                     const std::optional<models::Morphology>& shape) {
  if (layout.group == "/dipole") return std::string(1, "xyz"[column]);
  if (population.empty()) return fmt::format("contact {}", layout.elements[column].branch);
  const auto after = std::ranges::upper_bound(layout.pointers, column);
  const auto node = static_cast<std::size_t>(after - layout.pointers.begin()) - 1;
  std::string label = fmt::format("{}[{:.0f}]", printable(population), layout.nodes[node]);
  const page::Element& element = layout.elements[column];
  if (shape && element.branch < shape->branches.size())
    label += fmt::format(" {}({:.4g})", printable(shape->branches[element.branch].name),
                         element.position);
  else if (layout.pointers[node + 1] - layout.pointers[node] > 1)
    label += fmt::format(" {}({:.4g})", element.branch, element.position);
  return label;
}

/// The cells that are drawn, as many as there is room for, of those whose elements lie on the
/// shape.
std::vector<page::TreePanel> trees_of(const ReportLayout& layout, const std::string& name,
                                      const std::string& population,
                                      const models::Morphology& shape, std::size_t most_values,
                                      Reading& reading) {
  std::vector<std::size_t> cells;
  std::size_t widest = 1;
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    const std::size_t count = layout.pointers[n + 1] - layout.pointers[n];
    if (count < 2 || count > reading.request.limits.pieces) continue;
    cells.push_back(n);
    widest = std::max(widest, count);
  }
  const std::size_t frames =
      std::max<std::size_t>(1, std::min<std::uint64_t>(layout.rows, enough_frames));
  const std::size_t most = std::clamp<std::size_t>(most_values / widest / frames, 1, most_cells);
  std::vector<page::TreePanel> trees;
  for (const std::size_t i : page::spread_columns(cells.size(), most)) {
    const std::size_t n = cells[i], first = layout.pointers[n];
    trees.emplace_back(
        fmt::format("{}[{:.0f}]", printable(population), layout.nodes[n]), first,
        std::vector<page::Element>(
            layout.elements.begin() + static_cast<std::ptrdiff_t>(first),
            layout.elements.begin() + static_cast<std::ptrdiff_t>(layout.pointers[n + 1])),
        layout.rows, most_values / std::min(most, cells.size()));
  }
  if (!trees.empty() && trees.size() < layout.nodes.size())
    reading.left_out.push_back(fmt::format("{}: of {} cells {} can be drawn in 3D.", name,
                                           layout.nodes.size(), trees.size()));
  if (!trees.empty() && trees.front().frames() < layout.rows)
    reading.left_out.push_back(
        fmt::format("{}: in 3D {} moments of {} are shown, evenly spread; shape of {} branches.",
                    name, trees.front().frames(), layout.rows, shape.branches.size()));
  return trees;
}

Json read_population(ConfinedFile& file, const std::string& name, const std::string& population,
                     std::size_t share, Reading& reading) {
  const ReportLimits& limits = reading.request.limits;
  const ReportLayout layout = read_report_layout(file, population);
  const auto shape = population.empty() ? std::nullopt : read_shape(file, population);
  page::TracePanel traces(page::spread_columns(layout.columns(), limits.traces), layout.rows,
                          limits.trace_values / share);
  std::vector<page::TreePanel> trees;
  if (shape)
    trees = trees_of(layout, name, population, *shape, limits.tree_values / share, reading);
  const auto is_reading = [&] { reading.request.is_reading(file.path().filename().string()); };
  each_slab(file, layout, is_reading, [&](std::span<const double> slab) {
    traces.add(slab, layout.columns());
    for (page::TreePanel& tree : trees) tree.add(slab, layout.columns());
  });
  if (traces.columns().size() < layout.columns())
    reading.left_out.push_back(fmt::format("{}: {} traces of {} are shown, evenly spread.", name,
                                           traces.columns().size(), layout.columns()));
  if (traces.samples_per_bin() > 1)
    reading.left_out.push_back(fmt::format(
        "{}: of every {} samples ({:.4g} ms) the least and the greatest are shown.", name,
        traces.samples_per_bin(), static_cast<double>(traces.samples_per_bin()) * layout.every_ms));
  if (traces.not_finite() > 0)
    reading.problems.push_back(
        fmt::format("{}: {} samples are infinite or no number", name, traces.not_finite()));
  std::vector<std::string> labels;
  for (const std::size_t column : traces.columns())
    labels.push_back(label_of(layout, population, column, shape));
  Json drawn = Json::array();
  for (const page::TreePanel& tree : trees)
    drawn.add(tree.to_json(reading.blobs, *shape, limits.pieces));
  Json contacts;  // null where that is not known
  if (!layout.contacts_um.empty()) {
    contacts = Json::array();
    for (const std::size_t column : traces.columns()) {
      Json place = Json::array();
      for (const double um : layout.contacts_um[column]) place.add(um);
      contacts.add(place);
    }
  }
  return Json::object({{"name", printable(name)},
                       {"population", printable(population)},
                       {"units", printable(layout.units)},
                       {"start_ms", layout.start_ms},
                       {"every_ms", layout.every_ms},
                       {"columns", layout.columns()},
                       {"cells", layout.nodes.size()},
                       {"has_shape", shape.has_value()},
                       {"traces", traces.to_json(reading.blobs, labels)},
                       {"contacts", contacts},
                       {"trees", drawn}});
}

}  // namespace

double last_sample_ms(ConfinedFile& file) {
  double last = 0;
  for (const std::string& population : reported_in(file)) {
    const auto extent = file.extent(group_of_report(file, population) + "/data");
    const auto time = file.column(time_of_report(file, population), 3);
    if (!extent || !time || time->size() != 3) continue;
    const double end = (*time)[0] + static_cast<double>((*extent)[0]) * (*time)[2];
    if (std::isfinite(end)) last = std::max(last, end);
  }
  return last;
}

std::vector<Json> read_report(ConfinedFile& file, const std::string& name, std::size_t share,
                              Reading& reading) {
  std::vector<Json> all;
  const auto populations = reported_in(file);
  for (const std::string& population : populations) {
    if (all.size() == reading.request.limits.reports) break;
    all.push_back(read_population(file, name, population, share * populations.size(), reading));
  }
  return all;
}

}  // namespace hillock::io::recorded
