#include <gtest/gtest.h>

#include "core/errors/errors.hpp"
#include "solver/cable/compartments.hpp"
#include "solver/lanes/lane_tree.hpp"

namespace hillock::solver {
namespace {

models::Value by_cell(const char* text, const char* unit) {
  auto parsed =
      Expression::parse(text, unit_of(unit), {Variable::index, Variable::distance, Variable::r});
  return {std::move(std::get<Expression>(parsed)), {}};
}

/// A soma with two dendrites, of which cm and Ra are given.
models::Morphology tree() {
  const auto branch = [](const char* name, int parent, double length) {
    models::Branch made{name, "dend", parent, 1, {}, 0};
    made.points = {{0, 0, 0, 2}, {length, 0, 0, 2}};
    return made;
  };
  return {{branch("soma", -1, 20), branch("dend[0]", 0, 500), branch("dend[1]", 0, 300)}};
}

models::CableCell cell_with(const models::Value& cm, const models::Value& Ra,
                            models::Discretization::Kind kind) {
  models::CableCell cell;
  cell.discretization = {kind, 50, 0.1, 3};
  models::RegionSettings all;
  all.cm_uF_per_cm2 = cm;
  all.Ra_ohm_cm = Ra;
  cell.regions = {all};
  return cell;
}

CutFor cell_number(double index) {
  CutFor of;
  of.bindings.index = index;
  of.name = "p[" + std::to_string(static_cast<int>(index)) + "]";
  return of;
}

constexpr auto by_length = models::Discretization::Kind::max_length;
constexpr auto by_lambda = models::Discretization::Kind::d_lambda;

TEST(Variants, HaveTheMatrixOfACellWithTheirNumbers) {
  const auto varied = cell_with(by_cell("1 uF/cm2 + 0.25 uF/cm2 * index", "uF/cm2"),
                                by_cell("100 ohm.cm * (1 + index)", "ohm.cm"), by_lambda);
  for (const double index : {0.0, 1.0, 6.0}) {
    const Template variant = discretise(tree(), varied, cell_number(index));
    const Template by_hand =
        discretise(tree(), cell_with(1 + 0.25 * index, 100 * (1 + index), by_lambda));
    EXPECT_EQ(variant.branches, by_hand.branches);
    EXPECT_EQ(variant.columns->capacitance_nF.size(), by_hand.columns->capacitance_nF.size());
    for (std::size_t n = 0; n < variant.node_count(); ++n) {
      EXPECT_DOUBLE_EQ(variant.capacitance_nF(n), by_hand.capacitance_nF(n));
      EXPECT_DOUBLE_EQ(variant.coupling_uS(n), by_hand.coupling_uS(n));
    }
  }
}

TEST(Variants, OfEqualNumbersAreOneAndThoseThatAreCutAlikeShareTheirNodes) {
  const auto varied =
      cell_with(by_cell("1 uF/cm2 + floor(index / 3) * 1 uF/cm2", "uF/cm2"), 100, by_length);
  EXPECT_TRUE(matrix_varies(varied));
  EXPECT_FALSE(matrix_varies(
      cell_with(1, by_cell("100 ohm.cm + 1 ohm.cm * distance / 1 um", "ohm.cm"), by_length)));
  EXPECT_EQ(matrix_key(varied, cell_number(3)), matrix_key(varied, cell_number(5)));
  EXPECT_NE(matrix_key(varied, cell_number(2)), matrix_key(varied, cell_number(3)));
  const auto first = std::make_shared<const Template>(discretise(tree(), varied, cell_number(0)));
  Template other = discretise(tree(), varied, cell_number(3));
  EXPECT_NE(other.nodes(), first->nodes());
  EXPECT_TRUE(share_nodes(other, first, Lengths::same));
  EXPECT_EQ(other.nodes(), first->nodes());
  const LaneCell lanes[] = {{first.get(), nullptr}, {&other, nullptr}};
  const LaneTree both = lay_out_lanes(lanes, 4);
  EXPECT_TRUE(both.is_uniform());
  for (std::size_t row = 0; row < both.row_count(); ++row) {
    const auto node = static_cast<std::size_t>(both.node_of(row, 1));
    EXPECT_EQ(both.capacitance_nF[row * 4], first->capacitance_nF(node));
    EXPECT_EQ(both.capacitance_nF[row * 4 + 1], other.capacitance_nF(node));
  }
}

/// A soma and a dendrite of two compartments, in three sizes.
models::Morphology tree_of_three_sizes() {
  models::Branch soma{"soma", "soma", -1, 1, {}, 1}, dend{"dend", "dend", 0, 1, {}, 2};
  models::CompartmentNumbers given{{10, 20, 21, 11, 22, 23, 12, 24, 25},
                                   {3, 1, 1},
                                   {1, 2, 3},
                                   {4, 5, 6, 7, 8, 9},
                                   {3, 40, 3, 41, 3, 42},
                                   3};
  models::Morphology tree{{soma, dend}};
  models::draw_along_x(given, tree.branches);
  tree.given = std::make_shared<const models::CompartmentNumbers>(std::move(given));
  return tree;
}

TEST(Variants, MayHaveSizesOfTheirOwn) {
  models::CableCell cell;
  cell.morphology = tree_of_three_sizes();
  const auto& sizes = std::get<models::Morphology>(cell.morphology);
  EXPECT_TRUE(matrix_varies(cell));
  EXPECT_NE(matrix_key(cell, cell_number(0)), matrix_key(cell, cell_number(1)));
  const auto first = std::make_shared<const Template>(discretise(sizes, cell, cell_number(0)));
  Template third = discretise(sizes, cell, cell_number(2));
  const auto dendrite = static_cast<std::size_t>(third.branches[1].first_node);
  EXPECT_EQ(third.area_um2(dendrite + 1), 25);
  EXPECT_EQ(third.capacitance_nF(dendrite), 1e-5 * 24);
  EXPECT_EQ(third.coupling_uS(dendrite), 1.0 / 2);
  EXPECT_EQ(third.coupling_uS(static_cast<std::size_t>(third.branches[1].end_node)), 1.0 / 9);
  EXPECT_EQ(third.branches[1].length_um, 42);
  EXPECT_FALSE(share_nodes(third, first, Lengths::same));
  EXPECT_TRUE(share_nodes(third, first, Lengths::any));
  EXPECT_EQ(third.nodes(), first->nodes());
  EXPECT_TRUE(has_own_sizes(third, *first));
  EXPECT_FALSE(has_own_sizes(*first, *first));
}

TEST(Variants, OfOtherLengthConstantsAreCutInOtherPieces) {
  const auto varied = cell_with(1, by_cell("50 ohm.cm * (1 + 20 * index)", "ohm.cm"), by_lambda);
  const auto first = std::make_shared<const Template>(discretise(tree(), varied, cell_number(0)));
  Template other = discretise(tree(), varied, cell_number(1));
  EXPECT_FALSE(share_nodes(other, first, Lengths::any));
  const std::vector<int> counts = compartments_of_branches(tree(), varied, cell_number(1));
  ASSERT_EQ(counts.size(), other.branches.size());
  for (std::size_t b = 0; b < counts.size(); ++b)
    EXPECT_EQ(counts[b], other.branches[b].compartments);
  EXPECT_GT(counts[1], first->branches[1].compartments);
}

TEST(Variants, ThatCannotBeSayWhoseTheyAre) {
  auto cm = by_cell("1 uF/cm2 - 1 uF/cm2 * index", "uF/cm2");
  models::Bounds bounds;
  bounds.limits.minimum = 0;
  bounds.limits.lower = Limit::exclusive;
  bounds.limits.unit_text = "uF/cm2";
  bounds.path = "cells.c.regions.all.cm";
  cm.keep_within(bounds);
  const auto varied = cell_with(cm, 100, by_length);
  try {
    discretise(tree(), varied, cell_number(4));
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_NE(std::string(error.what()).find("-3 uF/cm2 for p[4] at soma(0.5)"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace hillock::solver
