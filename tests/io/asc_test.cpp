// What becomes of Neurolucida texts; tests/peer/asc_parity.py compares with NEURON.

#include "io/asc/asc.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/io/swc_reading.hpp"

namespace hillock::io {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Reading read_text(const std::string& text, const Measures& measures = {}) {
  Reading reading;
  reading.morphology = read_asc(text, "a.asc", measures, reading.diagnostics);
  return reading;
}

std::vector<std::string> messages_of(const std::string& text) {
  return read_text(text).messages();
}

// A soma of 8 by 4 um, a dendrite that splits in two, an axon.
const std::string soma = R"asc(("CellBody" (Color Red) (CellBody)
  (-4 -2 0 0.1) (4 -2 0 0.1) (4 2 0 0.1) (-4 2 0 0.1)
) ;  End of contour
)asc";
const std::string dendrite = R"asc(( (Color Blue) (Dendrite)
  (0 2 0 2)  ; Root
  (0 12 0 1)
  (
    (0 22 0 1) (5 30 0 0.5)
    Normal
  |
    (0 12 0 0.5) (-5 30 0 0.5)
    Incomplete
  )  ;  End of split
)  ;  End of tree
)asc";
const std::string axon = "((Axon) (0 -2 0 1) (0 -30 0 1) Low)\n";

TEST(Asc, TreesJoinTheMiddleOfTheSomaAndBranchesTheirParentsEnd) {
  const Reading r = read_text(soma + dendrite + axon);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "dend[0] on soma at 0.5",
                                      "dend[1] on dend[0] at 1", "dend[2] on dend[0] at 1"));
  expect_sound(r.morphology);
  EXPECT_EQ(points_of(r.branch("dend[0]")),
            (std::vector<std::vector<double>>{{0, 2, 0, 2}, {0, 12, 0, 1}}));
  // A branch begins where its parent ends, with its own diameter, unless it says so itself.
  EXPECT_EQ(points_of(r.branch("dend[1]")),
            (std::vector<std::vector<double>>{{0, 12, 0, 1}, {0, 22, 0, 1}, {5, 30, 0, 0.5}}));
  EXPECT_EQ(points_of(r.branch("dend[2]")),
            (std::vector<std::vector<double>>{{0, 12, 0, 0.5}, {-5, 30, 0, 0.5}}));
}

TEST(Asc, OneContourIsTwentyOneCirclesAlongItsLongestAxis) {
  const models::Branch branch = read_text(soma + axon).branch("soma");
  ASSERT_EQ(branch.points.size(), 21U);
  for (const models::Point& p : branch.points) {
    // The outline is not closed, so the mean lies a little off the middle, and the axis is tilted.
    EXPECT_NEAR(p.y_um, 0, 1);
    EXPECT_EQ(p.z_um, 0);
    EXPECT_LT(p.diameter_um, 4.5);
  }
  EXPECT_LT(branch.points.front().x_um, -3);
  EXPECT_GT(branch.points.back().x_um, 3);
  EXPECT_NEAR(branch.points[10].diameter_um, 4, 0.3);
}

/// A closed outline of 9 by 4 um with a bump, turned about its middle.
std::string outline_turned_by(double angle) {
  std::string text = "(\"CellBody\" (CellBody)\n";
  for (int i = 0; i <= 24; ++i) {
    const double a = 1 + i * std::numbers::pi / 12;
    const double x = 4.5 * std::cos(a), y = (i == 3 ? 2.6 : 2) * std::sin(a);
    text += fmt::format("({} {} 1 0)", 3 + x * std::cos(angle) - y * std::sin(angle),
                        2 + x * std::sin(angle) + y * std::cos(angle));
  }
  return text + ")\n";
}

/// Its circles turn with it: they depend on the longest axis alone.
TEST(Asc, ATurnedContourHasTheTurnedCircles) {
  constexpr double rounding_um = 1e-5;  // points are read as floats
  const models::Branch straight = read_text(outline_turned_by(0)).branch("soma");
  ASSERT_EQ(straight.points.size(), 21U);
  EXPECT_NEAR(straight.points[20].x_um - straight.points[0].x_um, 9, 0.3);
  EXPECT_NEAR(straight.points[10].x_um, 3, 0.1);
  EXPECT_NEAR(straight.points[10].diameter_um, 4, 0.2);
  for (std::size_t i = 2; i < 21; ++i)
    EXPECT_NEAR(straight.points[i].x_um - straight.points[i - 1].x_um,
                straight.points[1].x_um - straight.points[0].x_um, rounding_um);
  for (const double angle : {0.3, 0.7, -0.5}) {
    const models::Branch turned = read_text(outline_turned_by(angle)).branch("soma");
    ASSERT_EQ(turned.points.size(), 21U);
    for (std::size_t i = 0; i < 21; ++i) {
      const models::Point& p = straight.points[i];
      const double x = p.x_um - 3, y = p.y_um - 2;
      EXPECT_NEAR(turned.points[i].x_um, 3 + x * std::cos(angle) - y * std::sin(angle),
                  rounding_um);
      EXPECT_NEAR(turned.points[i].y_um, 2 + x * std::sin(angle) + y * std::cos(angle),
                  rounding_um);
      EXPECT_NEAR(turned.points[i].z_um, 1, rounding_um);
      EXPECT_NEAR(turned.points[i].diameter_um, p.diameter_um, rounding_um) << i;
    }
  }
}

TEST(Asc, AStackOfContoursIsACircleEach) {
  std::string text;
  for (const auto& [radius, z] : {std::pair{2, 0}, {4, 5}, {3, 9}}) {
    text += "(\"Soma\" ";
    for (int i = 0; i < 40; ++i)
      text += fmt::format("({} {} {} 0)", radius * std::cos(i * std::numbers::pi / 20),
                          radius * std::sin(i * std::numbers::pi / 20), z);
    text += ")\n";
  }
  const Reading r = read_text(text);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(), ElementsAre("soma"));
  const auto& points = r.branch("soma").points;
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[0].diameter_um, 4, 0.1);
  EXPECT_NEAR(points[1].diameter_um, 8, 0.1);
  EXPECT_NEAR(points[2].diameter_um, 6, 0.1);
  EXPECT_EQ(points[1].z_um, 5);
  EXPECT_EQ(points[2].z_um, 9);
}

TEST(Asc, WhatIsNoShapeIsSkipped) {
  const Reading plain = read_text(soma + dendrite + axon);
  const Reading furnished = read_text(R"asc(;	V3 text file written for MicroBrightField products.
(Description "a (cell)" )
(ImageCoords Filename "C:\images\one.tif" Merge 65535 65535 65535 0
 Coords 0.1 0.1 0 0 0 -1)
(Thumbnail (Cols 2) (Rows 2) (00 FF 0A a0 07))
(Sections S1 "Section 1" 0.00 S2 "Section (2" -132 49.5)
(FilledCircle (Color Yellow) (Name "Marker 1") (1 2 3 4) (5 6 7 8)) ; markers
("pia" (Closed) (MBFObjectType 5) (GUID "11594A5D") (0 1 2 3) (3 4 5 4))
( (Color RGB (255, 251, 255)) (Font "Arial" 10) (1 2 0 0) "a note" )
(Set "layer" ("Soma" (Color RGB (255, 0, 1)) (Set "axon")
  (-4, -2, 0, 0.1) (4 -2 0 0.1) (Dot (1 1 1 1)) (4 2 0 0.1 S2) (-4 2)) )
( (Color Blue) (Dendrite) (Name "tree (1") (Set "s" )
  (0 2 0 2) <(Class 1 "mushroom") (0 3 4 0.2)> <(0 3 5 0.2)>
  (0 12 0 1 S1 (1 2, 3, 4))
  (Cross (Color Orange) (9 9 9 9))
  ( (Dot (7 7 7 7)) (0 22 0 1) (5 30 0 0.5) Generated
  | (0, 12, 0, 0.5), (Dot (8 8 8 8)) (-5 30 0 0.5) High (Cross (1 1 1 1)) ) )
((Axon) (0 -2 0 1) (0 -30 0 1) Midpoint))asc");
  EXPECT_THAT(furnished.messages(), IsEmpty());
  ASSERT_EQ(furnished.joints(), plain.joints());
  for (std::size_t i = 0; i < plain.morphology.branches.size(); ++i)
    EXPECT_EQ(points_of(furnished.morphology.branches[i]), points_of(plain.morphology.branches[i]));
}

TEST(Asc, TreesAreOfTheirKindAndTagged0WithoutOne) {
  EXPECT_THAT(read_text(soma + "((Apical) (0 0 0 1) (9 0 0 1))((0 0 0 1) (0 9 0 1))" +
                        "((CellBody) (0 0 0 1) (0 -9 0 1))((Axon) (Color Red) (0 0 0 1) (9 9 0 1))")
                  .joints(),
              ElementsAre("soma", "tag0[0] on soma at 0.5", "tag0[1] on soma at 0.5",
                          "axon[0] on soma at 0.5", "apic[0] on soma at 0.5"));
}

TEST(Asc, WithoutASomaOneTreeIsTheCell) {
  const Reading r = read_text(dendrite);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_THAT(r.joints(),
              ElementsAre("dend[0]", "dend[1] on dend[0] at 1", "dend[2] on dend[0] at 1"));
  EXPECT_THAT(
      messages_of(dendrite + axon),
      ElementsAre("a.asc:12: error: a second tree (the first begins on line 2), and no soma "
                  "that joins them: a cell is one tree"));
  EXPECT_THAT(messages_of("(\"soma 1\" (0 0 0 0) (1 0 0 0) (1 1 0 0))" + dendrite + axon).back(),
              HasSubstr("(the contour \"soma 1\" is none: a soma's is called \"CellBody\", "));
}

TEST(Asc, AnotherSomaIsLeftOutUnlessTreesJoinIt) {
  const std::string neighbour = "(\"Cell Body\" (90 90 0 0) (99 90 0 0) (99 95 0 0) (90 95 0 0))\n";
  const Reading r = read_text(neighbour + soma + axon);
  EXPECT_THAT(r.messages(),
              ElementsAre("a.asc:1: warning: another soma, which no tree joins, is left out"));
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5"));
  EXPECT_THAT(
      messages_of(neighbour + soma + axon + "((Axon) (97 99 0 1) (97 110 0 1))"),
      ElementsAre("a.asc:6: error: a tree of a second soma: it joins the one that begins on "
                  "line 1, and others that on line 2 (a cell is one tree). Take one of the "
                  "cells away?"));
}

TEST(Asc, BranchesOfOnePointAreLeftOutAsInNeuron) {
  const Reading r = read_text(soma + "((Axon) (0 -2 0 1) ((0 -9 0 1) (0 -12 0 1) | (2 -9 0 1)))");
  EXPECT_THAT(r.messages(),
              ElementsAre("a.asc:4: warning: a branch of one point, or of two that coincide, is "
                          "left out as NEURON 8 does (1 in the file)"));
  EXPECT_THAT(r.joints(), ElementsAre("soma", "axon[0] on soma at 0.5", "axon[1] on soma at 0.5"));
  EXPECT_EQ(r.branch("axon[1]").points.size(), 2U);
}

TEST(Asc, OddShapesAreWarnedOf) {
  EXPECT_THAT(messages_of(soma + "((Axon) (0 -9 0 1) (0 -12 0 1))"),
              ElementsAre("a.asc:4: warning: a tree begins outside of the soma's contour; it joins "
                          "the middle of the soma as in NEURON (1 in the file)"));
  EXPECT_THAT(messages_of("(\"Soma\" (0 0 0 1) (1 0 0 1))\n" + axon),
              ElementsAre("a.asc:1:1: warning: a soma's contour of less than three points is left "
                          "out"));
  const auto contour = [](double z, double dz) {
    return fmt::format("(\"Soma\" (0 0 {0} 1) (4 0 {0} 1) (4 4 {1} 1) (0 4 {0} 1))\n", z, z + dz);
  };
  EXPECT_THAT(messages_of(contour(0, 0) + contour(2, 0) + contour(1, 0)),
              ElementsAre(HasSubstr("a.asc:3: warning: the soma's contours are not in the order")));
  EXPECT_THAT(messages_of(contour(0, 0) + contour(2, 1)),
              ElementsAre(HasSubstr("a.asc:2: warning: a contour of the soma lies at several")));
  EXPECT_THAT(messages_of(contour(0, 0) + contour(0, 0)),
              Contains(HasSubstr("a.asc:2: warning: two contours of the soma lie at one depth")));
  EXPECT_THAT(messages_of(soma + "((Color Red))\n" + axon),
              ElementsAre("a.asc:4:1: warning: a tree without points is left out"));
}

TEST(Asc, EveryMistakeIsNamedWithItsPlace) {
  EXPECT_THAT(messages_of(""), ElementsAre("a.asc: error: neither a tree nor a soma's contour in "
                                           "the file"));
  EXPECT_THAT(messages_of("1 1 0 0 0 5 -1\n"),
              ElementsAre("a.asc:1:1: error: '1' stands where a contour or a tree begins with '(' "
                          "(is this a Neurolucida file?)"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1) (0 9 0 1)"),
              ElementsAre("a.asc:1:28: error: the file ends inside the tree that begins on line 1 "
                          "(a ')' is missing)"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1) (0 9 0 1)))\n"),
              ElementsAre("a.asc:1:29: error: ')' closes nothing"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1) Normal\n (0 9 0 1))"),
              ElementsAre("a.asc:2:2: error: a point stands behind the end of its branch (the tree "
                          "begins on line 1)"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1)\n ((1 1 0 1)) ((1 2 0 1)))"),
              ElementsAre("a.asc:2:14: error: a branch that has ended or split goes on (the tree "
                          "begins on line 1)"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1) ((1 1 0 1) | ))"),
              ElementsAre("a.asc:1:32: error: a branch of the tree that begins on line 1 has no "
                          "point"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1) | (1 1 0 1))"),
              ElementsAre("a.asc:1:19: error: '|' stands outside of a split"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1 2))"),
              ElementsAre("a.asc:1:18: error: a point has x, y, z and a diameter, and no fifth "
                          "number"));
  EXPECT_THAT(messages_of("((Axon) (0 zero))"),
              ElementsAre("a.asc:1:12: error: 'zero' stands in the place of a point's y"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1 ] )"),
              ElementsAre("a.asc:1:18: error: ']' stands where a point ends with ')'"));
  EXPECT_THAT(messages_of("((Axon) (0 3e6 0 1))"),
              ElementsAre("a.asc:1:12: error: coordinate '3e6' is beyond a metre. Is the file in "
                          "um, or does it need a scale?"));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1e999))"), ElementsAre(HasSubstr("'1e999' is beyond")));
  EXPECT_THAT(messages_of("((Axon) (0 0 0 1) <(1 1 1 1) (0 1 0 1))"),
              ElementsAre("a.asc:1:40: error: the file ends inside the spine that begins on line 1 "
                          "(a '>' is missing)"));
  EXPECT_THAT(messages_of("(\"Soma\" (0 0 0 1) 4"),
              ElementsAre("a.asc:1:19: error: '4' stands in the contour \"Soma\" that begins on "
                          "line 1"));
  EXPECT_THAT(messages_of("(\"Soma\n (0 0 0 1))"),
              ElementsAre("a.asc:1:2: error: '\"Soma' begins neither a contour nor a tree"));
  EXPECT_THAT(messages_of("(Thumbnail (Cols 2)"),
              ElementsAre("a.asc:1:20: error: the file ends inside the item that begins on line 1 "
                          "(a ')' is missing)"));
  EXPECT_THAT(messages_of("(Set \"s\" ((Axon) (0 0 0 1) (0 9 0 1))"),
              ElementsAre("a.asc:1:38: error: the file ends inside the Set that begins on line 1"));
  EXPECT_THAT(messages_of("(1 2 3 4)"),
              ElementsAre("a.asc:1:2: error: a point stands outside of contours and trees"));
  EXPECT_THAT(
      messages_of("(\"Soma\" (0 0 0 1) (4 1e-7 0 1) (8 0 0 1))"),
      ElementsAre("a.asc:1: error: the soma's contour has hardly any width somewhere. Raise "
                  "it with minimum_diameter?"));
  EXPECT_THAT(messages_of("(\"Soma\" (1 1 0 1) (1 1 0 1) (1 1 0 1))"),
              ElementsAre("a.asc:1: error: the soma's contour encloses no area in x and y"));
}

TEST(Asc, ThinPointsAreOneLineOrRaised) {
  std::string text = soma + "((Axon)";
  for (int i = 0; i < 30; ++i) text += fmt::format("\n(0 {} 0 {})", -2 - i, i % 3 == 0 ? "1" : "0");
  text += "\n(0 -40) )";
  EXPECT_THAT(messages_of(text),
              ElementsAre("a.asc:6:9: error: 21 diameters are not positive (lines 6, 7, 9, 10, "
                          "12, ...). Raise them with minimum_diameter?"));
  const Reading r = read_text(text, {.scale = 2, .minimum_diameter_um = 0.5});
  EXPECT_THAT(r.messages(),
              ElementsAre("a.asc:6:9: warning: 21 diameters that are not positive get "
                          "minimum_diameter (lines 6, 7, 9, 10, 12, ...)"));
  const auto points = points_of(r.branch("axon[0]"));
  EXPECT_EQ(points[0], (std::vector<double>{0, -4, 0, 2}));
  EXPECT_EQ(points[1], (std::vector<double>{0, -6, 0, 0.5}));
  EXPECT_EQ(points.back(), (std::vector<double>{0, -80, 0, 0.5}));
}

TEST(Asc, NestingTakesNoStack) {
  constexpr int depth = 200000;
  std::string text = "((Axon) (0 0 0 1) (0 1 0 1)";
  for (int i = 0; i < depth; ++i) text += fmt::format("((0 {} 0 1)", i + 2);
  const std::string open = text;
  for (int i = 0; i <= depth; ++i) text += ")";
  const Reading r = read_text(text);
  EXPECT_THAT(r.messages(), IsEmpty());
  EXPECT_EQ(r.morphology.branches.size(), depth + 1U);
  EXPECT_THAT(messages_of(open), ElementsAre(HasSubstr("the file ends inside the tree")));
  EXPECT_THAT(messages_of(std::string(depth, '(')), ElementsAre(HasSubstr("no point")));
  std::string sets;
  for (int i = 0; i < depth; ++i) sets += "(Set \"s\"";
  EXPECT_THAT(messages_of(sets), ElementsAre(HasSubstr("the file ends inside the Set")));
}

TEST(Asc, BrokenFilesNeverCrash) {
  std::mt19937 draw(1);
  const std::string whole = soma + dendrite + axon + "(Set \"x\" (Dot (1 2 3 4)))\n";
  const std::string alphabet = "0123456789 .-+e()|<>\";,\n\rAxonSet\xff";
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (int edits = 1 + static_cast<int>(draw() % 4); edits > 0; --edits) {
      const std::size_t at = draw() % text.size();
      if (draw() % 3 == 0)
        text.erase(at, 1 + draw() % 30);
      else if (draw() % 2 == 0)
        text[at] = alphabet[draw() % alphabet.size()];
      else
        text.insert(at, 1, alphabet[draw() % alphabet.size()]);
      if (text.empty()) text = " ";
    }
    const Reading r = read_text(text);
    if (r.diagnostics.has_errors()) {
      EXPECT_THAT(r.morphology.branches, IsEmpty());
      for (const Diagnostic& d : r.diagnostics.all()) EXPECT_EQ(d.place.file, "a.asc");
    } else {
      expect_sound(r.morphology);
    }
    if (HasFailure()) FAIL() << text;
  }
}

}  // namespace
}  // namespace hillock::io
