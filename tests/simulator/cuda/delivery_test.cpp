// What a device does with spikes, done here by one thread: every cell must get the events that a
// range's inbox hands out, in its order.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "network/events.hpp"
#include "network/inbox.hpp"
#include "simulator/backends/device/delivery/connection_tables.hpp"
#include "simulator/backends/device/delivery/spike_window.hpp"
#include "simulator/backends/device/delivery/train_feed.hpp"

namespace hillock::simulator::on_device {
namespace {

constexpr double dt_ms = 0.1;
constexpr std::uint64_t sources = 30, cells_of_range = 6;
constexpr std::uint32_t projections = 3;

using EventLists = std::vector<std::vector<Event>>;  // [cell of all programs]

/// Two ranges of cells on two programs, whose cells take turns.
CellAddress where(std::size_t range, std::size_t cell) {
  const std::size_t number = range * cells_of_range + cell;
  return {static_cast<std::uint32_t>(number % 2), static_cast<std::uint32_t>(number / 2)};
}
const std::vector<std::uint32_t> first_cells{0, cells_of_range};

unsigned slot_of(CellAddress at, unsigned block, std::uint32_t connection) {
  return 1000 * at.first + 100 * block + 10 * at.second + 7 * connection;
}

/// Delays of which some are equal, and some so close that a spike's time swallows the difference.
double delay_of(std::uint32_t projection, std::mt19937& random) {
  if (projection == 0) return 1;
  const double delay_ms = 1 + 0.05 * static_cast<double>(random() % 60);
  return random() % 2 ? delay_ms : std::nextafter(delay_ms, 100);
}

RangePlan a_range(std::size_t r, unsigned seed) {
  std::mt19937 random(seed + static_cast<unsigned>(r));
  RangePlan plan;
  auto population = std::make_shared<PopulationPlan>();
  population->name = "p";
  plan.population = population;
  plan.kinds = {std::make_shared<CellKind>()};
  for (std::uint64_t c = 0; c < cells_of_range; ++c) plan.indices.push_back(c);
  for (std::size_t point = 0; point < 2; ++point) {
    PointSet& set = plan.points.emplace_back();
    for (std::uint64_t c = 0; c < cells_of_range; ++c)
      set.first.push_back(set.first.back() + static_cast<std::uint32_t>(random() % 3));
  }
  const auto an_instance = [&](std::size_t point) {
    return static_cast<std::uint32_t>(random()) % plan.points[point].first.back();
  };
  for (std::uint32_t p = 0; p < projections; ++p) {
    network::FanInDraft draft;
    const std::uint32_t point = p % 2;
    for (std::uint32_t i = 0; i < 2000; ++i)
      draft.add(static_cast<std::uint32_t>(random() % sources),
                {an_instance(point), p == 2 ? i : network::FanIn::no_slot, p == 0 ? 0.5 : 0.001 * i,
                 delay_of(p, random)});
    plan.projections.push_back({point, 100, sources, draft.sorted(sources)});
  }
  if (r == 0) {  // the other range has a stimulus more
    plan.stimuli.push_back({0, 0, 0, network::FanInDraft().sorted(0)});
  }
  network::FanInDraft draft;
  for (std::uint32_t train = 0; train < 4; ++train) {
    for (int i = 0; i < 3; ++i)
      draft.add(train, {an_instance(1), network::FanIn::no_slot, 2.0 + i, 0});
    plan.driven.push_back({network::EventTrain::times({0.3 * train, 1.5, 1.5, 2.05, 3}),
                           network::first_stimulus_source + 5,
                           static_cast<std::uint32_t>(plan.stimuli.size()), train, 0.1 * train});
  }
  plan.stimuli.push_back({1, 0, 4, draft.sorted(4)});
  return plan;
}

/// What ranges' inboxes hand out.
class Expected {
 public:
  Expected(unsigned seed, std::int64_t epoch_steps, const network::Boundaries& boundaries) {
    for (std::size_t r = 0; r < 2; ++r) {
      RangePlan plan = a_range(r, seed);
      for (PointSet& set : plan.points) first_[r].push_back(set.first);
      inboxes_.push_back(take_inbox(plan));
      inboxes_.back().start(boundaries, epoch_steps);
    }
  }
  EventLists take(std::int64_t first, std::int64_t last,
                  std::span<const network::CellSpike> spikes) {
    EventLists lists(2 * cells_of_range);
    for (std::size_t r = 0; r < 2; ++r) {
      inboxes_[r].send(spikes);
      for (const network::Arrival& arrival : inboxes_[r].take(first, last))
        for (std::uint32_t e = arrival.begin; e < arrival.entries().end; ++e) {
          const network::FanInTable& table = inboxes_[r].table(arrival.table);
          const network::FanInEntry entry = table.connections[e];
          const std::vector<std::uint32_t>& begin = first_[r][table.mechanism];
          std::size_t cell = 0;
          while (begin[cell + 1] <= entry.instance) ++cell;
          const CellAddress at = where(r, cell);
          lists[first_cells[at.first] + at.second].push_back(
              {arrival.time_ms, entry.weight, entry.instance - begin[cell],
               entry.slot == network::FanIn::no_slot ? no_slot
                                                     : slot_of(at, table.mechanism, entry.slot),
               table.mechanism, static_cast<unsigned>(inboxes_[r].step_of(arrival) - first)});
        }
    }
    return lists;
  }

 private:
  std::vector<network::Inbox> inboxes_;
  std::vector<std::vector<std::uint32_t>> first_[2];
};

/// What a device keeps, in host memory.
class OnHost {
 public:
  OnHost(unsigned seed, const network::Boundaries& boundaries) : boundaries_(boundaries) {
    for (std::size_t r = 0; r < 2; ++r) {
      std::vector<CellAddress> addresses;
      for (std::size_t c = 0; c < cells_of_range; ++c) addresses.push_back(where(r, c));
      ranges_.push_back(std::make_unique<RangeEvents>(a_range(r, seed), std::move(addresses)));
    }
    const ConnectionTables tables(ranges_, first_cells, 100 + sources, 2);
    for (std::size_t t = 0; t < tables.size(); ++t) keep(tables, t);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      Kept& kept = kept_[t];
      const ConnectionTables::Shape& shape = tables.shape(t);
      tables_.push_back({kept.targets.data(), shape.has_slots ? kept.slots.data() : nullptr,
                         shape.has_weights ? kept.weights.data() : nullptr,
                         shape.has_delays ? kept.delays_ms.data() : nullptr,
                         shape.has_delays ? kept.ranks.data() : nullptr, shape.weight,
                         shape.delay_ms});
    }
    instances_.resize(tables.instance_count());
    tables.read_instances([&](std::uint64_t first, const std::vector<InstanceAddress>& some) {
      std::ranges::copy(some, instances_.begin() + static_cast<std::ptrdiff_t>(first));
    });
    runs_ = tables.runs();
    run_begin_ = tables.run_begin();
    most_entries_ = tables.most_entries();
    most_pieces_ = tables.most_pieces();
    window_ = {tables.longest_delay_ms(), boundaries_};
    feed_ = TrainFeed(ranges_, tables.train_runs(), boundaries_);
    for (const auto& range : ranges_) range->forget_tables();
  }

  EventLists take(std::int64_t first, std::int64_t last,
                  std::span<const network::CellSpike> spikes) {
    std::vector<Spike> fresh;
    double latest_ms = 0;
    for (const network::CellSpike& spike : spikes) {
      fresh.push_back({spike.time_ms, spike.cell.value});
      latest_ms = std::max(latest_ms, spike.time_ms);
    }
    const std::vector<TrainEvent> trains = driven(first, last);
    EXPECT_EQ(window_.from_before(first), (window_.forget_before(first), window_.from()));
    window_.add(fresh.size(), latest_ms);
    most_kept_ = std::max(most_kept_, window_.count());
    const std::size_t arrivals = window_.count() + trains.size();
    const std::size_t places = 2 * cells_of_range * places_of_cell;
    std::vector<Piece> pieces(arrivals * most_pieces_ + 1);
    std::vector<SpilledEvent> spilled(arrivals * most_entries_ + 1);
    std::vector<Event> events(places + spilled.size());
    std::vector<EventOrigin> origins(events.size());
    std::vector<unsigned> counts(2 * cells_of_range), begin(counts), end(counts), longs(counts);
    DeliveryTotals totals[2]{};
    const DeliveryArrays arrays{
        .connections = {tables_.data(), instances_.data(), runs_.data(), run_begin_.data()},
        .most_entries = most_entries_,
        .most_pieces = most_pieces_,
        .boundaries = boundaries_,
        .state = &state_,
        .spikes = ring_.data(),
        .spike_mask = ring_.size() - 1,
        .pieces = pieces.data(),
        .room_for_pieces = static_cast<unsigned>(pieces.size()),
        .events = events.data(),
        .origins = origins.data(),
        .spilled = spilled.data(),
        .room_for_spilled = static_cast<unsigned>(spilled.size()),
        .cells = static_cast<unsigned>(counts.size()),
        .counts = counts.data(),
        .begin = begin.data(),
        .end = end.data(),
        .long_cells = longs.data(),
        .totals = totals};
    const auto new_count = static_cast<unsigned>(fresh.size());
    const bool count_stands_elsewhere = first % 20 == 0;
    const DeliveryWork work{.first = first,
                            .last = last,
                            .spikes_from = window_.from(),
                            .new_spikes = fresh.data(),
                            .new_count = count_stands_elsewhere ? 0 : new_count,
                            .new_count_at = count_stands_elsewhere ? &new_count : nullptr,
                            .train_events = trains.data(),
                            .train_count = static_cast<unsigned>(trains.size()),
                            .is_counted = false,
                            .parity = 1};
    const Delivery delivery(arrays, work);
    const DeliveryTotals& found = delivery.totals();
    EXPECT_TRUE(delivery.fits());
    EXPECT_EQ(delivery.arrivals(), arrivals);
    for (unsigned i = 0; i < delivery.arrivals(); ++i) delivery.count(i);
    const DeliveryTotals counted = std::exchange(totals[1], {});
    for (unsigned i = 0; i < delivery.arrivals(); ++i) delivery.arrive(i, OneThread{});
    EXPECT_LE(found.pieces + found.large, std::min<std::size_t>(counted.large, pieces.size()));
    for (unsigned p = 0; p < found.large; ++p) delivery.put_large(p, OneThread{});
    EXPECT_EQ(counted.events, std::accumulate(counts.begin(), counts.end(), 0u));
    for (unsigned c = 0; c < counts.size(); ++c) delivery.settle(c);
    EXPECT_LE(std::max(found.spilled, found.filled), spilled.size());
    for (unsigned i = 0; i < found.spilled; ++i) delivery.spread(i);
    for (unsigned k = 0; k < found.long_cells; ++k) delivery.order(longs[k], OneThread{});
    state_.sent += delivery.new_count();
    long_cells_ += found.long_cells;
    EventLists lists;
    for (unsigned c = 0; c < counts.size(); ++c) {
      EXPECT_EQ(counts[c], 0u);
      lists.emplace_back(events.begin() + begin[c], events.begin() + end[c]);
    }
    return lists;
  }

  std::size_t long_cells() const { return long_cells_; }
  std::size_t most_kept() const { return most_kept_; }

 private:
  struct Kept {
    std::vector<std::uint32_t> targets, slots, ranks;
    std::vector<double> weights, delays_ms;
  };

  /// What trains bring at steps [first, last): of five epochs as long that are drawn, and of which
  /// all but the first are taken back.
  std::vector<TrainEvent> driven(std::int64_t first, std::int64_t last) {
    const EqualEpochs epochs{first, last - first, 5};
    feed_.draw(epochs, drawn_, crew_);
    const std::vector<TrainEvent>& events = drawn_.events;
    for (std::size_t e = 0; e < epochs.count; ++e)
      for (std::size_t i = drawn_.begin[e]; i < drawn_.begin[e + 1]; ++i) {
        const std::int64_t step = boundaries_.step_of(events[i].time_ms);
        EXPECT_TRUE(epochs.begin(e) <= step && step < epochs.begin(e + 1)) << step;
      }
    feed_.take_back(drawn_, 1);
    return {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(drawn_.begin[1])};
  }

  void keep(const ConnectionTables& tables, std::size_t t) {
    Kept& kept = kept_.emplace_back();
    tables.read(t, slot_of, [&](const TablePart& part) {
      EXPECT_EQ(part.begin, kept.targets.size());
      const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(kept.targets, part.targets);
      append(kept.slots, part.slots);
      append(kept.ranks, part.ranks);
      append(kept.weights, part.weights);
      append(kept.delays_ms, part.delays_ms);
    });
    EXPECT_EQ(kept.targets.size(), tables.shape(t).size);
  }

  std::vector<std::unique_ptr<RangeEvents>> ranges_;
  std::vector<Kept> kept_;
  std::vector<ConnectionTable> tables_;
  std::vector<InstanceAddress> instances_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> run_begin_;
  std::uint64_t most_entries_ = 0;
  std::uint32_t most_pieces_ = 0;
  network::Boundaries boundaries_;
  SpikeWindow window_;
  DeliveryState state_{};
  std::vector<Spike> ring_ = std::vector<Spike>(256);
  TrainFeed feed_;
  DrawnTrains drawn_;
  Crew crew_{std::vector<std::uint64_t>(2, 1), 2};
  std::size_t most_kept_ = 0, long_cells_ = 0;
};

auto fields(const Event& event) {
  return std::tuple(event.step, event.time_ms, event.block, event.instance, event.slot,
                    event.weight);
}

/// Epochs of ten steps, one of which ends early; delays reach over four of them.
void compare(unsigned seed, std::size_t most_spikes, bool has_clock) {
  std::vector<double> clock_ms{0};
  for (int step = 0; step < 100; ++step)
    clock_ms.push_back(clock_ms.back() + 0.5 * dt_ms + 0.5 * dt_ms);
  network::Boundaries boundaries{dt_ms};
  if (has_clock) boundaries = {dt_ms, clock_ms.data(), 0, std::ssize(clock_ms)};
  Expected expected(seed, 10, boundaries);
  OnHost found(seed, boundaries);
  std::mt19937 random(seed);
  std::size_t events = 0;
  std::vector<std::int64_t> ends{10, 20, 24, 30, 40, 50, 60, 70, 80, 90};
  std::int64_t first = 0;
  for (const std::int64_t last : ends) {
    std::vector<network::CellSpike> spikes;
    const std::size_t count = first == 0 || first > 50 ? 0 : random() % most_spikes;
    for (std::size_t i = 0; i < count; ++i)  // made during the epoch before
      spikes.push_back({0.1 * static_cast<double>(first) - 0.05 * static_cast<double>(random() % 6),
                        CellId(95 + random() % (5 + sources))});
    if (count > 0) spikes.push_back(spikes.front());  // a cell may spike twice at a time
    const EventLists wanted = expected.take(first, last, spikes);
    const EventLists lists = found.take(first, last, spikes);
    ASSERT_EQ(lists.size(), wanted.size());
    for (std::size_t c = 0; c < lists.size(); ++c) {
      ASSERT_EQ(lists[c].size(), wanted[c].size()) << "cell " << c << ", epoch from " << first;
      for (std::size_t i = 0; i < lists[c].size(); ++i)
        ASSERT_EQ(fields(lists[c][i]), fields(wanted[c][i])) << "cell " << c << ", event " << i;
      events += lists[c].size();
    }
    first = last;
  }
  EXPECT_GT(events, 50 * most_spikes);
  EXPECT_LT(found.most_kept(), 6 * most_spikes);
  EXPECT_GT(found.long_cells(), 10u);
}

TEST(CudaDelivery, EveryCellGetsWhatAnInboxHandsOutInItsOrder) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    for (const bool has_clock : {false, true}) {
      compare(seed, 2, has_clock);
      compare(seed, 20, has_clock);
    }
  }
}

TEST(CudaDelivery, SaysBeforeItBeginsWhetherThereIsRoom) {
  DeliveryState state{10, 0};
  DeliveryTotals totals[2]{};
  DeliveryArrays arrays{};
  arrays.most_entries = 8;
  arrays.most_pieces = 2;
  arrays.state = &state;
  arrays.spike_mask = 7;
  arrays.room_for_pieces = 16;
  arrays.room_for_spilled = 56;
  arrays.totals = totals;
  DeliveryWork work{};
  work.spikes_from = 6;
  work.new_count = 2;
  work.train_count = 1;
  EXPECT_EQ(Delivery(arrays, work).arrivals(), 7u);
  EXPECT_TRUE(Delivery(arrays, work).fits());
  work.train_count = 2;  // 64 entries, perhaps
  EXPECT_FALSE(Delivery(arrays, work).fits());
  work.is_counted = true;
  EXPECT_TRUE(Delivery(arrays, work).fits());
  work.new_count = 5;  // nine spikes in a ring of eight
  EXPECT_FALSE(Delivery(arrays, work).fits());
}

TEST(CudaDelivery, WhatIsOneNumberForAllIsNoColumn) {
  std::vector<std::unique_ptr<RangeEvents>> ranges;
  for (std::size_t r = 0; r < 2; ++r) {
    std::vector<CellAddress> addresses;
    for (std::size_t c = 0; c < cells_of_range; ++c) addresses.push_back(where(r, c));
    ranges.push_back(std::make_unique<RangeEvents>(a_range(r, 1), std::move(addresses)));
  }
  const ConnectionTables tables(ranges, first_cells, 100 + sources, 1);
  const ConnectionTables::Shape& alike = tables.shape(0);
  EXPECT_EQ(alike.size, 4000u);
  EXPECT_FALSE(alike.has_weights || alike.has_delays || alike.has_slots);
  EXPECT_EQ(alike.weight, 0.5);
  EXPECT_EQ(alike.delay_ms, 1);
  EXPECT_TRUE(tables.shape(1).has_weights && tables.shape(1).has_delays);
  EXPECT_FALSE(tables.shape(1).has_slots);
  EXPECT_TRUE(tables.shape(2).has_slots);
}

TEST(CudaDelivery, SpikesStayUntilTheirLongestDelayIsOver) {
  SpikeWindow window(2.0, {0.1});
  window.add(3, 0.5);
  window.add(2, 1.0);
  window.forget_before(25);  // what arrives at 2.5 ms is applied before step 25
  EXPECT_EQ(window.count(), 5u);
  window.forget_before(26);
  EXPECT_EQ(window.count(), 2u);
  EXPECT_EQ(window.from(), 3u);
  window.forget_before(31);
  EXPECT_EQ(window.count(), 0u);
}

}  // namespace
}  // namespace hillock::simulator::on_device
