// Packs schedules for the device, deals cells to teams of threads and launches.

#include "solver/batches/contraction/contraction_device.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "solver/batches/contraction/kernels.cuh"
#include "solver/contraction/schedule.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::solver {
namespace {

using namespace contraction;

constexpr int warps_a_block = 4;       // of the warp mapping
constexpr int max_tasks_a_warp = 128;  // 4 a thread

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// How the cells of one template are solved.
struct Plan {
  ContractionMapping mapping = ContractionMapping::block;
  int K = 1;
  int threads = 32;        ///< of a team
  bool few = false;        ///< cells, so that each may have a multiprocessor's registers
  bool few_names = false;  ///< of barriers, so that more than four blocks share a multiprocessor
  bool operator<(const Plan& o) const {
    return std::tie(mapping, K, threads, few, few_names) <
           std::tie(o.mapping, o.K, o.threads, o.few, o.few_names);
  }
};

int round_up(int n, int to) {
  return (n + to - 1) / to * to;
}

/// The kernel with much room in registers, which keeps v apart from the inbox.
template <class Real>
bool is_roomy(const Plan& plan) {
  return plan.mapping == ContractionMapping::block && plan.few &&
         registers_of(plan.threads, roomy_registers<Real>(plan.K)) <= registers_of_a_multiprocessor;
}

/// Where inbox and v lie, in pairs, and the place in v that stays 0.
struct InboxAndVoltages {
  int entry_places, pairs, zero_place;
};

template <class Real>
InboxAndVoltages inbox_and_voltages(const ContractionSchedule& s, const Plan& plan) {
  const int entries = entry_place(s.entry_count) + 1, v_pairs = node_place(s.node_count) / 2 + 1;
  if (is_roomy<Real>(plan)) return {entries, entries + v_pairs + 1, 2 * v_pairs};
  const int pairs = std::max(entries, v_pairs);
  return {entries, pairs + 1, 2 * pairs};
}

template <class Real>
std::size_t team_bytes(const ContractionSchedule& s, const Plan& plan) {
  const std::size_t pairs = at(inbox_and_voltages<Real>(s, plan).pairs + plan.K * plan.threads);
  return (2 * (pairs + at(s.node_count)) * sizeof(Real) + at(s.steps()) + 15) / 16 * 16;
}

template <class Real>
bool fits(const ContractionSchedule& s, const Plan& plan, std::size_t shared_limit) {
  const std::size_t teams = plan.mapping == ContractionMapping::warp ? warps_a_block : 1;
  int most = 0;
  for (int t = 0; t < s.task_count(); ++t)
    most = std::max(most, s.inbox_start[at(t + 1)] - s.inbox_start[at(t)]);
  return plan.threads <= 1024 && s.steps() <= 255 && most <= 255 &&
         inbox_and_voltages<Real>(s, plan).zero_place < none &&
         teams * team_bytes<Real>(s, plan) <= shared_limit;
}

Plan block_plan(const ContractionSchedule& s, int K, bool few) {
  return {ContractionMapping::block, K, round_up((s.task_count() + K - 1) / K, 32), few};
}

template <class Real>
Plan choose_plan(const ContractionSchedule& s, std::size_t cells, const ContractionOptions& options,
                 const cudaDeviceProp& device) {
  const std::size_t shared = device.sharedMemPerBlockOptin;
  const bool many = cells > 4 * at(device.multiProcessorCount);
  const bool few = cells <= at(device.multiProcessorCount);
  const auto forced = options.mapping;
  if (options.tasks_per_thread < 0 || options.tasks_per_thread > 4)
    throw UsageError("contraction: tasks_per_thread must be 1 to 4, or 0 for automatic");
  if (forced == ContractionMapping::warp || (forced == ContractionMapping::automatic &&
                                             s.task_count() <= (many ? max_tasks_a_warp : 64))) {
    const Plan plan{ContractionMapping::warp, (s.task_count() + 31) / 32, 32, false};
    if (s.task_count() <= max_tasks_a_warp && fits<Real>(s, plan, shared)) return plan;
    if (forced == ContractionMapping::warp)
      throw UsageError("contraction: a warp cannot hold a cell of " +
                       std::to_string(s.task_count()) + " tasks (at most 128)");
  }
  if (forced != ContractionMapping::global) {
    // So many cells that how many fit at once decides: three tasks a thread, if more than four
    // blocks find room.
    if (Plan plan = block_plan(s, 3, few);
        cells > 64 * at(device.multiProcessorCount) && options.tasks_per_thread % 3 == 0 &&
        fits<Real>(s, plan, shared) &&
        5 * (team_bytes<Real>(s, plan) + 1024) <= device.sharedMemPerMultiprocessor) {
      plan.few_names = true;
      return plan;
    }
    // Few cells: the fewest tasks a thread whose values find room in registers. Many: the fewest,
    // two at least, with which two cells share a multiprocessor's registers. Then whatever fits.
    std::vector<int> wishes;
    if (options.tasks_per_thread > 0) {
      wishes = {options.tasks_per_thread};
    } else {
      for (int K = many ? 2 : 1; K <= 4; ++K)
        if (registers_of(block_plan(s, K, few).threads,
                         many ? 2 * tight_registers<Real>(K, false) : roomy_registers<Real>(K)) <=
            registers_of_a_multiprocessor)
          wishes.push_back(K);
      wishes.insert(wishes.end(), {1, 2, 3, 4});
    }
    for (const int K : wishes)
      if (const Plan plan = block_plan(s, K, few); fits<Real>(s, plan, shared)) return plan;
    if (forced == ContractionMapping::block)
      throw UsageError("contraction: a block's shared memory cannot hold a cell of " +
                       std::to_string(s.node_count) + " compartments. Use the global mapping?");
  }
  return {ContractionMapping::global, 1, std::min(1024, round_up((s.task_count() + 1) / 2, 32)),
          false};
}

/// A schedule packed for one plan, on the device.
template <class Real>
struct PackedTemplate {
  DeviceArray<PackedTask> tasks;
  DeviceArray<std::uint32_t> arrivals;
  DeviceArray<std::uint8_t> first_warp;
  DeviceArray<Real> edges;
  DeviceArray<int> coupling_of;
  TemplateView<Real> view;
};

template <class Real>
PackedTemplate<Real> pack(const ContractionSchedule& s, const std::vector<Real>& coupling,
                          const Plan& plan, ContractionBarriers barriers) {
  const int places = plan.K * plan.threads, padding = places - s.task_count();
  std::vector<PackedTask> tasks(at(places));
  std::vector<std::uint32_t> arrivals(at(places), 0);
  std::vector<Real> edges(at(2 * places), 0);
  std::vector<int> coupling_of(at(2 * places), -1);
  const auto place = [](int node) { return node < 0 ? at(none) : at(node_place(node)); };
  const auto entry = [](int e) { return e < 0 ? at(none) : at(entry_place(e)); };
  const auto both = [](std::size_t lower, std::size_t upper) {
    return static_cast<std::uint32_t>(lower | upper << 16);
  };
  for (int step = 0; step < s.steps(); ++step)
    for (int t = s.step_start[at(step)]; t < s.step_start[at(step + 1)]; ++t) {
      PackedTask& task = tasks[at(padding + t)];
      const int first = s.inbox_start[at(t)], end = s.inbox_start[at(t + 1)];
      const int edge = s.give_edge[at(t)];
      task.place_a = both(place(s.node[at(t)]), place(s.a[at(t)]));
      task.b_give_a = both(place(s.b[at(t)]), entry(s.give_a[at(t)]));
      task.give_b_edge =
          both(entry(s.give_b[at(t)]), edge < 0 ? none : 2u * at(padding) + at(edge));
      task.inbox_entries_step = both(at(first), at(end - first)) | static_cast<std::uint32_t>(step)
                                                                       << 24;
      // Ahead of its step a task adds up what has arrived, three at most a step.
      int taken = first;
      for (int ahead = 0; ahead < std::min(step, 16); ++ahead) {
        int ready = taken;
        while (ready < end && ready < taken + 3 && s.arrival[at(ready)] <= ahead) ++ready;
        arrivals[at(padding + t)] |= static_cast<std::uint32_t>(ready - taken) << (2 * ahead);
        taken = ready;
      }
      for (int side = 0; side < 2; ++side) {
        const int node = s.coupling_of[at(2 * t + side)];
        coupling_of[at(2 * (padding + t) + side)] = node;
        if (node >= 0 && !coupling.empty())
          edges[at(2 * (padding + t) + side)] = coupling[at(node)];
      }
    }
  // The last step a warp takes part in grows with the warp, because the last row is in step order.
  const int warps = plan.threads / 32;
  std::vector<std::uint8_t> first_warp(at(s.steps()), 0);
  for (int step = 0; step < s.steps(); ++step) {
    const int wanted = std::min(step, last_named_step(plan.few_names) + 1);
    int warp = 0;
    while (warp < warps - 1 && barriers == ContractionBarriers::needed &&
           static_cast<int>(
               tasks[at((plan.K - 1) * plan.threads + 32 * warp + 31)].inbox_entries_step >> 24) <
               wanted)
      ++warp;
    first_warp[at(step)] = static_cast<std::uint8_t>(warp);
  }
  const auto room = inbox_and_voltages<Real>(s, plan);
  PackedTemplate<Real> packed{
      DeviceArray<PackedTask>(tasks),        DeviceArray<std::uint32_t>(arrivals),
      DeviceArray<std::uint8_t>(first_warp), DeviceArray<Real>(edges),
      DeviceArray<int>(coupling_of),         {}};
  packed.view = {packed.tasks.data(),
                 packed.arrivals.data(),
                 packed.first_warp.data(),
                 packed.edges.data(),
                 packed.coupling_of.data(),
                 s.node_count,
                 s.steps(),
                 room.entry_places,
                 room.pairs,
                 room.zero_place,
                 barriers == ContractionBarriers::all};
  return packed;
}

/// The schedule's own arrays on the device, for the global kernel.
template <class Real>
struct GlobalTemplate {
  DeviceArray<int> data;
  DeviceArray<Real> coupling;
  GlobalView<Real> view;
};

template <class Real>
GlobalTemplate<Real> to_global(const ContractionSchedule& s, const std::vector<Real>& coupling) {
  std::vector<int> data;
  std::vector<std::size_t> starts;
  for (const auto* values : {&s.step_start, &s.node, &s.a, &s.b, &s.give_a, &s.give_b, &s.give_edge,
                             &s.inbox_start, &s.coupling_of}) {
    starts.push_back(data.size());
    data.insert(data.end(), values->begin(), values->end());
  }
  GlobalTemplate<Real> result{DeviceArray<int>(data), DeviceArray<Real>(coupling), {}};
  const int* p = result.data.data();
  result.view = {
      {p + starts[0], p + starts[1], p + starts[2], p + starts[3], p + starts[4], p + starts[5],
       p + starts[6], p + starts[7], p + starts[8], s.task_count(), s.steps(), s.entry_count},
      result.coupling.data()};
  return result;
}

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
        launch.team_bytes = std::max(launch.team_bytes, solver::team_bytes<Real>(s, plan));
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
