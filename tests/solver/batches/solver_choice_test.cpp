// The choice among families: what it knows of a tree, what it refuses, and, on the measurements
// that stand in bench/RESULTS.md, how good it is. What the constants are worth elsewhere is
// bench/auto.cu's question.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "solver/batches/batch_solver.hpp"
#include "solver/batches/hines_batch/random_morphology.hpp"
#include "solver/random_trees.hpp"
#include "tests/solver/batches/hines_batch_cases.hpp"

namespace hillock::solver {
namespace {

using testing::HasSubstr;

std::vector<TemplateLoad> load(const std::vector<int>& parent, std::size_t cells) {
  return {{features_of(parent), cells}};
}

TEST(TreeFeatures, TellCablesFromTrees) {
  const TreeFeatures cable = features_of(cable_tree(100));
  EXPECT_TRUE(cable.unbranched);
  EXPECT_EQ(cable.depth, 99);
  EXPECT_EQ(cable.compartments, 100);
  EXPECT_LE(cable.contraction_steps, 8);  // cyclic reduction: log2
  const TreeFeatures star = features_of(star_tree(500, 2));
  EXPECT_FALSE(star.unbranched);
  EXPECT_EQ(star.depth, 2);
  EXPECT_EQ(star.compartments, 1001);
  EXPECT_LE(star.contraction_steps, 8);
  EXPECT_TRUE(features_of(std::vector<int>{-1}).unbranched);
}

TEST(TreeFeatures, RefuseWhatIsNoTree) {
  EXPECT_THROW(features_of(std::vector<int>{}), InvalidTree);
  EXPECT_THROW(features_of(std::vector<int>{-1, 2, 0}), InvalidTree);
}

TEST(Choice, IsTheCheapestOfTheEstimates) {
  for (const std::size_t cells : {1u, 100u, 10000u, 1000000u})
    for (const Use use : {Use::launch, Use::resident}) {
      const Choice choice = choose(load(tree_of_depth(300, 40, 6, 1), cells), reference_gpu(), use);
      ASSERT_EQ(choice.estimates.size(), std::size(all_families));
      const double chosen = choice.estimates[static_cast<std::size_t>(choice.family)].us;
      EXPECT_GT(chosen, 0);
      for (const Estimate& e : choice.estimates) {
        if (e.absent.empty()) {
          EXPECT_GE(e.us, chosen) << name_of(e.family);
        }
      }
      EXPECT_FALSE(choice.forced);
      EXPECT_THAT(choice.reason, HasSubstr("predicted"));
      EXPECT_THAT(choice.reason, HasSubstr(reference_gpu().name));
    }
}

TEST(Choice, SaysWhyAFamilyIsNoCandidate) {
  const auto branched = estimate(load(star_tree(3, 2), 10), reference_gpu(), Use::launch);
  EXPECT_THAT(branched[static_cast<std::size_t>(Family::thomas)].absent, HasSubstr("branched"));
  auto two = load(star_tree(3, 2), 10);
  two.push_back({features_of(cable_tree(20)), 5});
  const auto mixed = estimate(two, reference_gpu(), Use::launch);
  EXPECT_THAT(mixed[static_cast<std::size_t>(Family::stone)].absent, HasSubstr("2 different"));
  EXPECT_EQ(mixed[static_cast<std::size_t>(Family::contraction)].absent, "");
}

TEST(Choice, CanBeForced) {
  const auto cells = load(tree_of_depth(300, 40, 6, 1), 100);
  for (const Family family : {Family::hines, Family::branch, Family::stone, Family::contraction}) {
    const Choice choice = choose(cells, reference_gpu(), Use::launch, 8, family);
    EXPECT_EQ(choice.family, family);
    EXPECT_TRUE(choice.forced);
    EXPECT_THAT(choice.reason, HasSubstr("asked for"));
  }
  EXPECT_THROW(choose(cells, reference_gpu(), Use::launch, 8, Family::thomas), UsageError);
  EXPECT_THROW(choose({}, reference_gpu(), Use::launch), UsageError);
}

/// A row of the table in bench/RESULTS.md that `hillock bench solvers --table auto` printed on the
/// reference.
struct MeasuredBatch {
  std::string precision, tree, use;
  std::size_t size = 0, cells = 0;
  std::vector<double> us;  ///< by family, in the order of all_families; 0: not measured
};

std::vector<MeasuredBatch> measured_batches() {
  std::ifstream file(std::string(HILLOCK_SOURCE_DIR) + "/bench/RESULTS.md");
  std::vector<MeasuredBatch> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    MeasuredBatch batch;
    words >> batch.precision >> batch.tree;
    if (batch.precision != "double" && batch.precision != "float") continue;
    if (batch.tree == "depth" || batch.tree == "cable") {
      std::string number;
      words >> number;
      batch.tree += " " + number;
    }
    if (!(words >> batch.size >> batch.cells >> batch.use)) continue;
    if (batch.use != "launch" && batch.use != "resident") continue;
    for (std::size_t f = 0; f < std::size(all_families); ++f) {
      std::string us;
      words >> us;
      batch.us.push_back(us == "-" ? 0 : std::stod(us));
    }
    all.push_back(std::move(batch));
  }
  return all;
}

/// The trees of that table, by name.
std::map<std::string, TreeFeatures> measured_trees() {
  std::map<std::string, TreeFeatures> all;
  for (const auto& c : morphology_classes)
    all[c.name] = features_of(random_morphology(c.compartments, c.branches, 1));
  all["depth 35"] = features_of(tree_of_depth(576, 35, 6, 1));
  all["depth 119"] = features_of(tree_of_depth(570, 119, 10, 1));
  all["depth 299"] = features_of(tree_of_depth(1425, 299, 20, 1));
  for (const int n : {128, 512, 5000})
    all["cable " + std::to_string(n)] = features_of(cable_tree(n));
  all["star"] = features_of(star_tree(500, 2));
  all["giant"] = features_of(attachment_tree(20000, 0.9, 1));
  return all;
}

TEST(Choice, PredictsWhatWasMeasured) {
  const auto trees = measured_trees();
  std::map<std::string, std::vector<double>> off;  // by family, precision and use
  for (const MeasuredBatch& batch : measured_batches()) {
    const std::vector<TemplateLoad> loads{{trees.at(batch.tree), batch.cells}};
    const auto predicted =
        estimate(loads, reference_gpu(), batch.use == "launch" ? Use::launch : Use::resident,
                 batch.precision == "double" ? 8 : 4);
    for (std::size_t f = 0; f < batch.us.size(); ++f)
      if (batch.us[f] > 0)
        off[std::string(name_of(all_families[f])) + " " + batch.precision + " " + batch.use]
            .push_back(std::log(predicted[f].us / batch.us[f]));
  }
  ASSERT_EQ(off.size(), 4 * std::size(all_families));
  const std::map<std::string, double> most{// in natural logarithms: of 0.1, about 10 %
                                           {"hines", 0.06},
                                           {"branch", 0.17},
                                           {"contraction", 0.14},
                                           {"stone", 0.3},
                                           {"thomas", 0.31}};
  for (auto& [what, logs] : off) {
    std::ranges::sort(logs);
    double squares = 0;
    for (const double one : logs) squares += one * one;
    EXPECT_NEAR(logs[logs.size() / 2], 0, 0.03) << what;
    EXPECT_LT(std::sqrt(squares / static_cast<double>(logs.size())),
              most.at(what.substr(0, what.find(' '))))
        << what;
  }
}

TEST(Choice, MoreCellsNeverCostLess) {
  for (const auto& tree : {cable_tree(300), tree_of_depth(600, 100, 10, 2), star_tree(200, 3)})
    for (const Use use : {Use::launch, Use::resident})
      for (std::size_t cells = 1; cells < 1000000; cells *= 3) {
        const auto few = estimate(load(tree, cells), reference_gpu(), use);
        const auto many = estimate(load(tree, 3 * cells), reference_gpu(), use);
        for (std::size_t f = 0; f < few.size(); ++f) EXPECT_GE(many[f].us, few[f].us);
      }
}

/// They take the device together: as long as the same number of cells of one.
TEST(Choice, CellsOfTwoTemplatesCostWhatAllOfThemDo) {
  const auto tree = features_of(tree_of_depth(600, 100, 10, 2));
  for (const std::size_t cells : {100u, 50000u}) {
    const std::vector<TemplateLoad> two{{tree, cells}, {tree, 2 * cells}}, one{{tree, 3 * cells}};
    const auto of_two = estimate(two, reference_gpu(), Use::launch);
    const auto of_one = estimate(one, reference_gpu(), Use::launch);
    for (const Family family : {Family::hines, Family::contraction}) {
      const auto f = static_cast<std::size_t>(family);
      EXPECT_NEAR(of_two[f].us / of_one[f].us, 1, 1e-9) << name_of(family);
    }
  }
}

TEST(Choice, FasterMemoryMakesManyCellsCheaper) {
  DeviceTraits twice = reference_gpu();
  twice.memory_GBps *= 2;
  const auto cells = load(tree_of_depth(600, 100, 10, 2), 100000);
  const auto hines = static_cast<std::size_t>(Family::hines);
  EXPECT_LT(estimate(cells, twice, Use::launch)[hines].us,
            0.6 * estimate(cells, reference_gpu(), Use::launch)[hines].us);
}

TEST(Choice, OnTheCpuIsHines) {
  EXPECT_EQ(choose_for_cpu(8).family, Family::hines);
  EXPECT_THAT(choose_for_cpu(8).reason, HasSubstr("8 cells"));
  EXPECT_TRUE(choose_for_cpu(8, Family::hines).forced);
  EXPECT_THROW(choose_for_cpu(8, Family::contraction), UsageError);
}

TEST(FamilyNames, GoBothWays) {
  for (const Family family : all_families) EXPECT_EQ(family_named(name_of(family)), family);
  EXPECT_EQ(family_named("gauss"), std::nullopt);
}

BatchSolverOptions at(BatchSolverOptions::Where where) {
  BatchSolverOptions options;
  options.where = where;
  return options;
}
const BatchSolverOptions on_cpu = at(BatchSolverOptions::Where::cpu);
const BatchSolverOptions on_gpu = at(BatchSolverOptions::Where::gpu);

template <class T>
class BatchSolverOnCpu : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchSolverOnCpu, Precisions);

TYPED_TEST(BatchSolverOnCpu, AgreesWithLongDoubleWithinRoundOff) {
  for (const auto& [name, shape] : all_shapes()) {
    const auto values = random_values<TypeParam>(shape, 10, 5);
    const BatchSolver solver(shape, on_cpu);
    EXPECT_FALSE(solver.on_gpu());
    EXPECT_LE(error_over_bound(shape, solver.solve(values), reference_solution(shape, values), 10),
              1)
        << name;
  }
}

TEST(BatchSolver, RefusesValuesOfAnotherBatchAndFamiliesOfAnotherMachine) {
  const auto shape = Forest::uniform(star_tree(3, 2), 4);
  const BatchSolver solver(shape, on_cpu);
  BatchValues<double> values = random_values<double>(shape, 1, 1);
  values.rhs.pop_back();
  EXPECT_THROW(solver.solve(values), InvalidBatch);
  BatchSolverOptions contraction = on_cpu;
  contraction.family = Family::contraction;
  EXPECT_THROW(BatchSolver(shape, contraction), UsageError);
  if (device_count() == 0) {
    EXPECT_THROW(BatchSolver(shape, on_gpu), DeviceError);
  }
}

}  // namespace
}  // namespace hillock::solver
