#include "core/program/asker.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace hillock {
namespace {

TEST(Asker, IsTheOneThatWasMadeLastOnItsThread) {
  EXPECT_EQ(Asker::now(), nullptr);
  const Asker outer(Asked::cells, "population", "exc");
  {
    const Asker inner(Asked::record, "report", "v");
    EXPECT_EQ(Asker::now()->name(), "v");
    std::thread([&] {
      EXPECT_EQ(Asker::now(), nullptr);
      const Asker same(&inner);
      EXPECT_EQ(Asker::now()->asked(), Asked::record);
    }).join();
  }
  EXPECT_EQ(Asker::now()->name(), "exc");
}

TEST(Asker, IsNamedByWhatWasRefused) {
  EXPECT_EQ(Refused(3).who(), "");
  const std::string name(200, 'n');
  const Asker asker(Asked::connections, "projection", name);
  const Refused refused(1 << 20);
  EXPECT_EQ(refused.bytes(), 1u << 20);
  EXPECT_EQ(refused.asked(), Asked::connections);
  EXPECT_EQ(refused.who().substr(0, 14), "projection 'nn");
  EXPECT_EQ(refused.who().size(), 120u);  // cut
  const Asker only(Asked::anything, "drawing gap junctions");
  EXPECT_EQ(Refused(1).who(), "drawing gap junctions");
}

}  // namespace
}  // namespace hillock
