// Deals cells to teams of threads and launches.

#include "solver/batches/contraction/contraction_device.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "solver/batches/contraction/global_kernel.cuh"
#include "solver/batches/contraction/packed_template.cuh"
#include "solver/batches/contraction/plan.cuh"
#include "solver/batches/contraction/register_kernel.cuh"
#include "solver/contraction/schedule.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::solver {
namespace {

using namespace contraction;

template <class Real>
using RegisterKernel = void (*)(RegisterArguments<Real>);

/// A kernel and the cells that each of its teams solves.
template <class Real>
struct Dealt {
  RegisterKernel<Real> kernel = nullptr;
  DeviceArray<Work> work;
  int teams = 0, blocks = 0;
};

/// One kernel launch: every cell whose template has this plan.
template <class Real>
struct Launch {
  Plan plan;
  std::vector<PackedTemplate<Real>> packed;
  std::vector<GlobalTemplate<Real>> global;
  DeviceArray<TemplateView<Real>> views;
  DeviceArray<GlobalView<Real>> global_views;
  Dealt<Real> repeated, once;  ///< for several solves in one kernel, for a single one
  DeviceArray<int> cell_list;
  DeviceArray<Real> scratch;
  std::size_t scratch_stride = 0;
  std::size_t shared_bytes = 0, team_bytes = 0;
};

template <class Real, int K, bool once>
RegisterKernel<Real> kernel_of(const Plan& plan) {
  constexpr bool single = sizeof(Real) == 4;
  constexpr int roomy = roomy_registers<Real>(K), tight = tight_registers<Real>(K, once);
  if (plan.mapping == ContractionMapping::warp)
    return register_kernel < Real, K, true, false, false, false,
           single ? 64 + 16 * (K / 3) : roomy > ;
  if (is_roomy<Real>(plan)) return register_kernel<Real, K, false, false, false, false, roomy>;
  if (plan.few_names) return register_kernel<Real, K, false, true, once, true, tight>;
  if (registers_of(plan.threads, tight) <= registers_of_a_multiprocessor)
    return register_kernel<Real, K, false, true, once, false, tight>;
  return register_kernel<Real, K, false, true, once, false, 64>;
}

template <class Real, bool once>
RegisterKernel<Real> kernel_for(const Plan& plan) {
  switch (plan.K) {
    case 1:
      return kernel_of<Real, 1, once>(plan);
    case 2:
      return kernel_of<Real, 2, once>(plan);
    case 3:
      return kernel_of<Real, 3, once>(plan);
    default:
      return kernel_of<Real, 4, once>(plan);
  }
}

/// Deals each template's cells to teams in equal runs, as many teams as the device holds at once.
std::vector<Work> deal(const std::vector<std::vector<int>>& cells, int teams) {
  std::size_t total = 0;
  for (const auto& list : cells) total += list.size();
  std::vector<Work> work;
  int begin = 0;
  for (std::size_t tree = 0; tree < cells.size(); ++tree) {
    const std::size_t count = cells[tree].size();
    const std::size_t share =
        std::clamp<std::size_t>((count * at(teams) + total - 1) / std::max<std::size_t>(total, 1),
                                1, std::max<std::size_t>(count, 1));
    for (std::size_t k = 0; k < share && count > 0; ++k)
      work.push_back({static_cast<int>(tree), begin + static_cast<int>(count * k / share),
                      begin + static_cast<int>(count * (k + 1) / share)});
    begin += static_cast<int>(count);
  }
  return work;
}

/// What is on the device for a batch.
template <class Real>
struct Setup {
  std::vector<Launch<Real>> launches;
  std::size_t systems = 0, compartments = 0;
  DeviceArray<std::size_t> device_offsets;
  bool shares_couplings = false;

  void add(const Plan& plan, const std::vector<ContractionSchedule>& schedules,
           const std::vector<int>& trees, const std::vector<std::vector<int>>& cells_of,
           const std::vector<std::vector<Real>>& couplings, ContractionBarriers barriers,
           const cudaDeviceProp& device) {
    Launch<Real> launch;
    launch.plan = plan;
    static const std::vector<Real> unshared;
    std::vector<std::vector<int>> cells;
    std::vector<int> list;

    for (const int tree : trees) {
      const ContractionSchedule& s = schedules[at(tree)];
      const auto& coupling = couplings.empty() ? unshared : couplings[at(tree)];
      if (plan.mapping == ContractionMapping::global) {
        launch.global.push_back(to_global<Real>(s, coupling));
        const std::size_t reals = 2 * at(s.entry_count) + 4 * at(s.task_count());
        launch.scratch_stride = std::max(launch.scratch_stride, (reals + 3) / 4 * 4);
      } else {
        launch.packed.push_back(pack<Real>(s, coupling, plan, barriers));
        launch.team_bytes = std::max(launch.team_bytes, contraction::team_bytes<Real>(s, plan));
      }
      cells.push_back(cells_of[at(tree)]);
      list.insert(list.end(), cells.back().begin(), cells.back().end());
    }
    const bool is_warp = plan.mapping == ContractionMapping::warp;
    if (plan.mapping == ContractionMapping::global) {
      std::vector<GlobalView<Real>> views;
      for (const auto& tree : launch.global) views.push_back(tree.view);
      launch.global_views = DeviceArray<GlobalView<Real>>(views);
    } else {
      std::vector<TemplateView<Real>> views;
      for (const auto& tree : launch.packed) views.push_back(tree.view);
      launch.views = DeviceArray<TemplateView<Real>>(views);
      launch.shared_bytes = launch.team_bytes * (is_warp ? warps_a_block : 1);
      launch.repeated.kernel = kernel_for<Real, false>(plan);
      launch.once.kernel = kernel_for<Real, true>(plan);
    }
    for (Dealt<Real>* const dealt : {&launch.repeated, &launch.once}) {
      int resident = 1;
      if (dealt->kernel != nullptr) {
        HILLOCK_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(dealt->kernel),
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(launch.shared_bytes)));
        HILLOCK_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(dealt->kernel),
                                          cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared));
        const int threads = is_warp ? 32 * warps_a_block : plan.threads;
        HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, dealt->kernel,
                                                                   threads, launch.shared_bytes));
        resident = std::max(1, resident) * (is_warp ? warps_a_block : 1);
      }
      const std::vector<Work> work = deal(cells, resident * device.multiProcessorCount);
      dealt->teams = static_cast<int>(work.size());
      dealt->blocks = is_warp ? (dealt->teams + warps_a_block - 1) / warps_a_block : dealt->teams;
      dealt->work = DeviceArray<Work>(work);
    }
    launch.cell_list = DeviceArray<int>(list);
    launch.scratch = DeviceArray<Real>(launch.scratch_stride * at(launch.repeated.teams));
    launches.push_back(std::move(launch));
  }
};

template <class Real>
Setup<Real> set_up(const Forest& forest, const std::vector<std::vector<Real>>& couplings,
                   const ContractionOptions& options) {
  int device = 0;
  cudaDeviceProp properties;
  HILLOCK_CUDA(cudaGetDevice(&device));
  HILLOCK_CUDA(cudaGetDeviceProperties(&properties, device));
  if (!couplings.empty() && couplings.size() != forest.n_trees())
    throw InvalidBatch(forest.n_systems(), forest.total(),
                       "it was given couplings of " + std::to_string(couplings.size()) + " of " +
                           std::to_string(forest.n_trees()) + " trees");
  Setup<Real> setup;
  setup.systems = forest.n_systems();
  setup.compartments = forest.total();
  setup.shares_couplings = !couplings.empty();
  std::vector<std::vector<int>> cells_of(forest.n_trees());
  for (std::size_t c = 0; c < forest.n_systems(); ++c)
    cells_of[at(forest.tree_of(c))].push_back(static_cast<int>(c));
  std::vector<ContractionSchedule> schedules(forest.n_trees());
  std::map<Plan, std::vector<int>> groups;
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    if (cells_of[tree].empty()) continue;
    const ContractionSchedule& s = schedules[tree] = make_contraction_schedule(forest.parent(tree));
    if (!couplings.empty() && couplings[tree].size() != at(s.node_count))
      throw InvalidBatch(forest.n_systems(), forest.total(),
                         "tree " + std::to_string(tree) + " has " + std::to_string(s.node_count) +
                             " nodes and was given " + std::to_string(couplings[tree].size()) +
                             " couplings");
    Plan plan = choose_plan<Real>(s, forest.n_systems(), options, properties);
    // Fewer launches for a batch of many trees: blocks come in sizes of 128 threads.
    Plan wider = plan;
    wider.threads = round_up(plan.threads, 128);
    if (forest.n_trees() > 1 && plan.mapping == ContractionMapping::block &&
        fits<Real>(s, wider, properties.sharedMemPerBlockOptin))
      plan = wider;
    groups[plan].push_back(static_cast<int>(tree));
  }
  for (const auto& [plan, trees] : groups)
    setup.add(plan, schedules, trees, cells_of, couplings, options.barriers, properties);
  setup.device_offsets = DeviceArray<std::size_t>(forest.first());
  return setup;
}

template <class Real>
class Batch final : public ContractionDevice<Real> {
 public:
  using Arguments = typename ContractionDevice<Real>::Arguments;

  explicit Batch(Setup<Real> setup) : setup_(std::move(setup)) {}

  std::string describe() const override;
  std::size_t device_bytes() const override;
  void solve(const Arguments& arguments) override;
  void solve_from_host(std::span<const Real> diagonal, std::span<Real> rhs,
                       std::span<const Real> coupling, int repeats) override;

 private:
  Setup<Real> setup_;
};

template <class Real>
std::string Batch<Real>::describe() const {
  std::string text;
  for (const auto& launch : setup_.launches) {
    if (!text.empty()) text += "\n";
    const Plan& plan = launch.plan;
    if (plan.mapping == ContractionMapping::global)
      text += "block a cell in device memory, " + std::to_string(plan.threads) + " threads";
    else
      text += std::string(plan.mapping == ContractionMapping::warp ? "warp" : "block") +
              " a cell, " + std::to_string(plan.K) + " tasks a thread x " +
              std::to_string(plan.threads) + " threads, " + std::to_string(launch.repeated.blocks) +
              " blocks of " + std::to_string(launch.shared_bytes) + " B shared";
  }
  return text;
}

template <class Real>
std::size_t Batch<Real>::device_bytes() const {
  std::size_t bytes = setup_.device_offsets.size() * sizeof(std::size_t);
  for (const auto& launch : setup_.launches) {
    for (const auto& tree : launch.packed)
      bytes += tree.tasks.size() * (sizeof(PackedTask) + sizeof(std::uint32_t)) +
               tree.edges.size() * (sizeof(Real) + sizeof(int)) + tree.first_warp.size();
    for (const auto& tree : launch.global)
      bytes += tree.data.size() * sizeof(int) + tree.coupling.size() * sizeof(Real);
    bytes += (launch.repeated.work.size() + launch.once.work.size()) * sizeof(Work) +
             launch.cell_list.size() * sizeof(int) + launch.scratch.size() * sizeof(Real);
  }
  return bytes;
}

template <class Real>
void Batch<Real>::solve(const Arguments& arguments) {
  if (arguments.coupling == nullptr && !setup_.shares_couplings)
    throw UsageError("contraction: no couplings, neither shared nor per system");
  for (auto& launch : setup_.launches) {
    const Dealt<Real>& dealt = arguments.repeats == 1 ? launch.once : launch.repeated;
    if (launch.plan.mapping == ContractionMapping::global) {
      const GlobalArguments<Real> args{launch.global_views.data(), dealt.work.data(),
                                       launch.cell_list.data(),    setup_.device_offsets.data(),
                                       arguments.diagonal,         arguments.rhs,
                                       arguments.coupling,         launch.scratch.data(),
                                       launch.scratch_stride,      arguments.repeats};
      global_kernel<Real><<<dealt.blocks, launch.plan.threads, 0, arguments.stream>>>(args);
    } else {
      const RegisterArguments<Real> args{launch.views.data(),
                                         dealt.work.data(),
                                         dealt.teams,
                                         launch.cell_list.data(),
                                         setup_.device_offsets.data(),
                                         arguments.diagonal,
                                         arguments.rhs,
                                         arguments.coupling,
                                         arguments.repeats,
                                         static_cast<int>(launch.team_bytes)};
      const int threads = launch.plan.mapping == ContractionMapping::warp ? 32 * warps_a_block
                                                                          : launch.plan.threads;
      dealt.kernel<<<dealt.blocks, threads, launch.shared_bytes, arguments.stream>>>(args);
    }
    HILLOCK_CUDA(cudaGetLastError());
  }
}

template <class Real>
void Batch<Real>::solve_from_host(std::span<const Real> diagonal, std::span<Real> rhs,
                                  std::span<const Real> coupling, int repeats) {
  const auto check = [this](std::size_t size, const char* what) {
    check_size(setup_.systems, setup_.compartments, size, what);
  };
  check(diagonal.size(), "diagonals");
  check(rhs.size(), "right-hand sides");
  if (!coupling.empty()) check(coupling.size(), "couplings");
  const DeviceArray<Real> d(diagonal), a(coupling);
  DeviceArray<Real> b{std::span<const Real>(rhs)};
  solve({d.data(), b.data(), coupling.empty() ? nullptr : a.data(), repeats, nullptr});
  HILLOCK_CUDA(cudaDeviceSynchronize());
  b.download(rhs);
}

}  // namespace

template <class Real>
std::unique_ptr<ContractionDevice<Real>> contraction_on_device(
    const Forest& forest, const std::vector<std::vector<Real>>& couplings,
    const ContractionOptions& options) {
  return std::make_unique<Batch<Real>>(set_up(forest, couplings, options));
}

template std::unique_ptr<ContractionDevice<float>> contraction_on_device(
    const Forest&, const std::vector<std::vector<float>>&, const ContractionOptions&);
template std::unique_ptr<ContractionDevice<double>> contraction_on_device(
    const Forest&, const std::vector<std::vector<double>>&, const ContractionOptions&);

}  // namespace hillock::solver
