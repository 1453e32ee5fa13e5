// What a mechanism says of itself is the same whoever asks: the catalogue as it was built, a .mod
// file that is read, a mechanism that is loaded.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/loader.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/description.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path folder = fs::path(HILLOCK_SOURCE_DIR) / "mechanisms/catalogue";

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

nmodl::EvaluatorIr evaluator_of(const std::string& text) {
  const nmodl::Checked checked = nmodl::check_text("x.mod", text);
  return checked.module ? nmodl::lower(*checked.module) : nmodl::EvaluatorIr{};
}

ModFile reading_of(const std::string& text) {
  Diagnostics diagnostics;
  return read_mod("x.mod", text, {}, {}, diagnostics).file.value();
}

TEST(Catalogue, IsWhatLiesInItsFolder) {
  std::vector<std::string> files, names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".mod") files.push_back(entry.path().stem().string());
  for (const Mechanism& mechanism : catalogue()) names.push_back(mechanism.signature.name);
  EXPECT_GT(files.size(), 20u);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(files));
}

class SaidOnce : public testing::TestWithParam<std::size_t> {
 protected:
  const Mechanism& built_in() const { return catalogue()[GetParam()]; }
  std::string text() const { return text_of(folder / (built_in().signature.name + ".mod")); }
};

TEST_P(SaidOnce, AFileThatIsReadSaysWhatTheBuiltInSays) {
  EXPECT_EQ(reading_of(text()).signature, built_in().signature);
  const nmodl::EvaluatorIr evaluator = evaluator_of(text());
  EXPECT_EQ(nmodl::info_text(nmodl::Description(evaluator).info()),
            nmodl::info_text(*built_in().info));
}

TEST_P(SaidOnce, TheSourceOfTheBuiltInIsThere) {
  EXPECT_EQ(built_in().source, nmodl::emit_header(evaluator_of(text()), built_in().evaluator));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SaidOnce, testing::Range(std::size_t{0}, catalogue().size()),
                         [](const auto& test) { return catalogue()[test.param].signature.name; });

TEST(SaidOnce, WhatIsHiddenCannotBeNamed) {
  std::size_t hidden = 0;
  for (const Mechanism& mechanism : catalogue()) {
    const ModFile mod = reading_of(text_of(folder / (mechanism.signature.name + ".mod")));
    for (const MechanismVariable& variable : mechanism.signature.variables) {
      if (variable.role != VariableRole::hidden) continue;
      ++hidden;
      EXPECT_EQ(mod.signature.find(variable.name), nullptr) << variable.name;
    }
  }
  EXPECT_GT(hidden, 10u);
}

TEST(SaidOnce, WordsAreTheSamePrintedAndRead) {
  const std::string text =
      "TITLE tabs\tand \"quotes\" \\n\nNEURON { SUFFIX x NONSPECIFIC_CURRENT i }\n"
      "ASSIGNED { v i }\nBREAKPOINT { i = v }\n";
  EXPECT_EQ(reading_of(text).signature.description, "tabs and \"quotes\" \\n");
  EXPECT_THAT(reading_of(text).header,
              HasSubstr(".description = \"tabs and \\\"quotes\\\" \\\\n\""));
}

TEST(Loaded, SaysWhatTheBuiltInSaysAndHasItsSource) {
  const std::string text = text_of(folder / "hh.mod");
  const auto found = std::ranges::find(catalogue(), "hh",
                                       [](const Mechanism& each) { return each.signature.name; });
  ASSERT_NE(found, catalogue().end());
  const std::vector<ModFile> mods{reading_of(text)};
  const auto all = load(mods, Arithmetic::of_doubles, [](const std::string&) {});
  ASSERT_EQ(all.size(), 1u);
  const Mechanism& loaded = *all[0];
  EXPECT_EQ(loaded.signature, found->signature);
  EXPECT_EQ(nmodl::info_text(*loaded.info), nmodl::info_text(*found->info));
  EXPECT_EQ(loaded.source, nmodl::emit_header(evaluator_of(text), loaded.evaluator));
  EXPECT_EQ(loaded.evaluator, mods[0].struct_name);
}

}  // namespace
}  // namespace hillock::mechanisms
