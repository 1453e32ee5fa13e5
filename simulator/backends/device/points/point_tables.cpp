#include "simulator/backends/device/points/point_tables.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hillock::simulator::on_device {

unsigned source_of(const NetworkPlan& plan, std::uint64_t cell) {
  const auto after = std::ranges::upper_bound(
      plan.populations, cell, {}, [](const auto& population) { return population->first.value; });
  return count_of(static_cast<std::size_t>(after - plan.populations.begin())) - 1;
}

void PointTables::add(std::vector<network::SynapseTable>& tables,
                      const network::InputRingView& inputs, SynapseOrder order) {
  for (network::SynapseTable& table : tables) {
    network::SynapseTable own = std::move(table);  // its memory is given back
    if (own.size() == 0) continue;
    PointTable& on_device = tables_.emplace_back();
    on_device.inputs = inputs;
    on_device.first_source = own.first_source();
    on_device.source_count = own.source_count();
    const std::vector<std::uint32_t> first = own.first_of_sources();
    on_device.first = memory_.put<unsigned>(first, DeviceUse::connections).data();
    sizes_.push_back(count_of(own.size()));
    sources_.push_back(on_device::source_of(plan_, own.first_source()));
    if (order == SynapseOrder::soon_first) put_soon_first(own, first);
    if (std::ranges::count(plan_.run.propagation, "synapses") > 0)
      put_sources_of_synapses(count_of(tables_.size()) - 1, first);
    own.with_view([&](auto view) {
      if constexpr (sizeof(*view.words) == sizeof(unsigned))
        on_device.synapses = put_synapses(view, own.size());
      else if constexpr (sizeof(*view.words) > sizeof(unsigned))
        on_device.long_synapses = put_synapses(view, own.size());
      else
        throw std::logic_error("a device has no such short words");
    });
    most_of_source_.push_back(own.most_of_a_source());
  }
}

template <class Word>
network::SynapseView<Word> PointTables::put_synapses(network::SynapseView<Word> view,
                                                     std::size_t size) {
  view.words = memory_.put<Word>(std::span(view.words, size), DeviceUse::connections).data();
  if (view.weights)
    view.weights = memory_.put<int>(std::span(view.weights, size), DeviceUse::connections).data();
  return view;
}

/// Where a source's synapses begin that are not soon: from which a spike arrives after the next
/// step.
void PointTables::put_soon_first(network::SynapseTable& table,
                                 std::span<const std::uint32_t> first) {
  const auto& source = plan_.populations[sources_.back()];
  const PointPopulation* const here = find_population(populations_, source->id);
  const std::int64_t known_after = source->step.run_steps;
  if (!here || !here->spikes_are_early() || table.shortest_steps() > known_after) {
    tables_.back().others = tables_.back().first;
    return;
  }
  const std::vector<std::uint32_t> others = table.put_soon_first(known_after, runner_);
  tables_.back().others = memory_.put<unsigned>(others, DeviceUse::connections).data();
  for (std::size_t s = 0; s < others.size(); ++s) soon_ += others[s] - first[s];
}

void PointTables::put_sources_of_synapses(unsigned t, std::span<const std::uint32_t> first) {
  const PopulationPlan& population = *plan_.populations[sources_[t]];
  std::vector<unsigned> number(population.size, not_here);  // of each of its cells
  for (const PointPopulation& some : populations_)
    if (some.plan->id == population.id)
      for (unsigned n = 0; n < some.neurons; ++n) number[some.indices[n]] = n;
  const std::uint64_t begin = tables_[t].first_source - population.first.value;
  std::vector<unsigned> sources(first.back());
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    std::fill(sources.begin() + first[s], sources.begin() + first[s + 1], number[begin + s]);
  tables_[t].sources = memory_.put<unsigned>(sources, DeviceUse::connections).data();
}

void PointTables::append_pieces_of(const PopulationPlan& population, PointSource& source,
                                   std::vector<PointPiece>& pieces) const {
  source.first_piece = count_of(pieces.size());
  std::vector<unsigned> tables;
  for (unsigned t = 0; t < tables_.size(); ++t)
    if (tables_[t].first_source < population.first.value + population.size &&
        tables_[t].first_source + tables_[t].source_count > population.first.value)
      tables.push_back(t);
  source.tables = count_of(tables.size());
  source.has_soon = std::ranges::any_of(
      tables, [this](unsigned t) { return tables_[t].others != tables_[t].first; });
  for (const unsigned t : tables) pieces.push_back({t, 0});
  for (const unsigned t : tables)
    for (unsigned part = 1; part * synapses_of_piece < most_of_source_[t]; ++part)
      pieces.push_back({t, part});
  source.pieces = count_of(pieces.size()) - source.first_piece;
}

}  // namespace hillock::simulator::on_device
