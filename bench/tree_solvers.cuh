#pragma once
// What bench/contraction.cu and bench/branch.cu share: values on the device, timing, rows, and
// one thread a cell as the solver to compare with. Not a library: only those two include it.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "solver/contraction/reciprocal.cuh"
#include "solver/cuda/memory.cuh"
#include "solver/random_trees.hpp"

namespace hillock::bench {

using solver::DeviceArray;

/// Median microseconds between CUDA events of `runs` runs after `warm_up` others.
inline double median_us(int warm_up, int runs, const std::function<void()>& work) {
  cudaEvent_t from, to;
  HILLOCK_CUDA(cudaEventCreate(&from));
  HILLOCK_CUDA(cudaEventCreate(&to));
  std::vector<float> times;
  for (int run = 0; run < warm_up + runs; ++run) {
    HILLOCK_CUDA(cudaEventRecord(from));
    work();
    HILLOCK_CUDA(cudaEventRecord(to));
    HILLOCK_CUDA(cudaEventSynchronize(to));
    float ms = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&ms, from, to));
    if (run >= warm_up) times.push_back(ms * 1000);
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// value i of the batch is value i mod period of what was drawn.
__global__ void tile_kernel(const double* drawn, std::size_t period, double* all, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    all[i] = drawn[i % period];
}

/// Draws values for the first cells of a batch and tiles them over the rest.
struct Values {
  std::vector<double> drawn_diagonal, drawn_rhs;  ///< of the cells that were drawn
  std::vector<std::vector<int>> trees;            ///< [drawn cell]
  std::vector<std::vector<double>> couplings;     ///< [drawn cell]
  DeviceArray<double> diagonal, rhs, fresh_rhs;

  /// couplings are those of solver::random_system(tree, 10, 1), whatever the cell.
  Values(const std::vector<std::vector<int>>& drawn_trees, std::size_t value_count)
      : trees(drawn_trees) {
    for (std::size_t c = 0; c < trees.size(); ++c) {
      const auto s = solver::random_system(trees[c], 10, 1, solver::Excess::one);
      const auto other = solver::random_system(trees[c], 10, 100 + c);
      drawn_diagonal.insert(drawn_diagonal.end(), s.diagonal.begin(), s.diagonal.end());
      drawn_rhs.insert(drawn_rhs.end(), other.rhs.begin(), other.rhs.end());
      couplings.push_back(s.coupling);
    }
    const DeviceArray<double> d(drawn_diagonal), b(drawn_rhs);
    diagonal = DeviceArray<double>(value_count);
    rhs = DeviceArray<double>(value_count);
    fresh_rhs = DeviceArray<double>(value_count);
    tile_kernel<<<1024, 256>>>(d.data(), d.size(), diagonal.data(), value_count);
    tile_kernel<<<1024, 256>>>(b.data(), b.size(), fresh_rhs.data(), value_count);
    HILLOCK_CUDA(cudaDeviceSynchronize());
    reset();
  }
  void reset() {
    HILLOCK_CUDA(cudaMemcpy(rhs.data(), fresh_rhs.data(), rhs.size() * sizeof(double),
                            cudaMemcpyDeviceToDevice));
  }

  /// Largest error of the drawn cells over their largest value, against long double.
  double error(const double* device_x, std::size_t value_count, int repeats) const {
    std::vector<double> x(std::min(drawn_rhs.size(), value_count));
    HILLOCK_CUDA(cudaMemcpy(x.data(), device_x, x.size() * sizeof(double), cudaMemcpyDeviceToHost));
    long double worst = 0;
    std::size_t first = 0;
    for (std::size_t c = 0; c < trees.size() && first < x.size(); ++c) {
      const auto& parent = trees[c];
      std::vector<long double> v(drawn_rhs.begin() + static_cast<long>(first),
                                 drawn_rhs.begin() + static_cast<long>(first + parent.size()));
      for (int repeat = 0; repeat < repeats; ++repeat) {
        std::vector<long double> d(
            drawn_diagonal.begin() + static_cast<long>(first),
            drawn_diagonal.begin() + static_cast<long>(first + parent.size()));
        for (std::size_t i = parent.size(); i-- > 1;) {
          const auto p = static_cast<std::size_t>(parent[i]);
          const long double f = couplings[c][i] / d[i];
          d[p] -= f * couplings[c][i];
          v[p] += f * v[i];
        }
        v[0] /= d[0];
        for (std::size_t i = 1; i < parent.size(); ++i)
          v[i] = (v[i] + couplings[c][i] * v[static_cast<std::size_t>(parent[i])]) / d[i];
      }
      long double largest = 0, off = 0;
      for (std::size_t i = 0; i < parent.size(); ++i) {
        largest = std::max(largest, std::fabs(v[i]));
        const long double e = std::fabs(v[i] - static_cast<long double>(x[first + i]));
        off = std::isfinite(e) ? std::max(off, e) : 1e30L;
      }
      worst = std::max(worst, off / largest);
      first += parent.size();
    }
    return static_cast<double>(worst);
  }
};

/// One thread a cell, all cells of one tree, values interleaved: element i of cell c at [i·cells +
/// c]. Where a parent is the node before, d and b stay in registers.
__global__ void __launch_bounds__(128)
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
__global__ void interleave_kernel(const double* from, double* to, int n, std::size_t cells,
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

/// JSON rows and the same on a line of text.
class Rows {
 public:
  explicit Rows(const char* path) : file_(path ? std::fopen(path, "w") : nullptr) {}
  ~Rows() {
    if (file_) std::fclose(file_);
  }
  void add(const std::string& json) {
    if (file_) {
      std::fprintf(file_, "%s\n", json.c_str());
      std::fflush(file_);
    }
  }

 private:
  std::FILE* file_;
};

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace hillock::bench
