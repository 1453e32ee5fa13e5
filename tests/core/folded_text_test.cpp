#include "core/text/folded_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace hillock {
namespace {

TEST(Folded, BreaksBetweenWordsAndGoesOnFurtherIn) {
  EXPECT_EQ(folded("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(folded("one two three", 13, 2), "one two three");
  EXPECT_EQ(folded("  one   two three", 11, 4), "  one   two\n    three");
}

TEST(Folded, EveryLineIsFoldedByItself) {
  EXPECT_EQ(folded("one two\nthree four\n", 7, 1), "one two\nthree\n four\n");
  EXPECT_EQ(folded("\n\n", 7, 1), "\n\n");
  EXPECT_EQ(folded("", 7, 1), "");
}

TEST(Folded, LeavesAWordWhole) {
  EXPECT_EQ(folded("see /a/long/path here", 8, 2), "see\n  /a/long/path\n  here");
  EXPECT_EQ(folded("/a/long/path", 8, 2), "/a/long/path");
}

TEST(Folded, CountsCodePoints) {
  EXPECT_EQ(columns_of("µm²"), 3);
  EXPECT_EQ(folded("µm² µm²", 7, 0), "µm² µm²");
  EXPECT_EQ(cut("µm²", 2), "µm");
  EXPECT_EQ(cut("µm²", 3), "µm²");
  EXPECT_EQ(cut("µm²", 9), "µm²");
  EXPECT_EQ(cut("µm²", 0), "");
}

TEST(Folded, OfAnyNumberOfColumnsIsTheText) {
  EXPECT_EQ(folded("one two three four", 0, 2), "one two three four");
}

TEST(Entry, StandsBesideItsNameOrBelow) {
  EXPECT_EQ(entry("cells", 8, "a text that has to be folded", 32),
            "cells   a text that has to be\n        folded\n");
  EXPECT_EQ(entry("cells", 8, "a text that has to be folded", 24),
            "cells  a text that has\n    to be folded\n");
  EXPECT_EQ(entry("", 8, "a text that has to be folded", 24),
            "    a text that has to\n    be folded\n");
  EXPECT_EQ(entry("many cells", 8, "here", 0), "many cells here\n");
}

TEST(Columns, AreWhatTheEnvironmentSaysWhereThereIsNoTerminal) {
  const char* const told = std::getenv("COLUMNS");
  const std::string before = told ? told : "";
  for (const auto& [text, columns] : {std::pair{"57", 57u},
                                      {"1", 1u},
                                      {"10000", 10000u},
                                      {"0", 80u},
                                      {"10001", 80u},
                                      {"many", 80u},
                                      {"57 ", 80u},
                                      {"", 80u}}) {
    ::setenv("COLUMNS", text, 1);
    EXPECT_EQ(page_columns(-1), columns) << text;
    EXPECT_EQ(terminal_columns(-1), 0u);
  }
  ::unsetenv("COLUMNS");
  EXPECT_EQ(page_columns(-1), 80u);
  if (told) ::setenv("COLUMNS", before.c_str(), 1);
}

}  // namespace
}  // namespace hillock
