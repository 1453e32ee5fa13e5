#include "simulator/plan/cells/draw_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hillock::simulator {
namespace {

TEST(DrawName, PiecesHashAsTheTextThatTheyMakeUp) {
  SynapseKey key{"", {3, 17, 18446744073709551615u}, 3};
  DrawName name{"expsyn", ".", "tau"};
  key.add_to(name);
  EXPECT_EQ(name.hash(), DrawName().add("expsyn.tau:3:17:18446744073709551615").hash());
  DrawName stimulus;
  SynapseKey{":stimulus", {0}, 1}.add_to(stimulus);
  EXPECT_EQ(stimulus.hash(), DrawName{":stimulus:0"}.hash());
}

TEST(DrawName, TheHashIsFnv1a) {  // the vectors that its authors publish
  EXPECT_EQ(DrawName().hash(), 0xcbf29ce484222325u);
  EXPECT_EQ(DrawName{"a"}.hash(), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(DrawName{"foobar"}.hash(), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace hillock::simulator
