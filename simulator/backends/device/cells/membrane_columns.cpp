#include "simulator/backends/device/cells/membrane_columns.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace hillock::simulator::on_device {

MembraneColumns order_samples(Cells& cells) {
  const auto is_membrane = [&](const Sampled& column) {
    const NumberSource& first = cells.terms[column.first_term];
    return column.terms == 1 && first.kind == step::Summand::membrane_current && first.layer == 0;
  };
  std::map<std::uint32_t, std::size_t> counts;
  for (const Sampled& column : cells.samples)
    if (is_membrane(column)) ++counts[column.recording];
  MembraneColumns found;
  if (!counts.empty())
    found.recording =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  std::vector<Sampled> ordered, at_once;
  std::vector<char> rows;  // of the cell, that have one
  ordered.reserve(cells.samples.size());
  auto column = cells.samples.begin();
  for (std::uint32_t cell = 0; cell < cells.entries.size(); ++cell) {
    rows.assign(static_cast<std::size_t>(cells.images[cells.entries[cell].image].rows), 0);
    at_once.clear();
    for (; column != cells.samples.end() && column->cell == cell; ++column) {
      const bool goes_at_once = column->recording == found.recording && is_membrane(*column) &&
                                !std::exchange(rows[cells.terms[column->first_term].index], 1);
      (goes_at_once ? at_once : ordered).push_back(*column);
    }
    found.begin.push_back(static_cast<unsigned>(ordered.size()));
    std::ranges::copy(at_once, std::back_inserter(ordered));
  }
  cells.samples = std::move(ordered);
  return found;
}

}  // namespace hillock::simulator::on_device
