#include "solver/batches/batch_solver.hpp"

#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "solver/batches/branch/branch_device.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/batches/hines_batch/cpu.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"
#include "solver/batches/stone/stone_device.hpp"
#include "solver/batches/thomas/cables.hpp"
#include "solver/batches/thomas/device.hpp"

namespace hillock::solver {
namespace {

template <class T>
std::vector<T> by_lanes(const Forest& forest, const BatchValues<T>& values, int threads) {
  const auto schedule = make_hines_schedule(forest, simd_lanes<T>(), sizeof(T));
  auto arranged = arrange(forest, schedule, values);
  solve_lanes(schedule, arranged, threads);
  return gather(forest, schedule, std::span<const T>(arranged.rhs));
}

template <class T>
std::vector<T> by_stream(const Forest& forest, const BatchValues<T>& values) {
  const auto batch = hines_on_device<T>(forest);
  batch->upload(values);
  batch->solve();
  return batch->solution();
}

template <class T>
std::vector<T> by_thomas(const Forest& forest, const BatchValues<T>& values) {
  const bool by_warps = static_cast<std::size_t>(forest.largest()) <= longest_thomas_split;
  const ThomasVariableArrangement arrangement =
      arrange(forest, by_warps ? ThomasVariableLayout::compact : ThomasVariableLayout::sorted);
  std::vector<T> rows = arrange(forest, arrangement, values);
  solve_through_device(arrangement, by_warps ? ThomasKernel::warp : ThomasKernel::sweep,
                       ThomasPadding::skip, std::span<T>(rows));
  return gather(forest, arrangement, std::span<const T>(rows));
}

/// On a branch or contraction device.
template <class T, class Device>
std::vector<T> solve_on(Device& device, const BatchValues<T>& values) {
  std::vector<T> x = values.rhs;
  device.solve_from_host(values.diagonal, x, values.coupling);
  return x;
}

template <class T>
std::vector<T> by_stone(const Forest& forest, const BatchValues<T>& values) {
  const auto device = stone_on_device<T>(forest);
  device->upload(values);
  device->solve({BackSubstitution::segment, stone_team, 1});
  return device->solution();
}

}  // namespace

std::vector<TemplateLoad> loads_of(const Forest& forest) {
  std::vector<TemplateLoad> loads;
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    loads.push_back({features_of(forest.parent(t)), 0});
  for (const int t : forest.tree_of_system()) ++loads[static_cast<std::size_t>(t)].cells;
  std::erase_if(loads, [](const TemplateLoad& load) { return load.cells == 0; });
  return loads;
}

BatchSolver::BatchSolver(Forest forest, const BatchSolverOptions& options)
    : forest_(std::move(forest)), options_(options), loads_(loads_of(forest_)) {
  using Where = BatchSolverOptions::Where;
  on_gpu_ =
      options.where == Where::gpu || (options.where == Where::automatic && device_count() > 0);
  if (loads_.empty()) return;  // nothing to solve is solved by anybody
  choice_ = on_gpu_ ? choose(loads_, traits_of_device(), Use::launch, 8, options.family)
                    : choose_for_cpu(8, options.family);
}

template <class T>
std::vector<T> BatchSolver::solve(const BatchValues<T>& values) const {
  check_values(forest_, values);
  if (forest_.n_systems() == 0) return {};
  if (!on_gpu_) return by_lanes(forest_, values, options_.threads);
  switch (choice_.family) {
    case Family::thomas:
      return by_thomas(forest_, values);
    case Family::hines:
      return by_stream(forest_, values);
    case Family::branch:
      return solve_on(*branch_on_device<T>(make_branch_plan(
                          forest_, branch_options(loads_.front().tree, forest_.n_systems(),
                                                  traits_of_device()))),
                      values);
    case Family::stone:
      return by_stone(forest_, values);
    default:
      return solve_on(*contraction_on_device<T>(forest_), values);
  }
}

template std::vector<float> BatchSolver::solve(const BatchValues<float>&) const;
template std::vector<double> BatchSolver::solve(const BatchValues<double>&) const;

}  // namespace hillock::solver
