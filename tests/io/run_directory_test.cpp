#include "io/run/run_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/errors/errors.hpp"
#include "io/run/checkpoint.hpp"
#include "sonata_reading.hpp"

namespace hillock::io {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

void put(const std::filesystem::path& file, const std::string& text = "x") {
  std::ofstream(file) << text;
}

void leave_run(const std::filesystem::path& path, RunStatus status) {
  const RunDirectory directory(path, {}, ExistingRun::keep);
  RunSummary summary;
  summary.status = status;
  summary.outputs = {"spikes.h5", "v.h5", "../outside.h5"};
  directory.write_summary(summary);
  for (const std::string name : {"spikes.h5", "v.h5", "v.h5.partial", ".v.h5.new", "flush.log"})
    put(path / name);
  put(path / "notes.txt");
}

std::string message_of(const std::filesystem::path& path, ExistingRun existing,
                       const std::vector<std::string>& outputs = {"spikes.h5"}) {
  try {
    const RunDirectory directory(path, outputs, existing);
  } catch (const InputOutputError& error) {
    return error.what();
  }
  return {};
}

TEST(RunDirectory, CreatesItself) {
  const ScratchFolder folder;
  EXPECT_EQ(message_of(folder / "a/b", ExistingRun::keep), "");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b"));
}

TEST(RunDirectory, RefusesACompleteRunUnlessItIsReplaced) {
  const ScratchFolder folder;
  leave_run(folder / "run", RunStatus::complete);
  put(folder / "outside.h5");
  EXPECT_THAT(message_of(folder / "run", ExistingRun::keep), HasSubstr("holds a complete run"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/v.h5"));
  EXPECT_EQ(message_of(folder / "run", ExistingRun::replace), "");
  for (const std::string name :
       {"spikes.h5", "v.h5", "v.h5.partial", ".v.h5.new", "flush.log", "run.json"})
    EXPECT_FALSE(std::filesystem::exists(folder / ("run/" + name))) << name;
  EXPECT_TRUE(std::filesystem::exists(folder / "run/notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder / "outside.h5"));
}

TEST(RunDirectory, ClearsWhatAnUnfinishedRunHasLeft) {
  for (const RunStatus status : {RunStatus::running, RunStatus::interrupted, RunStatus::failed}) {
    const ScratchFolder folder;
    leave_run(folder / "run", status);
    EXPECT_EQ(message_of(folder / "run", ExistingRun::keep), "");
    EXPECT_FALSE(std::filesystem::exists(folder / "run/v.h5.partial"));
    EXPECT_FALSE(std::filesystem::exists(folder / "run/v.h5"));
    EXPECT_TRUE(std::filesystem::exists(folder / "run/notes.txt"));
  }
}

TEST(RunDirectory, KeepsARunThatWasSaved) {
  const ScratchFolder folder;
  leave_run(folder / "run", RunStatus::interrupted);
  EXPECT_FALSE(RunDirectory(folder / "run", {}, ExistingRun::resume).resumes());
  leave_run(folder / "run", RunStatus::interrupted);
  put(folder / "run/run.checkpoint");
  EXPECT_THAT(message_of(folder / "run", ExistingRun::keep), HasSubstr("--resume goes on"));
  {
    const RunDirectory resumed(folder / "run", {"spikes.h5"}, ExistingRun::resume);
    EXPECT_TRUE(resumed.resumes());
    for (const std::string name : {"v.h5.partial", "run.checkpoint", "run.json"})
      EXPECT_TRUE(std::filesystem::exists(folder / ("run/" + name))) << name;
    resumed.remove_checkpoint();
    EXPECT_FALSE(std::filesystem::exists(folder / "run/run.checkpoint"));
  }
  put(folder / "run/run.checkpoint");
  EXPECT_EQ(message_of(folder / "run", ExistingRun::replace), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/run.checkpoint"));
  leave_run(folder / "run", RunStatus::complete);
  EXPECT_THAT(message_of(folder / "run", ExistingRun::resume), HasSubstr("holds a complete run"));
}

TEST(RunDirectory, RefusesWhatIsNotItsOwn) {
  const ScratchFolder folder;
  put(folder / "file");
  EXPECT_THAT(message_of(folder / "file", ExistingRun::replace), HasSubstr("is a file"));
  put(folder / "spikes.h5");
  EXPECT_THAT(message_of(folder.path(), ExistingRun::keep), HasSubstr("of no run known here"));
  EXPECT_THAT(message_of("/proc/none", ExistingRun::keep), HasSubstr("cannot be created"));
  put(folder / "run.json", "[]");
  EXPECT_THAT(message_of(folder.path(), ExistingRun::replace), HasSubstr("not the summary"));
  std::filesystem::create_directory(folder / "piped");
  ASSERT_EQ(::mkfifo((folder / "piped/run.json").c_str(), 0600), 0);
  EXPECT_THAT(message_of(folder / "piped", ExistingRun::replace), HasSubstr("not a regular file"));
  if (::geteuid() != 0) {
    std::filesystem::create_directory(folder / "closed");
    std::filesystem::permissions(
        folder / "closed", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_THAT(message_of(folder / "closed", ExistingRun::keep), HasSubstr("Permission denied"));
  }
}

TEST(RunDirectory, IsHeldByOneRunAtATime) {
  const ScratchFolder folder;
  const RunDirectory held(folder.path(), {}, ExistingRun::keep);
  EXPECT_THAT(message_of(folder.path(), ExistingRun::replace), HasSubstr("has not ended"));
}

TEST(RunSummary, IsOneJsonObject) {
  const ScratchFolder folder;
  const RunDirectory directory(folder.path(), {}, ExistingRun::keep);
  RunSummary summary;
  summary.status = RunStatus::complete;
  summary.start = now_iso8601();
  summary.host = host_name();
  summary.spikes = 17;
  summary.timings_s = {{"integrate", 1.5}};
  summary.outputs = {"spikes.h5"};
  summary.options = {{"-o", "a \"b\" \xff"}};
  directory.write_summary(summary);
  const auto json = nlohmann::json::parse(read_bytes(folder / "run.json"));
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["spikes"], 17);
  EXPECT_EQ(json["timings_s"]["integrate"], 1.5);
  EXPECT_THAT(json["start"].get<std::string>(), ContainsRegex("^20..-..-..T..:..:..Z$"));
  EXPECT_FALSE(json.contains("error"));
  EXPECT_FALSE(std::filesystem::exists(folder / ".run.json.new"));
}

TEST(RunSummary, KeepsTheSpaceOfTheLastOneWhileTheRunGoesOn) {
  const ScratchFolder folder;
  const RunDirectory directory(folder.path(), {}, ExistingRun::keep);
  RunSummary summary;
  directory.write_summary(summary);
  const auto kept = folder / ".run.json.new";
  struct stat status {};
  ASSERT_EQ(::stat(kept.c_str(), &status), 0);
  EXPECT_GE(status.st_size, 65536);
  EXPECT_GE(status.st_blocks * 512, 65536);
  summary.status = RunStatus::failed;
  summary.error = std::string(60000, 'x');
  directory.write_summary(summary);
  EXPECT_EQ(nlohmann::json::parse(read_bytes(folder / "run.json"))["error"], summary.error);
  EXPECT_FALSE(std::filesystem::exists(kept));
}

TEST(Checkpoint, IsOfARunWhoseOptionsMayComeInAnotherOrder) {
  const auto with = [](std::vector<std::string> overrides) {
    return RunIdentity{"1", "model", {}, std::move(overrides)};
  };
  const RunIdentity saved = with({"run.seed=2", "run.duration=9 ms"});
  EXPECT_EQ(difference(saved, with({"run.duration=9 ms", "run.seed=2"})), "");
  EXPECT_THAT(difference(saved, with({"run.duration=8 ms", "run.seed=2"})),
              HasSubstr("--set run.seed=2"));
  // Where one is in the other the last of them counts.
  EXPECT_NE(difference(with({"run={duration: 9 ms}", "run.duration=8 ms"}),
                       with({"run.duration=8 ms", "run={duration: 9 ms}"})),
            "");
}

}  // namespace
}  // namespace hillock::io
