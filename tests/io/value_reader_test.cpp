#include "io/model/values/value_reader.hpp"

#include <gtest/gtest.h>

#include "io/yaml/yaml_node.hpp"

namespace hillock::io {
namespace {

struct Read {
  Source source;
  Diagnostics diagnostics;
  NodePtr root;

  explicit Read(std::string_view text) : source{"m.yaml", "", text} {
    root = parse_yaml(source, diagnostics);
  }
  Item item() { return {*root, "clamp", diagnostics}; }
};

TEST(ValueReader, ReportsEveryErrorOfAMapAndMakesNothingOfIt) {
  Read file("{rs: 3 mV, tau: -1 ms, count: 2.5, weigth: 1}");
  MapReader map(file.item(), "a clamp");
  const auto rs = map.find("rs"), tau = map.find("tau"), count = map.find("count");
  const auto needed = map.require("needed");
  ValueReader read(map.finish());
  double rs_MOhm = 7, tau_ms = 8;
  int pulses = 9;
  EXPECT_FALSE(read.constant(rs, Slot::of("MOhm"), rs_MOhm));
  EXPECT_FALSE(read.constant(tau, Slot::of("ms").at_least(0), tau_ms));
  EXPECT_FALSE(read.whole_number(count, 1, 10, pulses));
  EXPECT_FALSE(read.constant(needed, Slot::of("ms"), tau_ms));
  EXPECT_EQ(file.diagnostics.error_count(), 5);
  EXPECT_EQ(rs_MOhm, 7);
  EXPECT_EQ(tau_ms, 8);
  EXPECT_EQ(pulses, 9);
  EXPECT_FALSE(read.result(pulses));
}

TEST(YamlNode, TellsOfTheFileThatATextIsReadFrom) {
  const std::string text = "one: &one {tau: 3}\nother: *one\n";
  Diagnostics diagnostics;
  const Source first{"first.yaml", "", text}, second{"second.yaml", "", text};
  const NodePtr before = parse_yaml(first, diagnostics), again = parse_yaml(second, diagnostics);
  ASSERT_TRUE(before && again);
  EXPECT_EQ(before->source, &first);
  ASSERT_EQ(again->entries.size(), 2u);
  EXPECT_EQ(again->entries[0].source, &second);
  EXPECT_EQ(again->entries[0].value->source, &second);
  EXPECT_EQ(again->entries[0].value, again->entries[1].value);
  EXPECT_NE(again->entries[0].value, before->entries[0].value);
}

TEST(ValueReader, LeavesWhatIsNotThereAndIsGoodWithoutIt) {
  Read file("{tau: 3 ms}");
  MapReader map(file.item(), "a clamp");
  const auto rs = map.find("rs"), tau = map.find("tau");
  ValueReader read(map.finish());
  double rs_MOhm = 7, tau_ms = 8;
  EXPECT_FALSE(read.constant(rs, Slot::of("MOhm"), rs_MOhm));
  EXPECT_TRUE(read.constant(tau, Slot::of("ms"), tau_ms));
  EXPECT_TRUE(read.good());
  EXPECT_EQ(rs_MOhm, 7);
  EXPECT_EQ(read.result(tau_ms), 3);
}

TEST(ValueReader, OnceWrongStaysWrong) {
  Read file("{tau: 3 ms}");
  ValueReader read;
  read.error(file.item(), "is too much");
  EXPECT_TRUE(read.note(true));
  EXPECT_FALSE(read.good());
  EXPECT_EQ(to_string(file.diagnostics.all().at(0)), "m.yaml:1:1: error: clamp: is too much");
}

}  // namespace
}  // namespace hillock::io
