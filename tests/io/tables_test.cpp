// `tables:` of a .mod file in a model: the forms, what each comes to, and what is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/model/model_reader.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Found {
  std::vector<std::string> errors;
  std::map<std::string, std::optional<GivenTables>> tables;  ///< by the file's text
  std::map<std::string, TableUse> use;
};

/// Reads a model with these `mechanisms`, from line 5 on, in a folder with a.mod, b.mod, rate.csv.
Found read_with(const std::string& mechanisms, const std::string& csv = "x,value\n0,1\n2,5\n") {
  const ModelFolder folder;
  folder.write("mods/a.mod", "a");
  folder.write("mods/b.mod", "b");
  folder.write("rate.csv", csv);
  folder.write("model.yaml", "mechanisms:\n" + mechanisms + with_base(""));
  Found found;
  const CheckMechanism check = test_check();
  ReadOptions options;
  options.check_mechanism = [&](const MechanismFile& file, const ReadIncluded& include,
                                Diagnostics& diagnostics) {
    found.tables[file.text] = file.options ? std::optional(file.options->tables) : std::nullopt;
    if (file.options) found.use[file.text] = file.options->table_use;
    return check(file, include, diagnostics);
  };
  ReadResult result;
  read_model(folder.path() / "model.yaml", test_signatures(), options, result.diagnostics);
  for (std::string error : result.errors()) {
    const std::string here = folder.path().string() + '/';
    if (const auto at = error.find(here); at != std::string::npos) error.erase(at, here.size());
    found.errors.push_back(error);
  }
  return found;
}

/// One table called f of mods/a.mod.
Found table(const std::string& text, const std::string& csv = "x,value\n0,1\n2,5\n") {
  return read_with("  - {file: mods/a.mod, tables: {f: " + text + "}}\n", csv);
}

GivenTable good_table(const std::string& text, const std::string& csv = "x,value\n0,1\n2,5\n") {
  const Found found = table(text, csv);
  EXPECT_THAT(found.errors, IsEmpty());
  const auto& tables = found.tables.at("a");
  return tables && tables->contains("f") ? tables->at("f") : GivenTable{};
}

TEST(Tables, AreConstants) {
  const GivenTable given = good_table("0.3");
  EXPECT_THAT(given.axes, IsEmpty());
  EXPECT_THAT(given.values, ElementsAre(0.3));
  EXPECT_EQ(given.place.line, 2);
}

TEST(Tables, HaveValuesFromTo) {
  const GivenTable given = good_table("{values: [0, 0.5, 2], from: -100, to: 20}");
  ASSERT_THAT(given.axes, SizeIs(1));
  EXPECT_EQ(given.axes[0].count, 3);
  EXPECT_EQ(given.axes[0].first, -100);
  EXPECT_EQ(given.axes[0].last, 20);
  EXPECT_THAT(given.axes[0].points, IsEmpty());
  EXPECT_THAT(given.values, ElementsAre(0, 0.5, 2));
}

TEST(Tables, OfSeveralArgumentsAreListsInLists) {
  const GivenTable given =
      good_table("{values: [[1, 2], [3, 4], [5, 6]], from: [-100, 1], to: [0, 2]}");
  ASSERT_THAT(given.axes, SizeIs(2));
  EXPECT_EQ(given.axes[0].count, 3);
  EXPECT_EQ(given.axes[1].count, 2);
  EXPECT_EQ(given.axes[0].first, -100);
  EXPECT_EQ(given.axes[1].last, 2);
  EXPECT_THAT(given.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Tables, HaveUnevenPointsInFiles) {
  for (const char* csv :
       {"x,value\n-3,1\n0,2\n7,0\n", "-3,1\n0,2\n7,0\n", "value,x\n1,-3\n2,0\n0,7\n"}) {
    const GivenTable given = good_table("{csv: rate.csv}", csv);
    ASSERT_THAT(given.axes, SizeIs(1)) << csv;
    EXPECT_EQ(given.axes[0].count, 3);
    EXPECT_EQ(given.axes[0].first, -3);
    EXPECT_EQ(given.axes[0].last, 7);
    EXPECT_THAT(given.axes[0].points, ElementsAre(-3, 0, 7));
    EXPECT_THAT(given.values, ElementsAre(1, 2, 0));
  }
}

TEST(Tables, BelongToTheirFileAlone) {
  const Found found = read_with("  - mods\n  - {file: mods/b.mod, tables: {f: 1}}\n");
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.tables.at("a").value(), IsEmpty());
  EXPECT_THAT(found.tables.at("b").value(), SizeIs(1));
}

TEST(Tables, OfOneFileGoBeforeWhatItsFolderIsGiven) {
  for (const char* mods : {"mods", "\"mods/*.mod\""}) {
    const std::string of_many = fmt::format("  - {{file: {}, use_tables: true}}\n", mods);
    const std::string of_one = "  - {file: mods/b.mod, tables: {f: 1}}\n";
    for (const std::string& entries : {of_many + of_one, of_one + of_many}) {
      const Found found = read_with(entries);
      EXPECT_THAT(found.errors, IsEmpty());
      EXPECT_EQ(found.use.at("a"), TableUse::interpolated);
      EXPECT_EQ(found.use.at("b"), TableUse::computed);
      EXPECT_THAT(found.tables.at("b").value(), SizeIs(1));
    }
    EXPECT_EQ(read_with("  - mods/b.mod\n" + of_many).use.at("b"), TableUse::interpolated);
  }
}

TEST(Tables, WithErrorsAreReportedAndNotGiven) {
  const Found found = table("{values: [0, .nan], from: 0, to: 1}");
  EXPECT_THAT(found.errors, SizeIs(1));
  EXPECT_FALSE(found.tables.at("a").has_value());
}

struct Mistake {
  const char* name;
  const char* text;
  const char* message;
};

class TableMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(TableMistakes, AreErrorsWithPlaces) {
  std::string all;
  for (const std::string& error : table(GetParam().text).errors)
    all += (all.empty() ? "" : "\n") + error;
  EXPECT_EQ(all, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, TableMistakes,
    testing::Values(
        Mistake{"Word", "many",
                "2:36: mechanisms[0].tables.f: 'many' is not a plain number (write a number)"},
        Mistake{"Nothing", "",
                "2:33: mechanisms[0].tables.f: has no value (a number, {values, from, to}, or "
                "{csv} is needed)"},
        Mistake{"List", "[1, 2]",
                "2:36: mechanisms[0].tables.f: must be a number, {values, from, to}, or {csv}, not "
                "a list"},
        Mistake{"NoRange", "{values: [1, 2]}",
                "2:36: mechanisms[0].tables.f: needs the key 'from'\n2:36: mechanisms[0].tables.f: "
                "needs the key 'to'"},
        Mistake{"NoValues", "{from: 1, to: 2}",
                "2:36: mechanisms[0].tables.f: needs one of the keys values, csv"},
        Mistake{"UnknownKey", "{values: [1, 2], from: 0, too: 1}",
                "2:62: mechanisms[0].tables.f: unknown key 'too' in a table. Did you mean 'to'?"},
        Mistake{"Empty", "{values: [], from: 0, to: 1}",
                "2:45: mechanisms[0].tables.f.values: is empty"},
        Mistake{
            "Scalar", "{values: 1, from: 0, to: 1}",
            "2:45: mechanisms[0].tables.f.values: must be a list of values, not a single value"},
        Mistake{"Unit", "{values: [1 ms], from: 0, to: 1}",
                "2:46: mechanisms[0].tables.f.values[0]: 1 ms is a time; values[0] must be a plain "
                "number"},
        Mistake{"NotFinite", "{values: [1, .inf], from: 0, to: 1}",
                "2:49: mechanisms[0].tables.f.values[1]: '.inf' is not a finite number"},
        Mistake{"Backwards", "{values: [1, 2], from: 1, to: 0}",
                "2:66: mechanisms[0].tables.f.to: 0 must be more than 1, where the table begins"},
        Mistake{"Ragged", "{values: [[1, 2], [3]], from: [0, 0], to: [1, 1]}",
                "2:54: mechanisms[0].tables.f.values[1]: must have 2 values, as the first of these "
                "lists, not 1"},
        Mistake{"Shallow", "{values: [[1, 2], 3], from: [0, 0], to: [1, 1]}",
                "2:54: mechanisms[0].tables.f.values[1]: must be a list of values, as its "
                "neighbours are, not a single value"},
        Mistake{"Deep", "{values: [1, [2, 3]], from: 0, to: 1}",
                "2:49: mechanisms[0].tables.f.values[1]: must be a number, as its neighbours are, "
                "not a list"},
        Mistake{"OneRange", "{values: [[1, 2]], from: 0, to: [0, 1]}",
                "2:61: mechanisms[0].tables.f.from: must be a list of 2 values, each a plain "
                "number, not a single value"},
        Mistake{"BothForms", "{values: [1], csv: rate.csv}",
                "2:36: mechanisms[0].tables.f: takes one of values, csv, not both values and csv"},
        Mistake{"NoFile", "{csv: none.csv}",
                "2:42: mechanisms[0].tables.f.csv: cannot read 'none.csv': there is no such file"}),
    [](const auto& test) { return test.param.name; });

TEST(Tables, InFilesHaveTwoColumnsThatAscend) {
  const auto errors = [](const char* csv) { return table("{csv: rate.csv}", csv).errors; };
  const char* const wrong_columns =
      "2:42: mechanisms[0].tables.f.csv: rate.csv must have the columns x and value, and no others";
  EXPECT_THAT(errors("x,y\n0,1\n"), ElementsAre(wrong_columns));
  EXPECT_THAT(errors("0,1,2\n"), ElementsAre(wrong_columns));
  EXPECT_THAT(errors("x,value\n"), ElementsAre("1:1: the table has no rows of numbers"));
  EXPECT_THAT(errors("x,value\n0,1\n2,1\n2,3\n"),
              ElementsAre("4:1: mechanisms[0].tables.f.csv: x = 2 must be more than 2 before it"));
}

TEST(Tables, AreGivenOnceAndToOneFile) {
  const char* const several =
      "2:12: mechanisms[0].file: tables and a peer are given to one file, not to a folder or "
      "pattern";
  EXPECT_THAT(read_with("  - {file: mods, tables: {f: 1}}\n").errors, ElementsAre(several));
  EXPECT_THAT(read_with("  - {file: \"mods/*.mod\", tables: {f: 1}}\n").errors,
              ElementsAre(several));
  EXPECT_THAT(read_with("  - {file: mods/a.mod, tables: {f: 1}}\n"
                        "  - {file: ./mods/a.mod, tables: {f: 2}}\n")
                  .errors,
              ElementsAre("3:12: mechanisms[1].file: mods/a.mod is also named at model.yaml:2:12: "
                          "give its tables and peer once"));
  EXPECT_THAT(read_with("  - {tables: {f: 1}}\n").errors,
              ElementsAre("2:5: mechanisms[0]: needs the key 'file'"));
  EXPECT_THAT(read_with("  - {file: mods/a.mod, tables: 3}\n").errors,
              ElementsAre("2:32: mechanisms[0].tables: must be a map of keys, not a single value"));
}

}  // namespace
}  // namespace hillock::io
