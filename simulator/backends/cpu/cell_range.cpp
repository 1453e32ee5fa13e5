#include "simulator/backends/cpu/cell_range.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "simulator/backends/cpu/range_groups.hpp"

namespace hillock::simulator::cpu {

CellRange::CellRange(RangePlan plan, const RunConstants& run, int lanes)
    : run_(run), population_(plan.population->name), inbox_(take_inbox(plan)) {
  cut_into_groups(plan, lanes, [&](GroupLayout group) {
    groups_.push_back(make_cell_group(std::move(group), run_));
  });
  name_instances(plan);
}

void CellRange::prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) {
  if (epoch_steps > std::numeric_limits<decltype(mechanisms::Addition::step)>::max())
    throw std::invalid_argument("an epoch has more steps than an addition can tell apart");
  inbox_.start(run_.dt_ms, epoch_steps);
  for (const auto& group : groups_) group->number_columns(reports);
}

/// Puts into the inbox where each instance is.
void CellRange::name_instances(const RangePlan& plan) {
  std::vector<std::vector<std::uint32_t>> names(plan.points.size());
  for (std::size_t s = 0; s < plan.points.size(); ++s) {
    const PointSet& set = plan.points[s];
    const std::size_t block = plan.density_count() + s;
    std::size_t most = 1;
    for (const auto& group : groups_)
      most = std::max(most, group->layout().blocks[block].count * 8);
    Names& how = names_.emplace_back();
    how.block = block;
    how.bits = std::bit_width(most - 1);
    if (how.bits > 32 || groups_.size() > (std::uint64_t{1} << (32 - how.bits)))
      throw std::length_error("a range of cells has too many instances of " +
                              set.mechanism->signature.name);
    for (const auto& group : groups_) how.additions.push_back(group->additions(block));
    how.only_add = std::ranges::none_of(how.additions, [](const auto* list) { return !list; });
    names[s].resize(set.count());
    std::size_t cell = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const GroupLayout& layout = groups_[g]->layout();
      const std::size_t lanes = layout.width();
      for (std::size_t c = 0; c < layout.indices.size(); ++c, ++cell)
        for (std::size_t i = set.first[cell]; i < set.first[cell + 1]; ++i) {
          const std::size_t instance =
              layout.blocks[block].first_of_pack[c / lanes] + (i - set.first[cell]);
          names[s][i] = how.name(g, instance, c % lanes);
        }
    }
  }
  inbox_.rename(
      [&](std::uint32_t mechanism, std::uint32_t instance) { return names[mechanism][instance]; });
}

void CellRange::start(std::vector<network::CellSpike>& spikes,
                      std::span<const SampleBuffer> samples) {
  for (const auto& group : groups_) group->initialise(spikes, samples);
}

void CellRange::receive(Epoch epoch, std::span<const std::vector<network::CellSpike>> arriving) {
  for (const auto& some : arriving) inbox_.send(some);
  for (const auto& group : groups_) group->begin_epoch(epoch.first);
  hand_out(inbox_.take(epoch.first, epoch.last), epoch.first);
}

void CellRange::walk(StateWalk& state) {
  walk_groups(state, population_, groups_);
  inbox_.walk(state);
}

/// Gives every group its events, in order.
void CellRange::hand_out(std::span<const network::Arrival> arrivals, std::int64_t first_step) {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const network::Arrival& arrival = arrivals[i];
    if (i + ahead < arrivals.size()) {
      const network::Arrival& later = arrivals[i + ahead];
      inbox_.table(later.table).connections.prefetch(later.entries);
    }
    const network::FanInTable& table = inbox_.table(arrival.table);
    const Names& names = names_[table.mechanism];
    if (names.only_add)
      add(table.connections, arrival, names, first_step);
    else
      put(table.connections, arrival, names);
  }
}

void CellRange::add(const network::FanIn& connections, const network::Arrival& arrival,
                    const Names& names, std::int64_t first_step) {
  const auto step = static_cast<std::uint16_t>(arrival.step - first_step);
  const double time_ms = arrival.time_ms;
  for (std::uint32_t e = arrival.entries.begin; e < arrival.entries.end; ++e) {
    const std::uint32_t name = connections.instance(e);
    names.additions[names.group(name)]->push_back(
        {time_ms, connections.weight(e), names.instance(name), names.lane(name), step});
  }
}

void CellRange::put(const network::FanIn& connections, const network::Arrival& arrival,
                    const Names& names) {
  for (std::uint32_t e = arrival.entries.begin; e < arrival.entries.end; ++e) {
    const network::FanInEntry entry = connections[e];
    CellGroup& group = *groups_[names.group(entry.instance)];
    GroupEvent event{arrival.step,
                     arrival.time_ms,
                     entry.weight,
                     {static_cast<std::uint32_t>(names.block), names.lane(entry.instance),
                      names.instance(entry.instance), InstanceTarget::no_slot}};
    if (entry.slot != network::FanIn::no_slot) {
      const MechanismBlock& block = group.layout().blocks[names.block];
      event.target.slot = (entry.slot - block.first_connection_of_range) *
                          static_cast<std::uint32_t>(block.mechanism->info->arguments);
    }
    group.events().push_back(event);
  }
}

std::size_t CellRange::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& group : groups_) bytes += group->bytes();
  return bytes;
}

}  // namespace hillock::simulator::cpu
