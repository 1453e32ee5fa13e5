// What ranks have made comes to the first one as if one had made it.

#include "simulator/ranks/output_gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "network/thread_ranks.hpp"
#include "solver/potential/products.hpp"
#include "tests/network/within.hpp"

namespace hillock::simulator {
namespace {

using namespace std::chrono_literals;
using models::ReportLayout;
using RankOf = std::function<int(std::uint64_t node)>;

constexpr std::uint64_t node_count = 23;

/// Every other cell, of one to three elements each. rank: whose; below 0 all.
ReportLayout layout_of(const RankOf& rank_of, int rank) {
  ReportLayout layout;
  layout.name = "r";
  layout.index_pointers = {0};
  for (std::uint64_t node = 1; node < 2 * node_count; node += 2) {
    if (rank >= 0 && rank_of(node) != rank) continue;
    layout.node_ids.push_back(node);
    for (std::uint32_t k = 0; k <= node % 3; ++k) {
      layout.element_ids.push_back(k + 10);
      layout.element_pos.push_back(static_cast<float>(node));
    }
    layout.index_pointers.push_back(layout.element_ids.size());
  }
  return layout;
}

/// Numbers that say where they belong.
std::vector<double> rows_of(const ReportLayout& layout, std::size_t first, std::size_t last) {
  std::vector<double> rows;
  for (std::size_t row = first; row < last; ++row)
    for (std::size_t c = 0; c < layout.element_ids.size(); ++c)
      rows.push_back(static_cast<double>(10000 * row) + 100 * double{layout.element_pos[c]} +
                     layout.element_ids[c]);
  return rows;
}

void expect_equal(const ReportLayout& a, const ReportLayout& b) {
  EXPECT_EQ(a.node_ids, b.node_ids);
  EXPECT_EQ(a.index_pointers, b.index_pointers);
  EXPECT_EQ(a.element_ids, b.element_ids);
  EXPECT_EQ(a.element_pos, b.element_pos);
  EXPECT_EQ(a.name, b.name);
}

ReportLayout without_columns() {
  ReportLayout layout;
  layout.index_pointers = {0};
  return layout;
}

std::vector<double> no_memory(std::size_t) {
  return {};
}

void check_joined(int count, const RankOf& rank_of) {
  within(60s, [&] {
    network::run_ranks(count, [&](network::Ranks& ranks) {
      const ReportLayout own = layout_of(rank_of, ranks.number()), all = layout_of(rank_of, -1);
      OutputGather gather(ranks, {own, without_columns(), own});
      const bool is_first = ranks.number() == 0;
      expect_equal(gather.reports()[0], is_first ? all : own);
      EXPECT_TRUE(gather.reports()[1].node_ids.empty());
      std::size_t row = 0;
      for (const std::size_t rows : {1u, 0u, 7u, 2u}) {
        const Output joined = gather.join(
            {{}, {rows_of(own, row, row + rows), {}, rows_of(own, row, row + 1)}}, 1, no_memory);
        ASSERT_EQ(joined.rows.size(), is_first ? 3u : 0u);
        if (is_first) {
          EXPECT_EQ(joined.rows[0], rows_of(all, row, row + rows));
          EXPECT_TRUE(joined.rows[1].empty());
          EXPECT_EQ(joined.rows[2], rows_of(all, row, row + 1));
        }
        EXPECT_EQ(gather.spare_rows(0).size(), rows * own.element_ids.size());
        row += rows;
      }
      ranks.finish_sends(network::Channel::output);
    });
  });
}

TEST(OutputGather, SumsOfPotentialsAddUp) {
  ReportLayout layout;
  layout.name = "lfp";
  layout.potential = std::make_shared<const models::Potential>(
      models::Potential{.contacts = std::vector<models::Contact>(11)});
  const std::size_t size = solver::sums_size(11);
  within(60s, [&] {
    network::run_ranks(3, [&](network::Ranks& ranks) {
      OutputGather gather(ranks, {layout});
      std::vector<double> own(2 * size);
      for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = static_cast<double>(i) + 1000 * ranks.number();
      const Output joined = gather.join({{}, {own}}, 1, no_memory);
      if (ranks.number() == 0) {
        ASSERT_EQ(joined.rows[0].size(), own.size());
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_EQ(joined.rows[0][i], 3.0 * static_cast<double>(i) + 3000);
      }
      ranks.finish_sends(network::Channel::output);
    });
  });
}

TEST(OutputGather, JoinsColumnsByCell) {
  for (const int count : {1, 2, 3, 5}) {
    check_joined(count, [=](std::uint64_t node) {
      return static_cast<int>(node * static_cast<std::uint64_t>(count) / (2 * node_count));
    });
    check_joined(count, [=](std::uint64_t node) {
      return static_cast<int>(node / 2 % static_cast<std::uint64_t>(count));
    });
    check_joined(count, [=](std::uint64_t node) { return node % 5 == 0 ? 0 : count - 1; });
  }
}

TEST(OutputGather, SomeRanksHaveNoColumns) {
  check_joined(4, [](std::uint64_t node) { return node % 3 == 0 ? 1 : 2; });
  check_joined(4, [](std::uint64_t) { return 3; });
  check_joined(4, [](std::uint64_t) { return 0; });
  check_joined(40, [](std::uint64_t node) { return static_cast<int>(39 - node / 2); });
}

TEST(OutputGather, JoinsSpikes) {
  network::run_ranks(3, [](network::Ranks& ranks) {
    OutputGather gather(ranks, {});
    const auto own = static_cast<std::uint64_t>(ranks.number());
    Output made{std::vector<network::CellSpike>(own * 5, {1.0, CellId(own)}), {}};
    const Output joined = gather.join(std::move(made), 1, no_memory);
    EXPECT_EQ(joined.spikes.size(), own == 0 ? 15u : 0u);
    EXPECT_EQ(std::ranges::count(joined.spikes, CellId(2), &network::CellSpike::cell),
              own == 0 ? 10 : 0);
    ranks.finish_sends(network::Channel::output);
  });
}

TEST(OutputGather, LeavesOutWhatOthersMadeAfterARankFailed) {
  for (const int failing : {0, 1, 2})
    within(60s, [failing] {
      network::run_ranks(3, [failing](network::Ranks& ranks) {
        const RankOf rank_of = [](std::uint64_t node) { return static_cast<int>(node % 3); };
        const ReportLayout own = layout_of(rank_of, ranks.number()), all = layout_of(rank_of, -1);
        OutputGather gather(ranks, {own});
        const bool is_first = ranks.number() == 0, fails = ranks.number() == failing;
        const CellId cell(static_cast<std::uint64_t>(ranks.number()));
        const auto join = [&](std::size_t first, std::size_t last, double until_ms) {
          Output made{{}, {rows_of(own, first, last)}};
          for (std::size_t row = first; row < last; ++row)
            made.spikes.push_back({static_cast<double>(row), cell});
          return gather.join(std::move(made), until_ms, no_memory);
        };
        Output joined = join(0, 5, 5);
        EXPECT_EQ(joined.spikes.size(), is_first ? 15u : 0u);
        joined = join(5, fails ? 7 : 12, fails ? 6 : 11);
        if (is_first) {
          EXPECT_EQ(joined.rows[0], rows_of(all, 5, 7));
          EXPECT_EQ(joined.spikes.size(), 6u);
        }
        joined = join(fails ? 7 : 12, fails ? 7 : 14, fails ? 6 : 13);
        if (is_first) {
          EXPECT_TRUE(joined.rows[0].empty());
          EXPECT_TRUE(joined.spikes.empty());
        }
        ranks.finish_sends(network::Channel::output);
      });
    });
}

}  // namespace
}  // namespace hillock::simulator
