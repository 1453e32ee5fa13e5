#include "simulator/backends/device/delivery/connection_tables.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

namespace {

/// Sources that a thread takes at once, and entries that are handed on at once.
constexpr std::uint64_t sources_at_once = 4096;
constexpr std::uint64_t entries_at_once = std::uint64_t{4} << 20;

bool same_bits(double one, double other) {
  return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other);
}

/// Whether all entries have one number, which it is then: that of others, if they have one.
struct OneNumber {
  bool is_known = false, varies = false;
  double number = 0;

  void add(bool is_one, double first) {
    if (!is_one || (is_known && !same_bits(first, number))) varies = true;
    is_known = true;
    number = first;
  }
};

}  // namespace

ConnectionTables::ConnectionTables(std::span<const std::unique_ptr<RangeEvents>> ranges,
                                   std::span<const std::uint32_t> first_cells, std::uint64_t cells,
                                   int threads)
    : ranges_(ranges), first_cells_(first_cells), threads_(threads) {
  number_instances();
  find_tables();
  for (Table& table : tables_) count(table);
  make_runs(cells);
}

void ConnectionTables::number_instances() {
  for (const auto& range : ranges_) {
    std::vector<std::uint32_t>& first = first_instances_.emplace_back();
    for (std::size_t point = 0; point < range->point_count(); ++point) {
      first.push_back(static_cast<std::uint32_t>(instance_count_));
      instance_count_ += range->instance_count(point);
      if (instance_count_ > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a device takes no more than 2^32 instances of point processes");
    }
  }
}

/// The tables of one projection onto the ranges of its population are one, as are those of one
/// stimulus, whose trains stand range after range there.
void ConnectionTables::find_tables() {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> known;
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    const RangeEvents& range = *ranges_[r];
    std::vector<std::uint64_t> keys(range.tables().size());
    std::iota(keys.begin(), keys.end(), std::uint64_t{0});
    for (const network::DrivenCell& train : range.trains().all()) keys[train.table] = train.source;
    auto& of_range = of_range_.emplace_back(keys.size());
    for (std::size_t t = 0; t < keys.size(); ++t) {
      const network::FanInTable& from = range.tables()[t];
      const auto [at, is_new] = known.try_emplace({range.population(), keys[t]}, tables_.size());
      if (is_new) {
        tables_.emplace_back();
        tables_.back().is_of_stimulus = t >= range.projections();
        tables_.back().first_source = from.first_source;
        tables_.back().first.push_back(0);
      }
      Table& table = tables_[at->second];
      const std::uint64_t first = table.is_of_stimulus ? table.first.size() - 1 : 0;
      const std::size_t sources = first + static_cast<std::size_t>(from.source_count) + 1;
      table.first.resize(std::max(table.first.size(), sources), 0);
      of_range[t] = {at->second, first};
      if (from.connections.size() > 0)
        table.from.push_back({r, &from, first, first_instances_[r][from.mechanism]});
    }
  }
}

network::FanIn::Entries ConnectionTables::Source::of(std::uint64_t source) const {
  const std::uint64_t own = source - first;  // huge where before it
  return own < table->source_count ? table->connections.of(own) : network::FanIn::Entries{};
}

void ConnectionTables::count(Table& table) const {
  const std::uint64_t sources = table.first.size() - 1;
  parallel_for((sources + sources_at_once - 1) / sources_at_once, threads_, [&](std::size_t k) {
    const std::uint64_t end = std::min((k + 1) * sources_at_once, sources);
    for (std::uint64_t s = k * sources_at_once; s < end; ++s)
      for (const Source& from : table.from) {
        const network::FanIn::Entries some = from.of(s);
        table.first[s + 1] += some.end - some.begin;
      }
  });
  std::partial_sum(table.first.begin(), table.first.end(), table.first.begin());
  Shape& shape = table.shape;
  shape.size = table.first.back();
  OneNumber weight, delay;
  for (const Source& from : table.from) {
    const network::FanIn& some = from.table->connections;
    weight.add(some.has_one_weight(), some.weight(0));
    delay.add(some.has_one_delay(), some.delay_ms(0));
    shape.has_slots = shape.has_slots || some.keeps_slots();
  }
  shape.has_weights = weight.varies;
  shape.weight = weight.number;
  shape.has_delays = delay.varies && !table.is_of_stimulus;
  shape.delay_ms = delay.number;
}

void ConnectionTables::make_runs(std::uint64_t cells) {
  run_begin_.assign(cells + 1, 0);
  const auto count_of = [](const Table& table, std::uint64_t s) {
    return table.first[s + 1] - table.first[s];
  };
  for (const Table& table : tables_) {
    if (table.is_of_stimulus) continue;
    for (std::uint64_t s = 0; s + 1 < table.first.size(); ++s)
      if (count_of(table, s) > 0) ++run_begin_[table.first_source + s + 1];
  }
  std::partial_sum(run_begin_.begin(), run_begin_.end(), run_begin_.begin());
  runs_.resize(run_begin_.back());
  std::vector<std::uint32_t> next(run_begin_.begin(), run_begin_.end() - 1);
  const auto run_of = [&](std::size_t t, std::uint64_t s) {
    return Run{tables_[t].first[s], static_cast<unsigned>(count_of(tables_[t], s)),
               static_cast<unsigned>(t)};
  };
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    if (table.is_of_stimulus) continue;
    for (const Source& from : table.from)
      longest_delay_ms_ =
          std::max(longest_delay_ms_, from.table->connections.delay_bounds_ms().second);
    for (std::uint64_t s = 0; s + 1 < table.first.size(); ++s)
      if (count_of(table, s) > 0) runs_[next[table.first_source + s]++] = run_of(t, s);
  }
  const auto take_in = [&](std::size_t begin, std::size_t end) {
    std::uint64_t entries = 0;
    std::uint32_t pieces = 0;
    for (std::size_t i = begin; i < end; ++i) {
      entries += runs_[i].count;
      pieces += (runs_[i].count + most_in_piece - 1) / most_in_piece;
    }
    most_entries_ = std::max(most_entries_, entries);
    most_pieces_ = std::max(most_pieces_, pieces);
  };
  for (std::uint64_t cell = 0; cell < cells; ++cell)
    take_in(run_begin_[cell], run_begin_[cell + 1]);
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    train_runs_.push_back(runs_.size());
    for (const network::DrivenCell& train : ranges_[r]->trains().all()) {
      const auto& [table, first] = of_range_[r][train.table];
      runs_.push_back(run_of(table, first + train.number));
      take_in(runs_.size() - 1, runs_.size());
    }
  }
}

void ConnectionTables::read(std::size_t number, const SlotOf& slot_of,
                            const std::function<void(const TablePart&)>& take) const {
  const Table& table = tables_[number];
  const std::uint64_t sources = table.first.size() - 1;
  for (std::uint64_t begin = 0; begin < sources;) {
    const auto at = std::upper_bound(table.first.begin() + static_cast<std::ptrdiff_t>(begin) + 2,
                                     table.first.end(), table.first[begin] + entries_at_once);
    const auto end = static_cast<std::uint64_t>(at - table.first.begin()) - 1;
    TablePart part;
    part.begin = table.first[begin];
    const std::uint64_t count = table.first[end] - part.begin;
    part.targets.resize(count);
    if (table.shape.has_slots) part.slots.resize(count);
    if (table.shape.has_weights) part.weights.resize(count);
    if (table.shape.has_delays) {
      part.delays_ms.resize(count);
      part.ranks.resize(count);
    }
    const std::uint64_t pieces = (end - begin + sources_at_once - 1) / sources_at_once;
    parallel_for(pieces, threads_, [&](std::size_t k) {
      read_sources(table, begin + k * sources_at_once,
                   std::min(begin + (k + 1) * sources_at_once, end), slot_of, part);
    });
    if (count > 0) take(part);
    begin = end;
  }
}

void ConnectionTables::read_sources(const Table& table, std::uint64_t begin, std::uint64_t end,
                                    const SlotOf& slot_of, TablePart& part) const {
  struct Entry {
    const Source* from;
    std::uint32_t number, rank;
    double delay_ms;
  };
  std::vector<Entry> entries;
  for (std::uint64_t s = begin; s < end; ++s) {
    entries.clear();
    for (const Source& from : table.from) {
      const network::FanIn::Entries some = from.of(s);
      for (std::uint32_t e = some.begin; e < some.end; ++e)
        entries.push_back({&from, e, static_cast<std::uint32_t>(entries.size()),
                           from.table->connections.delay_ms(e)});
    }
    if (table.shape.has_delays) std::ranges::stable_sort(entries, {}, &Entry::delay_ms);
    std::size_t to = table.first[s] - part.begin;
    for (const Entry& entry : entries) {
      const Source& from = *entry.from;
      const network::FanInEntry one = from.table->connections[entry.number];
      part.targets[to] = from.first_instance + one.instance;
      if (table.shape.has_weights) part.weights[to] = one.weight;
      if (table.shape.has_delays) {
        part.delays_ms[to] = one.delay_ms;
        part.ranks[to] = entry.rank;
      }
      if (table.shape.has_slots) {
        const RangeEvents& range = *ranges_[from.range];
        const std::uint32_t point = from.table->mechanism;
        part.slots[to] = one.slot == network::FanIn::no_slot
                             ? no_slot
                             : slot_of(range.cells()[range.cell_of(point, one.instance)],
                                       range.block_of(point), one.slot);
      }
      ++to;
    }
  }
}

void ConnectionTables::read_instances(
    const std::function<void(std::uint64_t, const std::vector<InstanceAddress>&)>& take) const {
  std::vector<InstanceAddress> addresses;
  for (std::size_t r = 0; r < ranges_.size(); ++r)
    for (std::size_t point = 0; point < ranges_[r]->point_count(); ++point) {
      const RangeEvents& range = *ranges_[r];
      const std::vector<std::uint32_t>& first = range.first_instances(point);
      addresses.resize(range.instance_count(point));
      for (std::size_t c = 0; c + 1 < first.size(); ++c) {
        const auto& [program, cell] = range.cells()[c];
        for (std::uint32_t i = first[c]; i < first[c + 1]; ++i)
          addresses[i] = {first_cells_[program] + cell, i - first[c], range.block_of(point)};
      }
      if (!addresses.empty()) take(first_instances_[r][point], addresses);
    }
}

}  // namespace hillock::simulator::on_device
