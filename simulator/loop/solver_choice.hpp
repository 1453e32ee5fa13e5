#pragma once
// Which solver a model's cells get, and why. Solves nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "solver/choice/cost_model.hpp"

namespace hillock::simulator {

/// Cells of one definition, on a GPU.
struct CellSolver {
  std::string cell;  ///< the definition's name
  std::uint64_t cells = 0;
  std::size_t nodes = 0;  ///< of one cell, zero-area nodes included; of the first, if they differ
  solver::Choice choice;
};

struct SolverReport {
  solver::Choice cpu;
  solver::DeviceTraits gpu;
  bool gpu_is_here = false;  ///< else `gpu` is the reference
  std::vector<CellSolver> on_gpu;
};

/// The family a run asks for; nothing for `auto`.
std::optional<solver::Family> family_of(const models::Run& run);

/// The GPU that is predicted for. of_machine: the one that is here, else the reference; reference:
/// nothing looks for another.
enum class PredictedGpu { of_machine, reference };

/// What the cost model picks for every used cell definition with a shape, many steps in a row.
/// side_by_side: cells in one register of the CPU. Of cells drawn one by one, the first few stand
/// for all. Throws InvalidModel, naming run.solver, when the family asked for cannot solve a cell.
SolverReport report_solvers(const models::Network& network, int side_by_side,
                            PredictedGpu gpu = PredictedGpu::of_machine);

/// Throws InvalidModel, naming run.solver, when a run on the CPU asks for a GPU's family.
void check_solver_on_cpu(const models::Run& run);

/// Throws InvalidModel, naming run.solver, where `exact` is asked for, and a precision that is not
/// the CPU's.
void check_solver_on_gpu(const models::Run& run);

}  // namespace hillock::simulator
