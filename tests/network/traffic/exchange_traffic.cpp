// What an exchange of spikes sends, counted: ranks as threads with synthetic spikes. Prints
// messages and bytes beside their closed form and fails where these differ. Counts no time.
//   exchange_traffic [RANKS...]     4, 16 and 64 unless told

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/random/random.hpp"
#include "network/rank_exchange.hpp"
#include "network/thread_ranks.hpp"

namespace hillock::network {
namespace {

constexpr std::uint64_t epochs = 20, seed = 12;
constexpr std::uint64_t spike_bytes = 16, header_bytes = 32;
static_assert(sizeof(CellSpike) == spike_bytes && sizeof(Said) == header_bytes);

using Counts = std::vector<std::vector<std::uint64_t>>;  // [epoch][rank] spikes

struct Case {
  std::string name;
  ExchangeKind kind = ExchangeKind::all;
  std::size_t ranks = 0;
  double mean = 0;                          ///< spikes of a rank in an epoch
  std::size_t burst = 0;                    ///< of one rank in every fifth epoch
  std::vector<Neighbours> neighbours = {};  ///< [rank]
};

/// Poisson numbers; ranks differ in their rates by up to three times.
Counts draw_counts(const Case& c) {
  Counts counts(epochs, std::vector<std::uint64_t>(c.ranks));
  for (std::size_t rank = 0; rank < c.ranks; ++rank) {
    const double rate =
        c.mean * (0.5 + RandomStream(seed, Purpose::parameter, {rank, 0, 0}).uniform());
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
      RandomStream draws(seed, Purpose::poisson, {rank, epoch, 0});
      for (double t = draws.exponential(); t < rate; t += draws.exponential())
        ++counts[epoch][rank];
      if (epoch % 5 == 2 && rank == (7 * epoch) % c.ranks) counts[epoch][rank] += c.burst;
    }
  }
  return counts;
}

SpikeLists make_spikes(std::uint64_t count, std::size_t rank, std::size_t epoch) {
  SpikeLists spikes(1);
  for (std::uint64_t i = 0; i < count; ++i)
    spikes[0].push_back({static_cast<double>(epoch), CellId(1000 * rank + i)});
  return spikes;
}

/// As the exchange sends them. Throws std::logic_error where a rank gets another number of spikes.
Traffic count_traffic(const Case& c, const Counts& counts) {
  return run_ranks(static_cast<int>(c.ranks), [&](Ranks& ranks) {
    const auto own = static_cast<std::size_t>(ranks.number());
    const Neighbours& neighbours = c.neighbours[own];
    const auto exchange = make_exchange(ranks, neighbours, c.kind);
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
      const auto& of_ranks = counts[epoch];
      const SpikeLists spikes = make_spikes(of_ranks[own], own, epoch);
      exchange->send(spikes, {});
      const Exchange::Received received = exchange->receive();
      std::uint64_t all = 0, expected = of_ranks[own], got = 0;
      for (const std::uint64_t count : of_ranks) all += count;
      for (const int rank : neighbours.from) expected += of_ranks[static_cast<std::size_t>(rank)];
      for (const auto& some : received.spikes) got += some.size();
      if (received.said.spikes != all || got != (c.kind == ExchangeKind::all ? all : expected))
        throw std::logic_error("a rank got another number of spikes");
    }
  });
}

/// Spikes for which a block has room after an epoch (network/rank_exchange.cpp).
std::uint64_t room_after(std::uint64_t most, std::uint64_t mean) {
  return std::clamp<std::uint64_t>(std::bit_ceil(std::min(most + most / 4, 8 * mean)), 8, 4096);
}

/// Every rank gets a block of every other one, and what found no room there.
Traffic expect_gathers(const Case& c, const Counts& counts) {
  Traffic traffic;
  const std::uint64_t others = c.ranks - 1;
  std::uint64_t room = 8;
  for (const auto& of_ranks : counts) {
    std::uint64_t most = 0, all = 0, rest = 0;
    for (const std::uint64_t count : of_ranks) {
      most = std::max(most, count);
      all += count;
      rest += count - std::min(room, count);
    }
    traffic.gathers += rest > 0 ? 2 : 1;
    traffic.bytes += others * c.ranks * (header_bytes + room * spike_bytes);
    traffic.bytes += others * rest * spike_bytes;
    room = room_after(most, (all + others) / c.ranks);
  }
  return traffic;
}

/// Every rank sends its spikes to each that listens.
Traffic expect_messages(const Case& c, const Counts& counts) {
  Traffic traffic;
  for (const auto& of_ranks : counts) {
    ++traffic.sums;
    for (std::size_t rank = 0; rank < c.ranks; ++rank) {
      traffic.messages += c.neighbours[rank].to.size();
      traffic.bytes += c.neighbours[rank].to.size() * of_ranks[rank] * spike_bytes;
    }
  }
  return traffic;
}

/// Bytes that a rank gets in an epoch, by the mean number of spikes alone.
double expect_bytes(const Case& c) {
  if (c.kind == ExchangeKind::neighbours)
    return static_cast<double>(spike_bytes * c.neighbours[0].from.size()) * c.mean;
  const double highest = 1.5 * c.mean;  // of the rank with the highest rate
  const double most = highest + std::sqrt(2 * highest * std::log(static_cast<double>(c.ranks)));
  const std::uint64_t room =
      room_after(static_cast<std::uint64_t>(most), static_cast<std::uint64_t>(std::ceil(c.mean)));
  return static_cast<double>((c.ranks - 1) * (header_bytes + room * spike_bytes));
}

bool are_equal(const Traffic& a, const Traffic& b) {
  return a.gathers == b.gathers && a.sums == b.sums && a.messages == b.messages &&
         a.bytes == b.bytes;
}

bool report(const Case& c) {
  const Counts counts = draw_counts(c);
  const Traffic counted = count_traffic(c, counts);
  const Traffic expected =
      c.kind == ExchangeKind::all ? expect_gathers(c, counts) : expect_messages(c, counts);
  const double each = static_cast<double>(c.ranks * epochs);
  const auto per_epoch = [](std::uint64_t n) { return static_cast<double>(n) / epochs; };
  const bool is_right = are_equal(counted, expected);
  fmt::print("| {} | {} | {} | {:.2f} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {} |{}\n", c.name,
             c.ranks, c.mean, per_epoch(counted.gathers), per_epoch(counted.sums),
             static_cast<double>(counted.messages) / each,
             static_cast<double>(counted.bytes) / each, static_cast<double>(expected.bytes) / each,
             c.burst > 0 ? "" : fmt::format("{:.0f}", expect_bytes(c)),
             is_right ? "" : " NOT WHAT IS EXPECTED");
  std::fflush(stdout);
  return is_right;
}

/// Which ranks each one listens to: those within `half` of it in a ring.
std::vector<std::vector<bool>> ring(std::size_t ranks, std::size_t half) {
  std::vector<std::vector<bool>> sources(ranks, std::vector<bool>(ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t d = 1; d <= half; ++d)
      sources[rank][(rank + d) % ranks] = sources[rank][(rank + ranks - d % ranks) % ranks] = true;
  return sources;
}

std::vector<std::vector<bool>> random_sources(std::size_t ranks, std::size_t degree) {
  std::vector<std::vector<bool>> sources(ranks, std::vector<bool>(ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    RandomStream draws(seed, Purpose::connect, {rank, 0, 0});
    for (std::size_t k = 0; k < std::min(degree, ranks - 1);) {
      const std::uint64_t other = draws.below(ranks);
      if (other == rank || sources[rank][other]) continue;
      sources[rank][other] = true;
      ++k;
    }
  }
  return sources;
}

/// Asks as a run does when it begins; fails where that takes more than a bit a pair of ranks.
std::vector<Neighbours> ask(const std::vector<std::vector<bool>>& sources) {
  const std::size_t count = sources.size();
  std::vector<Neighbours> neighbours(count);
  const Traffic traffic = run_ranks(static_cast<int>(count), [&](Ranks& ranks) {
    const auto own = static_cast<std::size_t>(ranks.number());
    neighbours[own] = find_neighbours(ranks, sources[own]);
  });
  if (traffic.gathers != 1 || traffic.bytes != count * (count - 1) * ((count + 7) / 8))
    throw std::logic_error("finding neighbours takes more than a bit a pair of ranks");
  return neighbours;
}

bool report_all(std::size_t ranks) {
  bool are_right = true;
  for (const double mean : {0.5, 2.0, 20.0}) {
    are_right &= report({"all", ExchangeKind::all, ranks, mean, 0, std::vector<Neighbours>(ranks)});
    are_right &= report(
        {"ring of 6 neighbours", ExchangeKind::neighbours, ranks, mean, 0, ask(ring(ranks, 3))});
    are_right &= report({"random, of 32 each", ExchangeKind::neighbours, ranks, mean, 0,
                         ask(random_sources(ranks, 32))});
  }
  return are_right & report({"all, bursts of 5,000", ExchangeKind::all, ranks, 2, 5000,
                             std::vector<Neighbours>(ranks)});
}

}  // namespace
}  // namespace hillock::network

int main(int count, char** arguments) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::strtoul(arguments[i], nullptr, 10));
  if (sizes.empty()) sizes = {4, 16, 64};
  fmt::print(
      "| exchange | ranks | spikes a rank and epoch, mean | gathers an epoch | sums an epoch | "
      "messages a rank and epoch | bytes a rank and epoch | by the closed form | by the mean alone "
      "|\n|{}\n",
      std::string("---|---|---|---|---|---|---|---|---|"));
  bool are_right = true;
  for (const std::size_t ranks : sizes) {
    if (ranks < 2) {
      fmt::print(stderr, "exchange_traffic: RANKS is a number from 2 on\n");
      return 2;
    }
    are_right &= hillock::network::report_all(ranks);
  }
  return are_right ? 0 : 1;
}
