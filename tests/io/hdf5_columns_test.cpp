// What a reader of HDF5 files may do, broken or broken into: it is believed in nothing. What real
// files come to is in tests/command/hdf5_lists.py.

#include "io/columns/hdf5_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/errors/errors.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ColumnReader : public testing::Test {
 protected:
  /// Why a file is not read by a reader that is this shell script after it said hello.
  std::string problem_with(const std::string& script) {
    return problem_with_whole("printf HilkCol1; " + script);
  }

  std::string problem_with_whole(const std::string& script) {
    folder_.write("reader", "#!/bin/sh\n" + script + "\n");
    const auto reader = folder_.path() / "reader";
    std::filesystem::permissions(reader, std::filesystem::perms::owner_all);
    columns_.clear();
    OneBlock file("not HDF5");
    return read_hdf5_columns({reader, file, {"a", "b"}, 1000}, columns_);
  }

  ModelFolder folder_;
  std::vector<ReadColumn> columns_;
};

constexpr const char* take_all = "head -c 74 >/dev/null; ";
constexpr const char* empty_column = R"(printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; )";

TEST_F(ColumnReader, ThatIsSoundIsBelieved) {
  EXPECT_EQ(problem_with(std::string(take_all) + empty_column + empty_column), "");
  ASSERT_EQ(columns_.size(), 2U);
  EXPECT_TRUE(columns_[0].values.empty() && columns_[1].values.empty());
}

TEST_F(ColumnReader, ThatDoesNotWorkIsNoFaultOfTheFile) {
  EXPECT_THROW(problem_with_whole("exit 3"), InputOutputError);
  EXPECT_THROW(problem_with_whole("echo what do you mean"), InputOutputError);
  std::vector<ReadColumn> none;
  OneBlock file("");
  EXPECT_THROW(read_hdf5_columns({folder_.path() / "none", file, {"a"}, 10}, none),
               InputOutputError);
}

TEST_F(ColumnReader, ThatDiesIsOnePlainError) {
  EXPECT_THAT(problem_with("kill -SEGV $$"), AllOf(HasSubstr("cannot be read"), HasSubstr("11")));
  EXPECT_THAT(problem_with(std::string(take_all) + empty_column + "kill -BUS $$"),
              AllOf(HasSubstr("cannot be read"), HasSubstr("7")));
  EXPECT_THAT(problem_with(std::string(take_all) + "exit 1"), HasSubstr("cannot be read"));
}

TEST_F(ColumnReader, ThatSaysWhatCannotBeIsNotBelieved) {
  const std::string begin = take_all;
  // A problem that there is none of; more values than allowed; fewer than announced.
  EXPECT_THAT(problem_with(begin + R"(printf '\377\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0')"),
              HasSubstr("cannot be read"));
  EXPECT_THAT(problem_with(begin + R"(printf '\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\177')"),
              HasSubstr("cannot be read"));
  EXPECT_THAT(problem_with(begin + R"(printf '\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0too few')"),
              HasSubstr("cannot be read"));
}

TEST_F(ColumnReader, SendsNoWordsOfItsOwn) {
  EXPECT_EQ(problem_with(std::string(take_all) +
                         R"(printf '\6\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0I am a message')"),
            "dataset 'a' has the filter number 7 (gzip and shuffle are read)");
}

TEST(Hdf5Columns, TextIsNoHdf5) {
  std::vector<ReadColumn> columns;
  OneBlock file("source,target\n");
  EXPECT_EQ(read_hdf5_columns({HILLOCK_COLUMN_READER, file, {"a"}, 10}, columns),
            "this is not an HDF5 file that can be opened");
}

}  // namespace
}  // namespace hillock::io
