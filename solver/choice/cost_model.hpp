#pragma once
// Predicts what each family takes for a batch, and picks one. The prediction is a plain function of
// the batch and of the device, so that the same model gets the same solver, and the same bits,
// every time. Derivation, constants and how they were measured: docs/solvers.md.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "solver/choice/family.hpp"
#include "solver/choice/tree_features.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::solver {

/// The GPU on which the constants were measured; what a machine without one is told of.
DeviceTraits reference_gpu();

/// Cells with one tree.
struct TemplateLoad {
  TreeFeatures tree;
  std::size_t cells = 0;
};

/// Estimates of all families, in their order, for a batch solved on one GPU.
/// bytes_of_value: 4 or 8.
std::vector<Estimate> estimate(std::span<const TemplateLoad> batch, const DeviceTraits& device,
                               Use use, std::size_t bytes_of_value = 8);

/// The cheapest family for a batch on one GPU, or the one that is asked for.
/// Throws UsageError when the batch is empty or the family asked for cannot solve it.
Choice choose(std::span<const TemplateLoad> batch, const DeviceTraits& device, Use use,
              std::size_t bytes_of_value = 8, std::optional<Family> forced = {});

/// How the branch solver takes `cells` cells of a tree: alone in a block where cells are few.
BranchOptions branch_options(const TreeFeatures& tree, std::size_t cells,
                             const DeviceTraits& device);

/// Threads that share a trace in Stone's method when cells are solved one by one.
inline constexpr int stone_team = 256;

/// On a CPU there is one family: `hines`, cells in SIMD lanes. Throws UsageError for another.
Choice choose_for_cpu(int lanes, std::optional<Family> forced = {});

}  // namespace hillock::solver
