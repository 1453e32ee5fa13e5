// Every YAML block of the documentation is a model that the reader accepts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/io/hdf5_making.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

const std::filesystem::path source = HILLOCK_SOURCE_DIR;
const std::filesystem::path beside = std::filesystem::path(HILLOCK_TEST_DIR) / "docs";

/// A block between ```yaml (or ```yaml fragment) and ```.
struct Block {
  std::string where;  ///< file:line of the opening line
  bool is_fragment = false;
  std::string text;
};

std::vector<Block> blocks_of(const std::filesystem::path& page) {
  std::vector<Block> blocks;
  std::ifstream file(page);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!inside && line.starts_with("```yaml")) {
      inside = true;
      blocks.push_back({page.filename().string() + ':' + std::to_string(number),
                        line == "```yaml fragment", ""});
    } else if (inside && line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      blocks.back().text += line + '\n';
    }
  }
  return blocks;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The block's errors, read in a folder with the files that the documentation names.
std::vector<std::string> errors_of(const Block& block) {
  const ModelFolder folder;
  for (const auto& place : {beside, source / "models/library"})
    for (const auto& entry : std::filesystem::directory_iterator(place))
      if (entry.is_regular_file()) {
        folder.write(entry.path().filename().string(), text_of(entry.path()));
        folder.write("library/" + entry.path().filename().string(), text_of(entry.path()));
      }
  MadeHdf5(folder.path() / "cell.h5")
      .texts("/branches/name", {"soma"})
      .numbers("/branches/parent", {-1})
      .numbers("/branches/compartments", {1})
      .numbers("/branches/length", {20})
      .numbers("/branches/end_resistance", {0.1})
      .numbers("/compartments/area", {1200})
      .numbers("/compartments/diameter", {20})
      .numbers("/compartments/resistance", {0.1})
      .numbers("/cm", {1})
      .numbers("/pas/g", {1e-4});
  if (block.is_fragment) {
    const bool has_run =
        block.text.find("run:") == 0 || block.text.find("\nrun:") != std::string::npos;
    folder.write("fragment.yaml", block.text);
    folder.write("model.yaml", "include: [base.yaml, fragment.yaml]\n" +
                                   std::string(has_run ? "" : "run: {duration: 100 ms}\n") +
                                   "hillock: 1\n");
  } else {
    folder.write("model.yaml", block.text);
  }
  return read(folder).errors();
}

std::vector<Block> all_blocks() {
  std::vector<std::filesystem::path> pages{source / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::sort(pages.begin(), pages.end());
  std::vector<Block> blocks;
  for (const auto& page : pages)
    for (auto& block : blocks_of(page)) blocks.push_back(std::move(block));
  return blocks;
}

TEST(Documentation, EveryYamlBlockIsAModel) {
  const auto blocks = all_blocks();
  EXPECT_GE(blocks.size(), 5U);
  for (const auto& block : blocks)
    EXPECT_THAT(errors_of(block), testing::IsEmpty()) << "in the block at " << block.where;
}

TEST(Documentation, AWrongBlockWouldBeFound) {
  EXPECT_THAT(errors_of({"", false, "hillock: 1\nrun: {duration: 1}\n"}),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errors_of({"", true, "record: [{name: v, of: nobody}]\n"}),
              testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace hillock::io
