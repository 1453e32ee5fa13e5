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

/// How many cells of a population have the form of one of a kind, by what the model says of them.
std::uint64_t count_alike(const PopulationPlan& population, const CellKind& kind) {
  const models::CableCell& cable = *population.cable;
  if (std::holds_alternative<models::RandomTree>(cable.morphology) || solver::matrix_varies(cable))
    return 1;
  const auto varies = [](const DensityPlacement& placement) {
    if (!placement.mechanism->info->is_constant) return false;  // its numbers are the cells' own
    for (std::size_t variable = 0; variable < placement.values->size(); ++variable)
      for (std::size_t i = 0; i < placement.nodes.size(); ++i)
        if (const models::Value* value = (*placement.values)(variable, i))
          if (value->varies_between_cells()) return true;
    return false;
  };
  return std::ranges::any_of(kind.densities, varies) ? 1 : population.size;
}

RangeDraft draft_of(const RangePlan& plan, const RunConstants& run, const begin::Beginner& beginner,
                    std::span<const double> gap_values) {
  RangeDraft draft;
  const auto cells = beginner.of_cells(plan, run, solver::RowOrder::by_branch);
  CellForm form;  // of the cell before
  auto at = draft.cells.end();
  unsigned image = 0;
  for (std::size_t c = 0; c < plan.cell_count(); ++c) {
    const begin::BegunCell cell = cells->begin(c, gap_values, draft.spikes);
    if (at == draft.cells.end() || !form.is_of(cell)) {
      const std::uint64_t alike = count_alike(*cell.population, *plan.kinds[c]);
      at = draft.cells.try_emplace(signature_of(cell, run.solver, alike)).first;
      image = at->second.image_of(cell, at->first.contracts);
      form = CellForm(cell);
    }
    draft.where.emplace_back(&at->first, static_cast<std::uint32_t>(at->second.entries.size()));
    at->second.add(cell, image);
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
  const auto cells = beginner.of_cells(plan, run, solver::RowOrder::by_branch);
  for (const std::uint32_t c : laid_out) cells->publish_gap_values(c, gap_values);
}

/// As many as take about as long as one (bench/RESULTS.md, "Thresholds of fibres"): threads that
/// have a cell each wait most of the time, and teams that have one are not more than fit.
std::size_t copies_of(const std::map<Signature, std::vector<Cells>>& parts, const Copies& wish,
                      int multiprocessors) {
  if (wish.wanted > 0) return static_cast<std::size_t>(wish.wanted);
  constexpr std::size_t most_rows = std::size_t{1} << 24;  // some gigabytes
  const double processors = multiprocessors;
  double busy = 1e-6;  // multiprocessors, by one of each
  std::size_t rows = 1;
  for (const auto& [signature, some] : parts) {
    std::size_t cells = 0;
    for (const Cells& part : some) {
      cells += part.entries.size();
      rows += part.v_mV.size();
    }
    const auto number = static_cast<double>(cells);
    const bool has_thread = signature.one_row || signature.one_solves ||
                            (signature.layers > 0 && number > 16 * processors);
    busy += number / (has_thread ? 256 : signature.layers > 0 ? 8 : 0.5);
  }
  const auto most = std::min(static_cast<std::size_t>(processors / busy), most_rows / rows);
  // So many as a tree of whole levels has nodes.
  std::size_t copies = 1;
  while (2 * copies + 1 <= std::min(most, static_cast<std::size_t>(wish.most)))
    copies = 2 * copies + 1;
  return copies;
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
                  const EngineOptions& options, std::span<const double> gap_values,
                  const CopiedFor& copied_for) {
  std::vector<RangeDraft> drafts(ranges.size());
  crew.work(
      [&](std::size_t r) { drafts[r] = draft_of(ranges[r], run, *options.beginner, gap_values); });
  std::map<Signature, std::vector<Cells>> parts;
  for (const RangeDraft& draft : drafts)
    for (const auto& [signature, cells] : draft.cells) parts.try_emplace(signature);
  Assembly all;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    RangeDraft& draft = drafts[r];
    std::map<const Signature*, CellAddress> begin;
    for (auto& [signature, cells] : draft.cells) {
      const auto at = parts.find(signature);
      std::size_t before = 0;
      for (const Cells& part : at->second) before += part.entries.size();
      begin[&signature] = {static_cast<std::uint32_t>(std::distance(parts.begin(), at)),
                           static_cast<std::uint32_t>(before)};
      at->second.push_back(std::move(cells));
    }
    std::vector<CellAddress> where;
    for (const auto& [signature, number] : draft.where) {
      const auto [program, first] = begin[signature];
      where.emplace_back(program, first + number);
    }
    all.events.push_back(std::make_unique<RangeEvents>(std::move(ranges[r]), std::move(where)));
    all.spikes.insert(all.spikes.end(), draft.spikes.begin(), draft.spikes.end());
  }
  all.copies = copies_of(parts, options.copies, copied_for.multiprocessors);
  const std::size_t spikes = all.spikes.size();
  for (std::size_t at = spikes; at < all.copies * spikes; ++at) {
    network::CellSpike spike = all.spikes[at - spikes];
    spike.cell.value += copied_for.cells;
    all.spikes.push_back(spike);
  }
  for (auto& [signature, some] : parts) {
    const std::size_t own = some.size();
    for (std::size_t copy = 1; copy < all.copies; ++copy)
      for (std::size_t part = 0; part < own; ++part) {
        Cells more = some[part];
        for (CellEntry& entry : more.entries) entry.id += copy * copied_for.cells;
        some.push_back(std::move(more));
      }
    all.cells.emplace(signature, joined(std::move(some), options.threads));
  }
  return all;
}

}  // namespace hillock::simulator::on_device
