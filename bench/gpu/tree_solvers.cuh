#pragma once
// What gpu/contraction.cu and gpu/branch.cu share: values on the device, and one thread a cell as
// the solver to compare with. Not a library: only those two include it.

#include <algorithm>
#include <vector>

#include "bench/drawn_cells.hpp"
#include "bench/gpu/clock.cuh"
#include "bench/gpu/tile.cuh"
#include "solver/arithmetic.hpp"

namespace hillock::bench {

/// Drawn cells tiled over a batch, on the device.
struct Values {
  DeviceArray<double> diagonal, rhs, fresh_rhs;

  Values(const DrawnCells& drawn, std::size_t value_count) : drawn_(drawn) {
    diagonal = DeviceArray<double>(value_count);
    rhs = DeviceArray<double>(value_count);
    fresh_rhs = DeviceArray<double>(value_count);
    tile(drawn.diagonal, diagonal.data(), value_count);
    tile(drawn.rhs, fresh_rhs.data(), value_count);
    reset();
  }
  void reset() {
    HILLOCK_CUDA(cudaMemcpy(rhs.data(), fresh_rhs.data(), rhs.size() * sizeof(double),
                            cudaMemcpyDeviceToDevice));
  }

  /// Largest error of the drawn cells over the bound, against long double.
  double error(const double* device_x, std::size_t value_count, int repeats) const {
    std::vector<double> x(std::min(drawn_.rhs.size(), value_count));
    HILLOCK_CUDA(cudaMemcpy(x.data(), device_x, x.size() * sizeof(double), cudaMemcpyDeviceToHost));
    return drawn_.error(x.data(), x.size(), repeats);
  }

 private:
  const DrawnCells& drawn_;
};

/// One thread a cell, all cells of one tree, values interleaved: element i of cell c at [i·cells +
/// c]. Where a parent is the node before, d and b stay in registers.
static __global__ void __launch_bounds__(128)
    thread_a_cell_kernel(const int* __restrict__ parent, const double* __restrict__ coupling, int n,
                         std::size_t cells, const double* __restrict__ diagonal, double* work,
                         double* __restrict__ factor, double* rhs, int repeats) {
  const std::size_t c = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (c >= cells) return;
  // `work` holds the diagonals of branching points while they collect; it equals `diagonal` between
  // solves there.
  for (int repeat = 0; repeat < repeats; ++repeat) {
    double d = diagonal[static_cast<std::size_t>(n - 1) * cells + c];
    double b = rhs[static_cast<std::size_t>(n - 1) * cells + c];
    for (int i = n - 1; i > 0; --i) {
      const std::size_t at = static_cast<std::size_t>(i) * cells + c;
      const int p = parent[i];
      const double a = coupling[i];
      const double next_d = work[at - cells], next_b = rhs[at - cells];
      const double q = solver::reciprocal(d);
      factor[at] = a * q;
      rhs[at] = b * q;
      d = next_d;
      b = next_b;
      if (p == i - 1) {
        d -= a * a * q;
        b += a * rhs[at];
      } else {
        const std::size_t up = static_cast<std::size_t>(p) * cells + c;
        work[up] -= a * a * q;
        rhs[up] += a * rhs[at];
      }
    }
    double v = b * solver::reciprocal(d);
    rhs[c] = v;
    for (int i = 1; i < n; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * cells + c;
      const int p = parent[i];
      if (p != i - 1) {
        v = rhs[static_cast<std::size_t>(p) * cells + c];
        work[static_cast<std::size_t>(p) * cells + c] =
            diagonal[static_cast<std::size_t>(p) * cells + c];
      }
      v = rhs[at] + factor[at] * v;
      rhs[at] = v;
    }
  }
}

/// natural [cell][node] to interleaved [node][cell], or back.
static __global__ void interleave_kernel(const double* from, double* to, int n, std::size_t cells,
                                         bool inwards) {
  const std::size_t total = static_cast<std::size_t>(n) * cells;
  for (std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; k < total;
       k += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t i = k / cells, c = k % cells;
    if (inwards)
      to[k] = from[c * static_cast<std::size_t>(n) + i];
    else
      to[c * static_cast<std::size_t>(n) + i] = from[k];
  }
}

/// One thread a cell on the values of a batch of one tree.
class ThreadACell {
 public:
  ThreadACell(const std::vector<int>& parent, const std::vector<double>& coupling,
              std::size_t cells, const double* diagonal)
      : n_(static_cast<int>(parent.size())),
        cells_(cells),
        parent_(parent),
        coupling_(coupling),
        diagonal_(parent.size() * cells),
        work_(parent.size() * cells),
        factor_(parent.size() * cells),
        rhs_(parent.size() * cells) {
    interleave_kernel<<<2048, 256>>>(diagonal, diagonal_.data(), n_, cells_, true);
    HILLOCK_CUDA(cudaMemcpy(work_.data(), diagonal_.data(), work_.size() * sizeof(double),
                            cudaMemcpyDeviceToDevice));
  }
  void take(const double* rhs) {
    interleave_kernel<<<2048, 256>>>(rhs, rhs_.data(), n_, cells_, true);
  }
  void give(double* rhs) { interleave_kernel<<<2048, 256>>>(rhs_.data(), rhs, n_, cells_, false); }
  void solve(int repeats) {
    const unsigned threads = cells_ < 20000 ? 32 : 128;
    thread_a_cell_kernel<<<static_cast<unsigned>((cells_ + threads - 1) / threads), threads>>>(
        parent_.data(), coupling_.data(), n_, cells_, diagonal_.data(), work_.data(),
        factor_.data(), rhs_.data(), repeats);
    HILLOCK_CUDA(cudaGetLastError());
  }

 private:
  int n_;
  std::size_t cells_;
  DeviceArray<int> parent_;
  DeviceArray<double> coupling_, diagonal_, work_, factor_, rhs_;
};

}  // namespace hillock::bench
