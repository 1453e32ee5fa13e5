#include "core/program/whole_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "core/errors/errors.hpp"

namespace hillock {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hillock-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(pattern.data()));
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What reading up to `limit` bytes comes to, at once and in blocks: the problem, else the text.
  std::string reading(const fs::path& file, std::uintmax_t limit = 1 << 20) const {
    std::string text;
    const std::string problem = read_whole_file(folder_ / file, limit, text);
    std::unique_ptr<Blocks> blocks;
    EXPECT_EQ(open_in_blocks(folder_ / file, limit, blocks), problem);
    if (!problem.empty()) return problem;
    EXPECT_EQ(blocks->size(), text.size());
    std::string joined;
    for (auto block = blocks->next(); !block.empty(); block = blocks->next()) joined += block;
    EXPECT_EQ(joined, text);
    return text;
  }

  fs::path folder_;
};

TEST_F(WholeFile, IsReadAsItIs) {
  const std::string bytes("a\0b\r\n", 5);
  std::ofstream(folder_ / "file", std::ios::binary) << bytes;
  fs::create_symlink("file", folder_ / "link");
  EXPECT_EQ(reading("file"), bytes);
  EXPECT_EQ(reading("link", 5), bytes);
  EXPECT_EQ(reading("file", 4), "the file is larger than 0 MiB");
}

TEST_F(WholeFile, ComesInBlocksUntilItsSize) {
  const std::string bytes(3'000'000, 'x');
  std::ofstream(folder_ / "file", std::ios::binary) << bytes;
  EXPECT_EQ(reading("file", 1 << 22), bytes);
  std::unique_ptr<Blocks> blocks;
  ASSERT_EQ(open_in_blocks(folder_ / "file", 1 << 22, blocks), "");
  EXPECT_FALSE(blocks->next().empty());
  fs::resize_file(folder_ / "file", 10);
  EXPECT_THROW(blocks->next(), InputOutputError);
}

TEST_F(WholeFile, IsNoPipeAndNoDevice) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder_ / "link");
  EXPECT_EQ(reading("pipe"), "this is not a regular file");
  EXPECT_EQ(reading("link"), "this is not a regular file");
  EXPECT_EQ(reading("/dev/zero"), "this is not a regular file");
  EXPECT_EQ(reading(""), "this is a directory, not a file");
  EXPECT_EQ(reading("none"), "there is no such file");
}

}  // namespace
}  // namespace hillock
