// `mechanisms:` of a model: which files it means, what they are called, what counts as an input.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string model(const std::string& mechanisms, const std::string& membrane) {
  std::string text = with_base("mechanisms: " + mechanisms + "\n");
  const std::string pas = "all: {pas: {}}";
  return text.replace(text.find(pas), pas.size(), "all: {" + membrane + "}");
}

std::vector<std::string> inputs_of(const ReadResult& result) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < result.network.inputs.size(); ++i)
    names.push_back(result.network.inputs[i].path);
  return names;
}

TEST(MechanismFiles, AreUsedLikeBuiltInOnes) {
  const ModelFolder folder;
  folder.write("mods/kv3.mod", "kv3");
  folder.write("model.yaml", model("[mods/kv3.mod]", "kv3: {gbar: 1 mS/cm2}"));
  const ReadResult result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(inputs_of(result), ElementsAre("mods/kv3.mod"));
}

TEST(MechanismFiles, PatternsAndFoldersMeanTheirFilesInOrder) {
  const ModelFolder folder;
  for (const std::string name : {"b", "a", "c"}) folder.write("mods/" + name + ".mod", name);
  folder.write("mods/notes.txt", "notes");
  folder.write("more/d.mod", "d");
  folder.write("model.yaml", model("[\"mods/[ab].mod\", mods/c.mod, more]", "a: {}, d: {}"));
  const ReadResult result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(inputs_of(result),
              ElementsAre("mods/a.mod", "mods/b.mod", "mods/c.mod", "more/d.mod"));
}

TEST(MechanismFiles, OfIncludedModelsLieBesideThese) {
  const ModelFolder folder;
  folder.write("parts/mods/a.mod", "a");
  folder.write("mods/a.mod", "a");
  folder.write("parts/part.yaml", "mechanisms: [mods/a.mod]\n");
  folder.write("b.mod", "b");
  folder.write("model.yaml", "include: parts/part.yaml\n" + model("[b.mod]", "a: {}, b: {}"));
  EXPECT_THAT(read(folder).errors(), IsEmpty());
}

TEST(MechanismFiles, NamedTwiceAreReadOnce) {
  const ModelFolder folder;
  folder.write("a.mod", "a");
  folder.write("model.yaml", model("[a.mod, ./a.mod, \"*.mod\"]", "a: {}"));
  EXPECT_THAT(read(folder).errors(), IsEmpty());
}

TEST(MechanismFiles, WhatTheyIncludeIsAnInput) {
  const ModelFolder folder;
  folder.write("mods/a.mod", "include name.inc");
  folder.write("mods/name.inc", "a");
  folder.write("model.yaml", model("[mods]", "a: {}"));
  const ReadResult result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(inputs_of(result), ElementsAre("mods/a.mod", "mods/name.inc"));
}

TEST(MechanismFiles, OfOneNameAreAnErrorWithBothPlaces) {
  const ModelFolder folder;
  folder.write("a.mod", "kv3");
  folder.write("b.mod", "kv3");
  folder.write("model.yaml", model("[a.mod, b.mod]", "kv3: {}"));
  const auto errors = read(folder).errors();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("'kv3' is also defined at " + folder.path().string()));
  EXPECT_THAT(errors[0], HasSubstr("a.mod:1:1 (the file is named at"));
}

TEST(MechanismFiles, WithTheNameOfAKeyAreRefused) {
  const ModelFolder folder;
  folder.write("a.mod", "cm");
  folder.write("model.yaml", model("[a.mod]", "pas: {}"));
  const auto errors = read(folder).errors();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("no mechanism can be called 'cm'"));
}

TEST(MechanismFiles, WithErrorsAreReportedOnceTogetherWithTheModels) {
  const ModelFolder folder;
  folder.write("a.mod", "broken kv3");
  folder.write("model.yaml",
               model("[a.mod]", "kv3: {gbar: 1 mS/cm2}") +
                   "record:\n"
                   "  - {name: g, of: a, variable: kv3.g, at: soma(0.5), every: 1 ms}\n"
                   "  - {name: h, of: a, variable: kv4.g, at: soma(0.5), every: 1 ms}\n");
  const auto errors = read(folder).errors();
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_THAT(errors[0], HasSubstr("broken"));
  EXPECT_THAT(errors[1], HasSubstr("kv4"));
}

TEST(MechanismFiles, OfAFolderCountAsErrorsWhereTheModelUsesThem) {
  const ModelFolder folder;
  folder.write("mods/a.mod", "a");
  folder.write("mods/b.mod", "broken b");
  folder.write("mods/c.mod", "broken c");
  for (const std::string files : {"[mods]", "[\"mods/*.mod\"]"}) {
    folder.write("model.yaml", model(files, "a: {}, c: {gbar: 1 mS/cm2}"));
    ReadResult result = read(folder);
    EXPECT_EQ(result.errors().size(), 1U);
    EXPECT_THAT(result.errors().front(), HasSubstr("1:1: broken"));
    EXPECT_THAT(result.warnings(), ElementsAre(HasSubstr("the file is left out")));
    folder.write("model.yaml", model(files, "a: {}"));
    result = read(folder);
    EXPECT_THAT(result.errors(), IsEmpty());
    EXPECT_THAT(result.warnings(), testing::Contains(HasSubstr("the file is left out")).Times(2));
  }
}

}  // namespace
}  // namespace hillock::io
