// What is on its way to a range of cells: found by its source, handed out in the contract's order.

#include "network/inbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "network/events.hpp"
#include "network/recent_spikes.hpp"

namespace hillock::network {
namespace {

constexpr std::uint32_t no_slot = FanIn::no_slot;

/// source -> instances 10·source and 10·source + 1, of sources 0, 3 and 4 of 6.
FanIn some_connections(bool many_delays) {
  FanInDraft draft;
  std::map<std::uint32_t, std::uint32_t> made;
  for (const std::uint32_t source : {4u, 0u, 3u, 4u, 0u}) {
    const std::uint32_t k = made[source]++;
    draft.add(source, {10 * source + k, no_slot, 0.5, many_delays ? 1.0 + k : 1.0});
  }
  return draft.sorted(6);
}

TEST(FanIn, EntriesOfASourceKeepTheirOrder) {
  const FanIn connections = some_connections(false);
  EXPECT_EQ(connections.size(), 5u);
  const FanIn::Entries of_4 = connections.of(4);
  ASSERT_EQ(of_4.end - of_4.begin, 2u);
  EXPECT_EQ(connections[of_4.begin].instance, 40u);
  EXPECT_EQ(connections[of_4.begin + 1].instance, 41u);
  for (const std::uint64_t nobody : {1, 2, 5, 6, 1000}) {
    const FanIn::Entries none = connections.of(nobody);
    EXPECT_EQ(none.begin, none.end) << nobody;
  }
}

TEST(FanIn, OneWeightAndOneDelayAreKeptOnce) {
  FanInDraft draft;
  for (std::uint32_t i = 0; i < 100000; ++i) draft.add(i % 100, {i, no_slot, 0.25, 1.5});
  const FanIn connections = draft.sorted(100);
  EXPECT_TRUE(connections.has_one_delay());
  EXPECT_LE(connections.bytes(), 100000u * 4 + 101 * 4);
  EXPECT_EQ(connections[77777].weight, 0.25);
}

TEST(FanIn, AWeightOfItsOwnGoesWithItsEntry) {
  FanInDraft draft;
  for (std::uint32_t i = 0; i < 1000; ++i) draft.add(i % 7, {i, i, 0.001 * i, 1.0 + i});
  const FanIn connections = draft.sorted(7);
  for (std::uint64_t source = 0; source < 7; ++source)
    for (std::uint32_t e = connections.of(source).begin; e < connections.of(source).end; ++e) {
      EXPECT_EQ(connections[e].instance % 7, source);
      EXPECT_EQ(connections[e].weight, 0.001 * connections[e].instance);
      EXPECT_EQ(connections[e].delay_ms, 1.0 + connections[e].instance);
      EXPECT_EQ(connections[e].slot, connections[e].instance);
    }
}

/// Two projections from cells 100 … 105 and a stimulus's train.
Inbox an_inbox() {
  std::vector<FanInTable> tables;
  tables.push_back({0, 100, 6, some_connections(false)});
  tables.push_back({0, 100, 6, some_connections(true)});
  FanInDraft driven;
  driven.add(0, {7, no_slot, 1, 0});
  tables.push_back({0, 0, 1, driven.sorted(1)});
  std::vector<DrivenCell> trains;
  trains.push_back({EventTrain::times({1.3, 9}), first_stimulus_source, 2, 0, 0});
  Inbox inbox(std::move(tables), 2, std::move(trains));
  inbox.start({0.1}, 10);
  return inbox;
}

TEST(Inbox, HandsOutEachEpochInOrderOfTimeSourceAndProjection) {
  Inbox inbox = an_inbox();
  EXPECT_TRUE(inbox.take(0, 10).empty());
  const std::vector<CellSpike> spikes = {
      {0.3, CellId(104)}, {0.3, CellId(100)}, {0.2, CellId(101)}};
  inbox.send(spikes);
  const auto arrivals = inbox.take(10, 20);
  // At 1.3 ms: of cell 100 both projections, of 104 both, then the stimulus.
  ASSERT_EQ(arrivals.size(), 5u);
  EXPECT_EQ(inbox.source_of(arrivals[0]), 100u);
  EXPECT_EQ(arrivals[0].table, 0u);
  EXPECT_EQ(arrivals[0].count, 2u);
  EXPECT_EQ(arrivals[1].table, 1u);
  EXPECT_EQ(arrivals[1].count, 1u);  // the other takes 2 ms
  EXPECT_EQ(inbox.source_of(arrivals[2]), 104u);
  EXPECT_EQ(inbox.source_of(arrivals[4]), first_stimulus_source);
  for (const Arrival& arrival : arrivals) EXPECT_EQ(inbox.step_of(arrival), 13);
  EXPECT_EQ(inbox.take(20, 30).size(), 2u);
  EXPECT_EQ(inbox.table(0).connections.delay_bounds_ms().first, 1.0);
  EXPECT_EQ(inbox.table(1).connections.delay_bounds_ms().first, 1.0);
}

/// Every connection of a cell that spiked is named once, at the time at which its event comes.
TEST(Inbox, NamesTheConnectionsThatEventsCameBy) {
  for (const bool many_delays : {false, true}) {
    std::vector<FanInTable> tables;
    tables.push_back({0, 100, 6, some_connections(many_delays)});
    Inbox inbox(std::move(tables), 1, {});
    inbox.start({0.1}, 100);
    inbox.send(std::vector<CellSpike>{{0.3, CellId(104)}, {0.5, CellId(103)}, {0.7, CellId(100)}});
    std::map<std::uint32_t, double> times_ms;
    for (const Arrival& arrival : inbox.take(0, 100))
      for (std::uint32_t e = arrival.begin; e < arrival.begin + arrival.count; ++e) {
        const auto& connections = inbox.table(0).connections;
        EXPECT_EQ(100 + connections.instance(e) / 10, inbox.source_of(arrival));
        EXPECT_TRUE(times_ms.emplace(connections.instance(e), arrival.time_ms).second);
      }
    const double later = many_delays ? 1 : 0;
    const std::map<std::uint32_t, double> expected_ms{
        {40, 0.3 + 1}, {41, 0.3 + 1 + later}, {30, 0.5 + 1}, {0, 0.7 + 1}, {1, 0.7 + 1 + later}};
    ASSERT_EQ(times_ms.size(), expected_ms.size());
    for (const auto& [instance, time_ms] : expected_ms)
      EXPECT_NEAR(times_ms.at(instance), time_ms, 1e-12) << instance;
  }
}

/// Half a step behind a boundary, which multiples of dt have in the later step.
TEST(Inbox, AClockDecidesInWhichOfTwoStepsAnEventComes) {
  const std::vector<double> clock_ms{3, 3.1, 3.2, std::nextafter(3.3, 0), 3.4};
  std::vector<DrivenCell> trains;
  for (std::uint32_t i = 0; i < 2; ++i)
    trains.push_back(
        {EventTrain::times({clock_ms[i] + 0.5 * 0.1}), first_stimulus_source, 1, i, 0, i});
  FanInDraft draft, driven;
  draft.add(0, {0, no_slot, 1, 0.1});
  driven.add(0, {1, no_slot, 1, 0});
  driven.add(1, {2, no_slot, 1, 0});
  std::vector<FanInTable> tables;
  tables.push_back({0, 0, 1, draft.sorted(1)});
  tables.push_back({0, 0, 2, driven.sorted(2)});
  Inbox inbox(std::move(tables), 1, std::move(trains));
  inbox.start({0.1, clock_ms.data(), 30, std::ssize(clock_ms)}, 10);
  inbox.resume_at({.step = 30});
  inbox.send(std::vector<CellSpike>{{clock_ms[1] + 0.5 * 0.1, CellId(0)},
                                    {clock_ms[2] + 0.5 * 0.1, CellId(0)}});
  std::vector<std::int64_t> steps;
  for (const Arrival& arrival : inbox.take(30, 40)) steps.push_back(inbox.step_of(arrival));
  const double first_ms = clock_ms[1] + 0.5 * 0.1 + 0.1;
  EXPECT_EQ(steps,
            (std::vector<std::int64_t>{30, 31, first_ms > clock_ms[2] + 0.5 * 0.1 ? 33 : 32, 34}));
}

TEST(Inbox, KeepsNothingThatArrivesBehindTheEnd) {
  FanInDraft draft;
  for (std::uint32_t s = 0; s < 3; ++s) draft.add(0, {s, no_slot, 1, std::pow(10.0, 4.0 * s)});
  std::vector<FanInTable> tables;
  tables.push_back({0, 0, 1, draft.sorted(3)});
  Inbox inbox(std::move(tables), 1, {});
  inbox.start({0.1}, 10, 30);
  const std::size_t before = inbox.bytes();
  inbox.send(std::vector<CellSpike>{{0.5, CellId(0)}});
  EXPECT_LT(inbox.bytes(), before + 1000);
  std::size_t arrived = 0;
  for (std::int64_t step = 0; step < 30; step += 10) arrived += inbox.take(step, step + 10).size();
  EXPECT_EQ(arrived, 1U);
}

TEST(Inbox, KeepsWhatArrivesManyEpochsLater) {
  FanInDraft draft;
  for (std::uint32_t s = 0; s < 40; ++s) draft.add(s, {s, no_slot, 1, 1.0 + s});
  std::vector<FanInTable> tables;
  tables.push_back({0, 0, 40, draft.sorted(40)});
  Inbox inbox(std::move(tables), 1, {});
  inbox.start({0.1}, 10);
  inbox.take(0, 10);
  for (std::uint64_t s = 0; s < 40; ++s) inbox.send(std::vector<CellSpike>{{0.5, CellId(s)}});
  for (std::int64_t epoch = 1; epoch <= 40; ++epoch) {
    const auto arrivals = inbox.take(10 * epoch, 10 * epoch + 10);
    ASSERT_EQ(arrivals.size(), 1u) << epoch;
    EXPECT_EQ(inbox.source_of(arrivals[0]), static_cast<std::uint64_t>(epoch - 1));
  }
}

TEST(Inbox, NothingIsLostSilently) {
  Inbox inbox = an_inbox();
  for (std::int64_t first = 0; first < 50; first += 10) inbox.take(first, first + 10);
  const std::vector<CellSpike> late = {{0.3, CellId(100)}};
  EXPECT_THROW(inbox.send(late), std::logic_error);
}

TEST(Inbox, AnEpochMayBeTakenInPieces) {
  Inbox whole = an_inbox(), pieces = an_inbox();
  const std::vector<CellSpike> spikes = {
      {0.3, CellId(104)}, {0.3, CellId(100)}, {0.2, CellId(101)}, {0.9, CellId(103)}};
  for (Inbox* inbox : {&whole, &pieces}) {
    inbox->take(0, 10);
    inbox->send(spikes);
  }
  const auto all = whole.take(10, 20);
  std::vector<Arrival> found;
  for (const auto& [first, last] : {std::pair{10, 13}, {13, 14}, {14, 20}})
    for (const Arrival& arrival : pieces.take(first, last)) {
      EXPECT_GE(pieces.step_of(arrival), first);
      EXPECT_LT(pieces.step_of(arrival), last);
      found.push_back(arrival);
    }
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(found[i].step, all[i].step);
    EXPECT_EQ(whole.source_of(found[i]), whole.source_of(all[i]));
  }
}

TEST(Inbox, GoesOnFromWhatWasSaved) {
  const std::vector<CellSpike> early = {{0.3, CellId(100)}}, late = {{1.0, CellId(104)}};
  Inbox first = an_inbox();
  first.take(0, 10);
  first.send(early);
  first.take(10, 13);
  State state;
  StateWalk saving(state);
  saving.begin("exc", std::vector<std::uint64_t>{5, 8});
  first.walk(saving);
  first.send(late);

  Inbox second = an_inbox();
  StateReader reader(state);
  StateWalk restoring(reader);
  restoring.begin("exc", std::vector<std::uint64_t>{5, 8});
  second.walk(restoring);
  EXPECT_NO_THROW(reader.finish());
  second.resume_at({13});
  for (const auto& spikes : {early, late}) second.send(spikes);
  for (const auto& [from, to] : {std::pair{13, 20}, {20, 30}, {80, 90}, {90, 100}}) {
    for (Inbox* inbox : {&first, &second})
      if (from == 80)
        for (int epoch = 30; epoch < 80; epoch += 10) inbox->take(epoch, epoch + 10);
    const auto expected = first.take(from, to), found = second.take(from, to);
    ASSERT_EQ(found.size(), expected.size()) << from;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].step, expected[i].step);
      EXPECT_EQ(found[i].table, expected[i].table);
    }
  }
}

TEST(Trains, HandOutEveryEventOnceHoweverManyThereAre) {
  std::vector<DrivenCell> some;
  std::vector<double> expected;
  for (std::uint32_t i = 0; i < 200; ++i) {  // more than one block of them
    some.push_back({EventTrain::poisson(i % 3 == 0 ? 0 : 500, 0, 40, 7, 1, i),
                    first_stimulus_source, 3, i, 0.01 * i});
    for (EventTrain train = some.back().train; train.next_ms() < 40; train.advance())
      expected.push_back(train.next_ms() + some.back().delay_ms);
  }
  Trains trains(some);
  std::vector<double> found;
  for (std::int64_t first = 0; first < 600; first += 7) {
    double next_ms = trains.next_ms();
    trains.drive(first, first + 7, {0.1},
                 [&](std::int64_t step, double time_ms, const DrivenCell& train) {
                   EXPECT_GE(step, first);
                   EXPECT_LT(step, first + 7);
                   EXPECT_EQ(step, arrival_step(time_ms, 0.1));
                   EXPECT_GE(time_ms, next_ms);
                   EXPECT_EQ(trains.number_of(train), train.number);
                   found.push_back(time_ms);
                 });
  }
  std::ranges::sort(found);
  std::ranges::sort(expected);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(trains.next_ms(), std::numeric_limits<double>::infinity());
}

TEST(EventTrain, GoesOnFromAnyPosition) {
  EventTrain train = EventTrain::poisson(1000, 0, 1e9, 7, 1, 2);
  for (int i = 0; i < 100; ++i) {
    EventTrain other = EventTrain::poisson(1000, 0, 1e9, 7, 1, 2);
    other.go_to(train.position(), train.next_ms());
    other.advance();
    train.advance();
    EXPECT_EQ(other.next_ms(), train.next_ms()) << i;
  }
}

TEST(Trains, AreSavedByCellWhileTheyAreNotOver) {
  std::vector<DrivenCell> some;
  for (const std::uint32_t cell : {1u, 2u, 5u})  // of six
    some.push_back({EventTrain::poisson(500, 0, cell == 2 ? 0.01 : 1000, 7, 4, cell),
                    first_stimulus_source + 4, 0, cell / 2, 1, cell});
  Trains trains(some), others({some[0], some[2]});
  const auto ignore = [](std::int64_t, double, const DrivenCell&) {};
  trains.drive(0, 100, {0.1}, ignore);
  State state;
  StateWalk saving(state);
  saving.begin("exc", std::vector<std::uint64_t>{0, 10, 20, 30, 40, 50});
  trains.walk(saving);
  const CellCounts& counts = state.of("exc").columns.at("trains/4").counts;
  EXPECT_EQ(std::vector<std::uint32_t>(counts.many().begin(), counts.many().end()),
            (std::vector<std::uint32_t>{0, 2, 0, 0, 0, 2}));
  StateReader reader(state);
  StateWalk restoring(reader);
  restoring.begin_all("exc");
  others.walk(restoring);
  EXPECT_NO_THROW(reader.finish());
  EXPECT_EQ(others.next_ms(), trains.next_ms());
  EXPECT_EQ(others.all()[0].train.position(), trains.all()[0].train.position());
  EXPECT_EQ(others.all()[1].train.next_ms(), trains.all()[2].train.next_ms());
}

TEST(RecentSpikes, KeepsWhatMayStillBeOnItsWay) {
  models::Network network;
  network.populations.push_back({"exc", 0, 3, {}, {}});
  network.populations.push_back({"inh", 0, 9, {}, {}});
  RecentSpikes recent(5, 0.1);
  for (int epoch = 0; epoch < 100; ++epoch)
    recent.add(
        std::vector<std::vector<CellSpike>>{{{epoch + 0.5, CellId(2)}}, {{epoch + 0.5, CellId(1)}}},
        epoch + 1.0);
  State state;
  StateWalk walk(state);
  walk.begin("exc", std::vector<std::uint64_t>{1, 2});
  walk.begin("inh", std::vector<std::uint64_t>{0, 2, 4});
  const std::vector<std::vector<CellSpike>> more = {{{100.5, CellId(7)}, {100.5, CellId(6)}}};
  recent.save(state, network, more, 101);  // 6 is another rank's
  StateReader reader(state);
  const std::vector<CellSpike> kept = RecentSpikes::restore(reader, network);
  EXPECT_NO_THROW(reader.finish());
  ASSERT_EQ(kept.size(), 9u);  // of 96.5 … 99.5 two each, and the last
  EXPECT_EQ(kept.front(), (CellSpike{96.5, CellId(1)}));
  EXPECT_EQ(kept[1], (CellSpike{96.5, CellId(2)}));
  EXPECT_EQ(kept.back(), (CellSpike{100.5, CellId(7)}));
}

TEST(Inbox, AnEngineNamesInstances) {
  Inbox inbox = an_inbox();
  inbox.rename([](std::uint32_t mechanism, std::uint32_t i) { return 1000 + mechanism + i; });
  const FanIn& connections = inbox.table(0).connections;
  EXPECT_EQ(connections[connections.of(3).begin].instance, 1030u);
}

}  // namespace
}  // namespace hillock::network
