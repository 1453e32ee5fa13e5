#include "simulator/step/instance_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "simulator/step/refusal_text.hpp"
#include "simulator/step/watches.hpp"

namespace hillock::simulator::step {
namespace {

using mechanisms::Delivery;
using mechanisms::Message;

constexpr double dt_ms = 0.1;

/// A store in plain lists, which writes down who hears of what.
struct Listing {
  static constexpr bool sends = true, has_watches = true;

  struct Own {
    OwnEvent event;
    int instance = 0;
  };
  struct Told {
    std::string what;
    double time_ms = 0;
    bool operator==(const Told&) const = default;
  };

  std::vector<double> connections;  ///< rising
  std::vector<Own> own;             ///< in the order of sending
  std::vector<int> fires;           ///< at the next test
  bool watching = false;
  std::vector<Told> told;
  std::vector<Refusal> refused;
  std::vector<int> watched;  ///< numbers of WATCH; the first of a call negative
  double answers_ms = none;  ///< sent by whoever hears of an event of a connection

  double next_connection_ms() const { return connections.empty() ? none : connections.front(); }
  void receive_connection() {
    told.push_back({"connection", connections.front()});
    if (answers_ms != none) own.push_back({{answers_ms, 0, 1, false}, 9});
    connections.erase(connections.begin());
  }
  std::vector<Own>::iterator next_own() {
    return std::ranges::min_element(own, {}, [](const Own& one) { return one.event.time_ms; });
  }
  double next_own_ms() { return own.empty() ? none : next_own()->event.time_ms; }
  bool receive_own() {
    const auto first = next_own();
    told.push_back({"own " + std::to_string(first->instance), first->event.time_ms});
    own.erase(first);
    return true;
  }
  bool is_watching() const { return watching; }
  void test_watches(double now_ms) { told.push_back({"test", now_ms}); }
  bool receive_fired(double now_ms) {
    if (fires.empty()) return false;
    told.push_back({"fired " + std::to_string(fires.front()), now_ms});
    fires.erase(fires.begin());
    return true;
  }

  bool refuse(int, double, Refusal refusal) {
    refused.push_back(refusal);
    return false;
  }
  void watch(int, const Message& message, bool is_first) {
    watched.push_back(is_first ? -message.number : message.number);
  }
  bool send(int instance, const OwnEvent& event) {
    own.push_back({event, instance});
    return own.size() < 4;
  }
  bool move(int, double) { return false; }
  void spike(int, double time_ms) { told.push_back({"spike", time_ms}); }
};

TEST(InstanceEvents, OfOneTimeConnectionsComeFirstAndOwnEventsInTheOrderOfSending) {
  Listing store;
  store.connections = {0.98, 1.0};
  store.own = {{{1.0, 0, 0, false}, 3}, {{0.97, 0, 0, false}, 2}, {{1.0, 0, 0, false}, 1}};
  deliver(store, 10, {dt_ms});
  EXPECT_EQ(store.told, (std::vector<Listing::Told>{{"own 2", 0.97},
                                                    {"connection", 0.98},
                                                    {"connection", 1.0},
                                                    {"own 3", 1.0},
                                                    {"own 1", 1.0}}));
}

TEST(InstanceEvents, WatchesAreTestedAfterWhatArrivedUntilTheBoundaryAndBeforeTheRest) {
  Listing store;
  store.watching = true;
  store.connections = {0.96, 1.0, 1.02};
  store.own = {{{1.01, 0, 0, false}, 1}};
  store.fires = {5, 4};
  deliver(store, 10, {dt_ms});
  EXPECT_EQ(store.told, (std::vector<Listing::Told>{{"connection", 0.96},
                                                    {"connection", 1.0},
                                                    {"test", 1.0},
                                                    {"fired 5", 1.0},
                                                    {"fired 4", 1.0},
                                                    {"own 1", 1.01},
                                                    {"connection", 1.02}}));
}

TEST(InstanceEvents, WithAClockItsBoundaryAndMiddleDecideToTheLastBit) {
  const std::vector<double> clock_ms{0.9999999999999999, 1.0999999999999999};
  const network::Boundaries boundaries{dt_ms, clock_ms.data(), 10, 2};
  const double middle_ms = clock_ms[0] + 0.5 * dt_ms, later_ms = std::nextafter(middle_ms, 2);
  Listing store;
  store.watching = true;
  store.connections = {clock_ms[0], 1.0};
  store.own = {{{middle_ms, 0, 0, false}, 1}, {{later_ms, 0, 0, false}, 2}};
  store.fires = {5};
  deliver(store, 10, boundaries);
  EXPECT_EQ(store.told, (std::vector<Listing::Told>{{"connection", clock_ms[0]},
                                                    {"test", clock_ms[0]},
                                                    {"fired 5", clock_ms[0]},
                                                    {"connection", 1.0},
                                                    {"own 1", middle_ms}}));
  store.told.clear();
  store.watching = false;
  deliver(store, 11, boundaries);
  EXPECT_EQ(store.told, (std::vector<Listing::Told>{{"own 2", later_ms}}));
}

TEST(InstanceEvents, OwnEventsWaitForTheirBoundaryAndAnswersAtOnceAreHeardInTurn) {
  Listing store;
  store.connections = {1.0, 1.03};
  store.own = {{{1.06, 0, 0, false}, 1}};
  store.answers_ms = 1.03;
  deliver(store, 10, {dt_ms});
  EXPECT_EQ(store.told,
            (std::vector<Listing::Told>{
                {"connection", 1.0}, {"connection", 1.03}, {"own 9", 1.03}, {"own 9", 1.03}}));
  EXPECT_EQ(store.own.size(), 1U);
}

TEST(InstanceEvents, WhatAnInstanceAsksForIsDoneInOrder) {
  Listing store;
  Delivery delivery;
  delivery.add(Message::Kind::watch, -1, 2, 3);
  delivery.add(Message::Kind::spike, 1.0, 0, 0);
  delivery.add(Message::Kind::watch, -1, 2, 1);
  delivery.add(Message::Kind::spike, 1.5, 0, 0);
  delivery.add(Message::Kind::self, 2.0, 7, 0);
  EXPECT_TRUE(answer(store, 6, delivery, 1.0, 0.25));
  EXPECT_EQ(store.watched, (std::vector<int>{-3, 1}));
  EXPECT_EQ(store.told, (std::vector<Listing::Told>{{"spike", 1.0}}));
  ASSERT_EQ(store.own.size(), 2U);
  EXPECT_TRUE(store.own[0].event.is_spike);
  EXPECT_EQ(store.own[0].event.time_ms, 1.5);
  EXPECT_EQ(store.own[1].event.flag, 7);
  EXPECT_EQ(store.own[1].event.weight, 0.25);
  EXPECT_EQ(store.own[1].instance, 6);
}

TEST(InstanceEvents, WhatCannotBeIsRefused) {
  const auto refusal_of = [](Message::Kind kind, double time_ms, int times) {
    Listing store;
    Delivery delivery;
    for (int k = 0; k < times; ++k) delivery.add(kind, time_ms, 1, 0);
    EXPECT_FALSE(answer(store, 0, delivery, 1.0, 0));
    return store.refused.at(0);
  };
  EXPECT_EQ(refusal_of(Message::Kind::self, 0.9, 1), Refusal::not_in_future);
  EXPECT_EQ(refusal_of(Message::Kind::self, NAN, 1), Refusal::not_in_future);
  EXPECT_EQ(refusal_of(Message::Kind::move, 1.2, 1), Refusal::moves_nothing);
  EXPECT_EQ(refusal_of(Message::Kind::self, 1.2, 4), Refusal::too_many_awaited);
  EXPECT_EQ(refusal_of(Message::Kind::self, 1.2, Delivery::most_messages + 1),
            Refusal::too_many_messages);
  EXPECT_NE(text_of(Refusal::moves_nothing, 0), text_of(Refusal::not_in_future, 0));
}

Message watch_of(int number, double condition) {
  return {Message::Kind::watch, condition, 1, number};
}

TEST(Watches, FireWhenTheConditionComesTrueAndNotWhileItHolds) {
  WatchBits bits{};
  activate(bits, watch_of(1, -0.5), true);
  const auto fires_at = [&](double condition) {
    const bool fires = test(bits, 2, [&](int n) { return n == 1 ? condition : 1.0; });
    bits.fired = 0;
    return fires;
  };
  EXPECT_FALSE(fires_at(0));
  EXPECT_TRUE(fires_at(0.1));
  EXPECT_FALSE(fires_at(0.2));
  EXPECT_FALSE(fires_at(-0.1));
  EXPECT_TRUE(fires_at(0.1));
}

TEST(Watches, AConditionThatHoldsWhenItIsReachedFiresOnlyAfterItWasFalse) {
  for (const double condition : {0.5, 0.0, -1e-12}) {
    WatchBits bits{};
    activate(bits, watch_of(0, condition), true);
    EXPECT_FALSE(test(bits, 1, [](int) { return 1.0; })) << condition;
    EXPECT_FALSE(test(bits, 1, [](int) { return -1.0; }));
    EXPECT_TRUE(test(bits, 1, [](int) { return 1.0; }));
  }
}

TEST(Watches, TheFirstOfACallEndsThoseOfEarlierCallsHeardOfOrNot) {
  WatchBits bits{};
  activate(bits, watch_of(0, -1), true);
  activate(bits, watch_of(2, -1), false);
  EXPECT_TRUE(test(bits, 3, [](int) { return 1.0; }));
  EXPECT_EQ(bits.fired, 0b101U);
  activate(bits, watch_of(1, -1), true);
  EXPECT_EQ(bits.active, 0b10U);
  EXPECT_EQ(bits.fired, 0U);
}

}  // namespace
}  // namespace hillock::simulator::step
