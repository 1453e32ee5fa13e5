// Launches of the kernels in sweep.cuh and warp.cuh, and conversions between layouts.

#include "solver/batches/thomas/device.hpp"

#include <algorithm>
#include <array>

#include "solver/cuda/memory.cuh"
#include "solver/batches/thomas/sweep.cuh"
#include "solver/batches/thomas/warp.cuh"

namespace hillock::solver {

using namespace thomas;

struct ThomasDeviceSlots::Tables {
  std::size_t slots = 0, rows_in_all = 0, row_stride = 1, field_stride = 0, storage = 0;
  std::uint32_t longest = 0;
  ThomasVariableLayout layout = ThomasVariableLayout::compact;
  DeviceArray<std::uint32_t> size, system, slot_of;
  DeviceArray<std::uint64_t> start;
  ThomasWarpPlan
      plan[2];  // for float, for double; made when the layout is compact and short enough
};

namespace {

constexpr int rows_ahead = 4;

template <class Real>
__global__ void __launch_bounds__(128) sweep_kernel(ThomasArrangement a, Real* values) {
  const std::size_t system = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (system < a.systems)
    sweep_system<Real, rows_ahead>(values + a.start(system), a.rows, a.row_stride, a.field_stride);
}

/// size: null to go through the padding, `longest` rows for every system.
template <class Real>
__global__ void __launch_bounds__(128)
    sweep_kernel_variable(Real* values, const std::uint32_t* size, const std::uint64_t* start,
                          std::size_t slots, std::uint32_t longest, std::size_t row_stride,
                          std::size_t field_stride) {
  const std::size_t slot = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (slot >= slots) return;
  if (size == nullptr)
    sweep_system<Real, rows_ahead>(values + slot, longest, row_stride, field_stride);
  else
    sweep_system<Real, rows_ahead>(values + start[slot], size[slot], row_stride, field_stride);
}

/// Threads of a block so that few systems still spread over the multiprocessors.
unsigned threads_for(std::size_t systems) {
  return systems <= 132 * 32 ? 32 : systems <= 132 * 128 ? 64 : 128;
}

unsigned blocks_for(std::size_t systems, unsigned threads) {
  return static_cast<unsigned>((systems + threads - 1) / threads);
}

constexpr int tile = 32;

/// Block (32, 8) moves 32 systems × 32 rows of one field through shared memory, so that reading and
/// writing both run along what is contiguous: rows in flat, systems in the others.
template <class Real>
__global__ void convert_kernel(ThomasArrangement from, const Real* values, ThomasArrangement to,
                               Real* result) {
  __shared__ Real part[tile][tile + 1];  // [row][system]
  const bool rows_first = from.row_stride == 1, rows_last = to.row_stride == 1;
  const auto field = static_cast<ThomasField>(blockIdx.z);
  const std::size_t row_tiles = (from.rows + tile - 1) / tile;
  const std::size_t system0 = blockIdx.x / row_tiles * tile, row0 = blockIdx.x % row_tiles * tile;
  for (int k = threadIdx.y; k < tile; k += blockDim.y) {
    const int i = rows_first ? threadIdx.x : k, s = rows_first ? k : threadIdx.x;
    if (row0 + i < from.rows && system0 + s < from.systems)
      part[i][s] = values[from.index(field, row0 + i, system0 + s)];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += blockDim.y) {
    const int i = rows_last ? threadIdx.x : k, s = rows_last ? k : threadIdx.x;
    if (row0 + i < from.rows && system0 + s < from.systems)
      result[to.index(field, row0 + i, system0 + s)] = part[i][s];
  }
}

struct SlotView {
  const std::uint32_t* size;
  const std::uint32_t* system;
  const std::uint32_t* slot_of;
  const std::uint64_t* start;
  std::size_t slots, row_stride, field_stride;
  std::uint32_t longest;
};

/// The same for systems of different lengths, 32 slots of `to` × 32 rows a block.
template <class Real>
__global__ void convert_kernel_variable(SlotView from, const Real* values, SlotView to,
                                        Real* result) {
  __shared__ Real part[tile][tile + 1];
  __shared__ std::uint64_t source[tile], target[tile];
  __shared__ std::uint32_t rows[tile];
  const bool rows_first = from.row_stride == 1, rows_last = to.row_stride == 1;
  const std::size_t row_tiles = (to.longest + tile - 1) / tile;
  const std::size_t slot0 = blockIdx.x / row_tiles * tile, row0 = blockIdx.x % row_tiles * tile;
  if (threadIdx.y == 0) {
    const std::size_t slot = slot0 + threadIdx.x;
    rows[threadIdx.x] = 0;
    if (slot < to.slots) {
      source[threadIdx.x] = from.start[from.slot_of[to.system[slot]]];
      target[threadIdx.x] = to.start[slot];
      rows[threadIdx.x] = to.size[slot];
    }
  }
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += blockDim.y) {
    const int i = rows_first ? threadIdx.x : k, s = rows_first ? k : threadIdx.x;
    if (row0 + i < rows[s])
      part[i][s] =
          values[source[s] + (row0 + i) * from.row_stride + blockIdx.z * from.field_stride];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += blockDim.y) {
    const int i = rows_last ? threadIdx.x : k, s = rows_last ? k : threadIdx.x;
    if (row0 + i < rows[s])
      result[target[s] + (row0 + i) * to.row_stride + blockIdx.z * to.field_stride] = part[i][s];
  }
}

SlotView view(const ThomasDeviceSlots::Tables& t) {
  return {t.size.data(), t.system.data(), t.slot_of.data(), t.start.data(),
          t.slots,       t.row_stride,    t.field_stride,   t.longest};
}

template <class Real>
using WarpKernel = void (*)(Real*, std::uint32_t, std::uint64_t, std::uint64_t);

template <class Real, bool bulk>
WarpKernel<Real> warp_kernel_for(ThomasSplit split) {
  if (split.lanes == 8 && split.rows_a_lane == 9) return warp_kernel<Real, 8, 9, bulk>;
  if (split.lanes == 16 && split.rows_a_lane == 9) return warp_kernel<Real, 16, 9, bulk>;
  if (split.lanes != 32) return nullptr;
  switch (split.rows_a_lane) {
    case 3:
      return warp_kernel<Real, 32, 3, bulk>;
    case 5:
      return warp_kernel<Real, 32, 5, bulk>;
    case 9:
      return warp_kernel<Real, 32, 9, bulk>;
    case 13:
      return warp_kernel<Real, 32, 13, bulk>;
    case 17:
      return warp_kernel<Real, 32, 17, bulk>;
    case 25:
      return warp_kernel<Real, 32, 25, bulk>;
    case 33:
      return warp_kernel<Real, 32, 33, bulk>;
    default:
      return nullptr;
  }
}

template <class Real>
bool systems_are_aligned(const ThomasArrangement& a) {
  return a.rows * sizeof(Real) % 16 == 0;
}

template <class Real>
WarpKernel<Real> warp_kernel_for(const ThomasArrangement& a, ThomasSplit split) {
  return systems_are_aligned<Real>(a) ? warp_kernel_for<Real, true>(split)
                                      : warp_kernel_for<Real, false>(split);
}

template <class Real>
using VariableKernel = void (*)(Real*, const std::uint32_t*, const std::uint64_t*, std::uint64_t,
                                std::uint64_t);

/// Rows a lane that the kernel for systems of up to `longest` rows has room for.
int most_rows_a_lane(std::uint32_t longest) {
  return longest <= 32 * 9 ? 9 : longest <= 32 * 17 ? 17 : 33;
}

template <class Real>
VariableKernel<Real> variable_kernel_for(int rows_a_lane) {
  switch (rows_a_lane) {
    case 9:
      return warp_kernel_variable<Real, 9>;
    case 17:
      return warp_kernel_variable<Real, 17>;
    default:
      return warp_kernel_variable<Real, 33>;
  }
}

/// Fills in warps, blocks and shared_bytes: the block that keeps most warps on a multiprocessor.
template <class Real, class Function>
void fit(ThomasWarpPlan& plan, Function kernel, std::size_t tiles) {
  int device = 0, multiprocessors = 0, shared_limit = 0;
  HILLOCK_CUDA(cudaGetDevice(&device));
  HILLOCK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  HILLOCK_CUDA(
      cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  shared_limit -= 1024;  // for the barriers
  HILLOCK_CUDA(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit));
  const std::size_t bytes_of_a_warp =
      5 * 32 * static_cast<std::size_t>(plan.split.rows_a_lane) * sizeof(Real);
  int best = 0;
  for (const int warps : {4, 2, 1}) {
    const std::size_t bytes = static_cast<std::size_t>(warps) * bytes_of_a_warp;
    if (bytes > static_cast<std::size_t>(shared_limit)) continue;
    int resident = 0;
    HILLOCK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 32 * warps, bytes));
    if (resident * warps <= best) continue;
    best = resident * warps;
    plan.warps = warps;
  }
  if (best == 0)
    throw UsageError(
        "tridiagonal systems: this split does not fit the shared memory of the device");
  const auto resident_blocks = static_cast<std::size_t>(best / plan.warps * multiprocessors);
  if (tiles <= resident_blocks) plan.warps = 1;  // all at once: spread them
  const auto warps = static_cast<std::size_t>(plan.warps);
  plan.shared_bytes = warps * bytes_of_a_warp;
  plan.blocks = static_cast<int>(std::min((tiles + warps - 1) / warps, resident_blocks));
}

template <class Real>
constexpr int plan_of = sizeof(Real) == 4 ? 0 : 1;

template <class Real>
void plan_variable(ThomasDeviceSlots::Tables& tables) {
  ThomasWarpPlan& plan = tables.plan[plan_of<Real>];
  plan.arrangement.rows = tables.longest;
  plan.arrangement.systems = tables.slots;
  plan.split = {32, most_rows_a_lane(tables.longest)};
  fit<Real>(plan, variable_kernel_for<Real>(plan.split.rows_a_lane), tables.slots);
}

}  // namespace

template <class Real>
void sweep_on_device(const ThomasArrangement& a, Real* values, CUstream_st* stream) {
  const unsigned threads = threads_for(a.systems);
  sweep_kernel<Real><<<blocks_for(a.systems, threads), threads, 0, stream>>>(a, values);
  HILLOCK_CUDA(cudaGetLastError());
}

template <class Real>
ThomasWarpPlan plan_warps(const ThomasArrangement& a, ThomasSplit split) {
  if (a.layout != ThomasLayout::flat)
    throw UsageError("tridiagonal systems: lanes need the flat layout");
  if (a.rows > split.most_rows())
    throw UsageError("tridiagonal systems: more rows than the lanes hold");
  const auto kernel = warp_kernel_for<Real>(a, split);
  if (kernel == nullptr) throw UsageError("tridiagonal systems: no kernel has this split");
  ThomasWarpPlan plan;
  plan.arrangement = a;
  plan.split = split;
  const auto systems_a_tile = static_cast<std::size_t>(32 / split.lanes);
  fit<Real>(plan, kernel, (a.systems + systems_a_tile - 1) / systems_a_tile);
  return plan;
}

template <class Real>
void solve_on_device(const ThomasWarpPlan& plan, Real* values, CUstream_st* stream) {
  const ThomasArrangement& a = plan.arrangement;
  const auto kernel = warp_kernel_for<Real>(a, plan.split);
  kernel<<<plan.blocks, 32 * plan.warps, plan.shared_bytes, stream>>>(
      values, static_cast<std::uint32_t>(a.rows), a.systems, a.field_stride);
  HILLOCK_CUDA(cudaGetLastError());
}

template <class Real>
void convert_on_device(const ThomasArrangement& from, const Real* values,
                       const ThomasArrangement& to, Real* result, CUstream_st* stream) {
  if (from.rows != to.rows || from.systems != to.systems)
    throw InvalidBatch(to.systems, to.rows * to.systems,
                       "cannot be converted to from one of another shape");
  const std::size_t tiles = (from.rows + tile - 1) / tile * ((from.systems + tile - 1) / tile);
  convert_kernel<Real>
      <<<dim3(static_cast<unsigned>(tiles), 1, thomas_fields), dim3(tile, 8), 0, stream>>>(
          from, values, to, result);
  HILLOCK_CUDA(cudaGetLastError());
}

ThomasDeviceSlots::ThomasDeviceSlots(const ThomasVariableArrangement& a)
    : tables_(std::make_unique<Tables>()) {
  Tables& t = *tables_;
  t.slots = a.size.size();
  t.rows_in_all = a.rows_in_all;
  t.row_stride = a.row_stride;
  t.field_stride = a.field_stride;
  t.storage = a.storage;
  t.longest = a.longest;
  t.layout = a.layout;
  std::vector<std::uint32_t> slot_of(t.slots);
  for (std::uint32_t slot = 0; slot < t.slots; ++slot) slot_of[a.system[slot]] = slot;
  t.size = DeviceArray<std::uint32_t>(a.size);
  t.system = DeviceArray<std::uint32_t>(a.system);
  t.slot_of = DeviceArray<std::uint32_t>(slot_of);
  t.start = DeviceArray<std::uint64_t>(a.start);
  if (a.layout == ThomasVariableLayout::compact && a.longest <= longest_thomas_split) {
    plan_variable<float>(t);
    plan_variable<double>(t);
  }
  HILLOCK_CUDA(cudaDeviceSynchronize());  // whichever stream comes next finds the tables there
}

ThomasDeviceSlots::ThomasDeviceSlots(ThomasDeviceSlots&&) noexcept = default;
ThomasDeviceSlots& ThomasDeviceSlots::operator=(ThomasDeviceSlots&&) noexcept = default;
ThomasDeviceSlots::~ThomasDeviceSlots() = default;

std::size_t ThomasDeviceSlots::bytes() const {
  return tables_->slots * (3 * sizeof(std::uint32_t) + sizeof(std::uint64_t));
}

template <class Real>
void sweep_on_device(const ThomasDeviceSlots& slots, Real* values, ThomasPadding padding,
                     CUstream_st* stream) {
  const ThomasDeviceSlots::Tables& t = slots.tables();
  if (padding == ThomasPadding::compute && t.layout != ThomasVariableLayout::padded)
    throw UsageError("tridiagonal systems: only layout padded has padding to compute");
  const unsigned threads = threads_for(t.slots);
  sweep_kernel_variable<Real><<<blocks_for(t.slots, threads), threads, 0, stream>>>(
      values, padding == ThomasPadding::compute ? nullptr : t.size.data(), t.start.data(), t.slots,
      t.longest, t.row_stride, t.field_stride);
  HILLOCK_CUDA(cudaGetLastError());
}

template <class Real>
void warp_on_device(const ThomasDeviceSlots& slots, Real* values, CUstream_st* stream) {
  const ThomasDeviceSlots::Tables& t = slots.tables();
  if (t.layout != ThomasVariableLayout::compact)
    throw UsageError("tridiagonal systems: lanes need the compact layout");
  if (t.longest > longest_thomas_split)
    throw UsageError("tridiagonal systems: more rows than the lanes hold");
  const ThomasWarpPlan& plan = t.plan[plan_of<Real>];
  variable_kernel_for<Real>(
      plan.split.rows_a_lane)<<<plan.blocks, 32 * plan.warps, plan.shared_bytes, stream>>>(
      values, t.size.data(), t.start.data(), t.slots, t.field_stride);
  HILLOCK_CUDA(cudaGetLastError());
}

template <class Real>
void convert_on_device(const ThomasDeviceSlots& from, const Real* values,
                       const ThomasDeviceSlots& to, Real* result, CUstream_st* stream) {
  const ThomasDeviceSlots::Tables &f = from.tables(), &t = to.tables();
  if (f.slots != t.slots || f.longest != t.longest)
    throw InvalidBatch(t.slots, t.rows_in_all, "other systems than those to convert");
  const std::size_t tiles = (t.longest + tile - 1) / tile * ((t.slots + tile - 1) / tile);
  convert_kernel_variable<Real>
      <<<dim3(static_cast<unsigned>(tiles), 1, thomas_fields), dim3(tile, 8), 0, stream>>>(
          view(f), values, view(t), result);
  HILLOCK_CUDA(cudaGetLastError());
}

namespace {

/// Uploads, works, downloads.
template <class Real, class Work>
void through(std::span<Real> values, const Work& work) {
  DeviceArray<Real> device{std::span<const Real>(values)};
  work(device.data());
  HILLOCK_CUDA(cudaDeviceSynchronize());
  device.download(values);
}

template <class Real, class Work>
void through(std::span<const Real> values, std::span<Real> result, const Work& work) {
  DeviceArray<Real> device(values), other{std::span<const Real>(result)};
  work(device.data(), other.data());
  HILLOCK_CUDA(cudaDeviceSynchronize());
  other.download(result);
}

void require(bool sizes_fit, std::size_t systems, std::size_t rows_in_all) {
  if (!sizes_fit) throw InvalidBatch(systems, rows_in_all, "storage of the wrong size");
}

}  // namespace

template <class Real>
void solve_through_device(const ThomasArrangement& a, ThomasKernel kernel, ThomasSplit split,
                          std::span<Real> values) {
  require(values.size() == a.storage, a.systems, a.rows * a.systems);
  through(values, [&](Real* device) {
    if (kernel == ThomasKernel::sweep)
      sweep_on_device(a, device);
    else
      solve_on_device(plan_warps<Real>(a, split), device);
  });
}

template <class Real>
void solve_through_device(const ThomasVariableArrangement& a, ThomasKernel kernel,
                          ThomasPadding padding, std::span<Real> values) {
  require(values.size() == a.storage, a.size.size(), a.rows_in_all);
  const ThomasDeviceSlots slots(a);
  through(values, [&](Real* device) {
    if (kernel == ThomasKernel::sweep)
      sweep_on_device(slots, device, padding);
    else
      warp_on_device(slots, device);
  });
}

template <class Real>
void convert_through_device(const ThomasArrangement& from, std::span<const Real> values,
                            const ThomasArrangement& to, std::span<Real> result) {
  require(values.size() == from.storage && result.size() == to.storage, to.systems,
          to.rows * to.systems);
  through(values, result, [&](const Real* a, Real* b) { convert_on_device(from, a, to, b); });
}

template <class Real>
void convert_through_device(const ThomasVariableArrangement& from, std::span<const Real> values,
                            const ThomasVariableArrangement& to, std::span<Real> result) {
  require(values.size() == from.storage && result.size() == to.storage, to.size.size(),
          to.rows_in_all);
  const ThomasDeviceSlots a(from), b(to);
  through(values, result, [&](const Real* x, Real* y) { convert_on_device(a, x, b, y); });
}

#define HILLOCK_INSTANTIATE(Real)                                                               \
  template void sweep_on_device<Real>(const ThomasArrangement&, Real*, CUstream_st*);           \
  template ThomasWarpPlan plan_warps<Real>(const ThomasArrangement&, ThomasSplit);              \
  template void solve_on_device<Real>(const ThomasWarpPlan&, Real*, CUstream_st*);              \
  template void convert_on_device<Real>(const ThomasArrangement&, const Real*,                  \
                                        const ThomasArrangement&, Real*, CUstream_st*);         \
  template void sweep_on_device<Real>(const ThomasDeviceSlots&, Real*, ThomasPadding,           \
                                      CUstream_st*);                                            \
  template void warp_on_device<Real>(const ThomasDeviceSlots&, Real*, CUstream_st*);            \
  template void convert_on_device<Real>(const ThomasDeviceSlots&, const Real*,                  \
                                        const ThomasDeviceSlots&, Real*, CUstream_st*);         \
  template void solve_through_device<Real>(const ThomasArrangement&, ThomasKernel, ThomasSplit, \
                                           std::span<Real>);                                    \
  template void solve_through_device<Real>(const ThomasVariableArrangement&, ThomasKernel,      \
                                           ThomasPadding, std::span<Real>);                     \
  template void convert_through_device<Real>(const ThomasArrangement&, std::span<const Real>,   \
                                             const ThomasArrangement&, std::span<Real>);        \
  template void convert_through_device<Real>(const ThomasVariableArrangement&,                  \
                                             std::span<const Real>,                             \
                                             const ThomasVariableArrangement&, std::span<Real>);
HILLOCK_INSTANTIATE(float)
HILLOCK_INSTANTIATE(double)
#undef HILLOCK_INSTANTIATE

}  // namespace hillock::solver
