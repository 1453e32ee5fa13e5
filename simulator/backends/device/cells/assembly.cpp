#include "simulator/backends/device/cells/assembly.hpp"

#include <algorithm>
#include <set>

namespace hillock::simulator::on_device {

namespace {

/// What a range's thread has made of it.
struct RangeDraft {
  std::map<Signature, Cells> cells;
  std::vector<std::pair<const Signature*, std::uint32_t>> where;  ///< [cell]
  std::vector<network::CellSpike> spikes;
};

RangeDraft draft_of(const RangePlan& plan, const RunConstants& run, const begin::Beginner& beginner,
                    std::span<const double> gap_values) {
  RangeDraft draft;
  const auto cells = beginner.of_cells(plan, run);
  for (std::size_t c = 0; c < plan.cell_count(); ++c) {
    const begin::BegunCell cell = cells->begin(c, gap_values, draft.spikes);
    const auto at = draft.cells.try_emplace(signature_of(cell, run.solver)).first;
    draft.where.emplace_back(&at->first, static_cast<std::uint32_t>(at->second.entries.size()));
    at->second.add(cell, at->first);
  }
  return draft;
}

/// Puts what a range's ends of gap junctions give before INITIAL among the values of the rank.
void publish_gap_values(const RangePlan& plan, const RunConstants& run,
                        const begin::Beginner& beginner, std::span<double> gap_values) {
  std::set<std::uint32_t> laid_out;  // cells whose variables are read
  for (const GapEndPlan& end : plan.gap_ends) {
    if (end.publishes == GapEndPlan::none) continue;
    if (end.source.kind != PointerSource::Kind::voltage)
      laid_out.insert(end.cell);
    else
      gap_values[end.publishes] =
          plan.initial_voltage_mV(end.cell, end.node, plan.identity(end.cell));
  }
  if (laid_out.empty()) return;
  const auto cells = beginner.of_cells(plan, run);
  for (const std::uint32_t c : laid_out) cells->publish_gap_values(c, gap_values);
}

}  // namespace

std::vector<RangePlan> make_ranges(NetworkPlan& plan, std::span<const std::size_t> numbers,
                                   Crew& crew, const EngineOptions& options,
                                   std::span<double> gap_values) {
  std::vector<RangePlan> ranges(numbers.size());
  crew.work([&](std::size_t r) {
    ranges[r] = make_range(plan, numbers[r], *options.activity);
    publish_gap_values(ranges[r], plan.run, *options.beginner, gap_values);
  });
  return ranges;
}

Assembly assemble(std::vector<RangePlan>&& ranges, const RunConstants& run, Crew& crew,
                  const EngineOptions& options, std::span<const double> gap_values) {
  std::vector<RangeDraft> drafts(ranges.size());
  crew.work(
      [&](std::size_t r) { drafts[r] = draft_of(ranges[r], run, *options.beginner, gap_values); });
  Assembly all;
  std::map<Signature, std::size_t> rows;  // of all ranges
  for (const RangeDraft& draft : drafts)
    for (const auto& [signature, cells] : draft.cells) {
      all.cells.try_emplace(signature);
      rows[signature] += cells.v_mV.size();
    }
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    RangeDraft& draft = drafts[r];
    std::map<const Signature*, CellAddress> begin;
    for (auto& [signature, cells] : draft.cells) {
      const auto at = all.cells.find(signature);
      begin[&signature] = {static_cast<std::uint32_t>(std::distance(all.cells.begin(), at)),
                           static_cast<std::uint32_t>(at->second.entries.size())};
      at->second.append(std::move(cells), rows[signature]);
    }
    std::vector<CellAddress> where;
    for (const auto& [signature, number] : draft.where) {
      const auto [program, first] = begin[signature];
      where.emplace_back(program, first + number);
    }
    all.events.push_back(std::make_unique<RangeEvents>(std::move(ranges[r]), std::move(where)));
    all.spikes.insert(all.spikes.end(), draft.spikes.begin(), draft.spikes.end());
  }
  return all;
}

}  // namespace hillock::simulator::on_device
