// A run's state: columns of numbers by cell, put by whoever walks over them and taken again.

#include "core/state/state.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "core/state/state_walk.hpp"

namespace hillock {
namespace {

/// Some cells of a population with numbers of their own, walked over for saving and restoring.
struct Walked {
  std::vector<std::uint64_t> indices;
  std::vector<double> v = std::vector<double>(indices.size(), -65.0);
  std::vector<std::vector<std::uint32_t>> bits =
      std::vector<std::vector<std::uint32_t>>(indices.size());

  void walk(StateWalk& state) {
    state.begin("exc", indices);
    state.column("v", [&](std::size_t c) { state.number(v[c]); });
    state.column("bits", [&](std::size_t c) {
      if (!state.is_saving()) bits[c].resize(state.left());
      for (std::uint32_t& one : bits[c]) state.count(one);
    });
  }
};

const double odd = std::bit_cast<double>(std::uint64_t{0x7ff8000000000123});

State some_state() {
  State state;
  StateWalk saving(state);
  EXPECT_TRUE(saving.is_saving());
  Walked{{0, 1, 2}, {-0.0, 2, odd}, {{7}, {}, {0xffffffff, 0}}}.walk(saving);
  Walked{{3, 4}, {5, 6}, {{}, {1}}}.walk(saving);
  state["run/step"].put_count(17);
  return state;
}

TEST(State, WhatIsPutIsTakenBitByBit) {
  const State state = some_state();
  StateReader reader(state);
  StateWalk restoring(reader);
  EXPECT_FALSE(restoring.is_saving());
  Walked all{{0, 1, 2, 3, 4}};
  all.walk(restoring);
  EXPECT_EQ(reader["run/step"].take_count(), 17u);
  EXPECT_NO_THROW(reader.finish());
  EXPECT_TRUE(std::signbit(all.v[0]));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(all.v[2]), 0x7ff8000000000123u);
  EXPECT_EQ(all.v[4], 6);
  const std::vector<std::vector<std::uint32_t>> bits = {{7}, {}, {0xffffffff, 0}, {}, {1}};
  EXPECT_EQ(all.bits, bits);
}

TEST(State, CellsAreFoundInAnyOrder) {
  const State state = some_state();
  StateReader reader(state);
  StateWalk restoring(reader);
  Walked some{{4, 2, 0}};
  some.walk(restoring);
  EXPECT_EQ(some.v[0], 6);
  EXPECT_EQ(some.bits[0], std::vector<std::uint32_t>{1});
  EXPECT_EQ(some.bits[1], (std::vector<std::uint32_t>{0xffffffff, 0}));
  EXPECT_NO_THROW(reader.finish_cells());
  EXPECT_THROW(reader.finish(), StateMismatch);  // there are other cells
}

TEST(State, AColumnThatSomeCellsHaveIsOfThoseAlone) {
  State state;
  StateWalk saving(state);
  const std::vector<std::uint64_t> cells = {0, 1, 2, 3};
  saving.begin("exc", cells);
  double one = 1;
  saving.narrow(2, 1);
  saving.column("late", [&](std::size_t c) {
    EXPECT_EQ(c, 0u);
    saving.number(one);
  });
  saving.column("none", [&](std::size_t) {});
  EXPECT_FALSE(state.of("exc").columns.contains("none"));
  StateReader reader(state);
  StateWalk restoring(reader);
  restoring.begin_all("exc");
  std::vector<std::size_t> left;
  restoring.column("late", [&](std::size_t) {
    left.push_back(restoring.left());
    while (restoring.left() > 0) restoring.number(one);
  });
  EXPECT_EQ(left, (std::vector<std::size_t>{0, 0, 1, 0}));
  EXPECT_NO_THROW(reader.finish());
}

TEST(State, OfAnotherNetworkIsRefused) {
  const State state = some_state();
  const auto restore = [&](const std::string& population, std::uint64_t index,
                           const std::string& column, int numbers) {
    StateReader reader(state);
    StateWalk restoring(reader);
    restoring.begin(population, std::vector{index});
    restoring.column(column, [&](std::size_t) {
      for (double number = 0; numbers > 0; --numbers) restoring.number(number);
    });
  };
  EXPECT_NO_THROW(restore("exc", 2, "bits", 2));
  EXPECT_THROW(restore("exc", 2, "bits", 1), StateMismatch);
  EXPECT_THROW(restore("exc", 2, "bits", 3), StateMismatch);
  EXPECT_THROW(restore("exc", 2, "bites", 1), StateMismatch);
  EXPECT_THROW(restore("exc", 5, "v", 1), StateMismatch);
  EXPECT_THROW(restore("inh", 0, "v", 1), StateMismatch);
  StateReader reader(state);
  EXPECT_THROW(reader["run/spikes"], StateMismatch);
  EXPECT_THROW(reader.finish(), StateMismatch);  // nothing was read
  StateWalk restoring(reader);
  restoring.begin("exc", std::vector<std::uint64_t>{0});
  EXPECT_THROW(reader.finish_cells(), StateMismatch);  // nor was this cell
}

TEST(CellIndices, EquallyFarApartTakeNoMemory) {
  const std::vector<std::uint64_t> spread = {3, 7, 11, 15}, other = {3, 7, 12}, falling = {5, 4};
  const CellIndices even{std::span(spread)}, odd_ones{std::span(other)}, down{std::span(falling)};
  EXPECT_EQ(even.stride(), 4u);
  EXPECT_EQ(odd_ones.stride(), 0u);
  EXPECT_TRUE(odd_ones.are_rising());
  EXPECT_FALSE(down.are_rising());
  for (std::size_t i = 0; i < spread.size(); ++i) {
    EXPECT_EQ(even[i], spread[i]);
    EXPECT_EQ(even.find(spread[i]), i);
  }
  for (const std::uint64_t nobody : {0, 4, 19})
    EXPECT_EQ(even.find(nobody), CellIndices::nowhere) << nobody;
  EXPECT_EQ(odd_ones.find(12), 2u);
  EXPECT_EQ(odd_ones.find(11), CellIndices::nowhere);
}

}  // namespace
}  // namespace hillock
