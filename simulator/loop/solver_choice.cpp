#include "simulator/loop/solver_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/errors/errors.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::simulator {
namespace {

constexpr std::uint64_t most_drawn_trees = 4;

/// The trees of a definition's cells, with how many cells have each.
std::vector<solver::TemplateLoad> loads_of(const models::CableCell& cell, std::uint64_t seed,
                                           CellId first, std::uint64_t cells) {
  const auto* drawn = std::get_if<models::RandomTree>(&cell.morphology);
  const std::uint64_t trees = drawn ? std::min(cells, most_drawn_trees) : 1;
  std::vector<solver::TemplateLoad> loads;
  for (std::uint64_t t = 0; t < trees; ++t) {
    solver::CutFor of;
    of.bindings.index = static_cast<double>(t);
    of.bindings.size = static_cast<double>(cells);
    const solver::Template tree =
        solver::discretise(drawn ? models::grow(*drawn, seed, CellId(first.value + t))
                                 : std::get<models::Morphology>(cell.morphology),
                           cell, of);
    loads.push_back({solver::features_of(tree.parent), (cells + t) / trees});
  }
  return loads;
}

}  // namespace

std::optional<solver::Family> family_of(const models::Run& run) {
  return run.solver == "exact" ? solver::Family::hines : solver::family_named(run.solver);
}

SolverReport report_solvers(const models::Network& network, int side_by_side, PredictedGpu gpu) {
  SolverReport report;
  report.cpu = solver::choose_for_cpu(side_by_side);
  report.gpu_is_here = gpu == PredictedGpu::of_machine && solver::device_count() > 0;
  report.gpu = report.gpu_is_here ? solver::traits_of_device() : solver::reference_gpu();
  struct CellsOfKind {
    std::uint64_t count = 0;
    CellId first{0};
  };
  std::vector<CellsOfKind> kinds(network.cells.size());
  std::uint64_t before = 0;
  for (const models::Population& population : network.populations) {
    CellsOfKind& kind = kinds[population.cell];
    if (kind.count == 0) kind.first = CellId(before);
    kind.count += population.size;
    before += population.size;
  }
  for (std::size_t c = 0; c < network.cells.size(); ++c) {
    const auto* cable = std::get_if<models::CableCell>(&network.cells[c].kind);
    const std::uint64_t cells = kinds[c].count;
    if (!cable || cells == 0) continue;
    const auto loads = loads_of(*cable, network.run.seed, kinds[c].first, cells);
    try {
      report.on_gpu.push_back(
          {network.cells[c].name, cells, static_cast<std::size_t>(loads.front().tree.compartments),
           solver::choose(loads, report.gpu, solver::Use::resident, 8, family_of(network.run))});
    } catch (const UsageError& error) {
      reject(network.run.solver_place,
             "run." + std::string(error.what()) + " (cell " + network.cells[c].name + ")");
    }
  }
  return report;
}

void check_solver_on_cpu(const models::Run& run) {
  try {
    solver::choose_for_cpu(1, family_of(run));
  } catch (const UsageError& error) {
    reject(run.solver_place, std::string("run.") + error.what());
  }
}

void check_solver_on_gpu(const models::Run& run) {
  if (run.solver == "exact" && run.precision != models::Precision::full)
    reject(run.solver_place,
           fmt::format("run.solver: exact is the CPU's arithmetic, which is not that of precision: "
                       "{}. Leave one of them out",
                       name_of(run.precision)));
}

}  // namespace hillock::simulator
