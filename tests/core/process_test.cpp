#include "core/program/process.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/errors/errors.hpp"

namespace hillock {
namespace {

Finished shell(const std::string& text) {
  return run_program({"/bin/sh", "-c", text});
}

TEST(Process, GivesItsStatusAndWhatItWrote) {
  const Finished well = shell("echo one; echo two >&2; echo three");
  EXPECT_EQ(well.status, 0);
  EXPECT_EQ(well.output, "one\ntwo\nthree\n");
  EXPECT_EQ(shell("exit 7").status, 7);
  EXPECT_EQ(shell("kill -TERM $$").status, 128 + SIGTERM);
}

TEST(Process, WordsReachItAsTheyAreAndItHasNothingToRead) {
  EXPECT_EQ(
      run_program({"/bin/sh", "-c", "printf '%s|' \"$@\"; cat", "sh", "a b", "", "$HOME"}).output,
      "a b||$HOME|");
}

TEST(Process, MayWriteMoreThanAPipeHolds) {
  const Finished much = shell(
      "i=0; while [ $i -lt 3000 ]; do echo 'forty bytes and a line of some more of it'; "
      "i=$((i+1)); done");
  EXPECT_EQ(much.output.size(), 3000u * 42);
}

TEST(Process, ThatIsNotThereIsAnError) {
  EXPECT_THROW(run_program({"/nowhere/program"}), InputOutputError);
}

TEST(FindProgram, TakesTheFirstOnThePathThatCanBeExecuted) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "hillock-path-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  for (const char* name : {"one", "two", "three"}) fs::create_directory(folder / name);
  for (const char* name : {"one", "two", "three"}) {
    std::ofstream(folder / name / "tool") << "#!/bin/sh\n";
    fs::permissions(folder / name / "tool",
                    name == std::string("one") ? fs::perms::owner_read : fs::perms::owner_all);
  }
  const std::string before = std::getenv("PATH");
  const std::string path = (folder / "one").string() + ":" + (folder / "two").string() + ":" +
                           (folder / "three").string();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(find_program("tool"), folder / "two/tool");
  EXPECT_EQ(find_program("no_tool"), std::nullopt);
  EXPECT_EQ(find_program((folder / "three/tool").string()), folder / "three/tool");
  ::setenv("PATH", before.c_str(), 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hillock
