#include "simulator/backends/cpu/cells/cell_range.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/program/asker.hpp"

namespace hillock::simulator::cpu {

namespace {

constexpr std::string_view spikes_onto = "what spikes send to population";

}

CellRange::CellRange(RangePlan plan, const RunConstants& run, const CellsAndThreads& cells,
                     EventBuffers& buffers)
    : run_(run),
      buffers_(buffers),
      population_(plan.population->name),
      side_by_side_(cpu::side_by_side(plan, cells)),
      inbox_(take_inbox(plan)) {
  cut_into_groups(plan, side_by_side_, [&](GroupLayout group) {
    groups_.push_back(make_cell_group(std::move(group), run_));
  });
  name_instances(plan);
}

void CellRange::prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) {
  if (epoch_steps > std::numeric_limits<decltype(mechanisms::Addition::step)>::max())
    throw std::invalid_argument("an epoch has more steps than an addition can tell apart");
  inbox_.start(run_.boundaries(), epoch_steps, run_.steps);
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
  const Asker asker(Asked::spikes, spikes_onto, population_);
  if (in_turn_ && left_ != 0) throw std::logic_error("events of an epoch are left");
  for (const auto& some : arriving) inbox_.send(some);
  for (const auto& group : groups_) group->begin_epoch(epoch.first);
  arrivals_ = inbox_.take(epoch.first, epoch.last);
  in_turn_ = are_many();
  if (in_turn_)
    left_ = event_count();
  else
    hand_out(epoch.first);
}

void CellRange::advance(std::size_t group, Epoch epoch, std::vector<network::CellSpike>& spikes,
                        std::span<const SampleBuffer> samples, std::span<double> gap_values) {
  if (in_turn_) {
    const Asker asker(Asked::spikes, spikes_onto, population_);
    hand_out_to(group, epoch.first);
  }
  groups_[group]->advance(epoch, spikes, samples);
  groups_[group]->give_back_events(buffers_);
  if (!groups_[group]->is_wired()) groups_[group]->publish_gap_values(gap_values);
}

bool CellRange::is_wired() const {
  return std::ranges::any_of(groups_, [](const auto& group) { return group->is_wired(); });
}

void CellRange::tell(solver::Wiring& wiring) {
  for (const auto& group : groups_)
    if (group->is_wired()) group->tell(wiring);
}

void CellRange::end_step(const solver::Wiring* wiring, std::vector<network::CellSpike>& spikes,
                         std::span<double> gap_values) {
  for (const auto& group : groups_) {
    if (!group->is_wired()) continue;
    group->end_step(wiring, spikes);
    group->publish_gap_values(gap_values);
  }
}

void CellRange::walk(StateWalk& state) {
  walk_groups(state, population_, groups_);
  inbox_.walk(state);
}

/// Whether the epoch's events would take megabytes if all groups had theirs, and every group has
/// some of most arrivals' to look for.
bool CellRange::are_many() const {
  constexpr std::uint64_t few_events = 1 << 15;
  const std::uint64_t events = event_count();
  return events > few_events && events >= arrivals_.size() * groups_.size();
}

std::uint64_t CellRange::event_count() const {
  std::uint64_t events = 0;
  for (const network::Arrival& arrival : arrivals_) events += arrival.count;
  return events;
}

/// Gives every group its events, in order.
void CellRange::hand_out(std::int64_t first_step) {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    if (i + ahead < arrivals_.size()) {
      const network::Arrival& later = arrivals_[i + ahead];
      inbox_.table(later.table).connections.prefetch(later.entries());
    }
    hand_out(arrivals_[i], arrivals_[i].entries(), first_step);
  }
}

/// The same of one group.
void CellRange::hand_out_to(std::size_t group, std::int64_t first_step) {
  std::uint64_t events = 0;
  for (const network::Arrival& arrival : arrivals_) {
    const network::FanIn::Entries some = entries_of(group, arrival);
    hand_out(arrival, some, first_step);
    events += some.end - some.begin;
  }
  left_ -= events;
}

/// Entries of a source are made cell by cell, so a group's lie side by side.
network::FanIn::Entries CellRange::entries_of(std::size_t group,
                                              const network::Arrival& arrival) const {
  const network::FanInTable& table = inbox_.table(arrival.table);
  const Names& names = names_[table.mechanism];
  const network::FanIn::Entries all = arrival.entries();
  const auto first_of = [&](std::size_t wanted) {
    std::uint32_t begin = all.begin, end = all.end;
    while (begin < end) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (names.group(table.connections.instance(middle)) < wanted)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  };
  return {first_of(group), first_of(group + 1)};
}

void CellRange::hand_out(const network::Arrival& arrival, const network::FanIn::Entries& some,
                         std::int64_t first_step) {
  const network::FanInTable& table = inbox_.table(arrival.table);
  const Names& names = names_[table.mechanism];
  const std::int64_t step = inbox_.step_of(arrival);
  if (names.only_add)
    add(table.connections, some, {arrival.time_ms, step - first_step}, names);
  else
    put(table.connections, some, {arrival.time_ms, step}, names);
}

void CellRange::add(const network::FanIn& connections, const network::FanIn::Entries& some,
                    const When& when, const Names& names) {
  const auto step = static_cast<std::uint16_t>(when.step);
  for (std::uint32_t e = some.begin; e < some.end; ++e) {
    const std::uint32_t name = connections.instance(e);
    buffers_.append(
        *names.additions[names.group(name)],
        {when.time_ms, connections.weight(e), names.instance(name), names.lane(name), step});
  }
}

void CellRange::put(const network::FanIn& connections, const network::FanIn::Entries& some,
                    const When& when, const Names& names) {
  for (std::uint32_t e = some.begin; e < some.end; ++e) {
    const network::FanInEntry entry = connections[e];
    CellGroup& group = *groups_[names.group(entry.instance)];
    GroupEvent event{when.step,
                     when.time_ms,
                     entry.weight,
                     {static_cast<std::uint32_t>(names.block), names.lane(entry.instance),
                      names.instance(entry.instance), InstanceTarget::no_slot}};
    if (entry.slot != network::FanIn::no_slot) {
      const MechanismBlock& block = group.layout().blocks[names.block];
      event.target.slot = (entry.slot - block.first_connection_of_range) *
                          static_cast<std::uint32_t>(block.mechanism->info->arguments);
    }
    buffers_.append(group.events(), event);
  }
}

std::size_t CellRange::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& group : groups_) bytes += group->bytes();
  return bytes;
}

}  // namespace hillock::simulator::cpu
