// Which solver a model's cells are told to get.

#include "simulator/loop/solver_choice.hpp"

#include <gmock/gmock.h>

#include "core/errors/errors.hpp"

namespace hillock::simulator {
namespace {

using testing::HasSubstr;

/// One definition: an unbranched or a branched cell of short cylinders.
models::Network network_of(int branches, std::uint64_t cells) {
  models::CableCell cell;
  models::Morphology shape;
  for (int b = 0; b < branches; ++b) {
    models::Branch branch{"dend[" + std::to_string(b) + "]", "dend", b == 0 ? -1 : 0, 1, {}, 10};
    branch.points = {{0, 0, 0, 1}, {100, 0, 0, 1}};
    shape.branches.push_back(branch);
  }
  cell.morphology = shape;
  models::Network network;
  network.cells.push_back({"cell", cell, {}});
  network.cells.push_back({"unused", cell, {}});
  network.populations.push_back({"p", 0, cells, {}, {}});
  network.populations.push_back({"q", 0, 3, {}, {}});
  network.populations.push_back({"none", 1, 0, {}, {}});
  return network;
}

TEST(SolverReport, CountsTheCellsOfEveryUsedDefinition) {
  const SolverReport report = report_solvers(network_of(5, 40), 8);
  EXPECT_EQ(report.cpu.family, solver::Family::hines);
  ASSERT_EQ(report.on_gpu.size(), 1u);
  EXPECT_EQ(report.on_gpu[0].cell, "cell");
  EXPECT_EQ(report.on_gpu[0].cells, 43u);
  EXPECT_EQ(report.on_gpu[0].nodes, 1u + 5 * 11);  // a root, ten compartments and an end a branch
  EXPECT_THAT(report.on_gpu[0].choice.reason, HasSubstr(report.gpu.name));
}

TEST(SolverReport, KeepsToTheFamilyThatTheRunAsksFor) {
  auto network = network_of(5, 40);
  network.run.solver = "contraction";
  const SolverReport report = report_solvers(network, 8);
  EXPECT_EQ(report.on_gpu[0].choice.family, solver::Family::contraction);
  EXPECT_TRUE(report.on_gpu[0].choice.forced);
}

TEST(SolverOnCpu, IsHinesAndNothingElse) {
  models::Run run;
  EXPECT_NO_THROW(check_solver_on_cpu(run));
  run.solver = "hines";
  EXPECT_NO_THROW(check_solver_on_cpu(run));
  run.solver = "contraction";
  run.solver_place = {"m.yaml", 2, 9};
  EXPECT_THROW(check_solver_on_cpu(run), InvalidModel);
}

TEST(SolverOnGpu, IsContractionOrTheCpusArithmetic) {
  models::Run run;
  run.solver_place = {"m.yaml", 2, 9};
  for (const auto wish : {"auto", "exact", "hines", "contraction"}) {
    run.solver = wish;
    EXPECT_NO_THROW(check_solver_on_gpu(run));
  }
  run.solver = "exact";
  for (const auto precision : {models::Precision::mixed, models::Precision::single}) {
    run.precision = precision;
    EXPECT_NO_THROW(check_solver_on_cpu(run));
    EXPECT_THROW(check_solver_on_gpu(run), InvalidModel);
  }
}

}  // namespace
}  // namespace hillock::simulator
