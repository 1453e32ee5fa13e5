#include "python/bindings/results.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "python/bindings/arrays.hpp"

namespace hillock::python {

namespace nb = nanobind;

namespace {

std::size_t bytes_of_value(const models::ReportLayout& layout) {
  return layout.float64 ? sizeof(double) : sizeof(float);
}

/// Everything but the numbers.
nb::dict described(const models::ReportLayout& layout) {
  nb::dict all;
  all["name"] = layout.name;
  all["population"] = layout.population;
  all["units"] = layout.units;
  all["every_ms"] = layout.every_ms;
  all["node_ids"] = array_of(layout.node_ids);
  all["index_pointers"] = array_of(layout.index_pointers);
  all["element_ids"] = array_of(layout.element_ids);
  all["element_pos"] = array_of(layout.element_pos);
  all["contacts_um"] = nb::none();
  if (layout.potential && !layout.potential->is_dipole()) {
    std::vector<double> places;
    for (const models::Contact& contact : layout.potential->contacts)
      places.insert(places.end(), contact.at_um.begin(), contact.at_um.end());
    all["contacts_um"] = array_of(std::move(places)).attr("reshape")(-1, 3);
  }
  return all;
}

}  // namespace

Results::Results(const models::Network& network, const std::vector<models::ReportLayout>& parts,
                 const std::vector<std::uint64_t>& first_rows)
    : recorded_(network),
      spikes_(recorded_.populations().size()),
      joined_(network, parts),
      reports_(joined_.layouts().size()) {
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (const std::size_t report : joined_.reports_of(part))
      reports_[report].first_row = first_rows[part];
  for (std::size_t r = 0; r < reports_.size(); ++r) {
    const models::ReportLayout& layout = joined_.layouts()[r];
    reports_[r].layout = &layout;
    reports_[r].data = std::make_shared_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(layout.samples - reports_[r].first_row) *
        layout.element_ids.size() * bytes_of_value(layout));
  }
}

void Results::spikes(std::span<const network::CellSpike> spikes) {
  const std::lock_guard lock(mutex_);
  auto more = recorded_.by_population(spikes);
  for (std::size_t p = 0; p < more.size(); ++p)
    spikes_[p].insert(spikes_[p].end(), more[p].begin(), more[p].end());
}

void Results::rows(std::size_t part, std::vector<double> rows) {
  const std::lock_guard lock(mutex_);
  if (reports_[joined_.report_of(part)].layout->element_ids.empty()) return;
  for (session::JoinedReports::Rows& joined : joined_.add(part, std::move(rows)))
    add(reports_[joined.report], std::move(joined.rows));
}

void Results::add(Report& report, std::vector<double> rows) {
  const std::size_t columns = report.layout->element_ids.size();
  std::byte* const to = report.data.get() + report.rows * columns * bytes_of_value(*report.layout);
  if (report.layout->float64) {
    std::memcpy(to, rows.data(), rows.size() * sizeof(double));
    report.rows += rows.size() / columns;
  } else {
    auto* const floats = reinterpret_cast<float*>(to);
    for (std::size_t first = 0; first < rows.size(); first += columns, ++report.rows) {
      bool is_finite = true;
      for (std::size_t i = first; i < first + columns; ++i) {
        floats[i] = static_cast<float>(rows[i]);
        is_finite &= floats[i] - floats[i] == 0;
      }
      if (!is_finite)
        models::check_fits_float(*report.layout, report.first_row + report.rows,
                                 {rows.data() + first, columns});
    }
  }
  report.used = std::move(rows);
}

std::vector<double> Results::used_rows(std::size_t part) {
  const std::lock_guard lock(mutex_);
  if (!joined_.is_whole(part)) return {};
  return std::move(reports_[joined_.report_of(part)].used);
}

std::uint64_t Results::spike_count() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  for (const auto& some : spikes_) count += some.size();
  return count;
}

nb::dict Results::spikes_by_population(double after_ms) const {
  const std::lock_guard lock(mutex_);
  nb::dict all;
  for (std::size_t p = 0; p < spikes_.size(); ++p) {
    const auto is_behind = [&](const models::RecordedSpike& one) { return one.time_ms > after_ms; };
    std::vector<models::RecordedSpike> own;
    const bool are_all =
        std::ranges::is_sorted(spikes_[p]) && std::ranges::all_of(spikes_[p], is_behind);
    if (!are_all) {
      std::ranges::copy_if(spikes_[p], std::back_inserter(own), is_behind);
      std::ranges::sort(own);
    }
    const auto& some = are_all ? spikes_[p] : own;
    std::vector<double> times(some.size());
    std::vector<std::uint64_t> nodes(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      times[i] = some[i].time_ms;
      nodes[i] = some[i].node_id;
    }
    all[recorded_.populations()[p].c_str()] =
        nb::make_tuple(array_of(std::move(times)), array_of(std::move(nodes)));
  }
  return all;
}

nb::list Results::reports() const {
  const std::lock_guard lock(mutex_);
  nb::list all;
  for (const Report& report : reports_) {
    const models::ReportLayout& layout = *report.layout;
    nb::dict one = described(layout);
    one["start_ms"] = layout.start_ms + static_cast<double>(report.first_row) * layout.every_ms;
    const nb::capsule owner(new std::shared_ptr<std::byte[]>(report.data), [](void* data) noexcept {
      delete static_cast<std::shared_ptr<std::byte[]>*>(data);
    });
    const std::size_t shape[] = {static_cast<std::size_t>(report.rows), layout.element_ids.size()};
    void* const data = report.data.get();
    if (layout.float64)
      one["data"] = nb::ndarray<nb::numpy, double>(data, 2, shape, owner).cast();
    else
      one["data"] = nb::ndarray<nb::numpy, float>(data, 2, shape, owner).cast();
    all.append(one);
  }
  return all;
}

}  // namespace hillock::python
