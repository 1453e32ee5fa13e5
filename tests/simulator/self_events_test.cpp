// Events that mechanisms send to themselves: in which order they come, and which move.

#include "simulator/backends/cpu/events/self_events.hpp"

#include <gtest/gtest.h>

namespace hillock::simulator::cpu {
namespace {

TEST(SelfEvents, ComeByTimeAndThenInTheOrderOfSending) {
  SelfEvents events;
  for (const double flag : {3.0, 4.0, 5.0})
    events.send({flag == 4 ? 1.0 : 2.0, SelfEvent::Kind::deliver, {}, 0, flag});
  for (const double flag : {4.0, 3.0, 5.0}) EXPECT_EQ(events.take().flag, flag);
  EXPECT_TRUE(events.empty());
}

TEST(SelfEvents, TheLatestOfFlagOneMoves) {
  SelfEvents events;
  const InstanceTarget here{0, 2, 5}, there{0, 3, 5};
  events.send({1, SelfEvent::Kind::deliver, here, 0.5, 1});
  events.send({2, SelfEvent::Kind::deliver, here, 0.7, 1});
  events.send({3, SelfEvent::Kind::deliver, here, 0, 2});
  EXPECT_FALSE(events.move(there, 9));
  EXPECT_TRUE(events.move(here, 4));
  EXPECT_EQ(events.take().weight, 0.5);
  EXPECT_FALSE(events.move(here, 9));  // one of flag 1 has come: none is awaited, as in NEURON
  EXPECT_EQ(events.take().flag, 2);
  EXPECT_EQ(events.next_ms(), 4);
  EXPECT_EQ(events.take().weight, 0.7);
}

}  // namespace
}  // namespace hillock::simulator::cpu
