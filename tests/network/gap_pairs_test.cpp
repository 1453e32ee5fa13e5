// Gap junctions as their rules draw them: the same pairs and the same order of voltages wherever
// cells are.

#include "network/gap_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "network/gap_exchange.hpp"
#include "network/thread_ranks.hpp"

namespace hillock::network {
namespace {

using models::ConnectionRule;

models::Network coupled() {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 3;
  network.cells.resize(1);
  network.populations.push_back({"a", 0, 40, {}, {}});
  network.populations.push_back({"b", 0, 30, {}, {}});
  const auto add = [&](std::uint32_t from, std::uint32_t to, ConnectionRule::Kind kind,
                       bool is_mutual) {
    models::Projection p;
    p.from = {PopulationId(from), 0, network.populations[from].size, {}};
    p.to = {PopulationId(to), 0, network.populations[to].size, {}};
    p.connect.kind = kind;
    p.connect.probability = 0.2;
    p.connect.number = 25;
    models::GapJunction junction;
    junction.g_uS = 1e-3;
    if (!is_mutual) junction.mechanism = models::MechanismUse{"gap", {}, {}};
    p.link = junction;
    network.projections.push_back(p);
  };
  add(0, 0, ConnectionRule::Kind::pairwise_bernoulli, true);
  add(1, 0, ConnectionRule::Kind::fixed_total_number, false);
  add(0, 1, ConnectionRule::Kind::one_to_one, true);
  network.projections[2].from.end = 30;
  return network;
}

GapTable table_of(const models::Network& network, const GapTable::IsHere& is_here) {
  std::vector<std::unique_ptr<const Connector>> connectors;
  for (std::size_t p = 0; p < network.projections.size(); ++p)
    connectors.push_back(std::make_unique<Connector>(network, p));
  return GapTable(network, connectors, is_here);
}

TEST(GapTable, OfOneRankReadsWhatItPublishesFromTheOtherEnd) {
  const auto network = coupled();
  const GapTable table = table_of(network, [](PopulationId, std::uint64_t) { return true; });
  EXPECT_EQ(table.drawn(), table.pairs().size());
  EXPECT_GT(table.drawn(), 300u);
  const GapValues& voltages = table.values();
  ASSERT_GT(voltages.own, 300u);
  EXPECT_EQ(voltages.size(), voltages.own);
  std::vector<std::pair<std::uint32_t, GapSide>> publisher(voltages.own), reader(voltages.own);
  std::size_t ends = 0;
  for (std::uint64_t c = 0; c < 70; ++c)
    for (const GapEnd& end : table.ends_of(CellId(c))) {
      ++ends;
      EXPECT_EQ(end.cell, CellId(c));
      const GapPair& pair = table.pairs()[end.pair];
      const bool is_mutual = pair.projection != 1;
      EXPECT_EQ(end.publishes != GapEnd::none, is_mutual || end.side == GapSide::source);
      EXPECT_EQ(end.reads != GapEnd::none, is_mutual || end.side == GapSide::target);
      const GapSide other = end.side == GapSide::source ? GapSide::target : GapSide::source;
      if (end.publishes != GapEnd::none) publisher[end.publishes] = {end.pair, end.side};
      if (end.reads != GapEnd::none) reader[end.reads] = {end.pair, other};
    }
  EXPECT_EQ(ends, 2 * table.pairs().size());
  EXPECT_EQ(publisher, reader);
  EXPECT_TRUE(std::ranges::is_sorted(publisher));
}

TEST(GapTable, EndsOfACellComeInTheOrderOfProjectionPairAndSide) {
  auto network = coupled();
  network.projections[0].connect.autapses = models::Autapses::allowed;
  const GapTable table = table_of(network, [](PopulationId, std::uint64_t) { return true; });
  for (std::uint64_t c = 0; c < 70; ++c) {
    std::tuple<std::uint32_t, std::uint64_t, GapSide> last{0, 0, GapSide::source};
    for (const GapEnd& end : table.ends_of(CellId(c))) {
      const GapPair& pair = table.pairs()[end.pair];
      const std::tuple now{pair.projection, pair.number, end.side};
      EXPECT_LE(last, now);
      last = now;
    }
  }
}

/// What goes from one rank to another stands in one order on both, and every pair has the number
/// that it has on a single rank.
TEST(GapTable, RanksAgreeWithoutAskingEachOther) {
  const auto network = coupled();
  constexpr std::uint64_t ranks = 3;
  const auto rank_of = [](CellId cell) { return cell.value * 7 % ranks; };
  const auto id_of = [&](PopulationId population, std::uint64_t cell) {
    return CellId(network.first_cell(population).value + cell);
  };
  const GapTable all = table_of(network, [](PopulationId, std::uint64_t) { return true; });
  std::vector<GapTable> parts;
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    parts.push_back(table_of(network, [&](PopulationId population, std::uint64_t cell) {
      return rank_of(id_of(population, cell)) == rank;
    }));
  using Voltage = std::tuple<std::uint32_t, std::uint64_t, bool>;  // of the source's side
  const auto voltages = [&](std::uint64_t rank, std::uint64_t other, bool are_read) {
    std::vector<std::pair<std::uint32_t, Voltage>> found;
    for (std::uint64_t c = 0; c < 70; ++c)
      for (const GapEnd& end : parts[rank].ends_of(CellId(c))) {
        const GapPair& pair = parts[rank].pairs()[end.pair];
        const bool is_source = end.side == GapSide::source;
        if (rank_of(is_source ? pair.target_id : pair.source_id) != other) continue;
        const std::uint32_t slot = are_read ? end.reads : end.publishes;
        if (slot != GapEnd::none)
          found.push_back({slot, {pair.projection, pair.number, are_read != is_source}});
      }
    std::ranges::sort(found);
    std::vector<Voltage> in_order;
    for (const auto& [slot, voltage] : found) in_order.push_back(voltage);
    return in_order;
  };
  std::size_t sent = 0;
  for (std::uint64_t a = 0; a < ranks; ++a) {
    EXPECT_EQ(parts[a].drawn(), all.drawn());
    for (const GapPair& pair : parts[a].pairs())
      EXPECT_TRUE(std::ranges::any_of(all.pairs(), [&](const GapPair& known) {
        return known.projection == pair.projection && known.number == pair.number &&
               known.source_id == pair.source_id && known.target_id == pair.target_id &&
               known.k == pair.k;
      }));
    for (std::uint64_t b = 0; b < ranks; ++b) {
      EXPECT_EQ(voltages(a, b, false), voltages(b, a, true)) << a << " to " << b;
      sent += voltages(a, b, false).size();
    }
  }
  EXPECT_EQ(sent, all.values().size());
}

/// Of more targets than are drawn at a time, wherever a pair's ends are.
TEST(GapTable, NumbersPairsByTargetSourceAndCount) {
  auto network = coupled();
  constexpr std::uint64_t size = 2500;
  network.populations[0].size = size;
  network.projections[0].from.end = network.projections[0].to.end = size;
  network.projections[0].connect.probability = 1e-3;
  network.projections[1].to.end = size;
  network.projections[1].connect.number = 4000;
  network.projections[1].connect.multapses = models::Multapses::allowed;
  std::vector<std::vector<Connection>> expected;
  std::size_t drawn = 0;
  for (std::size_t p = 0; p < network.projections.size(); ++p)
    drawn += expected.emplace_back(connect(network, p)).size();
  for (const std::uint64_t some : {1, 3}) {
    const auto is_here = [&](PopulationId, std::uint64_t cell) { return cell % some == 0; };
    const GapTable table = table_of(network, is_here);
    EXPECT_EQ(table.drawn(), drawn);
    std::vector<std::vector<std::uint64_t>> numbers(expected.size()), known(expected.size());
    for (std::size_t p = 0; p < expected.size(); ++p)
      for (std::size_t i = 0; i < expected[p].size(); ++i)
        if (is_here({}, expected[p][i].source) || is_here({}, expected[p][i].target))
          known[p].push_back(i);
    for (const GapPair& pair : table.pairs()) {
      numbers.at(pair.projection).push_back(pair.number);
      const Connection& connection = expected[pair.projection].at(pair.number);
      EXPECT_EQ(pair.source, connection.source);
      EXPECT_EQ(pair.target, connection.target);
      EXPECT_EQ(pair.k, connection.k);
    }
    EXPECT_EQ(numbers, known) << some;
  }
}

/// The parts are told apart by where a voltage's two ends are.
TEST(GapTable, NumbersVoltagesThatStayThenThoseThatLeaveThenThoseThatCome) {
  const auto network = coupled();
  const auto is_here = [](CellId cell) { return cell.value % 3 == 1; };
  const GapTable table = table_of(network, [&](PopulationId population, std::uint64_t cell) {
    return is_here(CellId(network.first_cell(population).value + cell));
  });
  const GapValues& voltages = table.values();
  EXPECT_GT(voltages.own, 20u);
  EXPECT_GT(voltages.leaving_to.size(), 50u);
  EXPECT_GT(voltages.coming_from.size(), 50u);
  std::vector<int> published(voltages.size()), read(voltages.size());
  for (std::uint64_t c = 0; c < 70; ++c)
    for (const GapEnd& end : table.ends_of(CellId(c))) {
      const GapPair& pair = table.pairs()[end.pair];
      const CellId peer = end.side == GapSide::source ? pair.target_id : pair.source_id;
      if (end.publishes != GapEnd::none) {
        ++published[end.publishes];
        EXPECT_EQ(end.publishes < voltages.own, is_here(peer));
        if (!is_here(peer)) {
          EXPECT_EQ(voltages.leaving_to[end.publishes - voltages.own], peer);
        }
      }
      if (end.reads == GapEnd::none) continue;
      ++read[end.reads];
      EXPECT_EQ(end.reads < voltages.own, is_here(peer));
      if (!is_here(peer)) {
        EXPECT_EQ(voltages.coming_from[end.reads - voltages.published()], peer);
      }
    }
  for (std::size_t v = 0; v < voltages.size(); ++v) {
    EXPECT_EQ(published[v], v < voltages.published() ? 1 : 0) << v;
    EXPECT_EQ(read[v], v < voltages.own || v >= voltages.published() ? 1 : 0) << v;
  }
}

/// What comes is the peers' voltages, from whichever rank, step after step.
TEST(GapExchange, BringsEveryEndItsPeersVoltage) {
  const auto network = coupled();
  const auto rank_of = [](CellId cell) { return static_cast<int>(cell.value * 7 % 3); };
  const auto voltage_of = [](CellId cell, int step) {
    return static_cast<double>(cell.value) + 100 * step;
  };
  run_ranks(3, [&](Ranks& ranks) {
    const GapTable table = table_of(network, [&](PopulationId population, std::uint64_t cell) {
      return rank_of(CellId(network.first_cell(population).value + cell)) == ranks.number();
    });
    const GapValues& voltages = table.values();
    const auto exchange =
        make_gap_exchange(ranks, voltages, [&](CellId cell) { return GapPeer{rank_of(cell)}; });
    for (int step = 0; step < 3; ++step) {
      std::vector<double> all(voltages.size());
      for (std::uint64_t c = 0; c < 70; ++c)
        for (const GapEnd& end : table.ends_of(CellId(c)))
          if (end.publishes != GapEnd::none) all[end.publishes] = voltage_of(end.cell, step);
      const auto coming = exchange->swap(voltages.leaving(std::span<const double>(all)));
      ASSERT_EQ(coming.size(), voltages.coming_from.size());
      for (std::size_t v = 0; v < coming.size(); ++v)
        EXPECT_EQ(coming[v], voltage_of(voltages.coming_from[v], step));
    }
  });
}

TEST(GapTable, IsEmptyWithoutGapJunctions) {
  auto network = coupled();
  for (auto& projection : network.projections) projection.link = std::monostate{};
  EXPECT_FALSE(has_gap_junctions(network));
  EXPECT_EQ(table_of(network, [](PopulationId, std::uint64_t) { return true; }).drawn(), 0u);
}

}  // namespace
}  // namespace hillock::network
