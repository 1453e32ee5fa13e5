#include "core/text/utf8.hpp"

#include <gtest/gtest.h>

#include "core/errors/errors.hpp"

namespace hillock {
namespace {

TEST(Utf8, TextIsValidUpToTheFirstByteThatIsNoPartOfACharacter) {
  for (const char* good : {"", "abc", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\xa7\xa0", "\x7f"})
    EXPECT_FALSE(invalid_utf8(good)) << good;
  EXPECT_EQ(invalid_utf8("caf\xe9"), 3U);
  EXPECT_EQ(invalid_utf8("ab\x80"), 2U);
  EXPECT_EQ(invalid_utf8("a\xc3"), 1U) << "cut off";
  EXPECT_EQ(invalid_utf8("\xe2\x82"), 0U) << "cut off";
  EXPECT_EQ(invalid_utf8("\xc0\xaf"), 0U) << "overlong";
  EXPECT_EQ(invalid_utf8("\xe0\x80\xaf"), 0U) << "overlong";
  EXPECT_EQ(invalid_utf8("\xed\xa0\x80"), 0U) << "surrogate";
  EXPECT_EQ(invalid_utf8("\xf4\x90\x80\x80"), 0U) << "beyond U+10FFFF";
  EXPECT_EQ(invalid_utf8("\xf8\x88\x80\x80\x80"), 0U) << "five bytes";
}

TEST(Utf8, BytesThatAreNoneAreTakenForLatin1) {
  EXPECT_EQ(to_utf8("caf\xe9 \xc3\xa9 \xb5m"), "caf\xc3\xa9 \xc3\xa9 \xc2\xb5m");
}

TEST(Printable, ShowsWhatSteersATerminalAsEscapes) {
  EXPECT_EQ(printable("\x1b[31mRED\x1b[0m"), "\\u001b[31mRED\\u001b[0m");
  EXPECT_EQ(printable("a\rb\tc\nd\x7f\b\a"), "a\\u000db\\u0009c\\u000ad\\u007f\\u0008\\u0007");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m")
      << "C1, which some terminals obey";
  EXPECT_EQ(printable("\x9b"
                      "31m caf\xe9"),
            "\\x9b31m caf\\xe9")
      << "bytes that are not UTF-8";
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc\xe2\x81\xa6"),
            "\\u202eabc\\u2066")
      << "bidi overrides";
}

TEST(Printable, LeavesTextThatIsFitToPrint) {
  const std::string text = "50 µm \\ {a: 'b'} naïve 神経 🧠\xc2\xa0.";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(printable("\x1b")), printable("\x1b"));
  EXPECT_EQ(printable_lines("a\nb\r"), "a\nb\\u000d");
}

TEST(Printable, DiagnosticsAndErrorsAreOneLineEach) {
  Diagnostic diagnostic;
  diagnostic.place = {"a\x1b.yaml", 3, 1};
  diagnostic.message = "unknown key 'x\nb: valid'";
  EXPECT_EQ(to_string(diagnostic), "a\\u001b.yaml:3:1: error: unknown key 'x\\u000ab: valid'");
  EXPECT_STREQ(InvalidModel({diagnostic}).what(), to_string(diagnostic).c_str());
  EXPECT_STREQ(InputOutputError("a\n\x1b.h5", "is in use").what(), "a\\u000a\\u001b.h5: is in use");
}

}  // namespace
}  // namespace hillock
