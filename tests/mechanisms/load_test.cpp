// Mechanisms of .mod files, compiled by the system's compiler: what is loaded computes, what was
// compiled is kept, and nothing is taken that others could have changed.

#include "mechanisms/load/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/private_files.hpp"

namespace hillock::mechanisms {
namespace {

namespace fs = std::filesystem;

using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

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

ModFile read(const std::string& text) {
  Diagnostics diagnostics;
  auto reading = read_mod("own.mod", text, {}, {}, diagnostics);
  if (!reading.file) throw std::runtime_error("own.mod is not read");
  return *reading.file;
}

TEST(Reading, WhatInitialAloneComputesAndStepsReadIsBegun) {
  const ModFile mod = read(
      "NEURON { SUFFIX own NONSPECIFIC_CURRENT i RANGE g, rest, unread }\n"
      "PARAMETER { g = 1 last = 0 }\nASSIGNED { v i rest unread each }\n"
      "INITIAL { last = v rest = v unread = v each = v }\n"
      "BREAKPOINT { each = v i = g*(2*v - last - rest - each) }\n");
  EXPECT_THAT(mod.begun, UnorderedElementsAre("last", "rest"));
  EXPECT_THAT(mod.of_last_place, IsEmpty());
  EXPECT_THAT(read("NEURON { SUFFIX own NONSPECIFIC_CURRENT i }\n"
                   "ASSIGNED { v i at[2] }\nINITIAL { at[0] = v at[1] = 2*v }\n"
                   "BREAKPOINT { i = at[0] + at[1] }\n")
                  .begun,
              UnorderedElementsAre("at[0]", "at[1]"));
}

/// A gate whose `steady` is GLOBAL, set by `rates`; what `states` and BREAKPOINT do with it.
ModFile gate(const std::string& states, const std::string& breakpoint, const std::string& rates) {
  return read(
      "NEURON { SUFFIX own NONSPECIFIC_CURRENT i RANGE g GLOBAL steady, q, count }\n"
      "PARAMETER { g = 1 q = 2 celsius }\nASSIGNED { v i steady count }\nSTATE { m }\n"
      "INITIAL { rates(v) m = steady }\n"
      "BREAKPOINT { SOLVE states METHOD cnexp " +
      breakpoint + " i = g*m*v }\nDERIVATIVE states { " + states +
      " m' = steady - m }\nPROCEDURE rates(v) { " + rates + " }\n");
}

TEST(Reading, WhatAnotherPlaceMayHaveLeftIsTold) {
  const std::string by_voltage = "steady = exp(v)";
  EXPECT_THAT(gate("", "rates(v)", by_voltage).of_last_place, ElementsAre("steady"));
  EXPECT_THAT(gate("", "rates(v)", "if (v > 0) { steady = 1 } else { steady = 2 }").of_last_place,
              ElementsAre("steady"));
  EXPECT_THAT(gate("", "rates(v)", "if (v > 0) { steady = q } else { steady = 2*q }").of_last_place,
              ElementsAre("steady"));
  // Each place computes it before it reads it.
  EXPECT_THAT(gate("rates(v)", "", by_voltage).of_last_place, IsEmpty());
  // The same everywhere, in a table that is made where the voltage wants it as well.
  EXPECT_THAT(gate("", "rates(v)", "steady = q^celsius").of_last_place, IsEmpty());
  EXPECT_THAT(gate("", "rates(v)", "TABLE g FROM 0 TO 1 WITH 10 steady = q^celsius").of_last_place,
              IsEmpty());
  // It has no say in anything else.
  EXPECT_THAT(gate("rates(v)", "count = count + v", by_voltage).of_last_place, IsEmpty());
}

TEST(Reading, WhatEventsOfOtherPlacesLeaveIsTold) {
  const auto left = [](const std::string& in_step, const std::string& at_event) {
    return read(
               "NEURON { POINT_PROCESS own NONSPECIFIC_CURRENT i GLOBAL count, gain }\n"
               "PARAMETER { gain = 1 }\nASSIGNED { v i count }\nSTATE { g }\n"
               "INITIAL { g = 0 count = 0 }\nBREAKPOINT { " +
               in_step +
               " i = g*v }\n"
               "NET_RECEIVE(w) { " +
               at_event + " }\n")
        .of_last_place;
  };
  EXPECT_THAT(left("", "count = count + 1 g = g + w*count"), ElementsAre("count"));
  EXPECT_THAT(left("", "g = g + w*gain gain = 2*gain"), ElementsAre("gain"));
  EXPECT_THAT(left("", "if (count == 0) { count = 1 g = g + w }"), ElementsAre("count"));
  EXPECT_THAT(left("g = g*count", "count = t"), ElementsAre("count"));
  // Each place goes on counting where another one has stopped.
  EXPECT_THAT(left("count = count + 1 g = sin(count)", "g = w"), ElementsAre("count"));
  EXPECT_THAT(left("", "count = count + w g = g + w"), IsEmpty());
  EXPECT_THAT(left("", "count = w g = g + count"), IsEmpty());
}

TEST(Reading, ACurrentOfTheStepBeforeIsRefused) {
  const auto errors = [](const std::string& before) {
    Diagnostics diagnostics;
    read_mod("own.mod",
             "NEURON { SUFFIX own USEION ca READ ica, cai RANGE last NONSPECIFIC_CURRENT i }\n"
             "ASSIGNED { v ica cai i last }\nBREAKPOINT { i = 0*ica }\nBEFORE BREAKPOINT { " +
                 before + " }\n",
             {}, {}, diagnostics);
    return diagnostics.has_errors();
  };
  EXPECT_TRUE(errors("last = ica"));
  EXPECT_FALSE(errors("last = cai"));
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
  LoadedLibrary library_of(const ModFile& mod) {
    return load_libraries({&mod}, {active_isa()}, find_compiler(), announce()).front();
  }
  /// Mechanisms with loops for so many lanes.
  std::vector<std::shared_ptr<const Mechanism>> ready(
      const std::vector<ModFile>& mods, int lanes = 1,
      Arithmetic arithmetic = Arithmetic::of_doubles) {
    lines_.clear();
    auto loaded = load(mods, arithmetic, announce());
    std::vector<const Mechanism*> all;
    for (const auto& mechanism : loaded) all.push_back(mechanism.get());
    make_ready(all, lanes, arithmetic);
    return loaded;
  }
  Announce announce() {
    return [this](const std::string& line) { lines_.push_back(line); };
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
  const auto fresh = ready(mods);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("compiling one, other with ")));
  ASSERT_EQ(fresh.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(fresh[i]->signature, mods[i].signature);
    EXPECT_EQ(fresh[i]->source, mods[i].header);
    EXPECT_NEAR(conductance_of(*fresh[i]), i == 0 ? 0.25 : 0.5, 1e-9);
  }
  const auto kept = ready({mods[1], mods[0]});
  EXPECT_THAT(lines_, IsEmpty());
  ASSERT_EQ(kept.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(conductance_of(*kept[i]), i == 0 ? 0.5 : 0.25, 1e-9);
}

TEST_F(Loading, CompilesTheLoopsThatAreAskedFor) {
  const ModFile one = leak("one", "0.25");
  const auto mechanism = ready({one}, 8).front();
  EXPECT_EQ(mechanism->kernels(8).lanes, 8);
  EXPECT_THROW(mechanism->kernels(1), std::logic_error);
  EXPECT_THROW(mechanism->kernels(8, active_isa(), Arithmetic::mixed), std::logic_error);
  const Mechanism* const asked[] = {mechanism.get(), mechanism.get()};
  make_ready(asked, 8, Arithmetic::of_doubles);
  EXPECT_EQ(lines_.size(), 1u);
  make_ready(asked, 1, Arithmetic::of_doubles);
  EXPECT_THAT(lines_, Each(HasSubstr("compiling one with ")));
  EXPECT_EQ(lines_.size(), 2u);
  EXPECT_EQ(mechanism->kernels(1).lanes, 1);
}

TEST_F(Loading, CompilesOnceWhatMixedPrecisionHasNoLoopsOfItsOwnFor) {
  for (const auto& [mod, compilations] : {std::pair{leak("one", "0.25"), 1u},
                                          std::pair{gate("", "rates(v)", "steady = exp(v)"), 2u}}) {
    const auto mechanism = ready({mod}, 8).front();
    const Mechanism* const asked[] = {mechanism.get()};
    make_ready(asked, 8, Arithmetic::mixed);
    EXPECT_EQ(lines_.size(), compilations) << mod.path;
    EXPECT_EQ(mechanism->kernels(8, active_isa(), Arithmetic::mixed).lanes, 8);
  }
}

TEST_F(Loading, WhatIsCompiledInOneUnitIsKeptOneByOne) {
  // More than there are cores, and two of one name.
  std::vector<ModFile> mods{leak("one", "0.25"), leak("one", "0.5")};
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 0; i < std::min(2 * cores, 8); ++i)
    mods.push_back(leak("other" + std::to_string(i), "0.75"));
  const auto expect = [&](const std::vector<std::shared_ptr<const Mechanism>>& all) {
    for (std::size_t i = 0; i < mods.size(); ++i)
      EXPECT_NEAR(conductance_of(*all[i]), i < 2 ? 0.25 + 0.25 * static_cast<double>(i) : 0.75,
                  1e-9);
  };
  expect(ready(mods));
  EXPECT_EQ(lines_.size(), 1u);
  for (const ModFile& mod : mods) {
    const auto kept = load_libraries({&mod}, {active_isa(), Arithmetic::of_doubles, "1"},
                                     find_compiler(), announce());
    EXPECT_TRUE(kept.front().was_cached);
  }
  expect(ready(mods));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(Loading, NamesTheOneOfAUnitThatDoesNotCompile) {
  const ModFile one = leak("one", "0.25");
  ModFile broken = leak("broken", "0.5");
  broken.header += "\nthis is no C++\n";
  const ModFile* const together[] = {&one, &broken};
  const LibraryCache cache;
  const LibraryLoops loops{active_isa(), Arithmetic::of_doubles, "1"};
  try {
    cache.build(together, loops, *find_compiler());
    ADD_FAILURE() << "it compiles";
  } catch (const CompilationFailed& failed) {
    EXPECT_THAT(failed.what(), StartsWith("broken.mod: "));
    EXPECT_THAT(failed.what(), HasSubstr("does not compile the mechanism broken"));
    EXPECT_THAT(failed.what(), HasSubstr("Own_broken.hpp"));
  }
  EXPECT_TRUE(load_libraries({&one}, loops, find_compiler(), announce()).front().was_cached);
}

TEST_F(Loading, TakesALibraryForEveryNumberOfLanes) {
  const ModFile one = leak("one", "0.25");
  EXPECT_FALSE(library_of(one).was_cached);
  for (const int lanes : {1, 4, 8}) {
    EXPECT_EQ(ready({one}, lanes).front()->kernels(lanes).lanes, lanes);
    EXPECT_THAT(lines_, IsEmpty());
  }
}

TEST_F(Loading, SaysWhatThereIsWithoutACompiler) {
  const ModFile one = leak("one", "0.25");
  ready({one}, 8);
  ::setenv("CXX", "/no/such/compiler", 1);
  EXPECT_EQ(ready({one}, 8).front()->kernels(8).lanes, 8);
  const auto problem = [&](const ModFile& mod) {
    try {
      ready({mod}, 4);
    } catch (const InvalidModel& rejected) {
      return to_string(rejected.diagnostics().front());
    }
    return std::string("nothing");
  };
  const std::string other_lanes = problem(one), nothing = problem(leak("two", "0.5"));
  ::unsetenv("CXX");
  EXPECT_THAT(other_lanes, StartsWith("one.mod: error: this needs a C++ compiler"));
  EXPECT_THAT(other_lanes, HasSubstr("has one for other numbers of cells side by side than 4"));
  EXPECT_THAT(nothing, EndsWith("(hillock mech list)."));
}

TEST_F(Loading, CompilesWhatIsNotThereOrDamaged) {
  const ModFile one = leak("one", "0.25"), other = leak("other", "0.5");
  const fs::path library = library_of(one).path;
  ready({other});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("compiling other with ")));
  std::fstream(library, std::ios::in | std::ios::out).seekp(100).put('x');
  const auto both = ready({one, other});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr(library.string()), HasSubstr("compiling one with ")));
  EXPECT_NEAR(conductance_of(*both[0]), 0.25, 1e-9);
  std::fstream(library, std::ios::in | std::ios::out).seekp(100).put('x');
  EXPECT_NEAR(conductance_of(*ready({one}).front()), 0.25, 1e-9);  // it is loaded
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(Loading, TakesNothingThatOthersCanChange) {
  const ModFile one = leak("one", "0.25");
  const fs::path library = library_of(one).path;
  fs::permissions(library, fs::perms::others_write, fs::perm_options::add);
  lines_.clear();
  EXPECT_FALSE(library_of(one).was_cached);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("others may write to it"), HasSubstr("compiling one")));
  EXPECT_TRUE(library_of(one).was_cached);
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THROW(library_of(one), InputOutputError);
}

TEST(ModFiles, OneTextHasThePlacesOfEachFile) {
  const std::string text =
      "NEURON { SUFFIX one NONSPECIFIC_CURRENT i }\nASSIGNED { i v }\nBREAKPOINT { i = exp(v) }\n";
  for (const std::string path : {"a.mod", "b.mod", "a.mod"}) {
    Diagnostics diagnostics;
    const auto reading = read_mod(path, text, {}, {}, diagnostics);
    ASSERT_TRUE(reading.file);
    EXPECT_EQ(reading.file->path, path);
    EXPECT_EQ(reading.file->name_place.file, path);
    for (const Diagnostic& one : diagnostics.all()) EXPECT_EQ(one.place.file, path);
  }
  MechanismOptions secant;
  secant.slope = CurrentSlope::secant;
  Diagnostics diagnostics;
  EXPECT_NE(read_mod("a.mod", text, {}, secant, diagnostics).file->header,
            read_mod("a.mod", text, {}, {}, diagnostics).file->header);
}

TEST(PrivateFiles, WhatCannotBeAskedBelongsToNobody) {
  EXPECT_EQ(others_rights(Descriptor()),
            "it belongs to user " + std::to_string(static_cast<uid_t>(-1)));
}

}  // namespace
}  // namespace hillock::mechanisms
