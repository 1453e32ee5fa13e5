// A run's state: columns of numbers, put and taken in the same order.

#include "core/state.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace hillock {
namespace {

/// Some numbers of one object, walked over for saving and restoring.
struct Walked {
  double v = -65;
  std::uint32_t bits = 5;
  bool above = true;

  void walk(StateWalk& state) {
    state.column("exc/v");
    state.number(v);
    state.column("exc/bits");
    state.count(bits);
    state.count(above);
  }
};

TEST(State, WhatIsPutIsTakenBitByBit) {
  State state;
  const double odd = std::bit_cast<double>(std::uint64_t{0x7ff8000000000123});
  for (Walked one : {Walked{-0.0, 0xffffffff, false}, Walked{odd, 0, true}}) {
    StateWalk saving(state);
    EXPECT_TRUE(saving.is_saving());
    one.walk(saving);
  }
  StateReader reader(state);
  StateWalk restoring(reader);
  EXPECT_FALSE(restoring.is_saving());
  Walked one, two;
  one.walk(restoring);
  two.walk(restoring);
  EXPECT_TRUE(std::signbit(one.v));
  EXPECT_EQ(one.bits, 0xffffffff);
  EXPECT_FALSE(one.above);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(two.v), 0x7ff8000000000123u);
  EXPECT_TRUE(two.above);
  EXPECT_NO_THROW(reader.finish());
}

TEST(State, OfAnotherNetworkIsRefused) {
  State state;
  StateWalk saving(state);
  Walked().walk(saving);
  {
    StateReader reader(state);
    StateWalk restoring(reader);
    Walked().walk(restoring);
    EXPECT_THROW(Walked().walk(restoring), StateMismatch);  // there is one only
  }
  StateReader reader(state);
  EXPECT_THROW(reader["inh/v"], StateMismatch);
  EXPECT_THROW(reader.finish(), StateMismatch);  // nothing was read
}

TEST(State, CellsThatFollowAreAppendedColumnByColumn) {
  State first, second;
  first["v"].put(1);
  first["w"].put(2);
  second["v"].put(1);
  second["x"].put(3);
  first.append(std::move(second));
  EXPECT_EQ(first["v"].numbers().size(), 2u);
  EXPECT_TRUE(first["v"].numbers().is_one());
  EXPECT_EQ(first["w"].numbers().size(), 1u);
  EXPECT_EQ(first["x"].numbers()[0], 3);
}

}  // namespace
}  // namespace hillock
