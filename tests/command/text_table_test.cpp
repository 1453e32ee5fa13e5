#include "simulator/command/terminal/text_table.hpp"

#include <gtest/gtest.h>

namespace hillock::command {
namespace {

const std::vector<std::vector<std::string>> rows{
    {"name", "size", "what it is for"}, {"a", "1000", "the first one"}, {"second", "2", ""}};
const std::vector<Align> alignment{Align::left, Align::right, Align::left};

TEST(TextTable, IsAsWideAsItsCells) {
  EXPECT_EQ(table_text(rows, alignment, 0),
            "name    size  what it is for\n"
            "a       1000  the first one\n"
            "second     2\n");
  EXPECT_EQ(table_text(rows, alignment, 28), table_text(rows, alignment, 0));
}

TEST(TextTable, FoldsItsLastColumn) {
  EXPECT_EQ(table_text({{"name", "what"}, {"a", "words that need more place"}},
                       {Align::left, Align::left}, 22),
            "name  what\n"
            "a     words that need\n"
            "      more place\n");
}

TEST(TextTable, GoesOnInFurtherLinesWhereItIsTooNarrow) {
  EXPECT_EQ(table_text(rows, alignment, 16),
            "name  size\n"
            "    what it is\n"
            "    for\n"
            "a  1000\n"
            "    the first\n"
            "    one\n"
            "second  2\n");
}

}  // namespace
}  // namespace hillock::command
