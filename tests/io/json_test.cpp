#include "io/json/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace hillock::io {
namespace {

Json nested(int depth) {
  Json value = 1;
  for (int i = 0; i < depth; ++i) {
    Json outer = Json::array();
    outer.add(std::move(value));
    value = std::move(outer);
  }
  return value;
}

Json everything() {
  const double infinity = std::numeric_limits<double>::infinity();
  return Json::object(
      {{"text", "quote \" backslash \\ newline \n tab \t bell \x07 µ 𝄞"},
       {"no text", std::string()},
       {"largest count", std::numeric_limits<std::uint64_t>::max()},
       {"least", std::numeric_limits<std::int64_t>::min()},
       {"numbers", std::vector<double>{0.1, 1, -2.5e-300, 1e22, 123456789.125, -0.0}},
       {"no number", infinity},
       {"is", true},
       {"is not", false},
       {"inputs", std::vector<std::pair<std::string, std::string>>{{"a", "b"}}},
       {"timings", std::map<std::string, double>{{"build", 0.5}}},
       {"nothing", Json()},
       {"no items", Json::array()},
       {"no members", Json::object()}});
}

bool is_refused(std::string_view text) {
  try {
    Json::parse(text);
    return false;
  } catch (const JsonError&) {
    return true;
  }
}

TEST(Json, AnotherReaderReadsWhatIsWritten) {
  const auto read = nlohmann::ordered_json::parse(everything().lines());
  EXPECT_EQ(read, nlohmann::ordered_json::parse(everything().line()));
  EXPECT_EQ(read["text"], "quote \" backslash \\ newline \n tab \t bell \x07 µ 𝄞");
  EXPECT_EQ(read["largest count"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read["least"], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read["numbers"].get<std::vector<double>>(),
            (std::vector<double>{0.1, 1, -2.5e-300, 1e22, 123456789.125, -0.0}));
  EXPECT_TRUE(read["no number"].is_null());
  EXPECT_EQ(read["inputs"][0][1], "b");
  EXPECT_EQ(read.dump(2) + "\n", everything().lines());
}

TEST(Json, WhatIsReadIsWrittenAsItStood) {
  EXPECT_EQ(Json::parse(everything().line()).lines(), everything().lines());
}

TEST(Json, EveryEscapeIsUnderstood) {
  EXPECT_EQ(Json::parse(R"("\"\\\/\b\f\n\r\t\u0041\u00b5\u20ac\ud834\udd1e")").text(),
            "\"\\/\b\f\n\r\tAµ€𝄞");
}

TEST(Json, AByteThatIsNoUtf8IsReplaced) {
  EXPECT_EQ(Json("a\xff").line(), "\"a\xef\xbf\xbd\"");
}

TEST(Json, WhatIsNoJsonIsRefusedAsAnotherReaderRefusesIt) {
  for (const std::string text :
       {"",           " ",        "{",       "[1,]",        "[1 2]",       "{\"a\"}",
        "{\"a\":1,}", "{a:1}",    "01",      "1.",          ".5",          "+1",
        "1e",         "0x1",      "nul",     "True",        "NaN",         "-",
        "--1",        "\"",       "\"\\x\"", "\"\\u12g4\"", "\"\\ud834\"", "\"\\udd1e\"",
        "\"a\nb\"",   "\"\xff\"", "[] []",   "'a'",         "]",           ",",
        ":"}) {
    EXPECT_TRUE(is_refused(text)) << text;
    EXPECT_FALSE(nlohmann::json::accept(text)) << text;
  }
  for (const std::string text : {"0", "-0", "1e5", "1E-5", "0.5", " [ ] ", "{ }", "[[],{}]", "\"\"",
                                 "null", "true", "{\"a\" : [1 , 2]}"}) {
    EXPECT_FALSE(is_refused(text)) << text;
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  }
}

TEST(Json, WhatIsTooDeepIsRefused) {
  EXPECT_FALSE(is_refused(nested(60).line()));
  EXPECT_TRUE(is_refused(std::string(100'000, '[')));
}

TEST(Json, AValueIsNothingElse) {
  const Json json = everything();
  EXPECT_THROW(json["text"].count(), JsonError);
  EXPECT_THROW(json["least"].count(), JsonError);
  EXPECT_THROW(json["numbers"].counts(), JsonError);
  EXPECT_THROW(json["is"].text(), JsonError);
  EXPECT_THROW(json["nothing"].items(), JsonError);
  EXPECT_THROW(json["absent"], JsonError);
  EXPECT_THROW(json["no items"][0], JsonError);
  EXPECT_THROW(Json("text").has("member"), JsonError);
  EXPECT_THROW(Json::parse("1e999").number(), JsonError);
}

}  // namespace
}  // namespace hillock::io
