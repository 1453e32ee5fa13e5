// Puts plans on the device and launches.

#include "solver/batches/branch/branch_device.hpp"

#include <algorithm>
#include <utility>

#include "solver/batches/branch/kernels.cuh"
#include "solver/cuda/memory.cuh"

namespace hillock::solver {
namespace {

using namespace branch;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

int round_up(int n, int to) {
  return (n + to - 1) / to * to;
}

template <class Real>
std::size_t shared_bytes(const BranchPattern& p) {
  const std::size_t inbox = (2 * sizeof(Real) * at(p.inbox_start.back()) + 15) / 16 * 16;
  return inbox + sizeof(int4) * at(p.branches() + 1 + p.levels()) +
         4 * sizeof(Real) * at(p.storage);
}

/// Threads of a block: as many as the widest level has branches, at most what the plan says.
int threads_of(const BranchPlan& plan) {
  int widest = 1;
  for (const auto& p : plan.patterns)
    for (int l = 0; l < p.levels(); ++l)
      widest = std::max(widest, p.level_start[at(l + 1)] - p.level_start[at(l)]);
  return std::min(most_threads, round_up(std::min(widest, plan.options.threads), 32));
}

/// Threads that meet between each level and the next: the warps with work on either, and all every
/// barrier_period levels, so that no two waits can share a named barrier.
std::vector<int> barrier_threads(const BranchPattern& p, int threads, BranchBarriers barriers) {
  std::vector<int> meeting;
  const auto busy = [&](int l) {
    return std::min(threads, round_up(p.level_start[at(l + 1)] - p.level_start[at(l)], 32));
  };
  for (int l = 0; l < p.levels(); ++l) {
    const bool all =
        barriers == BranchBarriers::all || l % barrier_period == 0 || l + 1 == p.levels();
    meeting.push_back(all ? threads : std::max(busy(l), busy(l + 1)));
  }
  return meeting;
}

template <class Real>
struct Setup {
  DeviceArray<int> data;
  DeviceArray<int4> items;
  DeviceArray<Real> couplings;
  DeviceArray<PatternView<Real>> views;
  DeviceArray<int> pattern_of;
  DeviceArray<std::size_t> first_node, first_slot, first_entry;
  DeviceArray<Real> scratch;  // of the global kernel
  DeviceArray<Real> permuted_diagonal, permuted_rhs;
  std::size_t value_count = 0, storage = 0, blocks = 0, shared = 0, entries = 0, cells = 0,
              resident = 1;
  int threads = 32;
  bool in_shared = false, shares_couplings = false;

  auto shared_kernel() const {
    return threads == 32 ? branch_kernel<Real, Form::one_warp>
                         : branch_kernel<Real, Form::in_shared>;
  }
};

/// What patterns have, one behind the other, on its way to the device.
template <class Real>
struct Tables {
  struct Starts {
    std::size_t slot, coupling_of, items, levels, values;
  };
  std::vector<int> data;
  std::vector<int4> items;
  std::vector<Real> values;
  std::vector<Starts> starts;  ///< [pattern]

  /// meeting: barrier_threads() of the pattern.
  void add(const BranchPattern& p, const std::vector<int>& meeting) {
    starts.push_back({append(p.slot), append(p.coupling_of), items.size(),
                      items.size() + at(p.branches() + 1), values.size()});
    for (int b = 0; b < p.branches(); ++b)
      items.push_back({p.length[at(b)], p.parent_slot[at(b)], p.give[at(b)], p.inbox_start[at(b)]});
    items.push_back({0, -1, -1, p.inbox_start.back()});
    for (int l = 0; l < p.levels(); ++l) {
      const int begin = p.level_start[at(l)], end = p.level_start[at(l + 1)];
      int longest = 0, most = 0;
      for (int b = begin; b < end; ++b) {
        longest = std::max(longest, p.length[at(b)]);
        most = std::max(most, p.inbox_start[at(b + 1)] - p.inbox_start[at(b)]);
      }
      items.push_back({begin, end - begin, p.level_offset[at(l)],
                       meeting[at(l)] / 32 | (1 + l % barrier_period) << 5 |
                           (most > 4 ? more_entries : 0) | longest << longest_shift});
    }
  }

 private:
  std::size_t append(const std::vector<int>& v) {
    data.insert(data.end(), v.begin(), v.end());
    return data.size() - v.size();
  }
};

/// A pattern's couplings, of those of its trees, in its layout.
template <class Real>
void add_couplings(const BranchPattern& p, const std::vector<std::vector<Real>>& couplings,
                   const Setup<Real>& s, std::vector<Real>& values) {
  std::vector<Real> natural;
  for (const int tree : p.trees) {
    if (at(tree) >= couplings.size())
      throw InvalidBatch(s.cells, s.value_count,
                         "it was given no couplings for tree " + std::to_string(tree));
    natural.insert(natural.end(), couplings[at(tree)].begin(), couplings[at(tree)].end());
  }
  if (natural.size() != p.slot.size())
    throw InvalidBatch(s.cells, s.value_count,
                       "a block of " + std::to_string(p.slot.size()) + " compartments was given " +
                           std::to_string(natural.size()) + " couplings");
  for (const int node : p.coupling_of) values.push_back(node < 0 ? Real(0) : natural[at(node)]);
}

template <class Real>
void upload(const BranchPlan& plan, const Tables<Real>& tables, Setup<Real>& s) {
  s.data = DeviceArray<int>(tables.data);
  s.items = DeviceArray<int4>(tables.items);
  s.couplings = DeviceArray<Real>(tables.values);
  std::vector<PatternView<Real>> views;
  for (std::size_t k = 0; k < plan.patterns.size(); ++k) {
    const BranchPattern& p = plan.patterns[k];
    const auto& starts = tables.starts[k];
    const int* base = s.data.data();
    views.push_back({s.items.data() + starts.items, s.items.data() + starts.levels,
                     base + starts.slot, base + starts.coupling_of,
                     s.shares_couplings ? s.couplings.data() + starts.values : nullptr, p.levels(),
                     p.branches(), p.storage, static_cast<int>(p.slot.size()),
                     p.inbox_start.back()});
  }
  s.views = DeviceArray<PatternView<Real>>(views);
  s.pattern_of = DeviceArray<int>(plan.pattern_of);
  s.first_node = DeviceArray<std::size_t>(plan.first_node);
  s.first_slot = DeviceArray<std::size_t>(plan.first_slot);
  std::vector<std::size_t> first_entry;
  for (const int pattern : plan.pattern_of) {
    first_entry.push_back(s.entries);
    s.entries += at(plan.patterns[at(pattern)].inbox_start.back());
  }
  s.first_entry = DeviceArray<std::size_t>(first_entry);
}

/// How many blocks the device has at once, and what these need besides.
template <class Real>
void make_room(int device, Setup<Real>& s) {
  int multiprocessors = 0, resident = 1;
  HILLOCK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  if (s.in_shared) {
    HILLOCK_CUDA(cudaFuncSetAttribute(s.shared_kernel(),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(s.shared)));
    HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, s.shared_kernel(),
                                                               s.threads, s.shared));
  } else {
    HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, branch_kernel<Real, Form::in_memory>, s.threads, 0));
    s.storage += s.storage % 2;  // so that inboxes lie on borders of pairs
    s.scratch = DeviceArray<Real>(2 * s.storage + 2 * s.entries);
  }
  s.resident = at(std::max(1, resident) * multiprocessors);
}

/// What is on the device for a plan.
template <class Real>
Setup<Real> set_up(const BranchPlan& plan, const std::vector<std::vector<Real>>& couplings,
                   BranchMemory memory) {
  Setup<Real> s;
  int device = 0, limit = 0;
  HILLOCK_CUDA(cudaGetDevice(&device));
  HILLOCK_CUDA(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  s.value_count = plan.value_count();
  s.storage = plan.storage();
  s.blocks = plan.blocks();
  for (const int pattern : plan.pattern_of) s.cells += plan.patterns[at(pattern)].trees.size();
  s.threads = threads_of(plan);
  s.shares_couplings = !couplings.empty();
  Tables<Real> tables;
  for (const BranchPattern& p : plan.patterns) {
    s.shared = std::max(s.shared, shared_bytes<Real>(p));
    tables.add(p, barrier_threads(p, s.threads, plan.options.barriers));
    if (s.shares_couplings) add_couplings(p, couplings, s, tables.values);
  }
  s.in_shared = memory != BranchMemory::global && s.shared <= at(limit);
  if (memory == BranchMemory::shared && !s.in_shared)
    throw UsageError("branch solver: a block needs " + std::to_string(s.shared) + " of " +
                     std::to_string(limit) + " bytes of shared memory. Plan fewer values a block?");
  upload(plan, tables, s);
  make_room(device, s);
  return s;
}

template <class Real>
class Batch final : public BranchDevice<Real> {
 public:
  using Arguments = typename BranchDevice<Real>::Arguments;

  explicit Batch(Setup<Real> setup) : setup_(std::move(setup)) {}

  std::size_t storage() const override { return setup_.storage; }
  std::string describe() const override;
  std::size_t device_bytes() const override;
  void solve(const Arguments& arguments) override;
  void permute_in(const Real* from, Real* to, CUstream_st* stream) override {
    permute<true>(from, to, stream);
  }
  void permute_out(const Real* from, Real* to, CUstream_st* stream) override {
    permute<false>(from, to, stream);
  }
  void solve_from_host(std::span<const Real> diagonal, std::span<Real> rhs,
                       std::span<const Real> coupling, int repeats) override;

 private:
  template <bool inwards>
  void permute(const Real* from, Real* to, CUstream_st* stream) {
    Setup<Real>& s = setup_;
    if (s.blocks == 0) return;
    permute_kernel<Real, inwards><<<static_cast<unsigned>(s.blocks), 256, 0, stream>>>(
        s.views.data(), s.pattern_of.data(), s.first_node.data(), s.first_slot.data(), from, to);
    HILLOCK_CUDA(cudaGetLastError());
  }

  Setup<Real> setup_;
};

template <class Real>
std::string Batch<Real>::describe() const {
  const Setup<Real>& s = setup_;
  return std::to_string(s.cells) + " cells in " + std::to_string(s.blocks) + " blocks of " +
         std::to_string(s.threads) + " threads, " +
         (s.in_shared ? std::to_string(s.shared) + " B shared" : std::string("device memory"));
}

template <class Real>
std::size_t Batch<Real>::device_bytes() const {
  const Setup<Real>& s = setup_;
  return s.data.size() * sizeof(int) + s.items.size() * sizeof(int4) +
         (s.couplings.size() + s.scratch.size() + s.permuted_diagonal.size() +
          s.permuted_rhs.size()) *
             sizeof(Real) +
         s.pattern_of.size() * sizeof(int) + 3 * s.first_node.size() * sizeof(std::size_t);
}

template <class Real>
void Batch<Real>::solve(const Arguments& arguments) {
  Setup<Real>& s = setup_;
  if (s.blocks == 0) return;
  if (arguments.coupling == nullptr && !s.shares_couplings)
    throw UsageError("branch solver: no couplings, neither shared nor per system");
  const bool natural = arguments.order == BranchOrder::natural;
  BranchArguments<Real> args{s.views.data(),
                             s.pattern_of.data(),
                             s.first_node.data(),
                             s.first_slot.data(),
                             arguments.diagonal,
                             arguments.rhs,
                             arguments.coupling,
                             s.scratch.data(),
                             s.first_entry.data(),
                             s.storage,
                             natural,
                             arguments.repeats,
                             static_cast<int>(s.blocks)};
  const auto blocks = static_cast<unsigned>(std::min(s.blocks, s.resident));
  const auto threads = static_cast<unsigned>(s.threads);
  if (s.in_shared) {
    s.shared_kernel()<<<blocks, threads, s.shared, arguments.stream>>>(args);
    HILLOCK_CUDA(cudaGetLastError());
    return;
  }
  if (natural) {
    if (s.permuted_rhs.size() == 0) {
      s.permuted_diagonal = DeviceArray<Real>(s.storage);
      s.permuted_rhs = DeviceArray<Real>(s.storage);
    }
    permute<true>(arguments.diagonal, s.permuted_diagonal.data(), arguments.stream);
    permute<true>(arguments.rhs, s.permuted_rhs.data(), arguments.stream);
    args.diagonal = s.permuted_diagonal.data();
    args.rhs = s.permuted_rhs.data();
  }
  branch_kernel<Real, Form::in_memory><<<blocks, threads, 0, arguments.stream>>>(args);
  HILLOCK_CUDA(cudaGetLastError());
  if (natural) permute<false>(s.permuted_rhs.data(), arguments.rhs, arguments.stream);
}

template <class Real>
void Batch<Real>::solve_from_host(std::span<const Real> diagonal, std::span<Real> rhs,
                                  std::span<const Real> coupling, int repeats) {
  const auto check = [this](std::size_t size, const char* what) {
    check_size(setup_.cells, setup_.value_count, size, what);
  };
  check(diagonal.size(), "diagonals");
  check(rhs.size(), "right-hand sides");
  if (!coupling.empty()) check(coupling.size(), "couplings");
  const DeviceArray<Real> d(diagonal), a(coupling);
  DeviceArray<Real> b{std::span<const Real>(rhs)};
  solve({d.data(), b.data(), coupling.empty() ? nullptr : a.data(), BranchOrder::natural, repeats,
         nullptr});
  HILLOCK_CUDA(cudaDeviceSynchronize());
  b.download(rhs);
}

}  // namespace

template <class Real>
std::unique_ptr<BranchDevice<Real>> branch_on_device(
    const BranchPlan& plan, const std::vector<std::vector<Real>>& couplings, BranchMemory memory) {
  return std::make_unique<Batch<Real>>(set_up(plan, couplings, memory));
}

template std::unique_ptr<BranchDevice<float>> branch_on_device(
    const BranchPlan&, const std::vector<std::vector<float>>&, BranchMemory);
template std::unique_ptr<BranchDevice<double>> branch_on_device(
    const BranchPlan&, const std::vector<std::vector<double>>&, BranchMemory);

}  // namespace hillock::solver
