// What becomes of SWC texts, and of axons that are replaced.

#include "io/swc/swc.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <vector>

#include "io/morphology/replace_axon.hpp"
#include "tests/io/swc_reading.hpp"

namespace hillock::io {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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
  const Reading plain = read_text(forked);
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
    const Reading same = read_text(text);
    EXPECT_THAT(same.messages(), IsEmpty());
    ASSERT_EQ(same.joints(), plain.joints());
    for (std::size_t i = 0; i < plain.morphology.branches.size(); ++i)
      EXPECT_EQ(points_of(same.morphology.branches[i]), points_of(plain.morphology.branches[i]));
  }
}

TEST(SwcText, SamplesMayComeInAnyOrder) {
  const Reading sorted = read_text(forked);
  const Reading shuffled = read_text(
      "5 3 30 -9 0 0.5 3\n3 3 20 0 0 1 2\n1 1 0 0 0 5 -1\n4 3 30 9 0 0.5 3\n2 3 6 0 0 1 1\n");
  EXPECT_THAT(shuffled.messages(), IsEmpty());
  ASSERT_EQ(shuffled.joints(), sorted.joints());
  for (std::size_t i = 0; i < sorted.morphology.branches.size(); ++i)
    EXPECT_EQ(points_of(shuffled.morphology.branches[i]), points_of(sorted.morphology.branches[i]));
}

TEST(SwcText, AParentMayHaveALargerIdThanItsChild) {
  const Reading turned = read_text(
      "50 1 0 0 0 5 -1\n40 3 6 0 0 1 50\n30 3 20 0 0 1 40\n"
      "10 3 30 9 0 0.5 30\n20 3 30 -9 0 0.5 30\n");
  EXPECT_THAT(turned.messages(), IsEmpty());
  EXPECT_EQ(turned.joints(), read_text(forked).joints());
}

TEST(SwcText, IdsMayHaveGapsAndStartAtZero) {
  const Reading gaps = read_text("0 1 0 0 0 5 -1\n7 3 6 0 0 1 0\n1000000000000 3 20 0 0 1 7\n");
  EXPECT_THAT(gaps.messages(), IsEmpty());
  EXPECT_THAT(gaps.joints(), ElementsAre("soma", "dend[0] on soma at 0.5"));
}

TEST(SwcText, EveryMistakeIsNamedWithItsPlace) {
  EXPECT_THAT(swc_errors(""), ElementsAre("a.swc: error: no samples (the file holds no neuron)"));
  EXPECT_THAT(swc_errors("# only\n\n"),
              ElementsAre("a.swc: error: no samples (the file holds no neuron)"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 5\n"),
              ElementsAre("a.swc:1:11: error: 6 of 7 columns (a sample is id type x y z radius "
                          "parent)"));
  EXPECT_THAT(swc_errors("1,1,0,0,0,5,-1\n"),
              ElementsAre("a.swc:1:1: error: 1 of 7 columns (a sample is id type x y z radius "
                          "parent). Separate the columns by blanks instead of commas?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 5 -1 8 9\n"),
              ElementsAre("a.swc:1:16: error: 9 columns instead of 7 (a sample is id type x y z "
                          "radius parent). Start a comment with '#'?"));
  EXPECT_THAT(swc_errors("1 1 0 0 zero 5 -1\n"),
              ElementsAre("a.swc:1:9: error: z 'zero' is not a number"));
  EXPECT_THAT(swc_errors("1 1 0 nan 0 5 -1\n"),
              ElementsAre("a.swc:1:7: error: y 'nan' must be finite"));
  EXPECT_THAT(swc_errors("1 1 -inf 0 0 5 -1\n"),
              ElementsAre("a.swc:1:5: error: x '-inf' must be finite"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 1e999 -1\n"),
              ElementsAre("a.swc:1:11: error: radius '1e999' is too large or too small for a "
                          "number"));
  EXPECT_THAT(
      swc_errors("1 1 2e6 0 0 5 -1\n"),
      ElementsAre("a.swc:1:5: error: x '2e6' is beyond a metre. Is the file in um, or does it "
                  "need a scale?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 -5 -1\n"),
              ElementsAre("a.swc:1:11: error: radius -5 must be positive. Raise it with "
                          "minimum_diameter?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 0.0 -1\n"),
              ElementsAre("a.swc:1:11: error: radius 0.0 must be positive. Raise it with "
                          "minimum_diameter?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 1e-9 -1\n"),
              ElementsAre("a.swc:1:11: error: radius 1e-9 is too small (less than a picometre). "
                          "Is the file in um?"));
  EXPECT_THAT(swc_errors("1.5 1 0 0 0 5 -1\n"),
              ElementsAre("a.swc:1:1: error: id '1.5' must be a whole number"));
  EXPECT_THAT(swc_errors("-3 1 0 0 0 5 -1\n"),
              ElementsAre("a.swc:1:1: error: id -3 must not be negative"));
  EXPECT_THAT(
      swc_errors("1 -2 0 0 0 5 -1\n"),
      ElementsAre("a.swc:1:3: error: type -2 is out of range (1 soma, 2 axon, 3 dendrite, 4 "
                  "apical dendrite, 5 and more are tags)"));
  EXPECT_THAT(
      swc_errors("1 1 0 0 0 5 -2\n"),
      ElementsAre("a.swc:1:13: error: parent -2 is negative. Did you mean -1, the root's?"));
  EXPECT_THAT(swc_errors(std::string("1 1 0 0 \0 5 -1\n", 15)),
              ElementsAre("a.swc:1:9: error: z '\\x00' is not a number"));
}

TEST(SwcText, SeveralMistakesAreReportedTogether) {
  EXPECT_THAT(swc_errors("1 1 x y 0 0 -1\n2 3 1 1 1 1 9\n2 3 1 1 1 1 1\n"),
              ElementsAre("a.swc:1:5: error: x 'x' is not a number",
                          "a.swc:1:7: error: y 'y' is not a number",
                          "a.swc:1:11: error: radius 0 must be positive. Raise it with "
                          "minimum_diameter?",
                          "a.swc:3: error: id 2 is used twice (first on line 2)",
                          "a.swc:2:13: error: parent 9 of sample 2 is not in the file."));
}

TEST(SwcText, ManyBadRadiiAreOneLine) {
  std::string text = "1 1 0 0 0 5 -1\n";
  for (int i = 2; i <= 200; ++i)
    text += fmt::format("{0} 3 {0} 0 0 {1} {2}\n", i, i % 2 == 0 ? "0" : "1", i - 1);
  EXPECT_THAT(swc_errors(text),
              ElementsAre("a.swc:2:11: error: 100 radii are not positive (lines 2, 4, 6, 8, 10, "
                          "...). Raise them with minimum_diameter?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 1e-7 -1\n2 1 0 9 0 -1 1\n3 3 9 0 0 1e-8 1\n4 3 9 9 0 -0 3\n"),
              ElementsAre("a.swc:2:11: error: 2 radii are not positive (lines 2 and 4). Raise them "
                          "with minimum_diameter?",
                          "a.swc:1:11: error: 2 radii are too small (less than a picometre; lines "
                          "1 and 3). Is the file in um?"));
}

TEST(SwcText, AMinimumDiameterRaisesThinRadiiAndSaysWhichWereNone) {
  const std::string text = "1 1 0 0 0 5 -1\n2 3 6 0 0 0.01 1\n3 3 20 0 0 -1 2\n4 3 30 0 0 0 3\n";
  for (const SomaRule rule : every_rule) {
    const Reading r = read_text(text, rule, {.scale = 1, .minimum_diameter_um = 0.25});
    EXPECT_THAT(r.messages(),
                Contains("a.swc:3:12: warning: 2 radii that are not positive get minimum_diameter "
                         "(lines 3 and 4)"));
    EXPECT_EQ(r.branch("dend[0]").points.back().diameter_um, 0.25);
    EXPECT_EQ(r.branch("dend[0]").points[1].diameter_um, 0.25);
  }
  const Reading thin = read_text("1 1 0 0 0 5 -1\n2 3 6 0 0 0.01 1\n3 3 20 0 0 1 2\n",
                                 SomaRule::neuron8, {.scale = 1, .minimum_diameter_um = 0.25});
  EXPECT_THAT(thin.messages(), IsEmpty());
  EXPECT_EQ(thin.branch("dend[0]").points[0].diameter_um, 0.25);
  EXPECT_EQ(thin.branch("dend[0]").points[1].diameter_um, 2);
  EXPECT_EQ(thin.branch("soma").points[0].diameter_um, 10);
}

TEST(SwcText, AScaleMakesMicrometresOfAFileInNanometres) {
  const std::string nm = "1 1 0 0 0 5000 -1\n2 3 6000 0 0 1000 1\n3 3 2000000 0 0 500 2\n";
  const std::string um = "1 1 0 0 0 5 -1\n2 3 6 0 0 1 1\n3 3 2000 0 0 0.5 2\n";
  for (const SomaRule rule : {SomaRule::neuron8, SomaRule::neuromorpho}) {
    const Reading scaled = read_text(nm, rule, {.scale = 0.001, .minimum_diameter_um = 0});
    const Reading plain = read_text(um, rule);
    EXPECT_THAT(scaled.messages(), IsEmpty());
    ASSERT_EQ(scaled.joints(), plain.joints());
    for (std::size_t i = 0; i < plain.morphology.branches.size(); ++i)
      EXPECT_EQ(points_of(scaled.morphology.branches[i]), points_of(plain.morphology.branches[i]));
  }
  EXPECT_THAT(
      read_text(um, SomaRule::neuron8, {.scale = 1e4, .minimum_diameter_um = 0}).messages(),
      ElementsAre("a.swc:3:5: error: x '2000' is beyond a metre. Is the file in um, or does "
                  "it need a scale?"));
}

TEST(SwcText, ReadingStopsAfterFiftyMistakes) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "nonsense\n";
  const auto messages = swc_errors(text);
  ASSERT_THAT(messages, SizeIs(51));
  EXPECT_EQ(messages.back(), "a.swc:50: error: reading stopped here (after 50 problems)");
}

TEST(SwcTree, AnythingButOneTreeIsRefused) {
  EXPECT_THAT(
      swc_errors("1 1 0 0 0 5 -1\n2 3 6 0 0 1 -1\n"),
      ElementsAre("a.swc:2:13: error: sample 2 is a second root (the first is sample 1 on "
                  "line 1, and a cell is one tree). Join it to the tree, or take it away?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 5 -1\n2 3 6 0 0 1 4\n"),
              ElementsAre("a.swc:2:13: error: parent 4 of sample 2 is not in the file."));
  EXPECT_THAT(swc_errors("1 1 0 0 0 5 0\n")[0],
              "a.swc:1:13: error: parent 0 of sample 1 is not in the file. Did you mean -1, the "
              "root's?");
  EXPECT_THAT(swc_errors("1 1 0 0 0 5 -1\n2 3 6 0 0 1 2\n"),
              ElementsAre("a.swc:2:13: error: sample 2 is its own parent. Did you mean -1, the "
                          "root's?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 5 2\n2 3 6 0 0 1 1\n"),
              ElementsAre("a.swc:1:13: error: no root (every sample has a parent). Give the root "
                          "the parent -1?"));
  EXPECT_THAT(swc_errors("1 1 0 0 0 5 -1\n2 3 6 0 0 1 4\n3 3 6 1 0 1 2\n4 3 7 0 0 1 3\n"
                         "5 3 8 0 0 1 4\n"),
              ElementsAre("a.swc:2:13: error: 3 samples are each other's ancestors (2, 4, 3)"));
}

TEST(SwcTree, AMorphologyWithErrorsIsEmpty) {
  for (const SomaRule rule : every_rule)
    EXPECT_THAT(read_text("1 1 0 0 0 5 -1\n2 3 6 0 0 -1 1\n", rule).morphology.branches, IsEmpty());
}

// ---- soma: neuron8
// ------------------------------------------------------------------------------- The expected
// sections, joints and points below are what NEURON 8.2.2 gave for the same text.

TEST(SwcNeuron8, OneSomaSampleIsACylinderAlongXAndNeuritesStartAtTheirOwn) {
  const Reading r = read_text(forked);
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
  const Reading r = read_text(three_samples);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5"));
  EXPECT_EQ(points_of(r.branch("soma"))[0], (std::vector<double>{-5, 0, 0, 10}));
  EXPECT_THAT(points_of(r.branch("axon[0]")),
              ElementsAre(ElementsAre(0, 0, 0, 0.5), ElementsAre(0, -20, 0, 0.5)));
}

TEST(SwcNeuron8, ASomaStackTakesNeuritesAtItsEndsAndInItsMiddle) {
  const Reading r = read_text(
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
  const Reading r = read_text(
      "1 1 0 0 0 5 -1\n2 1 0 -5 0 5 1\n3 1 0 5 0 5 1\n4 3 0 0 0 10 2\n5 3 0 0 1 10 4\n"
      "6 3 0 0 1 10 3\n7 3 0 0 2 10 6\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma[0]", "soma[1] on soma[0] at 0",
                                      "dend[0] on soma[0] at 1", "dend[1] on soma[1] at 1"));
}

TEST(SwcNeuron8, ANeuriteThatForksAtItsFirstSampleForksFromItsZeroEnd) {
  const Reading r = read_text(
      "1 1 0 0 0 5 -1\n2 2 0 -6 0 1 1\n3 2 0 -9 0 1 2\n4 3 6 0 0 1 1\n5 3 20 5 0 1 4\n"
      "6 3 20 -5 0 1 4\n7 3 30 -5 0 1 6\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5",
                                      "dend[1] on dend[0] at 0"));
  EXPECT_THAT(
      points_of(r.branch("dend[1]")),
      ElementsAre(ElementsAre(6, 0, 0, 2), ElementsAre(20, -5, 0, 2), ElementsAre(30, -5, 0, 2)));
}

TEST(SwcNeuron8, ARootThatIsNoSomaTakesLaterBranchesAtItsZeroEnd) {
  const Reading r = read_text("1 2 0 0 0 2 -1\n2 2 0 -2 0 2 1\n3 2 0 2 0 2 1\n");
  EXPECT_THAT(r.joints(), ElementsAre("axon[0]", "axon[1] on axon[0] at 0"));
}

TEST(SwcNeuron8, ABranchOfCoincidingPointsIsLeftOutAndItsChildrenMoveUp) {
  const Reading r = read_text(
      "1 1 0 0 0 5 -1\n2 3 6 0 0 1 1\n3 3 20 0 0 1 2\n4 3 30 9 0 1 3\n5 3 20 0 0 1 3\n"
      "6 3 30 -9 0 1 5\n7 3 30 -8 0 1 5\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "dend[1] on dend[0] at 1",
                                      "dend[2] on dend[0] at 1", "dend[3] on dend[0] at 1"));
  EXPECT_THAT(r.messages(), ElementsAre("a.swc:5: warning: a branch of one point, or of two that "
                                        "coincide, is left out as NEURON 8 does (1 in the file)"));
}

TEST(SwcNeuron8, ALongerBranchOfCoincidingPointsKeepsAVanishingLength) {
  const Reading r = read_text("1 1 0 0 0 5 -1\n2 1 0 0 0 5 1\n3 3 20 0 0 1 2\n4 3 30 0 0 1 3\n");
  EXPECT_DOUBLE_EQ(models::length_um(r.branch("soma")), 1e-9);
  EXPECT_THAT(r.messages(), ElementsAre(HasSubstr("it becomes 1e-9 um long as in NEURON 8")));
}

TEST(SwcNeuron8, SamplesThatNeuronJoinsWithoutBeingRelatedAreJoinedWithAWarning) {
  const Reading r = read_text(
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
  const Reading r = read_text(
      "1 1 0 0 0 1 -1\n2 3 0 0 0 1 1\n3 3 0 5 0 1 2\n4 2 -5 5 0 1.5 3\n5 2 6 5 0 1.5 3\n"
      "6 2 0 0 0 1 1\n7 2 0 -4 0 1 6\n8 3 6 -4 0 2 7\n9 3 -5 -4 0 2 7\n");
  // NEURON lists axon[0] to axon[2] first; here they wait for dend[0].
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "axon[0] on dend[0] at 1",
                                      "axon[1] on dend[0] at 1", "axon[2] on soma at 0.5",
                                      "dend[1] on axon[2] at 1", "dend[2] on axon[2] at 1"));
}

TEST(SwcNeuron8, OtherTypesAreTags) {
  const Reading r = read_text("1 1 0 0 0 5 -1\n2 5 6 0 0 1 1\n3 5 9 0 0 1 2\n4 0 12 0 0 1 3\n");
  EXPECT_THAT(r.joints(), ElementsAre("soma", "tag5[0] on soma at 0.5", "tag0[0] on tag5[0] at 1"));
  EXPECT_EQ(r.branch("tag5[0]").region, "tag5");
}

TEST(SwcNeuron8, PointsAreInSinglePrecisionAndOthersInDouble) {
  const std::string text = "1 1 0.1 0 0 5 -1\n2 3 6.7 0 0 1 1\n3 3 9 0 0 1 2\n";
  EXPECT_EQ(read_text(text).branch("dend[0]").points[0].x_um, static_cast<double>(6.7f));
  EXPECT_EQ(read_text(text, SomaRule::neuromorpho).branch("dend[0]").points[0].x_um, 6.7);
}

// ---- soma: neuromorpho
// ---------------------------------------------------------------------------

TEST(SwcNeuromorpho, OneAndThreeSamplesAreACylinderWithTheAreaOfTheSphere) {
  for (const std::string& text : {forked, three_samples}) {
    const Reading r = read_text(text, SomaRule::neuromorpho);
    EXPECT_THAT(r.messages(), IsEmpty());
    EXPECT_THAT(
        points_of(r.branch("soma")),
        ElementsAre(ElementsAre(0, -5, 0, 10), ElementsAre(0, 0, 0, 10), ElementsAre(0, 5, 0, 10)));
    // round-off: two terms
    EXPECT_NEAR(area_um2(r.branch("soma")), 4 * std::numbers::pi * 25, 1e-12);
  }
}

TEST(SwcNeuromorpho, NeuritesStartAtTheirFirstOwnSampleOnTheMiddleOfTheSoma) {
  const Reading r = read_text(three_samples, SomaRule::neuromorpho);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5"));
  EXPECT_EQ(points_of(r.branch("dend[0]"))[0], (std::vector<double>{6, 0, 0, 2}));
  // One sample alone has no length: it starts at the soma's sample.
  EXPECT_THAT(points_of(r.branch("axon[0]")),
              ElementsAre(ElementsAre(0, 0, 0, 0.5), ElementsAre(0, -20, 0, 0.5)));
}

TEST(SwcNeuromorpho, ANeuriteThatForksAtItsFirstSampleIsTwoNeurites) {
  const Reading r =
      read_text("1 1 0 0 0 5 -1\n2 3 6 0 0 1 1\n3 3 20 5 0 1 2\n4 3 30 5 0 1 3\n5 3 20 -5 0 1 2\n",
                SomaRule::neuromorpho);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "dend[1] on soma at 0.5"));
  EXPECT_EQ(points_of(r.branch("dend[0]"))[0], (std::vector<double>{6, 0, 0, 2}));
  EXPECT_EQ(points_of(r.branch("dend[1]"))[0], (std::vector<double>{6, 0, 0, 2}));
}

TEST(SwcNeuromorpho, MoreSamplesAreAStackWithAllNeuritesOnItsMiddle) {
  const Reading r = read_text(
      "1 1 0 0 0 3 -1\n2 1 5 0 0 5 1\n3 1 10 0 0 5 2\n4 1 15 0 0 3 3\n5 3 20 0 0 1 4\n"
      "6 3 30 0 0 1 5\n7 2 5 -9 0 1 2\n8 2 5 -19 0 1 7\n",
      SomaRule::neuromorpho);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5"));
  EXPECT_THAT(points_of(r.branch("soma")), SizeIs(4));
}

// ---- soma: literal
// -------------------------------------------------------------------------------

TEST(SwcLiteral, EverySampleAndItsParentAreAFrustum) {
  const Reading r = read_text(three_samples, SomaRule::literal);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(), ElementsAre("soma[0]", "soma[1] on soma[0] at 0",
                                      "axon[0] on soma[0] at 0", "dend[0] on soma[0] at 0"));
  EXPECT_EQ(points_of(r.branch("dend[0]"))[0], (std::vector<double>{0, 0, 0, 10}));
  EXPECT_EQ(totals(r.morphology).points, 4 + 6u);  // one for each sample but the root, one a branch
}

TEST(SwcLiteral, BranchesStartWhereTheTypeChangesOrTheTreeForks) {
  const Reading r = read_text(
      "1 1 0 0 0 3 -1\n2 1 5 0 0 5 1\n3 3 10 0 0 1 2\n4 3 15 0 0 1 3\n5 2 20 0 0 1 4\n"
      "6 3 20 5 0 1 4\n",
      SomaRule::literal);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 1", "axon[0] on dend[0] at 1",
                                      "dend[1] on dend[0] at 1"));
}

TEST(SwcLiteral, ASomaOfOneSampleMakesNoBranchAndSaysSo) {
  const Reading r = read_text(forked, SomaRule::literal);
  EXPECT_THAT(r.joints(),
              ElementsAre("dend[0]", "dend[1] on dend[0] at 1", "dend[2] on dend[0] at 1"));
  EXPECT_THAT(r.messages(), ElementsAre(HasSubstr("a.swc:1: warning: the soma's one sample")));
  EXPECT_THAT(read_text("1 1 0 0 0 5 -1\n", SomaRule::literal).messages(),
              ElementsAre("a.swc:1: error: one sample has no length under soma: literal. Use soma: "
                          "neuromorpho?"));
}

TEST(SwcLiteral, ARootBranchOfNoLengthHandsItsPlaceToTheNext) {
  const Reading r =
      read_text("1 3 0 0 0 1 -1\n2 3 0 0 0 1 1\n3 3 9 0 0 1 2\n4 3 0 9 0 1 2\n", SomaRule::literal);
  EXPECT_THAT(r.joints(), ElementsAre("dend[0]", "dend[1] on dend[0] at 0"));
  EXPECT_THAT(r.messages(), ElementsAre("a.swc:2: warning: a branch whose points all coincide is "
                                        "left out (1 in the file)"));
  EXPECT_THAT(read_text("1 3 0 0 0 1 -1\n2 3 0 0 0 1 1\n", SomaRule::literal).messages(),
              ElementsAre("a.swc:2: error: the neuron has no length (all its samples coincide)"));
}

// ---- all rules
// -----------------------------------------------------------------------------------

TEST(Swc, ASomaSampleOnANeuriteIsWarnedOf) {
  for (const SomaRule rule : every_rule)
    EXPECT_THAT(read_text("1 1 0 0 0 5 -1\n2 1 0 5 0 5 1\n3 3 0 9 0 1 2\n4 3 0 20 0 1 3\n"
                          "5 1 0 30 0 1 4\n",
                          rule)
                    .messages(),
                ElementsAre("a.swc:5: warning: a soma sample hangs on a sample of type 3 (line 4). "
                            "Is its type right?"));
}

// ---- replace_axon
// --------------------------------------------------------------------------------

TEST(ReplaceAxonTest, TheStubTakesTheAxonsPlaceOnTheMiddleOfTheSoma) {
  Reading r = read_text(three_samples);
  EXPECT_EQ(replace_axon(r.morphology, {}), "");
  expect_sound(r.morphology);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "dend[0] on soma at 0.5", "axon[0] on soma at 0.5",
                                      "axon[1] on axon[0] at 1"));
  // As NEURON draws it, 0.4 rad from y to x.
  const models::Point& end = r.branch("axon[1]").points.back();
  EXPECT_NEAR(end.x_um, 60 * std::sin(0.4), 1e-12);
  EXPECT_NEAR(end.y_um, 60 * std::cos(0.4), 1e-12);
  EXPECT_EQ(end.z_um, 0);
}

TEST(ReplaceAxonTest, ACellWithoutAxonGetsOne) {
  Reading r = read_text(forked);
  EXPECT_EQ(
      replace_axon(r.morphology, {.branches = 1, .length_um = 20, .diameter_um = 2, .at = 0.5}),
      "");
  expect_sound(r.morphology);
  EXPECT_EQ(r.joints().back(), "axon[0] on soma at 0.5");
  EXPECT_DOUBLE_EQ(models::length_um(r.branch("axon[0]")), 20);
}

TEST(ReplaceAxonTest, TheStubMayHaveTheDiametersOfTheFirstAndTheLastAxon) {
  Reading r = read_text(
      "1 1 0 0 0 5 -1\n2 2 0 -5 0 1 1\n3 2 0 -15 0 2 2\n4 2 0 -45 0 1 3\n"
      "5 2 9 -45 0 0.25 4\n6 2 -9 -45 0 0.5 4\n7 2 -29 -45 0 0.5 6\n");
  ASSERT_THAT(r.joints(), SizeIs(4));
  EXPECT_EQ(replace_axon(r.morphology,
                         {.branches = 3, .length_um = 30, .diameter_um = std::nullopt, .at = 1}),
            "");
  expect_sound(r.morphology);
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 1", "axon[1] on axon[0] at 1",
                                      "axon[2] on axon[1] at 1"));
  EXPECT_EQ(points_of(r.branch("axon[0]"))[0][0], points_of(r.branch("soma")).back()[0]);
  // 10 um of 2 to 4 um, then 30 um of 4 to 2 um; 9 um of 2 to 1 um, then 20 um of 1 um.
  EXPECT_DOUBLE_EQ(r.branch("axon[0]").points[0].diameter_um, 3);
  for (const char* const name : {"axon[1]", "axon[2]"})
    for (const models::Point& p : r.branch(name).points)
      EXPECT_DOUBLE_EQ(p.diameter_um, (9 * 1.5 + 20) / 29);
}

TEST(ReplaceAxonTest, WhatCannotBeIsRefused) {
  const auto problem = [](const std::string& text, const ReplaceAxon& stub = {}) {
    Reading r = read_text(text);
    const auto before = r.joints();
    const std::string why = replace_axon(r.morphology, stub);
    EXPECT_EQ(r.joints(), before);  // untouched
    return why;
  };
  EXPECT_EQ(problem("1 1 0 0 0 5 -1\n2 2 6 0 0 1 1\n3 2 20 0 0 1 2\n4 3 30 0 0 1 3\n"),
            "dend[0] hangs on axon[0] (it would be cut off with the axon)");
  EXPECT_EQ(problem("1 2 0 0 0 2 -1\n2 2 0 -2 0 2 1\n"),
            "the axon is the root (nothing is left without it)");
  EXPECT_EQ(problem("1 3 0 0 0 2 -1\n2 3 0 -2 0 2 1\n"), "there is no soma to put the stub on");
  ReplaceAxon original;
  original.diameter_um.reset();
  EXPECT_EQ(problem(forked, original), "there is no axon whose diameters the stub could have");
}

}  // namespace
}  // namespace hillock::io
