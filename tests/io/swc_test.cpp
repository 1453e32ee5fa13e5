#include "io/swc/swc.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

#include "core/errors.hpp"

namespace hillock::io {
namespace {

using models::Branch;
using models::Morphology;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SomaRule every_rule[] = {SomaRule::neuron8, SomaRule::neuromorpho, SomaRule::literal};

struct Reading {
  Morphology morphology;
  Diagnostics diagnostics;

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Diagnostic& d : diagnostics.all()) all.push_back(to_string(d));
    return all;
  }
  const Branch& branch(const std::string& name) const {
    for (const Branch& b : morphology.branches)
      if (b.name == name) return b;
    throw std::out_of_range(name);
  }
  /// "dend[0] on soma at 0.5", for each branch in order.
  std::vector<std::string> joints() const {
    std::vector<std::string> all;
    for (const Branch& b : morphology.branches)
      all.push_back(b.parent < 0 ? b.name
                                 : fmt::format("{} on {} at {}", b.name,
                                               morphology.branches[b.parent].name, b.at));
    return all;
  }
};

Reading read(const std::string& text, SomaRule rule = SomaRule::neuron8) {
  Reading reading;
  reading.morphology = read_swc(text, "a.swc", rule, reading.diagnostics);
  return reading;
}

std::vector<std::string> errors_of(const std::string& text) {
  return read(text).messages();
}

std::vector<std::vector<double>> points_of(const Branch& b) {
  std::vector<std::vector<double>> all;
  for (const models::Point& p : b.points) all.push_back({p.x_um, p.y_um, p.z_um, p.diameter_um});
  return all;
}

double area_um2(const Branch& branch) {
  double area = 0;
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const models::Point& p = branch.points[i - 1];
    const models::Point& q = branch.points[i];
    const double length = std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
    area += std::numbers::pi * (p.diameter_um + q.diameter_um) / 2 *
            std::hypot((p.diameter_um - q.diameter_um) / 2, length);
  }
  return area;
}

struct Totals {
  double length_um = 0;
  double area_um2 = 0;
  std::size_t points = 0;
};

Totals totals(const Morphology& morphology) {
  Totals sum;
  for (const Branch& branch : morphology.branches) {
    sum.length_um += models::length_um(branch);
    sum.area_um2 += area_um2(branch);
    sum.points += branch.points.size();
  }
  return sum;
}

/// What every caller relies on: a tree, parents first, two points a branch, some length, unique
/// names.
void expect_sound(const Morphology& morphology) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < morphology.branches.size(); ++i) {
    const Branch& b = morphology.branches[i];
    EXPECT_EQ(b.parent < 0, i == 0) << b.name;
    EXPECT_LT(b.parent, static_cast<int>(i)) << b.name;
    EXPECT_GE(b.points.size(), 2u) << b.name;
    EXPECT_GT(models::length_um(b), 0) << b.name;
    EXPECT_TRUE(b.at >= 0 && b.at <= 1) << b.name;
    EXPECT_EQ(b.region, b.name.substr(0, b.name.find('['))) << b.name;
    names.push_back(b.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_TRUE(std::adjacent_find(names.begin(), names.end()) == names.end());
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A soma of one sample with a forked dendrite of two samples before the fork.
const std::string forked =
    "1 1 0 0 0 5 -1\n"
    "2 3 6 0 0 1 1\n"
    "3 3 20 0 0 1 2\n"
    "4 3 30 9 0 0.5 3\n"
    "5 3 30 -9 0 0.5 3\n";

// NeuroMorpho.org's soma of three samples with one dendrite of three and an axon of one.
const std::string three_samples =
    "1 1 0 0 0 5 -1\n"
    "2 1 0 -5 0 5 1\n"
    "3 1 0 5 0 5 1\n"
    "4 3 6 0 0 1 1\n"
    "5 3 16 0 0 1 4\n"
    "6 3 26 0 0 0.5 5\n"
    "7 2 0 -20 0 0.25 1\n";

// ---- the text
// ------------------------------------------------------------------------------------

TEST(SwcText, LineEndsBlanksCommentsAndNumberFormsDoNotMatter) {
  const Reading plain = read(forked);
  ASSERT_THAT(plain.messages(), IsEmpty());
  const std::string variants[] = {
      "# a comment\r\n\r\n1 1 0 0 0 5 -1\r\n2 3 6 0 0 1 1\r\n3 3 20 0 0 1 2\r\n"
      "4 3 30 9 0 0.5 3\r\n5 3 30 -9 0 0.5 3\r\n",
      "1 1 0 0 0 5 -1\r2 3 6 0 0 1 1\r3 3 20 0 0 1 2\r4 3 30 9 0 0.5 3\r5 3 30 -9 0 0.5 3",
      "\xef\xbb\xbf  1\t1 0. .0 +0 5.000000000000000000000000000000000000000000 -1 # root\n"
      "2 3 6 0 0 1 1#dendrite\n   \t \n3.0 3.0 2e1 -0 0 1e0 2.0  \n"
      "4 3 30 9 0 .5 3\n5 3 30 -9 0 0.5 3",
  };
  for (const std::string& text : variants) {
    const Reading same = read(text);
    EXPECT_THAT(same.messages(), IsEmpty());
    ASSERT_EQ(same.joints(), plain.joints());
    for (std::size_t i = 0; i < plain.morphology.branches.size(); ++i)
      EXPECT_EQ(points_of(same.morphology.branches[i]), points_of(plain.morphology.branches[i]));
  }
}

TEST(SwcText, SamplesMayComeInAnyOrder) {
  const Reading sorted = read(forked);
  const Reading shuffled =
      read("5 3 30 -9 0 0.5 3\n3 3 20 0 0 1 2\n1 1 0 0 0 5 -1\n4 3 30 9 0 0.5 3\n2 3 6 0 0 1 1\n");
  EXPECT_THAT(shuffled.messages(), IsEmpty());
  ASSERT_EQ(shuffled.joints(), sorted.joints());
  for (std::size_t i = 0; i < sorted.morphology.branches.size(); ++i)
    EXPECT_EQ(points_of(shuffled.morphology.branches[i]), points_of(sorted.morphology.branches[i]));
}

TEST(SwcText, AParentMayHaveALargerIdThanItsChild) {
  const Reading turned = read(
      "50 1 0 0 0 5 -1\n40 3 6 0 0 1 50\n30 3 20 0 0 1 40\n"
      "10 3 30 9 0 0.5 30\n20 3 30 -9 0 0.5 30\n");
  EXPECT_THAT(turned.messages(), IsEmpty());
  EXPECT_EQ(turned.joints(), read(forked).joints());
}

TEST(SwcText, IdsMayHaveGapsAndStartAtZero) {
  const Reading gaps = read("0 1 0 0 0 5 -1\n7 3 6 0 0 1 0\n1000000000000 3 20 0 0 1 7\n");
  EXPECT_THAT(gaps.messages(), IsEmpty());
  EXPECT_THAT(gaps.joints(), ElementsAre("soma", "dend[0] on soma at 0.5"));
}

TEST(SwcText, EveryMistakeIsNamedWithItsPlace) {
  EXPECT_THAT(errors_of(""), ElementsAre("a.swc: error: no samples (the file holds no neuron)"));
  EXPECT_THAT(errors_of("# only\n\n"),
              ElementsAre("a.swc: error: no samples (the file holds no neuron)"));
  EXPECT_THAT(errors_of("1 1 0 0 0 5\n"),
              ElementsAre("a.swc:1:11: error: 6 of 7 columns (a sample is id type x y z radius "
                          "parent)"));
  EXPECT_THAT(errors_of("1,1,0,0,0,5,-1\n"),
              ElementsAre("a.swc:1:1: error: 1 of 7 columns (a sample is id type x y z radius "
                          "parent). Separate the columns by blanks instead of commas?"));
  EXPECT_THAT(errors_of("1 1 0 0 0 5 -1 8 9\n"),
              ElementsAre("a.swc:1:16: error: 9 columns instead of 7 (a sample is id type x y z "
                          "radius parent). Start a comment with '#'?"));
  EXPECT_THAT(errors_of("1 1 0 0 zero 5 -1\n"),
              ElementsAre("a.swc:1:9: error: z 'zero' is not a number"));
  EXPECT_THAT(errors_of("1 1 0 nan 0 5 -1\n"),
              ElementsAre("a.swc:1:7: error: y 'nan' must be finite"));
  EXPECT_THAT(errors_of("1 1 -inf 0 0 5 -1\n"),
              ElementsAre("a.swc:1:5: error: x '-inf' must be finite"));
  EXPECT_THAT(errors_of("1 1 0 0 0 1e999 -1\n"),
              ElementsAre("a.swc:1:11: error: radius '1e999' is too large or too small for a "
                          "number"));
  EXPECT_THAT(errors_of("1 1 2e6 0 0 5 -1\n"),
              ElementsAre("a.swc:1:5: error: x '2e6' um is beyond a metre. Is the file in um?"));
  EXPECT_THAT(errors_of("1 1 0 0 0 -5 -1\n"),
              ElementsAre("a.swc:1:11: error: radius -5 um must be positive"));
  EXPECT_THAT(errors_of("1 1 0 0 0 0.0 -1\n"),
              ElementsAre("a.swc:1:11: error: radius 0.0 um must be positive"));
  EXPECT_THAT(errors_of("1 1 0 0 0 1e-9 -1\n"),
              ElementsAre("a.swc:1:11: error: radius 1e-9 um is too small (less than a picometre). "
                          "Is the file in um?"));
  EXPECT_THAT(errors_of("1.5 1 0 0 0 5 -1\n"),
              ElementsAre("a.swc:1:1: error: id '1.5' must be a whole number"));
  EXPECT_THAT(errors_of("-3 1 0 0 0 5 -1\n"),
              ElementsAre("a.swc:1:1: error: id -3 must not be negative"));
  EXPECT_THAT(
      errors_of("1 -2 0 0 0 5 -1\n"),
      ElementsAre("a.swc:1:3: error: type -2 is out of range (1 soma, 2 axon, 3 dendrite, 4 "
                  "apical dendrite, 5 and more are tags)"));
  EXPECT_THAT(
      errors_of("1 1 0 0 0 5 -2\n"),
      ElementsAre("a.swc:1:13: error: parent -2 is negative. Did you mean -1, the root's?"));
  EXPECT_THAT(errors_of(std::string("1 1 0 0 \0 5 -1\n", 15)),
              ElementsAre("a.swc:1:9: error: z '\\x00' is not a number"));
}

TEST(SwcText, SeveralMistakesAreReportedTogether) {
  EXPECT_THAT(errors_of("1 1 x y 0 0 -1\n2 3 1 1 1 1 9\n2 3 1 1 1 1 1\n"),
              ElementsAre("a.swc:1:5: error: x 'x' is not a number",
                          "a.swc:1:7: error: y 'y' is not a number",
                          "a.swc:1:11: error: radius 0 um must be positive",
                          "a.swc:3: error: id 2 is used twice (first on line 2)",
                          "a.swc:2:13: error: parent 9 of sample 2 is not in the file."));
}

TEST(SwcText, ReadingStopsAfterFiftyMistakes) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "nonsense\n";
  const auto messages = errors_of(text);
  ASSERT_THAT(messages, SizeIs(51));
  EXPECT_EQ(messages.back(), "a.swc:50: error: reading stopped here (after 50 problems)");
}

TEST(SwcTree, AnythingButOneTreeIsRefused) {
  EXPECT_THAT(
      errors_of("1 1 0 0 0 5 -1\n2 3 6 0 0 1 -1\n"),
      ElementsAre("a.swc:2:13: error: sample 2 is a second root (the first is sample 1 on "
                  "line 1, and a cell is one tree). Join it to the tree, or take it away?"));
  EXPECT_THAT(errors_of("1 1 0 0 0 5 -1\n2 3 6 0 0 1 4\n"),
              ElementsAre("a.swc:2:13: error: parent 4 of sample 2 is not in the file."));
  EXPECT_THAT(errors_of("1 1 0 0 0 5 0\n")[0],
              "a.swc:1:13: error: parent 0 of sample 1 is not in the file. Did you mean -1, the "
              "root's?");
  EXPECT_THAT(errors_of("1 1 0 0 0 5 -1\n2 3 6 0 0 1 2\n"),
              ElementsAre("a.swc:2:13: error: sample 2 is its own parent. Did you mean -1, the "
                          "root's?"));
  EXPECT_THAT(errors_of("1 1 0 0 0 5 2\n2 3 6 0 0 1 1\n"),
              ElementsAre("a.swc:1:13: error: no root (every sample has a parent). Give the root "
                          "the parent -1?"));
  EXPECT_THAT(errors_of("1 1 0 0 0 5 -1\n2 3 6 0 0 1 4\n3 3 6 1 0 1 2\n4 3 7 0 0 1 3\n"
                        "5 3 8 0 0 1 4\n"),
              ElementsAre("a.swc:2:13: error: 3 samples are each other's ancestors (2, 4, 3)"));
}

TEST(SwcTree, AMorphologyWithErrorsIsEmpty) {
  for (const SomaRule rule : every_rule)
    EXPECT_THAT(read("1 1 0 0 0 5 -1\n2 3 6 0 0 -1 1\n", rule).morphology.branches, IsEmpty());
}

// ---- soma: neuron8
// ------------------------------------------------------------------------------- The expected
// sections, joints and points below are what NEURON 8.2.2 gave for the same text.

TEST(SwcNeuron8, OneSomaSampleIsACylinderAlongXAndNeuritesStartAtTheirOwn) {
  const Reading r = read(forked);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "dend[1] on dend[0] at 1",
                                      "dend[2] on dend[0] at 1"));
  EXPECT_THAT(
      points_of(r.branch("soma")),
      ElementsAre(ElementsAre(-5, 0, 0, 10), ElementsAre(0, 0, 0, 10), ElementsAre(5, 0, 0, 10)));
  EXPECT_THAT(points_of(r.branch("dend[0]")),
              ElementsAre(ElementsAre(6, 0, 0, 2), ElementsAre(20, 0, 0, 2)));
  EXPECT_THAT(points_of(r.branch("dend[1]")),
              ElementsAre(ElementsAre(20, 0, 0, 2), ElementsAre(30, 9, 0, 1)));
}

TEST(SwcNeuron8, TheThreeSampleSomaIsOneSampleAndAShortNeuriteStartsAtTheSomaWithItsOwnDiameter) {
  const Reading r = read(three_samples);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5"));
  EXPECT_EQ(points_of(r.branch("soma"))[0], (std::vector<double>{-5, 0, 0, 10}));
  EXPECT_THAT(points_of(r.branch("axon[0]")),
              ElementsAre(ElementsAre(0, 0, 0, 0.5), ElementsAre(0, -20, 0, 0.5)));
}

TEST(SwcNeuron8, ASomaStackTakesNeuritesAtItsEndsAndInItsMiddle) {
  const Reading r = read(
      "1 1 0 0 0 3 -1\n2 1 5 0 0 5 1\n3 1 10 0 0 3 2\n"
      "4 3 15 0 0 1 3\n5 3 25 0 0 1 4\n"     // from the last sample
      "6 2 5 -9 0 1 2\n7 2 5 -19 0 1 6\n"    // from one between
      "8 4 -5 0 0 1 1\n9 4 -15 0 0 1 8\n");  // from the first
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 1",
                                      "apic[0] on soma at 0"));
  EXPECT_THAT(
      points_of(r.branch("dend[0]")),
      ElementsAre(ElementsAre(10, 0, 0, 2), ElementsAre(15, 0, 0, 2), ElementsAre(25, 0, 0, 2)));
  EXPECT_THAT(points_of(r.branch("axon[0]")),
              ElementsAre(ElementsAre(5, -9, 0, 2), ElementsAre(5, -19, 0, 2)));
  EXPECT_THAT(
      points_of(r.branch("apic[0]")),
      ElementsAre(ElementsAre(0, 0, 0, 2), ElementsAre(-5, 0, 0, 2), ElementsAre(-15, 0, 0, 2)));
}

TEST(SwcNeuron8, ABranchedSomaIsSeveralSections) {
  const Reading r = read(
      "1 1 0 0 0 5 -1\n2 1 0 -5 0 5 1\n3 1 0 5 0 5 1\n4 3 0 0 0 10 2\n5 3 0 0 1 10 4\n"
      "6 3 0 0 1 10 3\n7 3 0 0 2 10 6\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma[0]", "soma[1] on soma[0] at 0",
                                      "dend[0] on soma[0] at 1", "dend[1] on soma[1] at 1"));
}

TEST(SwcNeuron8, ANeuriteThatForksAtItsFirstSampleForksFromItsZeroEnd) {
  const Reading r = read(
      "1 1 0 0 0 5 -1\n2 2 0 -6 0 1 1\n3 2 0 -9 0 1 2\n4 3 6 0 0 1 1\n5 3 20 5 0 1 4\n"
      "6 3 20 -5 0 1 4\n7 3 30 -5 0 1 6\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5",
                                      "dend[1] on dend[0] at 0"));
  EXPECT_THAT(
      points_of(r.branch("dend[1]")),
      ElementsAre(ElementsAre(6, 0, 0, 2), ElementsAre(20, -5, 0, 2), ElementsAre(30, -5, 0, 2)));
}

TEST(SwcNeuron8, ARootThatIsNoSomaTakesLaterBranchesAtItsZeroEnd) {
  const Reading r = read("1 2 0 0 0 2 -1\n2 2 0 -2 0 2 1\n3 2 0 2 0 2 1\n");
  EXPECT_THAT(r.joints(), ElementsAre("axon[0]", "axon[1] on axon[0] at 0"));
}

TEST(SwcNeuron8, ABranchOfCoincidingPointsIsLeftOutAndItsChildrenMoveUp) {
  const Reading r = read(
      "1 1 0 0 0 5 -1\n2 3 6 0 0 1 1\n3 3 20 0 0 1 2\n4 3 30 9 0 1 3\n5 3 20 0 0 1 3\n"
      "6 3 30 -9 0 1 5\n7 3 30 -8 0 1 5\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "dend[1] on dend[0] at 1",
                                      "dend[2] on dend[0] at 1", "dend[3] on dend[0] at 1"));
  EXPECT_THAT(r.messages(), ElementsAre("a.swc:5: warning: a branch of one point, or of two that "
                                        "coincide, is left out as NEURON 8 does (1 in the file)"));
}

TEST(SwcNeuron8, ALongerBranchOfCoincidingPointsKeepsAVanishingLength) {
  const Reading r = read("1 1 0 0 0 5 -1\n2 1 0 0 0 5 1\n3 3 20 0 0 1 2\n4 3 30 0 0 1 3\n");
  EXPECT_DOUBLE_EQ(models::length_um(r.branch("soma")), 1e-9);
  EXPECT_THAT(r.messages(), ElementsAre(HasSubstr("it becomes 1e-9 um long as in NEURON 8")));
}

TEST(SwcNeuron8, SamplesThatNeuronJoinsWithoutBeingRelatedAreJoinedWithAWarning) {
  const Reading r = read(
      "1 1 0 0 0 5 -1\n2 3 20 0 0 2 1\n3 3 30 0 0 1 2\n4 3 10 11 0 1 1\n5 3 10 12 0 1 2\n"
      "6 3 10 13 0 1 4\n");
  EXPECT_THAT(
      r.messages(),
      ElementsAre("a.swc:5: warning: this sample continues the branch of the sample on line "
                  "4, which is not its parent (NEURON 8 reads it so). Use soma: neuromorpho "
                  "or literal?"));
  EXPECT_THAT(points_of(r.branch("dend[2]")),
              ElementsAre(ElementsAre(10, 11, 0, 2), ElementsAre(10, 12, 0, 2)));
}

TEST(SwcNeuron8, BranchesAreOrderedByTypeButNeverBeforeTheirParent) {
  const Reading r = read(
      "1 1 0 0 0 1 -1\n2 3 0 0 0 1 1\n3 3 0 5 0 1 2\n4 2 -5 5 0 1.5 3\n5 2 6 5 0 1.5 3\n"
      "6 2 0 0 0 1 1\n7 2 0 -4 0 1 6\n8 3 6 -4 0 2 7\n9 3 -5 -4 0 2 7\n");
  // NEURON lists axon[0] to axon[2] first; here they wait for dend[0].
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "axon[0] on dend[0] at 1",
                                      "axon[1] on dend[0] at 1", "axon[2] on soma at 0.5",
                                      "dend[1] on axon[2] at 1", "dend[2] on axon[2] at 1"));
}

TEST(SwcNeuron8, OtherTypesAreTags) {
  const Reading r = read("1 1 0 0 0 5 -1\n2 5 6 0 0 1 1\n3 5 9 0 0 1 2\n4 0 12 0 0 1 3\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma", "tag5[0] on soma at 0.5", "tag0[0] on tag5[0] at 1"));
  EXPECT_EQ(r.branch("tag5[0]").region, "tag5");
}

TEST(SwcNeuron8, PointsAreInSinglePrecisionAndOthersInDouble) {
  const std::string text = "1 1 0.1 0 0 5 -1\n2 3 6.7 0 0 1 1\n3 3 9 0 0 1 2\n";
  EXPECT_EQ(read(text).branch("dend[0]").points[0].x_um, static_cast<double>(6.7f));
  EXPECT_EQ(read(text, SomaRule::neuromorpho).branch("dend[0]").points[0].x_um, 6.7);
}

// ---- soma: neuromorpho
// ---------------------------------------------------------------------------

TEST(SwcNeuromorpho, OneAndThreeSamplesAreACylinderWithTheAreaOfTheSphere) {
  for (const std::string& text : {forked, three_samples}) {
    const Reading r = read(text, SomaRule::neuromorpho);
    EXPECT_THAT(r.messages(), IsEmpty());
    EXPECT_THAT(
        points_of(r.branch("soma")),
        ElementsAre(ElementsAre(0, -5, 0, 10), ElementsAre(0, 0, 0, 10), ElementsAre(0, 5, 0, 10)));
    // round-off: two terms
    EXPECT_NEAR(area_um2(r.branch("soma")), 4 * std::numbers::pi * 25, 1e-12);
  }
}

TEST(SwcNeuromorpho, NeuritesStartAtTheirFirstOwnSampleOnTheMiddleOfTheSoma) {
  const Reading r = read(three_samples, SomaRule::neuromorpho);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5"));
  EXPECT_EQ(points_of(r.branch("dend[0]"))[0], (std::vector<double>{6, 0, 0, 2}));
  // One sample alone has no length: it starts at the soma's sample.
  EXPECT_THAT(points_of(r.branch("axon[0]")),
              ElementsAre(ElementsAre(0, 0, 0, 0.5), ElementsAre(0, -20, 0, 0.5)));
}

TEST(SwcNeuromorpho, ANeuriteThatForksAtItsFirstSampleIsTwoNeurites) {
  const Reading r =
      read("1 1 0 0 0 5 -1\n2 3 6 0 0 1 1\n3 3 20 5 0 1 2\n4 3 30 5 0 1 3\n5 3 20 -5 0 1 2\n",
           SomaRule::neuromorpho);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "dend[1] on soma at 0.5"));
  EXPECT_EQ(points_of(r.branch("dend[0]"))[0], (std::vector<double>{6, 0, 0, 2}));
  EXPECT_EQ(points_of(r.branch("dend[1]"))[0], (std::vector<double>{6, 0, 0, 2}));
}

TEST(SwcNeuromorpho, MoreSamplesAreAStackWithAllNeuritesOnItsMiddle) {
  const Reading r = read(
      "1 1 0 0 0 3 -1\n2 1 5 0 0 5 1\n3 1 10 0 0 5 2\n4 1 15 0 0 3 3\n5 3 20 0 0 1 4\n"
      "6 3 30 0 0 1 5\n7 2 5 -9 0 1 2\n8 2 5 -19 0 1 7\n",
      SomaRule::neuromorpho);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5"));
  EXPECT_THAT(points_of(r.branch("soma")), SizeIs(4));
}

// ---- soma: literal
// -------------------------------------------------------------------------------

TEST(SwcLiteral, EverySampleAndItsParentAreAFrustum) {
  const Reading r = read(three_samples, SomaRule::literal);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(), ElementsAre("soma[0]", "soma[1] on soma[0] at 0",
                                      "axon[0] on soma[0] at 0", "dend[0] on soma[0] at 0"));
  EXPECT_EQ(points_of(r.branch("dend[0]"))[0], (std::vector<double>{0, 0, 0, 10}));
  EXPECT_EQ(totals(r.morphology).points, 4 + 6u);  // one for each sample but the root, one a branch
}

TEST(SwcLiteral, BranchesStartWhereTheTypeChangesOrTheTreeForks) {
  const Reading r = read(
      "1 1 0 0 0 3 -1\n2 1 5 0 0 5 1\n3 3 10 0 0 1 2\n4 3 15 0 0 1 3\n5 2 20 0 0 1 4\n"
      "6 3 20 5 0 1 4\n",
      SomaRule::literal);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 1", "axon[0] on dend[0] at 1",
                                      "dend[1] on dend[0] at 1"));
}

TEST(SwcLiteral, ASomaOfOneSampleMakesNoBranchAndSaysSo) {
  const Reading r = read(forked, SomaRule::literal);
  EXPECT_THAT(r.joints(),
              ElementsAre("dend[0]", "dend[1] on dend[0] at 1", "dend[2] on dend[0] at 1"));
  EXPECT_THAT(r.messages(), ElementsAre(HasSubstr("a.swc:1: warning: the soma's one sample")));
  EXPECT_THAT(read("1 1 0 0 0 5 -1\n", SomaRule::literal).messages(),
              ElementsAre("a.swc:1: error: one sample has no length under soma: literal. Use soma: "
                          "neuromorpho?"));
}

TEST(SwcLiteral, ARootBranchOfNoLengthHandsItsPlaceToTheNext) {
  const Reading r =
      read("1 3 0 0 0 1 -1\n2 3 0 0 0 1 1\n3 3 9 0 0 1 2\n4 3 0 9 0 1 2\n", SomaRule::literal);
  EXPECT_THAT(r.joints(), ElementsAre("dend[0]", "dend[1] on dend[0] at 0"));
  EXPECT_THAT(r.messages(), ElementsAre("a.swc:2: warning: a branch whose points all coincide is "
                                        "left out (1 in the file)"));
  EXPECT_THAT(read("1 3 0 0 0 1 -1\n2 3 0 0 0 1 1\n", SomaRule::literal).messages(),
              ElementsAre("a.swc:2: error: the neuron has no length (all its samples coincide)"));
}

// ---- all rules
// -----------------------------------------------------------------------------------

TEST(Swc, ASomaSampleOnANeuriteIsWarnedOf) {
  for (const SomaRule rule : every_rule)
    EXPECT_THAT(read("1 1 0 0 0 5 -1\n2 1 0 5 0 5 1\n3 3 0 9 0 1 2\n4 3 0 20 0 1 3\n"
                     "5 1 0 30 0 1 4\n",
                     rule)
                    .messages(),
                ElementsAre("a.swc:5: warning: a soma sample hangs on a sample of type 3 (line 4). "
                            "Is its type right?"));
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
      const Reading r = read(random_file(seed), rule);
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
      const Reading r = read(text, rule);
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
    const auto start = std::chrono::steady_clock::now();
    for (const SomaRule rule : every_rule) {
      const Reading r = read(text, rule);
      EXPECT_FALSE(r.diagnostics.has_errors());
      EXPECT_GT(r.morphology.branches.size(), static_cast<std::size_t>(n / 2));
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double small = seconds(100'000);
  EXPECT_LT(seconds(1'000'000), 40 * small);
}

// ---- replace_axon
// --------------------------------------------------------------------------------

TEST(ReplaceAxonTest, TheStubTakesTheAxonsPlaceOnTheMiddleOfTheSoma) {
  Reading r = read(three_samples);
  replace_axon(r.morphology, {.branches = 2, .length_um = 30, .diameter_um = 1});
  expect_sound(r.morphology);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "axon[0] on soma at 0.5",
                                      "axon[1] on axon[0] at 1"));
  // Towards where the axon went.
  EXPECT_THAT(points_of(r.branch("axon[1]")),
              ElementsAre(ElementsAre(0, -30, 0, 1), ElementsAre(0, -60, 0, 1)));
}

TEST(ReplaceAxonTest, ACellWithoutAxonGetsOne) {
  Reading r = read(forked);
  replace_axon(r.morphology, {.branches = 1, .length_um = 20, .diameter_um = 2});
  expect_sound(r.morphology);
  EXPECT_EQ(r.joints().back(), "axon[0] on soma at 0.5");
  EXPECT_DOUBLE_EQ(models::length_um(r.branch("axon[0]")), 20);
}

TEST(ReplaceAxonTest, WhatWouldBeCutOffIsRefused) {
  const auto message = [](const std::string& text) {
    Reading r = read(text);
    const auto before = r.joints();
    try {
      replace_axon(r.morphology, {});
    } catch (const InvalidModel& error) {
      EXPECT_EQ(r.joints(), before);  // untouched
      return error.diagnostics().at(0).message;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("1 1 0 0 0 5 -1\n2 2 6 0 0 1 1\n3 2 20 0 0 1 2\n4 3 30 0 0 1 3\n"),
            "replace_axon: dend[0] hangs on axon[0] (it would be cut off with the axon)");
  EXPECT_EQ(message("1 2 0 0 0 2 -1\n2 2 0 -2 0 2 1\n"),
            "replace_axon: the axon is the root (nothing is left without it)");
  EXPECT_EQ(message("1 3 0 0 0 2 -1\n2 3 0 -2 0 2 1\n"),
            "replace_axon: there is no soma to put the stub on");
}

// ---- files
// ---------------------------------------------------------------------------------------

const std::filesystem::path library = std::filesystem::path(HILLOCK_SOURCE_DIR) / "models/library";

TEST(PyramidSwc, ReadsWithoutAWarningUnderEveryRule) {
  const std::string text = file_text(library / "pyramid.swc");
  for (const SomaRule rule : every_rule) {
    const Reading r = read(text, rule);
    EXPECT_THAT(r.messages(), IsEmpty());
    expect_sound(r.morphology);
  }
}

TEST(PyramidSwc, HasTheSectionsThatNeuronMakesOfIt) {
  const Reading r = read(file_text(library / "pyramid.swc"));
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
    const Reading r = read(file_text(folder / reference.file));
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
      const Reading r = read(file_text(entry.path()), rule);
      expect_sound(r.morphology);
      if (r.diagnostics.has_errors() && rule == SomaRule::neuron8)
        refused.push_back(entry.path().filename().string());
    }
  EXPECT_THAT(refused,
              testing::UnorderedElementsAre("disconnected_neurite.swc", "multiple_soma.swc"));
}

}  // namespace
}  // namespace hillock::io
