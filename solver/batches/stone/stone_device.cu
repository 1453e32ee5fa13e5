// NeuroGPU's solve on a GPU. A block is (team threads) × (traces of one cell).
//   shared: couplings [n] of the cell | for each trace factors [n], y [n]
// A team of one warp meets at warp barriers and needs nothing of the other traces; a larger team is
// alone in its block. Children of a branch are added in order and tiles of the doubling are read
// whole before they are written: deterministic.

#include "solver/batches/stone/stone_device.hpp"

#include <algorithm>
#include <string>

#include "solver/cuda/memory.cuh"
#include "solver/batches/stone/elimination.hpp"

namespace hillock::solver {
namespace {

using namespace stone;

constexpr int max_traces_in_block = 13;  // the paper's; more traces make more blocks

struct Launch {
  int n_traces = 0;
  int traces_in_block = 0;
  int repeats = 1;
  bool segment = true;
};

template <bool warp_team>
__device__ __forceinline__ void meet() {
  if (warp_team)
    __syncwarp();
  else
    __syncthreads();
}

template <bool warp_team, class T>
__device__ void solve_trace(const View& view, bool segment, T* factor, const T* coupling, T* y) {
  const int me = threadIdx.x, team = blockDim.x;
  for (int level = view.n_levels - 1; level >= 0; --level) {
    const int end = view.level_first[level + 1];
    for (int b = view.level_first[level] + me; b < end; b += team)
      eliminate_branch(view, b, factor, coupling, y);
    meet<warp_team>();
  }
  if (!segment) {
    for (int level = 0; level < view.n_levels; ++level) {
      const int end = view.level_first[level + 1];
      for (int b = view.level_first[level] + me; b < end; b += team)
        substitute_branch(view, b, factor, y);
      meet<warp_team>();
    }
    return;
  }
  for (int round = 0; round < view.rounds; ++round) {
    const int first = view.active_first[round];
    const int* ancestor = view.ancestor + view.ancestor_first[round] - first;
    for (int end = view.n; end > first; end -= 4 * team) {
      Doubled<T> tile[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int row = end - 1 - k * team - me;
        if (row >= first) tile[k] = double_reach(row, __ldg(ancestor + row), factor, y);
      }
      meet<warp_team>();
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int row = end - 1 - k * team - me;
        if (row < first) continue;
        factor[row] = tile[k].factor;
        y[row] = tile[k].y;
      }
      meet<warp_team>();
    }
  }
}

/// blockIdx.x: cell, blockIdx.y: its next traces_in_block traces.
template <class T, bool warp_team, bool in_shared>
__global__ void traces_kernel(View view, Launch launch, const T* diagonal, const T* coupling,
                              const T* rhs, T* factors, T* solution) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const std::size_t n = view.n;
  const int trace = blockIdx.y * launch.traces_in_block + threadIdx.y;
  const T* cell_coupling = coupling + blockIdx.x * n;
  if (in_shared) {
    T* shared_coupling = reinterpret_cast<T*>(shared_bytes);
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < view.n; i += blockDim.x * blockDim.y)
      shared_coupling[i] = cell_coupling[i];
    cell_coupling = shared_coupling;
    __syncthreads();
  }
  if (trace >= launch.n_traces) return;  // whole warps; no block barrier follows for them
  const std::size_t at = (static_cast<std::size_t>(blockIdx.x) * launch.n_traces + trace) * n;
  T* factor = factors + at;
  T* y = solution + at;
  if (in_shared) {
    factor = reinterpret_cast<T*>(shared_bytes) + (1 + 2 * threadIdx.y) * n;
    y = factor + n;
  }
  for (int repeat = 0; repeat < launch.repeats; ++repeat) {
    for (int i = threadIdx.x; i < view.n; i += blockDim.x) {
      factor[i] = diagonal[at + i];
      y[i] = rhs[at + i];
    }
    meet<warp_team>();
    solve_trace<warp_team>(view, launch.segment, factor, cell_coupling, y);
    if (in_shared)
      for (int i = threadIdx.x; i < view.n; i += blockDim.x) solution[at + i] = y[i];
    meet<warp_team>();
  }
}

template <class T>
struct State {
  Forest forest;
  StoneSchedule schedule;
  int n_traces, n_cells;
  int device;
  std::size_t shared_limit = 0;
  cudaStream_t stream = nullptr;
  DeviceArray<int> parent_of_row, level_first, branch_first, branch_rows, child_first, active_first,
      ancestor;
  DeviceArray<std::size_t> ancestor_first;
  DeviceArray<T> diagonal, coupling, rhs, factors, solution;
  View view;

  State(const Forest& batch, const StoneSchedule& s, int traces, int on)
      : forest(batch),
        schedule(s),
        n_traces(traces),
        n_cells(static_cast<int>(batch.n_systems()) / traces),
        device(on),
        parent_of_row(s.parent_of_row),
        level_first(s.level_first),
        branch_first(s.branch_first),
        branch_rows(s.branch_rows),
        child_first(s.child_first),
        active_first(s.active_first),
        ancestor(s.ancestor),
        ancestor_first(s.ancestor_first),
        diagonal(batch.total()),
        coupling(static_cast<std::size_t>(n_cells) * static_cast<std::size_t>(s.n)),
        rhs(diagonal.size()),
        factors(diagonal.size()),
        solution(diagonal.size()) {
    int limit = 0;
    HILLOCK_CUDA(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    shared_limit = static_cast<std::size_t>(limit);
    HILLOCK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    view = {.n = s.n,
            .n_levels = s.n_levels(),
            .rounds = s.rounds,
            .parent_of_row = parent_of_row.data(),
            .level_first = level_first.data(),
            .branch_first = branch_first.data(),
            .branch_rows = branch_rows.data(),
            .child_first = child_first.data(),
            .active_first = active_first.data(),
            .ancestor_first = ancestor_first.data(),
            .ancestor = ancestor.data()};
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (stream) cudaStreamDestroy(stream);
  }

  std::size_t shared_bytes(int traces) const {
    return static_cast<std::size_t>(1 + 2 * traces) * static_cast<std::size_t>(schedule.n) *
           sizeof(T);
  }

  template <bool warp_team, bool in_shared>
  void launch(StoneOptions options, int traces_in_block) {
    const std::size_t bytes = in_shared ? shared_bytes(traces_in_block) : 0;
    auto* kernel = traces_kernel<T, warp_team, in_shared>;
    HILLOCK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bytes)));
    const dim3 grid(static_cast<unsigned>(n_cells),
                    static_cast<unsigned>((n_traces + traces_in_block - 1) / traces_in_block));
    const dim3 block(static_cast<unsigned>(options.team), static_cast<unsigned>(traces_in_block));
    const Launch what{.n_traces = n_traces,
                      .traces_in_block = traces_in_block,
                      .repeats = options.repeats,
                      .segment = options.back == BackSubstitution::segment};
    kernel<<<grid, block, bytes, stream>>>(view, what, diagonal.data(), coupling.data(), rhs.data(),
                                           factors.data(), solution.data());
    HILLOCK_CUDA(cudaGetLastError());
  }

  void solve(StoneOptions options) {
    if (options.team < 32 || options.team > 1024 || options.team % 32 != 0)
      throw UsageError("Stone's method: a team has 32 to 1024 threads, a multiple of 32, not " +
                       std::to_string(options.team));
    if (n_cells == 0) return;
    const bool warp_team = options.team == 32;
    int traces = warp_team ? std::min(n_traces, max_traces_in_block) : 1;
    while (traces > 1 && shared_bytes(traces) > shared_limit) --traces;
    const bool in_shared = shared_bytes(traces) <= shared_limit;
    if (warp_team)
      in_shared ? launch<true, true>(options, traces) : launch<true, false>(options, traces);
    else
      in_shared ? launch<false, true>(options, 1) : launch<false, false>(options, 1);
  }
};

template <class T>
class Batch final : public StoneDevice<T> {
 public:
  Batch(const Forest& forest, const StoneSchedule& schedule, int traces, int device)
      : state_(forest, schedule, traces, device) {}

  void upload(const BatchValues<T>& values) override {
    State<T>& s = state_;
    const StoneValues<T> rows = arrange(s.forest, s.schedule, values, s.n_traces);
    HILLOCK_CUDA(cudaSetDevice(s.device));
    synchronize();
    s.diagonal.upload(rows.diagonal);
    s.coupling.upload(rows.coupling);
    s.rhs.upload(rows.rhs);
    HILLOCK_CUDA(cudaDeviceSynchronize());  // uploads are not ordered before this batch's stream
  }

  void solve(StoneOptions options) override {
    HILLOCK_CUDA(cudaSetDevice(state_.device));
    state_.solve(options);
  }

  std::vector<T> solution() override {
    synchronize();
    return gather<T>(state_.forest, state_.schedule, state_.solution.to_host());
  }

  void synchronize() override {
    HILLOCK_CUDA(cudaSetDevice(state_.device));
    HILLOCK_CUDA(cudaStreamSynchronize(state_.stream));
  }

  CUstream_st* stream() const override { return state_.stream; }

 private:
  State<T> state_;
};

}  // namespace

template <class T>
std::unique_ptr<StoneDevice<T>> stone_on_device(const Forest& forest, int traces, int device) {
  require_device(device, "solver/stone");
  check_traces(forest, traces);
  HILLOCK_CUDA(cudaSetDevice(device));
  const int tree = forest.n_systems() == 0 ? 0 : forest.tree_of(0);
  return std::make_unique<Batch<T>>(
      forest, make_stone_schedule(forest.parent(static_cast<std::size_t>(tree))), traces, device);
}

template std::unique_ptr<StoneDevice<float>> stone_on_device(const Forest&, int, int);
template std::unique_ptr<StoneDevice<double>> stone_on_device(const Forest&, int, int);

}  // namespace hillock::solver
