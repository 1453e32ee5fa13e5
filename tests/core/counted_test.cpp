// Numbers of things, as sentences say them.

#include "core/text/counted.hpp"

#include <gtest/gtest.h>

namespace hillock {
namespace {

TEST(Counted, OneThingIsOne) {
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(2, "file"), "2 files");
}

}  // namespace
}  // namespace hillock
