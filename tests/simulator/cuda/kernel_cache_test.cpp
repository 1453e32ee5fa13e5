#include "simulator/backends/device/compiler/kernel_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "simulator/backends/device/compiler/nvrtc.hpp"

namespace hillock::simulator::on_device {

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int capability = 90;

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void put(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

/// A small kernel that calls what "mechanism_1.hpp" has.
ProgramSource source_with(const std::string& evaluator) {
  return {
      "#include \"mechanism_1.hpp\"\n"
      "extern \"C\" __global__ void kernel(double* x) { *x = evaluate(*x); }\n",
      {{"mechanism_1.hpp", evaluator, "leak"}}};
}
const std::string twice = "__device__ inline double evaluate(double x) { return 2 * x; }\n";
const std::string thrice = "__device__ inline double evaluate(double x) { return 3 * x; }\n";

class KernelCacheInAFolder : public testing::Test {
 protected:
  KernelCacheInAFolder() {
    std::string pattern = (fs::temp_directory_path() / "hillock-kernels-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    use(folder_ / "cache");
  }
  ~KernelCacheInAFolder() override {
    ::unsetenv("HILLOCK_CACHE");
    fs::remove_all(folder_);
  }

  static void use(const fs::path& folder) { ::setenv("HILLOCK_CACHE", folder.c_str(), 1); }

  std::string code_of(const ProgramSource& source, int for_capability = capability) {
    return KernelCache([this](const std::string& line) { heard_.push_back(line); })
        .code_of(source, for_capability);
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache"))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  fs::path folder_;
  std::vector<std::string> heard_;
};

TEST_F(KernelCacheInAFolder, KeepsAKernelAndTakesItThenWithoutCompiling) {
  const std::string code = code_of(source_with(twice));
  ASSERT_EQ(files().size(), 1u);
  const fs::path file = files().front();
  EXPECT_EQ(file.filename(), "nvrtc-" + nvrtc_version().value() + ".cubin");
  EXPECT_THAT(content_of(file), testing::StartsWith(code));
  const auto written = fs::last_write_time(file);
  EXPECT_EQ(code_of(source_with(twice)), code);
  EXPECT_EQ(fs::last_write_time(file), written);
  EXPECT_THAT(heard_, IsEmpty());
}

TEST_F(KernelCacheInAFolder, TellsSourcesHeadersAndDevicesApart) {
  const std::string code = code_of(source_with(twice));
  EXPECT_NE(code_of(source_with(thrice)), code);
  ProgramSource longer = source_with(twice);
  longer.text += "extern \"C\" __global__ void other() {}\n";
  EXPECT_NE(code_of(longer), code);
  EXPECT_NE(code_of(source_with(twice), 80), code);
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(KernelCacheInAFolder, CompilesAgainWhatIsDamagedAndSaysSo) {
  const std::string code = code_of(source_with(twice));
  const fs::path file = files().front();
  const std::string whole = content_of(file);
  std::string flipped = whole;
  flipped[flipped.size() / 2] ^= 1;
  for (const std::string& damaged : {flipped, whole.substr(0, whole.size() / 2), std::string()}) {
    heard_.clear();
    put(file, damaged);
    EXPECT_EQ(code_of(source_with(twice)), code);
    EXPECT_THAT(heard_, ElementsAre(HasSubstr(file.string() + ": not used: it is damaged")));
    EXPECT_EQ(content_of(file), whole);
  }
}

TEST_F(KernelCacheInAFolder, TakesNoKernelThatLiesWhereAnotherBelongs) {
  const std::string code = code_of(source_with(twice));
  const fs::path first = files().front();
  const std::string kept = content_of(first);
  const std::string other = code_of(source_with(thrice));
  for (const fs::path& file : files()) put(file, kept);
  EXPECT_EQ(code_of(source_with(thrice)), other);
  EXPECT_EQ(code_of(source_with(twice)), code);
  EXPECT_EQ(heard_.size(), 1u);
}

TEST_F(KernelCacheInAFolder, CompilesWhereNothingCanBeKeptAndSaysSoOnce) {
  put(folder_ / "file", "");
  use(folder_ / "file/cache");
  KernelCache cache([this](const std::string& line) { heard_.push_back(line); });
  EXPECT_FALSE(cache.code_of(source_with(twice), capability).empty());
  EXPECT_FALSE(cache.code_of(source_with(thrice), capability).empty());
  EXPECT_THAT(heard_, ElementsAre(HasSubstr("kernels are compiled anew in every run")));
}

TEST_F(KernelCacheInAFolder, IsUsedByManyAtOnce) {
  std::vector<std::string> codes(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& code : codes)
      threads.emplace_back(
          [&] { code = KernelCache([](const std::string&) {}).code_of(source_with(twice), 90); });
  }
  for (const std::string& code : codes) EXPECT_EQ(code, codes.front());
  EXPECT_EQ(files().size(), 1u);  // no folder of a compilation stays
}

TEST_F(KernelCacheInAFolder, NamesTheMechanismThatIsRefusedAndKeepsTheCompilersWords) {
  try {
    code_of(source_with("__device__ inline double evaluate(double x) { return undeclared * x; }"));
    FAIL() << "it was accepted";
  } catch (const KernelRefused& refused) {
    const std::string what = refused.what();
    EXPECT_THAT(what, HasSubstr("the mechanism leak is not accepted"));
    EXPECT_THAT(what, Not(HasSubstr("undeclared")));
    std::string log;
    for (const fs::path& file : files())
      if (file.filename() == "log" && what.find(file.parent_path().string()) != std::string::npos)
        log = content_of(file);
    EXPECT_THAT(log, HasSubstr("undeclared"));
  }
}

TEST_F(KernelCacheInAFolder, NamesAllMechanismsWhereNoneIsAtFault) {
  ProgramSource broken = source_with(twice);
  broken.text += "undeclared kernel;\n";
  try {
    code_of(broken);
    FAIL() << "it was accepted";
  } catch (const KernelRefused& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("a kernel of the mechanisms leak is not accepted"));
  }
}

}  // namespace

}  // namespace hillock::simulator::on_device
