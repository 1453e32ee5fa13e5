// SWC files: random and broken ones, the library's pyramid, and reconstructions beside NEURON's
// numbers.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/io/swc_reading.hpp"

namespace hillock::io {
namespace {

using testing::IsEmpty;

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A random file: tree, types, coinciding samples; the seed is all that it depends on.
std::string random_file(std::uint32_t seed) {
  std::mt19937 draw(seed);
  const auto below = [&](std::uint32_t n) { return draw() % n; };
  const std::uint32_t n = 1 + below(40);
  const std::uint32_t straightness = below(10);
  std::string text;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool previous = below(10) < straightness;
    const int parent = i == 0 ? -1 : static_cast<int>(previous ? i - 1 : below(i));
    text += fmt::format("{} {} {} {} {} {} {}\n", i, i < 4 ? 1 : below(6), below(3), below(3),
                        below(3), 1 + below(3), parent);
  }
  return text;
}

TEST(Swc, RandomTreesGiveSoundMorphologies) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed)
    for (const SomaRule rule : every_rule) {
      const Reading r = read_text(random_file(seed), rule);
      if (r.diagnostics.has_errors()) {
        EXPECT_THAT(r.morphology.branches, IsEmpty());
        continue;
      }
      EXPECT_FALSE(r.morphology.branches.empty());
      expect_sound(r.morphology);
      if (HasFailure()) FAIL() << "seed " << seed << "\n" << random_file(seed);
    }
}

TEST(Swc, BrokenFilesNeverCrash) {
  std::mt19937 draw(1);
  const std::string alphabet = "0123456789 .-+eE#\t\r\n,xna\xff";
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    std::string text = random_file(seed);
    for (int edits = 1 + draw() % 6; edits > 0; --edits) {
      const std::size_t at = draw() % text.size();
      if (draw() % 3 == 0)
        text.erase(at, 1 + draw() % 9);
      else
        text[at] = alphabet[draw() % alphabet.size()];
      if (text.empty()) text = " ";
    }
    for (const SomaRule rule : every_rule) {
      const Reading r = read_text(text, rule);
      if (!r.diagnostics.has_errors()) expect_sound(r.morphology);
      if (HasFailure()) FAIL() << "seed " << seed << "\n" << text;
    }
  }
}

TEST(Swc, AMillionSamplesAreReadInLinearTime) {
  // A comb in a bad order: half the samples are one-sample branches, and parents follow children.
  // Statistical: linear growth is a factor 10 a decade; 40 allows for caches and a busy machine,
  // quadratic growth would be 100.
  const auto seconds = [](int n) {
    std::string text;
    for (int i = n; i > 0; --i)
      text += fmt::format("{} {} {} {} 0 1 {}\n", n + 1 - i, i == 1 ? 1 : 3, i / 2, i % 2,
                          i == 1 ? -1 : n + 1 - (i % 2 == 0 ? i - 1 : std::max(1, i - 2)));
    const std::clock_t start = std::clock();  // of the processor, which others may want
    for (const SomaRule rule : every_rule) {
      const Reading r = read_text(text, rule);
      EXPECT_FALSE(r.diagnostics.has_errors());
      EXPECT_GT(r.morphology.branches.size(), static_cast<std::size_t>(n / 2));
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = seconds(100'000);
  EXPECT_LT(seconds(1'000'000), 40 * small);
}

const std::filesystem::path library = std::filesystem::path(HILLOCK_SOURCE_DIR) / "models/library";

TEST(PyramidSwc, ReadsWithoutAWarningUnderEveryRule) {
  const std::string text = file_text(library / "pyramid.swc");
  for (const SomaRule rule : every_rule) {
    const Reading r = read_text(text, rule);
    EXPECT_THAT(r.messages(), IsEmpty());
    expect_sound(r.morphology);
  }
}

TEST(PyramidSwc, HasTheSectionsThatNeuronMakesOfIt) {
  const Reading r = read_text(file_text(library / "pyramid.swc"));
  const Totals sum = totals(r.morphology);
  EXPECT_EQ(r.morphology.branches.size(), 133u);
  EXPECT_EQ(sum.points, 2357u);
  // reference: NEURON 8.2.2; it subtracts coordinates in single precision, hence 1e-7
  EXPECT_NEAR(sum.length_um / 9378.673415288607, 1, 1e-7);
  EXPECT_NEAR(sum.area_um2 / 19452.23519378056, 1, 1e-7);
}

TEST(PyramidSwc, IsWhatItsGeneratorWrites) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const auto fresh = std::filesystem::temp_directory_path() /
                     fmt::format("hillock-pyramid-{}.swc", std::random_device{}());
  const std::string command =
      fmt::format("python3 '{}' -o '{}'", (library / "make_pyramid.py").string(), fresh.string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(file_text(fresh) == file_text(library / "pyramid.swc")) << "the files differ";
  std::filesystem::remove(fresh);
}

std::filesystem::path shared_data() {
  const char* shared = std::getenv("HILLOCK_SHARED");
  return (shared ? std::filesystem::path(shared)
                 : std::filesystem::path(HILLOCK_SOURCE_DIR) / "../shared") /
         "data";
}

struct Reference {
  const char* file;
  std::size_t branches;
  std::size_t points;
  double length_um;
  double area_um2;
};

// NEURON 8.2.2: Import3d_SWC_read and Import3d_GUI.instantiate, then sums over all sections of L,
// n3d() and, with nseg by d_lambda 0.1 at Ra 100 ohm.cm and cm 1 uF/cm2, area().
constexpr Reference references[] = {
    {"ca1_c91662.swc", 194, 1698, 15346.108462578099, 19505.539209996696},
    {"ca1_n120.swc", 156, 2784, 11910.099549199651, 32493.46688767821},
    {"purkinje.swc", 467, 3842, 4908.5696902783675, 15666.03397721463},
    {"pyramidal.swc", 220, 6009, 9959.624970837873, 19722.151300130517},
    {"v1_scnn1a.swc", 123, 3898, 4725.886250249316, 7114.849319688433},
};

TEST(SwcReference, FiveReconstructionsHaveNeuronsSectionsLengthsAndAreas) {
  const auto folder = shared_data() / "morphologies";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << folder << " is absent (set HILLOCK_SHARED)";
  for (const Reference& reference : references) {
    SCOPED_TRACE(reference.file);
    const Reading r = read_text(file_text(folder / reference.file));
    EXPECT_THAT(r.messages(), IsEmpty());
    expect_sound(r.morphology);
    EXPECT_EQ(r.morphology.branches.size(), reference.branches);
    const Totals sum = totals(r.morphology);
    EXPECT_EQ(sum.points, reference.points);
    // reference: single-precision subtraction of coordinates in NEURON, as above
    EXPECT_NEAR(sum.length_um / reference.length_um, 1, 1e-7);
    EXPECT_NEAR(sum.area_um2 / reference.area_um2, 1, 1e-7);
  }
}

TEST(SwcReference, OddFilesAreReadOrRefusedUnderEveryRule) {
  const auto folder = shared_data() / "swc-odd";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << folder << " is absent (set HILLOCK_SHARED)";
  std::vector<std::string> refused;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    for (const SomaRule rule : every_rule) {
      SCOPED_TRACE(entry.path().string());
      const Reading r = read_text(file_text(entry.path()), rule);
      expect_sound(r.morphology);
      if (r.diagnostics.has_errors() && rule == SomaRule::neuron8)
        refused.push_back(entry.path().filename().string());
    }
  EXPECT_THAT(refused,
              testing::UnorderedElementsAre("disconnected_neurite.swc", "multiple_soma.swc"));
}

}  // namespace
}  // namespace hillock::io
