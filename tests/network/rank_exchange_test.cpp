// Spikes between ranks: everyone gets what he is to get, whatever the numbers of spikes, and waits
// for nobody who waits for him.

#include "network/rank_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "network/agreement.hpp"
#include "network/thread_ranks.hpp"
#include "tests/network/within.hpp"

namespace hillock::network {
namespace {

using namespace std::chrono_literals;
using Counts = std::vector<std::vector<std::size_t>>;  // [epoch][rank] spikes
using Graph = std::vector<std::vector<bool>>;          // [rank][rank that projects to it]

constexpr std::size_t pieces = 3;

std::vector<CellSpike> spikes_of(std::size_t epoch, std::size_t rank, std::size_t count) {
  std::vector<CellSpike> spikes;
  for (std::size_t i = 0; i < count; ++i)
    spikes.push_back({static_cast<double>(epoch) + static_cast<double>(i) * 1e-6,
                      CellId(1000 * rank + i % 997)});
  return spikes;
}

/// In pieces, of which some are empty.
SpikeLists lists_of(const std::vector<CellSpike>& spikes) {
  SpikeLists lists(pieces + 1);
  for (std::size_t i = 0; i < spikes.size(); ++i) lists[i % pieces].push_back(spikes[i]);
  return lists;
}

std::vector<CellSpike> sorted(std::span<const std::vector<CellSpike>> lists) {
  std::vector<CellSpike> all;
  for (const auto& some : lists) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  return all;
}

Said said_by(std::size_t epoch, std::size_t rank) {
  return {(epoch + rank) % 3 == 0, rank % 2, epoch % 2, 99};
}

/// What a rank is to get of an epoch. gets: [rank] whose spikes.
Exchange::Received check(const Exchange::Received& received, std::size_t epoch,
                         const std::vector<std::size_t>& counts, const std::vector<bool>& gets) {
  SpikeLists expected;
  Said said;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (gets[rank]) expected.push_back(spikes_of(epoch, rank, counts[rank]));
    const Said words = said_by(epoch, rank);
    said.failures += words.failures;
    said.outputs += words.outputs;
    said.saves += words.saves;
    said.spikes += counts[rank];
  }
  EXPECT_EQ(sorted(received.spikes), sorted(expected)) << "epoch " << epoch;
  EXPECT_EQ(received.said.failures, said.failures);
  EXPECT_EQ(received.said.outputs, said.outputs);
  EXPECT_EQ(received.said.saves, said.saves);
  EXPECT_EQ(received.said.spikes, said.spikes);
  return received;
}

/// Exchanges all epochs, each before the next is sent; what came stays there meanwhile.
void exchange_all(Ranks& ranks, Exchange& exchange, const Counts& counts,
                  const std::vector<bool>& gets) {
  const auto own = static_cast<std::size_t>(ranks.number());
  for (std::size_t epoch = 0; epoch < counts.size(); ++epoch) {
    const SpikeLists spikes = lists_of(spikes_of(epoch, own, counts[epoch][own]));
    exchange.send(spikes, said_by(epoch, own));
    check(exchange.receive(), epoch, counts[epoch], gets);
  }
  ranks.finish_sends(Channel::spikes);
}

/// The same, an epoch's spikes being received when the next one is over.
void exchange_later(Ranks& ranks, Exchange& exchange, const Counts& counts,
                    const std::vector<bool>& gets) {
  const auto own = static_cast<std::size_t>(ranks.number());
  std::vector<SpikeLists> all(counts.size());
  for (std::size_t epoch = 0; epoch <= counts.size(); ++epoch) {
    Exchange::Received before;
    if (epoch > 0) before = exchange.receive();
    if (epoch < counts.size()) {
      all[epoch] = lists_of(spikes_of(epoch, own, counts[epoch][own]));
      exchange.send(all[epoch], said_by(epoch, own));
    }
    if (epoch > 0) check(before, epoch - 1, counts[epoch - 1], gets);
  }
  ranks.finish_sends(Channel::spikes);
}

/// Mostly few spikes or none; now and then more than any block has room for.
Counts random_counts(std::size_t epochs, std::size_t ranks, unsigned seed) {
  std::mt19937 random(seed);
  Counts counts(epochs, std::vector<std::size_t>(ranks));
  constexpr std::size_t most[] = {0, 1, 5, 9, 60, 700, 6000};
  for (auto& epoch : counts) {
    const std::size_t kind = random() % std::size(most);
    for (auto& count : epoch) count = random() % 3 == 0 ? 0 : random() % (most[kind] + 1);
  }
  return counts;
}

Graph random_graph(std::size_t ranks, unsigned percent, unsigned seed) {
  std::mt19937 random(seed);
  Graph graph(ranks, std::vector<bool>(ranks));
  for (auto& row : graph)
    for (std::size_t rank = 0; rank < ranks; ++rank) row[rank] = random() % 100 < percent;
  return graph;
}

void check_neighbours(const Graph& graph, const Counts& counts) {
  run_ranks(static_cast<int>(graph.size()), [&](Ranks& ranks) {
    const auto own = static_cast<std::size_t>(ranks.number());
    const Neighbours neighbours = find_neighbours(ranks, graph[own]);
    std::vector<bool> gets = graph[own];
    gets[own] = true;
    exchange_all(ranks, *make_exchange(ranks, neighbours, ExchangeKind::neighbours), counts, gets);
    exchange_later(ranks, *make_exchange(ranks, neighbours, ExchangeKind::neighbours), counts,
                   gets);
  });
}

TEST(GatherExchange, EveryRankGetsAllSpikes) {
  within(120s, [] {
    for (std::size_t count = 1; count <= 9; ++count) {
      const Counts counts = random_counts(25, count, static_cast<unsigned>(count));
      const std::vector<bool> gets(count, true);
      run_ranks(static_cast<int>(count), [&](Ranks& ranks) {
        exchange_all(ranks, *make_exchange(ranks, {}, ExchangeKind::all), counts, gets);
        exchange_later(ranks, *make_exchange(ranks, {}, ExchangeKind::all), counts, gets);
      });
    }
  });
}

TEST(GatherExchange, BlocksFollowTheSpikes) {
  // What finds no room in a block takes a gather more: of 9 spikes where there is room for 8, and
  // of more than 4096, for which there is never room.
  const std::vector<std::pair<std::size_t, std::uint64_t>> spikes_and_gathers = {
      {9, 2},  {16, 1}, {17, 1},   {25, 1},   {33, 2},   {0, 1}, {8, 1},
      {17, 2}, {0, 1},  {4096, 2}, {4096, 1}, {4097, 2}, {1, 1}, {9, 2}};
  for (std::size_t last = 1; last <= spikes_and_gathers.size(); ++last) {
    std::uint64_t gathers = 0;
    Counts counts;
    for (std::size_t epoch = 0; epoch < last; ++epoch) {
      counts.push_back({0, spikes_and_gathers[epoch].first, 0});
      gathers += spikes_and_gathers[epoch].second;
    }
    const Traffic traffic = run_ranks(3, [&](Ranks& ranks) {
      exchange_all(ranks, *make_exchange(ranks, {}, ExchangeKind::all), counts, {true, true, true});
    });
    EXPECT_EQ(traffic.gathers, gathers) << "after " << last << " epochs";
    EXPECT_EQ(traffic.messages, 0u);
  }
}

TEST(GatherExchange, ABurstOfOneRankDoesNotFillTheBlocksOfAll) {
  // 40 blocks of 4,096 spikes would be 2.6 MB for every rank.
  constexpr std::size_t count = 40, burst = 4000;
  Counts counts(4, std::vector<std::size_t>(count));
  counts[1][17] = counts[2][3] = burst;
  const Traffic traffic = run_ranks(count, [&](Ranks& ranks) {
    exchange_all(ranks, *make_exchange(ranks, {}, ExchangeKind::all), counts,
                 std::vector<bool>(count, true));
  });
  // 8 · 4000/40 spikes find room after a burst, 8 before it.
  const std::uint64_t blocks = 4 * sizeof(Said) + (8 + 8 + 1024 + 1024) * sizeof(CellSpike);
  const std::uint64_t rests = (burst - 8 + burst - 1024) * sizeof(CellSpike);
  EXPECT_EQ(traffic.gathers, 6u);
  EXPECT_EQ(traffic.bytes, (count - 1) * (count * blocks + rests));
}

TEST(NeighbourExchange, EveryRankGetsThoseOfItsSources) {
  within(120s, [] {
    for (std::size_t count = 1; count <= 9; ++count)
      for (const unsigned percent : {0U, 20U, 60U, 100U}) {
        const auto seed = static_cast<unsigned>(100 * count + percent);
        check_neighbours(random_graph(count, percent, seed), random_counts(12, count, seed));
      }
  });
}

TEST(NeighbourExchange, WorksOneWay) {
  within(60s, [] {
    Graph chain(5, std::vector<bool>(5));
    for (std::size_t rank = 1; rank < 5; ++rank) chain[rank][rank - 1] = true;
    check_neighbours(chain, random_counts(20, 5, 1));
    Graph from_one(5, std::vector<bool>(5));
    for (auto& row : from_one) row[3] = true;
    check_neighbours(from_one, random_counts(20, 5, 2));
  });
}

TEST(NeighbourExchange, SendsAMessageALink) {
  const Graph graph = random_graph(9, 30, 7);
  const Counts counts = random_counts(10, 9, 8);
  std::vector<Neighbours> neighbours(graph.size());
  run_ranks(9, [&](Ranks& ranks) {
    const auto own = static_cast<std::size_t>(ranks.number());
    neighbours[own] = find_neighbours(ranks, graph[own]);
  });
  std::uint64_t links = 0, spikes = 0;
  for (std::size_t to = 0; to < 9; ++to)
    for (std::size_t from = 0; from < 9; ++from)
      if (from != to && graph[to][from]) {
        ++links;
        for (const auto& epoch : counts) spikes += epoch[from];
      }
  const Traffic traffic = run_ranks(9, [&](Ranks& ranks) {
    const auto own = static_cast<std::size_t>(ranks.number());
    std::vector<bool> gets = graph[own];
    gets[own] = true;
    exchange_all(ranks, *make_exchange(ranks, neighbours[own], ExchangeKind::neighbours), counts,
                 gets);
  });
  EXPECT_EQ(traffic.messages, links * counts.size());
  EXPECT_EQ(traffic.bytes, spikes * sizeof(CellSpike));
  EXPECT_EQ(traffic.sums, counts.size());
  EXPECT_EQ(traffic.gathers, 0u);
}

TEST(Neighbours, AreToldWhoListens) {
  for (const std::size_t count : {1, 2, 7, 8, 9, 16, 17, 40}) {
    const Graph graph = random_graph(count, 40, static_cast<unsigned>(count));
    run_ranks(static_cast<int>(count), [&](Ranks& ranks) {
      const auto own = static_cast<std::size_t>(ranks.number());
      std::vector<int> from, to;
      for (std::size_t rank = 0; rank < count; ++rank) {
        if (rank == own) continue;
        if (graph[own][rank]) from.push_back(static_cast<int>(rank));
        if (graph[rank][own]) to.push_back(static_cast<int>(rank));
      }
      const Neighbours neighbours = find_neighbours(ranks, graph[own]);
      EXPECT_EQ(neighbours.from, from);
      EXPECT_EQ(neighbours.to, to);
    });
  }
}

ExchangeKind chosen(int count, int degree, ExchangeKind wish) {
  std::vector<ExchangeKind> kinds(static_cast<std::size_t>(count));
  run_ranks(count, [&](Ranks& ranks) {
    Neighbours neighbours;
    for (int i = 1; i <= degree; ++i) neighbours.from.push_back((ranks.number() + i) % count);
    kinds[static_cast<std::size_t>(ranks.number())] = choose_exchange(ranks, neighbours, wish);
  });
  EXPECT_EQ(std::set(kinds.begin(), kinds.end()).size(), 1u);
  return kinds.front();
}

TEST(ChosenExchange, IsBetweenNeighboursWhereTheseAreFew) {
  EXPECT_EQ(chosen(8, 2, ExchangeKind::automatic), ExchangeKind::all);
  EXPECT_EQ(chosen(16, 2, ExchangeKind::automatic), ExchangeKind::neighbours);
  EXPECT_EQ(chosen(16, 15, ExchangeKind::automatic), ExchangeKind::all);
  EXPECT_EQ(chosen(4, 3, ExchangeKind::neighbours), ExchangeKind::neighbours);
  EXPECT_EQ(chosen(16, 1, ExchangeKind::all), ExchangeKind::all);
}

/// What else ranks do together while spikes are on their way.
TEST(RankExchange, LeavesSumsAndOtherMessagesAlone) {
  within(60s, [] {
    for (const ExchangeKind kind : {ExchangeKind::all, ExchangeKind::neighbours})
      run_ranks(4, [&](Ranks& ranks) {
        const auto own = static_cast<std::size_t>(ranks.number());
        const std::vector<bool> all(4, true);
        const auto exchange = make_exchange(ranks, find_neighbours(ranks, all), kind);
        const std::vector<std::size_t> counts = {1000, 3, 0, 200};
        Bytes output(100, std::byte{7});
        for (std::size_t epoch = 0; epoch < 5; ++epoch) {
          const SpikeLists spikes = lists_of(spikes_of(epoch, own, counts[own]));
          exchange->send(spikes, said_by(epoch, own));
          EXPECT_EQ(sum_of_all(ranks, own + epoch), 6 + 4 * epoch);
          if (own == 0)
            for (int rank = 1; rank < 4; ++rank)
              EXPECT_EQ(ranks.receive(rank, Channel::output), output);
          else
            ranks.send(0, Channel::output, output);
          ranks.finish_sends(Channel::output);
          check(exchange->receive(), epoch, counts, all);
        }
        ranks.finish_sends(Channel::spikes);
      });
  });
}

}  // namespace
}  // namespace hillock::network
