// fixed_total_number on many threads: the pairs that one thread would draw one after the other.

#include "network/total_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "network/connectivity.hpp"

namespace hillock::network {
namespace {

using models::Autapses;
using models::Multapses;

struct Case {
  std::uint64_t cells, from, to;  ///< sources and targets: the slices [from, cells), [0, to)
  std::uint64_t number;
  Multapses multapses = Multapses::forbidden;
  Autapses autapses = Autapses::forbidden;
};

models::Network network_of(const Case& c) {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 11;
  network.cells.resize(1);
  network.populations.push_back({"a", 0, c.cells, {}, {}});
  models::Projection p;
  p.from = {PopulationId(0), c.from, c.cells, {}};
  p.to = {PopulationId(0), 0, c.to, {}};
  p.connect.kind = models::ConnectionRule::Kind::fixed_total_number;
  p.connect.number = c.number;
  p.connect.multapses = c.multapses;
  p.connect.autapses = c.autapses;
  p.weight = 0.5;
  p.delay.base_ms = 1.0;
  network.projections = {p};
  return network;
}

/// [target] its sources, rising.
using Sources = std::vector<std::vector<std::uint32_t>>;

Sources one_after_the_other(const Case& c, const models::Network& network) {
  RandomStream stream(network.run.seed, Purpose::connect, {0, 0, 0});
  const ConnectionDraws draws(network, 0);
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;
  Sources sources(c.to);
  for (std::uint64_t found = 0; found < c.number;) {
    const std::uint64_t s = c.from + stream.below(c.cells - c.from);
    const std::uint64_t t = stream.below(c.to);
    if (draws.forbids(s, t)) continue;
    if (c.multapses == Multapses::forbidden && !known.emplace(s, t).second) continue;
    sources[t].push_back(static_cast<std::uint32_t>(s));
    ++found;
  }
  for (auto& some : sources) std::ranges::sort(some);
  return sources;
}

void on_threads(std::size_t n, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = n; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
}

TEST(TotalPairs, AreTheFirstOfTheStreamOnAnyThread) {
  const Case cases[] = {{1000, 0, 1000, 150000},                      // several pieces
                        {1000, 0, 1000, 150000, Multapses::allowed},  //
                        {300, 0, 300, 300 * 299},                     // all there are
                        {300, 0, 300, 90000, Multapses::forbidden, Autapses::allowed},  //
                        {7, 0, 7, 40},                                        // fewer than spans
                        {1, 0, 1, 3, Multapses::allowed, Autapses::allowed},  // one pair again
                        {100000, 5, 70000, 50000},                            // few of many
                        {1000, 600, 650, 20000, Multapses::allowed},          // slices that overlap
                        {1000, 600, 650, 20000, Multapses::forbidden, Autapses::allowed}};  //
  for (const Case& c : cases) {
    const models::Network network = network_of(c);
    const Sources expected = one_after_the_other(c, network);
    const Connector one(network, 0), many(network, 0, on_threads);
    Connector::Scratch scratch;
    for (std::uint64_t t = 0; t < c.to; ++t) {
      ASSERT_TRUE(std::ranges::equal(one.sources(t, scratch), expected[t]))
          << c.number << ", " << t;
      ASSERT_TRUE(std::ranges::equal(many.sources(t, scratch), expected[t]))
          << c.number << ", " << t;
    }
  }
}

TEST(PairsByTarget, SpansCoverAllTargetsOnce) {
  for (const std::uint64_t size : {1u, 5u, 255u, 256u, 257u, 100000u}) {
    const TargetSpans spans(3, 3 + size);
    EXPECT_LE(spans.count(), 256u);
    std::uint64_t at = 3;
    for (std::size_t s = 0; s < spans.count(); ++s) {
      EXPECT_EQ(spans.begin(s), at);
      EXPECT_EQ(spans.of(static_cast<std::uint32_t>(at)), s);
      at = spans.end(s);
      EXPECT_EQ(spans.of(static_cast<std::uint32_t>(at - 1)), s);
    }
    EXPECT_EQ(at, 3 + size);
  }
}

}  // namespace
}  // namespace hillock::network
