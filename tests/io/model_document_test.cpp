// Files a model includes, and the values --set replaces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* cells =
    "cells:\n"
    "  c:\n"
    "    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}\n"
    "    detector: {at: soma(0.5)}\n";

TEST(ModelDocument, IncludesMergeMapsAndJoinLists) {
  const ModelFolder folder;
  folder.write("parts/cells.yaml", cells);
  folder.write("parts/more.yaml",
               "include: cells.yaml\n"
               "populations: {q: {cell: c, size: 2}}\n"
               "record: [{name: sq, of: q}]\n");
  folder.write("model.yaml",
               "hillock: 1\n"
               "include: [parts/cells.yaml, parts/more.yaml]\n"
               "run: {duration: 10 ms}\n"
               "populations: {p: {cell: c, size: 1}}\n"
               "record: [{name: sp, of: p}]\n");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.network.populations, SizeIs(2));
  EXPECT_THAT(result.network.recordings, SizeIs(2));
  ASSERT_THAT(result.network.inputs, SizeIs(3));  // the cells once, though included twice
  EXPECT_EQ(result.network.inputs[1].path, "parts/cells.yaml");
}

TEST(ModelDocument, LibraryNamesAreLookedUpWithOrWithoutTheirEnding) {
  const ModelFolder folder;
  folder.write("library/ball.yaml", cells);
  for (const char* name : {"library:ball.yaml", "library:ball"}) {
    folder.write("model.yaml", std::string("hillock: 1\nrun: {duration: 10 ms}\ninclude: ") + name +
                                   "\npopulations: {p: {cell: c, size: 1}}\n");
    const auto result = read(folder);
    EXPECT_THAT(result.errors(), IsEmpty());
    EXPECT_EQ(result.network.inputs.at(1).path, name);
  }
}

TEST(ModelDocument, ANameDefinedTwiceGivesBothPlaces) {
  const ModelFolder folder;
  folder.write("cells.yaml", cells);
  folder.write("model.yaml",
               "hillock: 1\nrun: {duration: 10 ms}\ninclude: cells.yaml\n"
               "cells: {c: {izhikevich: {}}}\npopulations: {p: {cell: c, size: 1}}\n");
  const auto result = read(folder);
  ASSERT_THAT(result.errors(), SizeIs(1));
  EXPECT_EQ(result.diagnostics.all()[0].place.file, (folder.path() / "cells.yaml").string());
  EXPECT_THAT(result.errors()[0], HasSubstr("2:3: cells.c is defined twice (also at "));
  EXPECT_THAT(result.errors()[0], HasSubstr("model.yaml:4:9)"));
}

TEST(ModelDocument, IncludeCyclesAreListed) {
  const ModelFolder folder;
  folder.write("model.yaml", "hillock: 1\ninclude: a.yaml\n");
  folder.write("a.yaml", "include: b.yaml\n");
  folder.write("b.yaml", "include: a.yaml\n");
  const auto errors = read(folder).errors();
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0], HasSubstr("1:10: the files include each other in a circle: "));
  EXPECT_THAT(errors[0], HasSubstr("a.yaml -> "));
}

TEST(ModelDocument, OverridesReplaceAndAddValues) {
  const auto result = read(with_base("record: [{name: v, of: a, variable: v, at: soma(0.5)}]"),
                           {{"run.duration", "1s"},
                            {"run.seed", "7"},
                            {"populations.a.size", "3"},
                            {"record.0.every", "0.5 ms"},
                            {"record.0.of", "a[0:2]"},
                            {"cells.c.discretization", "{max_length: 5 um}"}});
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_EQ(result.network.run.duration_ms, 1000);
  EXPECT_EQ(result.network.run.seed, 7U);
  EXPECT_EQ(result.network.populations.at(0).size, 3U);
  EXPECT_EQ(result.network.recordings.at(0).every_ms, 0.5);
  EXPECT_EQ(result.network.recordings.at(0).of.end, 2U);
  EXPECT_EQ(
      std::get<models::CableCell>(result.network.cells.at(0).kind).discretization.max_length_um, 5);
}

TEST(ModelDocument, OverridesThatLeadNowhereAreErrorsOfSet) {
  const auto errors = [](const std::string& path, const std::string& value) {
    const auto result = read(with_base(""), {{path, value}});
    for (const auto& diagnostic : result.diagnostics.all())
      if (diagnostic.severity == Severity::error) {
        EXPECT_EQ(diagnostic.place.file, "--set");
      }
    return result.errors();
  };
  EXPECT_THAT(errors("runn.dt", "1 ms"),
              ElementsAre("runn.dt: there is no 'runn' in the model. Did you mean 'run'?"));
  EXPECT_THAT(errors("run.durration", "1 ms"),
              ElementsAre("run: unknown key 'durration' in run. Did you mean 'duration'?"));
  EXPECT_THAT(errors("run.dt", "1 mV"),
              ElementsAre("run.dt: 1 mV is a voltage; dt must be a time"));
  EXPECT_THAT(errors("run.duration.x", "1"),
              ElementsAre("run.duration.x: there is nothing below this value that 'x' could name"));
  EXPECT_THAT(errors("populations.a.size", ""),
              ElementsAre(HasSubstr("populations.a.size: has no value")));
}

TEST(ModelDocument, OverridesThatAreNoYamlAreErrorsOfSetAndChangeNothing) {
  const std::vector<std::string> broken{"{",       "[",       "{a: 1",    "[1,",          "\"",
                                        "'",       "{a: *b}", "[*b]",     "{a: !x}",      "[[[",
                                        "{{",      "[}",      "{? a}}",   "{a: 1}}",      "[1]]",
                                        "\"\\q\"", "'a' b",   "{[a]: 1}", "[1]\n---\n[2]"};
  for (const std::string path :
       {"run.seed", "run.duration", "run", "populations.a", "populations.a.size",
        "populations.a.positions", "record", "record.0.of", "cells.c.regions.all.cm", "stimuli"})
    for (const std::string& value : broken) {
      const auto result = read(with_base("record: [{name: v, of: a, variable: v, at: soma(0.5)}]"),
                               {{path, value}});
      const auto& all = result.diagnostics.all();
      ASSERT_FALSE(result.errors().empty()) << path << '=' << value;
      EXPECT_EQ(all.front().place.file, "--set") << path << '=' << value;
      EXPECT_THAT(all.front().message, testing::StartsWith(path)) << value;
    }
  EXPECT_THAT(read(with_base(""), {{"run.seed", "{"}}).errors(),
              ElementsAre("1:1: run.seed: YAML syntax: '}' or a comma is missing (inside braces, "
                          "text that holds [ ] { } or a comma must be quoted, as in "
                          "\"exc[0:10]\")"));
}

// Texts of YAML's own characters in an order that no one writes; the same ones in every run.
TEST(ModelDocument, OverridesOfRandomTextEndInErrorsOrInAModel) {
  const std::vector<std::string> pieces{
      "{",  "}",  "[",  "]", ",", ": ", "\"", "'", "&a ", "*a",   "! ",   "? ", "|",   ">", "- ",
      "# ", "\n", "\\", "1", "a", "<<", "~",  "%", "@",   "\xc3", "\xff", "\t", "0/0", "r"};
  const std::vector<std::string> paths{"run",
                                       "run.seed",
                                       "run.solver",
                                       "cells.c",
                                       "cells.c.morphology.branches.0",
                                       "cells.c.regions.all.pas",
                                       "populations.a.size",
                                       "projections",
                                       "record.0",
                                       "mechanisms",
                                       "..",
                                       ""};
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    std::string text(1, "{[\"'a"[random() % 5]);
    for (std::size_t n = random() % 8; n > 0; --n) text += pieces[random() % pieces.size()];
    const std::string& path = paths[random() % paths.size()];
    const auto result =
        read(with_base("record: [{name: v, of: a, variable: v, at: soma(0.5)}]"), {{path, text}});
    for (const auto& found : result.diagnostics.all())
      EXPECT_FALSE(to_string(found.place).empty()) << path << '=' << text << ": " << found.message;
  }
}

TEST(ModelDocument, AnOverrideOfAnAliasChangesOnePlaceOnly) {
  const auto result = read(R"(hillock: 1
run: {duration: 10 ms}
cells: {c: {izhikevich: {}}}
populations:
  p: &p {cell: c, size: 5}
  q: *p
)",
                           {{"populations.q.size", "2"}});
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_EQ(result.network.populations.at(0).size, 5U);
  EXPECT_EQ(result.network.populations.at(1).size, 2U);
}

TEST(ModelDocument, ErrorsInAnIncludedFileHaveItsPlace) {
  const ModelFolder folder;
  folder.write("cells.yaml", "cells:\n  c: {izhikevich: {a: 1 mV}}\n");
  folder.write("model.yaml",
               "hillock: 1\nrun: {duration: 10 ms}\ninclude: cells.yaml\n"
               "populations: {p: {cell: c, size: 1}}\n");
  const auto result = read(folder);
  ASSERT_THAT(result.errors(), SizeIs(1));
  EXPECT_EQ(result.errors()[0],
            "2:23: cells.c.izhikevich.a: 1 mV is a voltage; a must be a plain number");
  EXPECT_EQ(result.diagnostics.all()[0].place.file, (folder.path() / "cells.yaml").string());
}

}  // namespace
}  // namespace hillock::io
