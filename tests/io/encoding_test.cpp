// What is read as text must be UTF-8, and what is written as text is.

#include "io/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/utf8.hpp"
#include "io/columns/csv.hpp"
#include "io/model/model_reader.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string in_utf16(const std::string& ascii, bool little) {
  std::string text;
  for (const char c : ascii) {
    if (!little) text += '\0';
    text += c;
    if (little) text += '\0';
  }
  return text;
}

TEST(Encoding, AModelInLatin1IsRefusedAtItsFirstByte) {
  EXPECT_THAT(read(with_base("# ok caf\xc3\xa9\n# caf\xe9 \xe8\n")).errors(),
              ElementsAre("18:6: the byte 0xe9 is not UTF-8 (in Latin-1 it is 'é'; save the file"
                          " as UTF-8)"));
  EXPECT_THAT(read(with_base("# \x80\n")).errors(),
              ElementsAre("17:3: the byte 0x80 is not UTF-8 (save the file as UTF-8)"));
}

TEST(Encoding, AnIncludedFileInLatin1IsRefusedUnderItsOwnName) {
  const ModelFolder folder;
  folder.write("model.yaml", with_base("include: more.yaml\n"));
  folder.write("more.yaml", "record: []\n# \xfc\n");
  const auto result = read(folder);
  ASSERT_THAT(result.errors(), ElementsAre(HasSubstr("2:3: the byte 0xfc is not UTF-8")));
  EXPECT_THAT(result.diagnostics.all()[0].place.file, HasSubstr("more.yaml"));
}

TEST(Encoding, AByteOrderMarkIsFineAndMovesNoColumn) {
  EXPECT_THAT(read("\xef\xbb\xbf" + with_base("")).errors(), IsEmpty());
  EXPECT_THAT(read("\xef\xbb\xbfrun: {dt: 1 + bad}\nhillock: 1\n").errors(),
              testing::Contains(HasSubstr("1:15: run.dt: unknown name 'bad'")));
}

TEST(Encoding, Utf16IsCalledByItsName) {
  const std::string problem = "1:1: this file is UTF-16, not UTF-8 (save it as UTF-8)";
  EXPECT_THAT(read("\xff\xfe" + in_utf16(with_base(""), true)).errors(), ElementsAre(problem));
  EXPECT_THAT(read("\xfe\xff" + in_utf16(with_base(""), false)).errors(), ElementsAre(problem));
  EXPECT_THAT(read(in_utf16(with_base(""), true)).errors(), ElementsAre(problem));
  EXPECT_THAT(read(in_utf16(with_base(""), false)).errors(), ElementsAre(problem));
}

TEST(Encoding, ValuesOfSetMustBeUtf8) {
  for (const char* value : {"caf\xe9", "'caf\xe9'", "{a: caf\xe9}"})
    EXPECT_THAT(read(with_base(""), {{"run.solver", value}}).errors(),
                ElementsAre(HasSubstr("run.solver: the byte 0xe9 is not UTF-8")))
        << value;
}

TEST(Encoding, TablesMayHaveOldCommentsButNoOldHeader) {
  Diagnostics good;
  EXPECT_TRUE(
      read_csv("# gr\xf6\xdf"
               "e\ng\n1\n2 \n# \xe9\n",
               "g.csv", good));
  EXPECT_FALSE(good.has_errors());
  Diagnostics bad;
  EXPECT_FALSE(
      read_csv("# a\nx,gr\xf6\xdf"
               "e\n1,2\n",
               "g.csv", bad));
  ASSERT_EQ(bad.all().size(), 1U);
  EXPECT_EQ(to_string(bad.all()[0]),
            "g.csv:2:5: error: the byte 0xf6 is not UTF-8 (in Latin-1 it is 'ö'; save the file as"
            " UTF-8)");
  Diagnostics wide;
  EXPECT_FALSE(read_csv("\xff\xfe" + in_utf16("g\n1\n", true), "g.csv", wide));
  EXPECT_THAT(to_string(wide.all()[0]), HasSubstr("g.csv:1:1: error: this file is UTF-16"));
}

TEST(Encoding, NamesOfInputsAreUtf8WhateverTheFolderHolds) {
  const ModelFolder folder;
  folder.write("model.yaml", with_base("mechanisms: [mods]\n"));
  folder.write("mods/caf\xe9.mod", "kv");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  for (const auto& input : result.network.inputs) EXPECT_FALSE(invalid_utf8(input.path));
  EXPECT_THAT(result.network.inputs.back().path, HasSubstr("café.mod"));
}

TEST(Encoding, UnitsOfOldMechanismsAreRecordedAsUtf8) {
  const ModelFolder folder;
  folder.write("old.mod", "old");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 1 ms}
mechanisms: [old.mod]
cells: {c: {morphology: {branches: [{name: soma, length: 9 um, diameter: 9 um}]}, regions: {all: {old: {}}}}}
populations: {p: {cell: c, size: 1}}
record: [{name: g, of: p, variable: old.g, at: soma(0.5)}]
)yaml");
  ReadOptions options;
  options.check_mechanism = [](const MechanismFile& file, const ReadIncluded&, Diagnostics&) {
    MechanismVariable g;
    g.name = "g";
    g.unit_text = "\xb5S/cm\xb2";
    MechanismSignature signature;
    signature.name = "old";
    signature.variables = {g};
    return CheckedMechanism{"old", {file.path, 1, 1}, signature};
  };
  Diagnostics diagnostics;
  const auto network =
      read_model(folder.path() / "model.yaml", test_signatures(), options, diagnostics);
  EXPECT_THAT(diagnostics.all(), IsEmpty());
  EXPECT_EQ(network.recordings.at(0).variable->unit_text, "µS/cm²");
}

TEST(Encoding, AZeroCharacterIsRefusedHoweverItIsWritten) {
  EXPECT_THAT(read(with_base("record: [{name: \"a\\0b\", of: a}]\n")).errors(),
              ElementsAre("17:17: text cannot hold the character zero (\\0)"));
}

}  // namespace
}  // namespace hillock::io
