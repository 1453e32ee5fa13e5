// Parts of a state, of any cells in any order, joined and taken out again; and a state's bytes.

#include "core/state/state_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/state/packed_state.hpp"
#include "core/state/state_walk.hpp"

namespace hillock {
namespace {

constexpr std::uint64_t cells = 200;

/// Columns of every kind: one number a cell, of some cells, one for all, another number of them on
/// each cell, and of one cell alone. What a cell has depends on its index alone.
void put(State& state, const std::string& population, const std::vector<std::uint64_t>& indices) {
  StateWalk walk(state);
  walk.begin(population, indices);
  const auto column = [&](const char* name, const auto& numbers_of) {
    walk.column(name, [&](std::size_t c) {
      for (std::uint64_t k = 0; k < numbers_of(indices[c]); ++k) {
        double number = std::string(name) == "alike" ? 5 : static_cast<double>(7 * indices[c] + k);
        walk.number(number);
      }
    });
  };
  column("v", [](std::uint64_t) { return 1u; });
  column("alike", [](std::uint64_t i) { return i % 5; });
  column("many", [](std::uint64_t i) { return i % 7; });
  column("pairs", [](std::uint64_t) { return 2u; });
  column("some", [](std::uint64_t i) { return i < 100 ? 1u : 0u; });
  column("single", [](std::uint64_t i) { return i == 77 ? 3u : 0u; });
}

State state_of(const std::vector<std::uint64_t>& exc, const std::vector<std::uint64_t>& inh) {
  State state;
  if (!exc.empty()) put(state, "exc", exc);
  if (!inh.empty()) put(state, "inh", inh);
  state["run/step"].put_count(40);
  return state;
}

std::vector<std::uint64_t> progression(std::uint64_t begin, std::uint64_t end,
                                       std::uint64_t stride = 1) {
  std::vector<std::uint64_t> some;
  for (std::uint64_t i = begin; i < end; i += stride) some.push_back(i);
  return some;
}

State whole() {
  return state_of(progression(0, cells), progression(0, 10));
}

State join(std::vector<State> parts) {
  return joined(std::move(parts));
}

TEST(StateParts, JoinedInAnyOrderAreTheWhole) {
  const auto expected = pack(whole());
  std::mt19937 random(1);
  for (const std::uint64_t count : {1u, 2u, 3u, 7u})
    for (const bool strided : {false, true})
      for (const bool mixed : {false, true}) {
        std::vector<State> parts;
        for (std::uint64_t p = 0; p < count; ++p) {
          auto some = strided ? progression(p, cells, count)
                              : progression(cells * p / count, cells * (p + 1) / count);
          if (mixed) std::ranges::shuffle(some, random);
          parts.push_back(state_of(some, p == 0 ? progression(0, 10) : progression(0, 0)));
        }
        std::ranges::shuffle(parts, random);
        EXPECT_EQ(pack(joined(std::move(parts))), expected) << count << strided << mixed;
      }
}

TEST(StateParts, WhatIsTakenOutIsWhatThoseCellsWouldHaveSaved) {
  const State all = whole();
  StateCutter cutter(all);
  const auto check = [&](const std::vector<std::uint64_t>& exc,
                         const std::vector<std::uint64_t>& inh) {
    const State some =
        cutter.cut({{"exc", CellIndices{std::span(exc)}}, {"inh", CellIndices{std::span(inh)}}});
    EXPECT_EQ(pack(some), pack(join({state_of(exc, inh)})));
    EXPECT_EQ(pack(unpack(pack(some))), pack(some));
  };
  check(progression(0, cells), progression(0, 10));
  check(progression(50, 120), {});
  check(progression(3, cells, 4), {9});
  check({77}, {0, 1, 5, 6, 9});
  check({}, {});
}

TEST(StateParts, ThatDoNotFitAreRefused) {
  EXPECT_THROW(join({state_of({0, 1}, {}), state_of({1, 2}, {})}), StateMismatch);
  EXPECT_THROW(join({state_of({3, 1, 3}, {})}), StateMismatch);
  State later = state_of({2}, {});
  later["run/step"].put_count(41);
  EXPECT_THROW(join({state_of({0, 1}, {}), later}), StateMismatch);
  const State all = whole();
  const std::vector<std::uint64_t> beyond = {cells};
  EXPECT_THROW(StateCutter(all).cut({{"exc", CellIndices{std::span(beyond)}}}), StateMismatch);
  EXPECT_THROW(StateCutter(all).cut({{"other", CellIndices{std::span(beyond)}}}), StateMismatch);
  const State unsorted = state_of({2, 1}, {});
  EXPECT_THROW(StateReader reader(unsorted), StateMismatch);
}

TEST(StateParts, ThatOnePartHasOfTheRunIsKept) {
  State first = state_of({0}, {}), second = state_of({1}, {});
  second["run/spikes"].put_count(3);
  const State all = join({first, second});
  EXPECT_EQ(all.of_run().size(), 2u);
  EXPECT_EQ(all.of_run().at("run/step").numbers().size(), 1u);
}

TEST(PackedState, IsUnpackedToTheSame) {
  for (const State& state : {whole(), State(), state_of(progression(3, 90, 4), {1, 2, 9})}) {
    const auto bytes = pack(state);
    EXPECT_EQ(bytes.size(), packed_size(state));
    const State again = unpack(bytes);
    EXPECT_EQ(pack(again), bytes);
    EXPECT_NO_THROW(StateReader reader(again));
  }
}

TEST(PackedState, OneNumberForAllTakesNoRoom) {
  State state;
  StateWalk walk(state);
  walk.begin("exc", progression(0, 100000));
  double five = 5;
  walk.column("v", [&](std::size_t) { walk.number(five); });
  EXPECT_LT(packed_size(state), 200u);
}

TEST(PackedState, DamagedIsRefused) {
  const auto bytes = pack(whole());
  for (std::size_t cut = 1; cut < bytes.size(); cut += 37)
    EXPECT_THROW(unpack(std::span(bytes).first(bytes.size() - cut)), StateMismatch) << cut;
  auto longer = bytes;
  longer.resize(longer.size() + 8);
  EXPECT_THROW(unpack(longer), StateMismatch);
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    auto flipped = bytes;
    flipped[random() % flipped.size()] ^= std::byte{1} << random() % 8;
    EXPECT_THROW(unpack(flipped), StateMismatch);
  }
}

}  // namespace
}  // namespace hillock
