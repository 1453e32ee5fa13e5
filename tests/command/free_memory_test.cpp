// What is left in a control group, and what a user says there is.

#include "simulator/command/process/free_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/errors/errors.hpp"

namespace hillock::command {
namespace {

/// A folder of a group's files.
class Group {
 public:
  Group() { std::filesystem::create_directories(folder_); }
  ~Group() { std::filesystem::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  double free() const { return free_in_group(folder_); }

 private:
  std::string folder_ = ::testing::TempDir() + "hillock-group-" + std::to_string(getpid());
};

TEST(FreeMemory, OfAGroupIsItsLimitLessWhatItHoldsButFiles) {
  const Group group;
  EXPECT_TRUE(std::isinf(group.free()));
  group.put("memory.max", "max\n");
  EXPECT_TRUE(std::isinf(group.free()));
  group.put("memory.max", "1000000\n");
  EXPECT_EQ(group.free(), 1e6);
  group.put("memory.current", "700000\n");
  group.put("memory.stat", "anon 1\ninactive_file 200000\nactive_file 3\n");
  EXPECT_EQ(group.free(), 5e5);
  group.put("memory.current", "1700000\n");
  EXPECT_EQ(group.free(), 0);
}

TEST(FreeMemory, OfAGroupOfVersion1) {
  const Group group;
  group.put("memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_TRUE(std::isinf(group.free()));
  group.put("memory.limit_in_bytes", "1000000\n");
  group.put("memory.usage_in_bytes", "400000\n");
  group.put("memory.stat", "total_inactive_file 100000\n");
  EXPECT_EQ(group.free(), 7e5);
}

TEST(FreeMemory, IsWhatTheUserSays) {
  const auto said = [](const char* text) {
    ::setenv("HILLOCK_MEMORY", text, 1);
    return free_on_machine().bytes;
  };
  EXPECT_EQ(said("1234"), 1234);
  EXPECT_EQ(said("1.5G"), 1.5e9);
  EXPECT_EQ(said("20M"), 2e7);
  for (const char* wrong : {"G", "-1", "2X", "0"}) EXPECT_THROW(said(wrong), UsageError) << wrong;
  ::unsetenv("HILLOCK_MEMORY");
  EXPECT_GT(free_on_machine().bytes, 1e6);
}

}  // namespace
}  // namespace hillock::command
