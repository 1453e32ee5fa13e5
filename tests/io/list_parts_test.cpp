// Lists of connections read in parts: all parts together are the whole, whatever the file looks
// like, and an error is found by the part that has its row.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/sha256.hpp"
#include "io/columns/lines.hpp"
#include "tests/io/hdf5_making.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t many_parts = 7;

/// A text in blocks of some bytes.
class SmallBlocks final : public Blocks {
 public:
  SmallBlocks(std::string_view text, std::size_t bytes)
      : size_(text.size()), left_(text), bytes_(bytes) {}
  std::uint64_t size() const override { return size_; }
  std::string_view next() override {
    const std::string_view block = left_.substr(0, bytes_);
    left_.remove_prefix(block.size());
    return block;
  }

 private:
  std::uint64_t size_;
  std::string_view left_;
  std::size_t bytes_;
};

TEST(Part, AllTogetherHaveEachThingOnce) {
  for (const std::uint64_t size : {0, 1, 6, 7, 8, 100}) {
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < many_parts; ++i) {
      EXPECT_EQ((Part{i, many_parts}.begin(size)), end);
      end = Part{i, many_parts}.end(size);
    }
    EXPECT_EQ(end, size);
  }
  EXPECT_EQ((Part{99'999, 100'000}.end(~std::uint64_t{0})), ~std::uint64_t{0});
}

TEST(Lines, OfAllPartsAreTheText) {
  for (const std::string& text :
       {std::string("a\nbc\n\n\ndef\nlonger than others\n\nx"), std::string("\n\n\n"),
        std::string("no end"), std::string("one\n"), std::string()})
    for (const std::size_t bytes : {1, 2, 3, 5, 8, 100}) {
      std::string joined;
      for (std::uint64_t i = 0; i < many_parts; ++i) {
        SmallBlocks blocks(text, bytes);
        std::string all;
        each_lines(blocks, {i, many_parts}, [&](std::string_view lines, bool is_of_part) {
          EXPECT_FALSE(lines.empty());
          all += lines;
          EXPECT_TRUE(lines.back() == '\n' || all.size() == text.size());
          if (is_of_part) joined += lines;
          return true;
        });
        EXPECT_EQ(all, text);
      }
      EXPECT_EQ(joined, text) << bytes;
    }
}

TEST(Lines, EndWhenNoMoreAreWanted) {
  SmallBlocks blocks("a\nb\nc\nd\n", 2);
  int times = 0;
  each_lines(blocks, {}, [&](std::string_view, bool) { return ++times < 2; });
  EXPECT_EQ(times, 2);
}

std::string with_list(const std::string& list) {
  return with_base("projections:\n  - {from: a, to: b, connect: {list: " + list +
                   "}, synapse: {expsyn: {}, at: soma(0)}, weight: 1 nS, delay: 1 ms}\n");
}

const models::ConnectionRows& rows_of(const ReadResult& result) {
  return result.network.projections.at(0).connect.rows;
}

/// The rows of the list in the folder's model, part after part.
models::ConnectionRows joined_parts(const ModelFolder& folder, std::uint64_t parts) {
  models::ConnectionRows all;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const ReadResult result = read(folder, {}, {i, parts});
    EXPECT_THAT(result.errors(), IsEmpty());
    if (!result.errors().empty()) return all;
    const models::ConnectionRows& some = rows_of(result);
    const auto append = [](const auto& from, auto& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(some.sources, all.sources);
    append(some.targets, all.targets);
    append(some.weights, all.weights);
    append(some.delays_ms, all.delays_ms);
    all.listed = some.listed;
  }
  return all;
}

void expect_parts_are_the_whole(const ModelFolder& folder, std::size_t rows) {
  const models::ConnectionRows whole = joined_parts(folder, 1);
  EXPECT_EQ(whole.size(), rows);
  for (const std::uint64_t parts : {2, 3, 7, 40}) {
    const models::ConnectionRows all = joined_parts(folder, parts);
    EXPECT_EQ(all.sources, whole.sources) << parts;
    EXPECT_EQ(all.targets, whole.targets) << parts;
    EXPECT_EQ(all.weights, whole.weights) << parts;
    EXPECT_EQ(all.delays_ms, whole.delays_ms) << parts;
    EXPECT_EQ(all.listed, rows) << parts;
  }
}

TEST(ListParts, OfCsvFilesAreTheWhole) {
  const ModelFolder folder;
  folder.write("model.yaml", with_list("{csv: pairs.csv}"));
  std::string plain, named = "\xef\xbb\xbf# made by hand\r\n\r\ntarget, delay,source,weight\r\n";
  for (int i = 0; i < 23; ++i) {
    plain += fmt::format("{},{}\n", i % 10, i * 7 % 10);
    named += fmt::format("{},{}.5, {},{}e-3\r\n", i % 10, i + 1, i * 7 % 10, i);
    if (i % 4 == 0) named += "  # a word\r\n\r\n";
  }
  folder.write("pairs.csv", plain);
  expect_parts_are_the_whole(folder, 23);
  folder.write("pairs.csv", plain + "9,9");
  expect_parts_are_the_whole(folder, 24);
  folder.write("pairs.csv", named);
  expect_parts_are_the_whole(folder, 23);
  folder.write("pairs.csv", "source,target\n3,4\n");
  expect_parts_are_the_whole(folder, 1);
}

TEST(ListParts, OfInlinePairsAreTheWhole) {
  const ModelFolder folder;
  folder.write("model.yaml", with_list("[[0, 1], [1, 2], [3, 4], [9, 9], [2, 2]]"));
  expect_parts_are_the_whole(folder, 5);
}

TEST(ListParts, OfHdf5FilesAreTheWhole) {
  const ModelFolder folder;
  MadeHdf5 file(folder.path() / "edges.h5");
  for (const int step : {3, 7}) {
    std::vector<double> values;
    for (int i = 0; i < 23; ++i) values.push_back(i * step % 10);
    file.numbers(step == 3 ? "s" : "t", values, 0, H5T_STD_U32LE);
  }
  folder.write("model.yaml", with_list("{hdf5: edges.h5, source: s, target: t}"));
  expect_parts_are_the_whole(folder, 23);
  folder.write("model.yaml", with_list("{hdf5: edges.h5, source: s, target: t}") +
                                 "  - {from: \"a[0:9]\", to: b, connect: {list: {hdf5: edges.h5, "
                                 "source: s, target: t}}, synapse: {expsyn: {}, at: soma(0)}, "
                                 "weight: 1 nS, delay: 1 ms}\n");
  EXPECT_THAT(read(folder, {}, {0, 8}).errors(), IsEmpty());  // 9 is the value of rows 3, 13, 23
  EXPECT_THAT(read(folder, {}, {1, 8}).errors(), ElementsAre(HasSubstr("row 3: the source 9")));
}

TEST(ListParts, HaveTheErrorsOfTheirRows) {
  const ModelFolder folder;
  folder.write("model.yaml", with_list("{csv: pairs.csv}"));
  std::string text = "source,target\n";
  for (int i = 0; i < 40; ++i) text += i == 33 ? "10,0\n" : i == 12 ? "1,x\n" : "1,2\n";
  folder.write("pairs.csv", text);
  EXPECT_THAT(read(folder, {}, {0, 4}).errors(), IsEmpty());
  EXPECT_THAT(read(folder, {}, {1, 4}).errors(), ElementsAre(HasSubstr("14:3: 'x' is not a")));
  EXPECT_THAT(read(folder, {}, {2, 4}).errors(), IsEmpty());
  EXPECT_THAT(read(folder, {}, {3, 4}).errors(), ElementsAre(HasSubstr("35:1: ")));
  // What concerns all rows is found by all.
  folder.write("pairs.csv", "source,targets\n1,2\n");
  for (const std::uint64_t i : {0, 1, 2})
    EXPECT_THAT(read(folder, {}, {i, 3}).errors(), ElementsAre(HasSubstr("column 'targets'")));
  folder.write("pairs.csv", "source,target\n");
  for (const std::uint64_t i : {0, 1, 2})
    EXPECT_THAT(read(folder, {}, {i, 3}).errors(),
                ElementsAre("1:1: the table has no rows of numbers"));
}

/// Of more than the blocks in which files are read.
TEST(ListParts, CountTheLinesOfLargeFiles) {
  const ModelFolder folder;
  folder.write("model.yaml", with_list("{csv: pairs.csv}"));
  constexpr int rows = 900'000;
  std::string text = "# sources, targets\n";
  for (int i = 0; i < rows; ++i) text += "1,2\n";
  folder.write("pairs.csv", text);
  EXPECT_EQ(joined_parts(folder, 3).size(), static_cast<std::size_t>(rows));
  EXPECT_EQ(read(folder).network.inputs.back().sha256, sha256(text));
  folder.write("pairs.csv", text + "1,10\n");
  EXPECT_THAT(read(folder, {}, {1, 3}).errors(), IsEmpty());
  EXPECT_THAT(read(folder, {}, {2, 3}).errors(),
              ElementsAre(HasSubstr(fmt::format("{}:1: ", rows + 2))));
}

TEST(ListParts, OfGapJunctionsAreReadWhole) {
  const ModelFolder folder;
  folder.write("model.yaml",
               with_base("projections:\n  - {from: a, to: b, connect: {list: [[0, 1], [1, 2]]}, "
                         "gap_junction: {g: 1 nS, at: soma(0.5), peer_at: soma(0.5)}}\n"));
  EXPECT_THAT(rows_of(read(folder, {}, {1, 3})).targets, ElementsAre(1, 2));
}

/// Its text is kept for that, and it is one file of the model.
TEST(ListParts, OfAFileThatIsReadForSomethingElseToo) {
  const ModelFolder folder;
  std::string text = "source,target,weight\n";
  for (int i = 0; i < 10; ++i) text += fmt::format("{},{},0.00{}\n", i, 9 - i, i + 1);
  folder.write("pairs.csv", text);
  const auto projection = [](const std::string& tau) {
    return "  - {from: a, to: b, connect: {list: {csv: pairs.csv}}, synapse: {expsyn: {tau: " +
           tau + "}, at: soma(0)}, weight: 1 nS, delay: 1 ms}\n";
  };
  const std::string column = "{csv: pairs.csv, column: weight, unit: ms}";
  for (const auto& [first, second] :
       {std::pair<std::string, std::string>{"2 ms", column}, {column, "2 ms"}}) {
    folder.write("model.yaml",
                 with_base("projections:\n" + projection(first) + projection(second)));
    const ReadResult result = read(folder, {}, {1, 2});
    EXPECT_THAT(result.errors(), IsEmpty());
    ASSERT_EQ(result.network.projections.size(), 2U);
    for (const models::Projection& made : result.network.projections)
      EXPECT_THAT(made.connect.rows.sources, ElementsAre(4, 5, 6, 7, 8, 9));
    ASSERT_EQ(result.network.inputs.size(), 2U);
    EXPECT_EQ(result.network.inputs.back().path, "pairs.csv");
    EXPECT_EQ(result.network.inputs.back().content, text);
  }
}

}  // namespace
}  // namespace hillock::io
