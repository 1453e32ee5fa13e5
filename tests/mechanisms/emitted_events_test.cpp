// What NET_RECEIVE asks for and remembers, on one emitted evaluator (emitted/events.mod).

#include <stdexcept>

#include <gtest/gtest.h>

#include "emitted/EventsTest.hpp"

namespace hillock::mechanisms {
namespace {

using Kind = Message::Kind;

class Events : public testing::Test {
 protected:
  Events() {
    for (int c = 0; c < EventsTest::info.count(); ++c)
      variable(c) = EventsTest::info.variables[c].default_value;
  }
  double& variable(int c) { return reinterpret_cast<double*>(&x)[c]; }
  double& variable(const std::string& name) {
    for (int c = 0; c < EventsTest::info.count(); ++c)
      if (EventsTest::info.variables[c].name == name) return variable(c);
    throw std::out_of_range(name);
  }
  Delivery receive(double flag, double time_ms, double v_mV = -65) {
    Delivery event;
    event.arguments = arguments;
    event.flag = flag;
    event.all_arguments = arguments;
    event.connections = connections;
    event.connection_count = 2;
    EventsTest::receive(x, {v_mV, time_ms, 0.025, 6.3}, event);
    return event;
  }
  static void expect_message(const Message& message, Kind kind, double time_ms, double flag) {
    EXPECT_EQ(message.kind, kind);
    EXPECT_DOUBLE_EQ(message.time_ms, time_ms);
    EXPECT_EQ(message.flag, flag);
  }

  EventsTest::Variables<double> x;
  double arguments[6] = {0.5, 0, 0, 2, 10, 0};  // of two connections
  const unsigned connections[2] = {0, 3};
};

TEST_F(Events, TheMechanismSaysWhatItNeeds) {
  EXPECT_TRUE(EventsTest::info.starts);
  EXPECT_TRUE(EventsTest::info.begins_connections);
  EXPECT_TRUE(EventsTest::info.keeps_arguments);
  EXPECT_EQ(EventsTest::info.arguments, 3);
  EXPECT_EQ(EventsTest::info.watches, 2);
}

TEST_F(Events, InitialSendsUnderItsCondition) {
  Delivery event;
  EventsTest::start(x, {-65, 0, 0.025, 6.3}, event);
  ASSERT_EQ(event.message_count, 1);
  expect_message(event.messages[0], Kind::self, 3, 7);
  variable("wait") = 0;
  Delivery none;
  EventsTest::start(x, {-65, 0, 0.025, 6.3}, none);
  EXPECT_EQ(none.message_count, 0);
}

TEST_F(Events, ConnectionsBeginAndRemember) {
  Delivery event;
  event.arguments = arguments;
  EventsTest::connect(x, {-65, 0, 0.025, 6.3}, event);
  EXPECT_EQ(arguments[1], 10);
  EXPECT_EQ(arguments[2], 0);
  receive(0, 4);
  EXPECT_EQ(variable("seen"), 0.5 * 11);
  receive(0, 6);
  EXPECT_EQ(variable("seen"), 0.5 * 12 + 4);
  EXPECT_EQ(arguments[2], 6);
}

TEST_F(Events, MessagesCarryTimeAndFlag) {
  const Delivery watched = receive(1, 5, -60);
  ASSERT_EQ(watched.message_count, 2);
  // In place of the time: by how much its condition holds.
  expect_message(watched.messages[0], Kind::watch, -60 - -50, 20);
  expect_message(watched.messages[1], Kind::watch, -65 - -60, 30.5);
  EXPECT_EQ(watched.messages[0].number, 0);
  EXPECT_EQ(watched.messages[1].number, 1);
  const Delivery moved = receive(2, 5);
  ASSERT_EQ(moved.message_count, 1);
  expect_message(moved.messages[0], Kind::move, 11, 0);
  const Delivery spike = receive(3, 5.5);
  ASSERT_EQ(spike.message_count, 2);
  expect_message(spike.messages[0], Kind::spike, 5.5, 0);
  expect_message(spike.messages[1], Kind::self, 5.5, 4);
}

TEST_F(Events, WatchesHoldOnTheirSideOfTheLevel) {
  const auto holds = [&](int number, double v_mV) {
    return EventsTest::watch(number, x, {v_mV, 1, 0.025, 6.3}) > 0;
  };
  EXPECT_FALSE(holds(0, -50));
  EXPECT_TRUE(holds(0, -49.9));
  EXPECT_FALSE(holds(1, -65));
  EXPECT_TRUE(holds(1, -65.1));
}

TEST_F(Events, ForNetconsSeesAndChangesEveryConnection) {
  arguments[1] = 3;
  receive(9, 1);
  EXPECT_EQ(variable("sum"), 0.5 * 3 + 2 * 10);
  EXPECT_EQ(arguments[0], 1);
  EXPECT_EQ(arguments[3], 4);
}

}  // namespace
}  // namespace hillock::mechanisms
