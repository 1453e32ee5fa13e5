#pragma once
// Batches of tridiagonal systems on the GPU. Names no CUDA type beyond the stream's handle.
// A build without CUDA has plan_warps and what goes from host memory to host memory, and these
// throw DeviceError; so does everything without a device.

#include <memory>
#include <span>

#include "solver/batches/thomas/arrangement.hpp"
#include "solver/batches/thomas/choice.hpp"
#include "solver/batches/thomas/variable.hpp"
#include "solver/cuda/device.hpp"

struct CUstream_st;

namespace hillock::solver {

// `values` below points to memory of the current device, [storage] of the arrangement, on a border
// of 128 bytes (as every allocation is). Real: float or double. All launches are asynchronous, use
// no memory beyond `values`, and repeat bit for bit. Pivots are not checked: one of 0 gives values
// that are not finite. Pivots must be normal numbers with normal reciprocals.

/// One thread a system, any layout; upper is destroyed, rhs becomes the solution.
/// Moves two_sweep_bytes().
template <class Real>
void sweep_on_device(const ThomasArrangement& arrangement, Real* values,
                     CUstream_st* stream = nullptr);

/// Launch parameters of the warp kernel for one batch; made once, used for every solve.
struct ThomasWarpPlan {
  ThomasArrangement arrangement;
  ThomasSplit split;
  int warps = 4;                 ///< of a block
  int blocks = 1;                ///< of the grid, no more than fit the device at once
  std::size_t shared_bytes = 0;  ///< of a block
};

/// Throws UsageError for a layout other than flat, for more rows than the split holds and for a
/// split that has no kernel.
template <class Real>
ThomasWarpPlan plan_warps(const ThomasArrangement& arrangement, ThomasSplit split);

/// Lanes of a warp a system; the matrix stays, rhs becomes the solution. Moves necessary_bytes().
template <class Real>
void solve_on_device(const ThomasWarpPlan& plan, Real* values, CUstream_st* stream = nullptr);

/// Copies a batch to another layout; padding of block_interleaved is left as it was.
/// Throws InvalidBatch when the shapes differ.
template <class Real>
void convert_on_device(const ThomasArrangement& from, const Real* values,
                       const ThomasArrangement& to, Real* result, CUstream_st* stream = nullptr);

/// A VariableArrangement's tables, on the current device.
class ThomasDeviceSlots {
 public:
  explicit ThomasDeviceSlots(const ThomasVariableArrangement& arrangement);
  ThomasDeviceSlots(ThomasDeviceSlots&&) noexcept;
  ThomasDeviceSlots& operator=(ThomasDeviceSlots&&) noexcept;
  ~ThomasDeviceSlots();

  struct Tables;
  const Tables& tables() const { return *tables_; }
  /// Bytes of device memory that the tables take.
  std::size_t bytes() const;

 private:
  std::unique_ptr<Tables> tables_;
};

/// Whether a thread stops at its own system's end or goes on through the padding (which must be
/// rows of the identity, as convert() leaves it): NCP and CP of Martínez 2018.
enum class ThomasPadding { skip, compute };

/// One thread a system; for layouts padded and sorted, correct for compact too. Padding::compute
/// is for layout padded only and throws UsageError for others.
template <class Real>
void sweep_on_device(const ThomasDeviceSlots& slots, Real* values, ThomasPadding padding,
                     CUstream_st* stream = nullptr);

/// A warp a system; layout compact, systems of at most longest_thomas_split rows, else UsageError.
/// The matrix stays. Moves 5 numbers a row and the tables.
template <class Real>
void warp_on_device(const ThomasDeviceSlots& slots, Real* values, CUstream_st* stream = nullptr);

/// Copies a batch of different lengths to another layout, padding left as it was.
/// Throws InvalidBatch when the systems differ.
template <class Real>
void convert_on_device(const ThomasDeviceSlots& from, const Real* values,
                       const ThomasDeviceSlots& to, Real* result, CUstream_st* stream = nullptr);

/// Host to device, solve by the given kernel, and back: for one solve, and for tests.
/// values: [storage], rhs becomes the solution. split: ignored by Kernel::sweep.
template <class Real>
void solve_through_device(const ThomasArrangement& arrangement, ThomasKernel kernel,
                          ThomasSplit split, std::span<Real> values);
template <class Real>
void solve_through_device(const ThomasVariableArrangement& arrangement, ThomasKernel kernel,
                          ThomasPadding padding, std::span<Real> values);

/// Host to device, convert there, and back: for tests.
template <class Real>
void convert_through_device(const ThomasArrangement& from, std::span<const Real> values,
                            const ThomasArrangement& to, std::span<Real> result);
template <class Real>
void convert_through_device(const ThomasVariableArrangement& from, std::span<const Real> values,
                            const ThomasVariableArrangement& to, std::span<Real> result);

}  // namespace hillock::solver
