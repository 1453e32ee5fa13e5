// Mechanisms of .mod files, compiled by the system's compiler: what is loaded computes, what was
// compiled is kept, and nothing is taken that others could have changed.

#include "mechanisms/load/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/private_files.hpp"

namespace hillock::mechanisms {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A leak of its own name and conductance.
ModFile leak(const std::string& name, const std::string& conductance) {
  Diagnostics diagnostics;
  auto reading = read_mod(name + ".mod",
                          "NEURON { SUFFIX " + name +
                              " NONSPECIFIC_CURRENT i RANGE g }\n"
                              "PARAMETER { g = " +
                              conductance +
                              " (S/cm2) }\nASSIGNED { v (mV) i (mA/cm2) }\n"
                              "BREAKPOINT { i = g*(v + 70) }\n",
                          {}, {}, diagnostics);
  if (!reading.file) throw std::runtime_error(name + ".mod is not read");
  return *reading.file;
}

/// A cache of the test's own.
class Loading : public testing::Test {
 protected:
  Loading() {
    std::string pattern = (fs::temp_directory_path() / "hillock-cache-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder");
    folder_ = pattern;
    ::setenv("HILLOCK_CACHE", folder_.c_str(), 1);
  }
  void SetUp() override {
    if (!find_compiler()) GTEST_SKIP() << "no C++ compiler";
  }
  ~Loading() override {
    ::unsetenv("HILLOCK_CACHE");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::vector<LoadedMechanism> loaded(const std::vector<ModFile>& mods,
                                      Arithmetic arithmetic = Arithmetic::of_doubles) {
    lines_.clear();
    return load(mods, arithmetic, [this](const std::string& line) { lines_.push_back(line); });
  }

  fs::path folder_;
  std::vector<std::string> lines_;
};

/// What a lane of one instance adds to the diagonal: the conductance.
double conductance_of(const Mechanism& mechanism) {
  double columns[2] = {mechanism.info->variables[0].default_value, 0};
  const int node = 0;
  const double v = -60, area = 1;
  double diagonal = 0, rhs = 0;
  InstanceBlock block;
  block.count = 1;
  block.columns = columns;
  block.nodes = &node;
  block.area_factors = &area;
  mechanism.kernels(1).current(block, {0, 0.025, 6.3}, &v, &diagonal, &rhs);
  return diagonal;
}

TEST_F(Loading, CompilesOnceAndLoadsInTheOrderOfTheFiles) {
  const std::vector<ModFile> mods{leak("one", "0.25"), leak("other", "0.5")};
  const auto fresh = loaded(mods);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("compiling one, other with ")));
  ASSERT_EQ(fresh.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(fresh[i].was_cached);
    EXPECT_EQ(fresh[i].mechanism->signature, mods[i].signature);
    EXPECT_EQ(fresh[i].mechanism->source, mods[i].header);
    EXPECT_NEAR(conductance_of(*fresh[i].mechanism), i == 0 ? 0.25 : 0.5, 1e-9);
  }
  const auto kept = loaded({mods[1], mods[0]});
  EXPECT_THAT(lines_, IsEmpty());
  ASSERT_EQ(kept.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(kept[i].was_cached);
    EXPECT_EQ(kept[i].library, fresh[1 - i].library);
    EXPECT_NEAR(conductance_of(*kept[i].mechanism), i == 0 ? 0.5 : 0.25, 1e-9);
  }
}

TEST_F(Loading, HasLoopsWithFloatsWhereTheyAreAskedFor) {
  const ModFile one = leak("one", "0.25");
  const Isa isa = active_isa();
  EXPECT_EQ(loaded({one})[0].mechanism->mixed_sets[static_cast<int>(isa)], nullptr);
  const auto mixed = loaded({one}, Arithmetic::mixed);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("compiling one with ")));
  EXPECT_EQ(mixed[0].mechanism->kernels(8, isa, Arithmetic::mixed).lanes, 8);
  EXPECT_TRUE(loaded({one})[0].was_cached);
  EXPECT_TRUE(loaded({one}, Arithmetic::mixed)[0].was_cached);
}

TEST_F(Loading, CompilesWhatIsNotThereOrDamaged) {
  const ModFile one = leak("one", "0.25"), other = leak("other", "0.5");
  const fs::path library = loaded({one})[0].library;
  auto both = loaded({one, other});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("compiling other with ")));
  EXPECT_TRUE(both[0].was_cached);
  EXPECT_FALSE(both[1].was_cached);
  std::fstream(library, std::ios::in | std::ios::out).seekp(100).put('x');
  both = loaded({one, other});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr(library.string()), HasSubstr("compiling one with ")));
  EXPECT_FALSE(both[0].was_cached);
  EXPECT_TRUE(both[1].was_cached);
  EXPECT_NEAR(conductance_of(*both[0].mechanism), 0.25, 1e-9);
}

TEST_F(Loading, TakesNothingThatOthersCanChange) {
  const ModFile one = leak("one", "0.25");
  const fs::path library = loaded({one})[0].library;
  fs::permissions(library, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(loaded({one})[0].was_cached);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("others may write to it"), HasSubstr("compiling one")));
  EXPECT_TRUE(loaded({one})[0].was_cached);
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THROW(loaded({one}), InputOutputError);
}

TEST(PrivateFiles, WhatCannotBeAskedBelongsToNobody) {
  EXPECT_EQ(others_rights(Descriptor()),
            "it belongs to user " + std::to_string(static_cast<uid_t>(-1)));
}

}  // namespace
}  // namespace hillock::mechanisms
