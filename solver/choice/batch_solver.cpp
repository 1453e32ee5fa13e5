#include "solver/choice/batch_solver.hpp"

#include <string>
#include <utility>

#include "core/errors.hpp"
#include "solver/branch/branch_device.hpp"
#include "solver/contraction/contraction_device.hpp"
#include "solver/hines_batch/cpu.hpp"
#include "solver/hines_batch/hines_device.hpp"
#include "solver/stone/device_traces.hpp"
#include "solver/thomas/device.hpp"

namespace hillock::solver {
namespace {

template <class T>
std::vector<T> by_lanes(const Forest& shape, const BatchValues<T>& values, int threads) {
  const auto schedule = make_hines_schedule(shape, simd_lanes<T>(), sizeof(T));
  auto arranged = arrange(shape, schedule, values);
  solve_lanes(schedule, arranged, threads);
  return gather(shape, schedule, std::span<const T>(arranged.rhs));
}

template <class T>
std::vector<T> by_stream(const Forest& shape, const BatchValues<T>& values) {
  const auto batch = hines_on_device<T>(shape);
  batch->upload(values);
  batch->solve();
  return batch->solution();
}

/// Unbranched trees are tridiagonal systems: row i has couplings to rows i-1 and i+1.
template <class T>
std::vector<T> by_thomas(const Forest& shape, const BatchValues<T>& values) {
  using namespace thomas;
  std::vector<std::uint32_t> sizes;
  for (std::size_t s = 0; s < shape.n_systems(); ++s)
    sizes.push_back(static_cast<std::uint32_t>(shape.size(s)));
  const bool by_warps = static_cast<std::size_t>(shape.largest()) <= longest_split;
  const VariableArrangement a =
      arrange(by_warps ? VariableLayout::compact : VariableLayout::sorted, sizes);
  std::vector<T> rows(a.storage, T(0));
  const auto field = [&](Field f, std::size_t row, std::size_t slot) -> T& {
    return rows[a.index(f, row, slot)];
  };
  for (std::size_t slot = 0; slot < sizes.size(); ++slot) {
    const std::size_t first = shape.first()[a.system[slot]], n = a.size[slot];
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) field(Field::lower, i, slot) = -values.coupling[first + i];
      if (i + 1 < n) field(Field::upper, i, slot) = -values.coupling[first + i + 1];
      field(Field::diagonal, i, slot) = values.diagonal[first + i];
      field(Field::rhs, i, slot) = values.rhs[first + i];
    }
  }
  solve_through_device(a, by_warps ? Kernel::warp : Kernel::sweep, Padding::skip,
                       std::span<T>(rows));
  std::vector<T> x(shape.total());
  for (std::size_t slot = 0; slot < sizes.size(); ++slot)
    for (std::size_t i = 0; i < a.size[slot]; ++i)
      x[shape.first()[a.system[slot]] + i] = field(Field::rhs, i, slot);
  return x;
}

/// Solves on a branch or contraction device, which want a root's coupling to be 0.
template <class T, class Device>
std::vector<T> solve_on(Device device, const Forest& shape, const BatchValues<T>& values) {
  std::vector<T> coupling = values.coupling;
  for (std::size_t s = 0; s < shape.n_systems(); ++s) coupling[shape.first()[s]] = 0;
  std::vector<T> x = values.rhs;
  device.solve_on_host(values.diagonal, x, coupling);
  return x;
}

template <class T>
std::vector<T> by_branches(const Forest& shape, const BatchValues<T>& values,
                           const BranchOptions& options) {
  std::vector<std::vector<int>> parents;
  for (std::size_t t = 0; t < shape.n_trees(); ++t)
    parents.emplace_back(shape.parent(t).begin(), shape.parent(t).end());
  return solve_on(BranchDevice<T>(make_branch_plan(parents, shape.tree_of_system(), options), {}),
                  shape, values);
}

template <class T>
std::vector<T> by_contraction(const Forest& shape, const BatchValues<T>& values) {
  ContractionBatch batch;
  for (std::size_t t = 0; t < shape.n_trees(); ++t)
    batch.templates.push_back(make_contraction_schedule(shape.parent(t)));
  batch.template_of.assign(shape.tree_of_system().begin(), shape.tree_of_system().end());
  return solve_on(ContractionDevice<T>(batch, {}), shape, values);
}

template <class T>
std::vector<T> by_stone(const Forest& shape, const BatchValues<T>& values) {
  using namespace stone;
  const auto tree = static_cast<std::size_t>(shape.tree_of(0));
  DeviceTraces<T> traces(make_schedule(shape.parent(tree)),
                         {static_cast<int>(shape.n_systems()), 1});
  traces.upload(Values<T>{values.diagonal, values.coupling, values.rhs});
  traces.solve({BackSubstitution::segment, stone_team, 1});
  return traces.solution();
}

}  // namespace

std::vector<TemplateLoad> loads_of(const Forest& shape) {
  std::vector<TemplateLoad> loads;
  for (std::size_t t = 0; t < shape.n_trees(); ++t)
    loads.push_back({features_of(shape.parent(t)), 0});
  for (const int t : shape.tree_of_system()) ++loads[static_cast<std::size_t>(t)].cells;
  std::erase_if(loads, [](const TemplateLoad& load) { return load.cells == 0; });
  return loads;
}

BatchSolver::BatchSolver(Forest shape, const BatchSolverOptions& options)
    : shape_(std::move(shape)), options_(options), loads_(loads_of(shape_)) {
  using Where = BatchSolverOptions::Where;
  on_gpu_ =
      options.where == Where::gpu || (options.where == Where::automatic && device_count() > 0);
  if (loads_.empty()) return;  // nothing to solve is solved by anybody
  choice_ = on_gpu_ ? choose(loads_, traits_of_device(), Use::launch, 8, options.family)
                    : choose_for_cpu(8, options.family);
}

template <class T>
std::vector<T> BatchSolver::solve(const BatchValues<T>& values) const {
  check_values(shape_, values);
  if (shape_.n_systems() == 0) return {};
  if (!on_gpu_) return by_lanes(shape_, values, options_.threads);
  switch (choice_.family) {
    case Family::thomas:
      return by_thomas(shape_, values);
    case Family::hines:
      return by_stream(shape_, values);
    case Family::branch:
      return by_branches(
          shape_, values,
          branch_options(loads_.front().tree, shape_.n_systems(), traits_of_device()));
    case Family::stone:
      return by_stone(shape_, values);
    default:
      return by_contraction(shape_, values);
  }
}

template std::vector<float> BatchSolver::solve(const BatchValues<float>&) const;
template std::vector<double> BatchSolver::solve(const BatchValues<double>&) const;

}  // namespace hillock::solver
