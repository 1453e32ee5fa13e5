#pragma once
// What bench/thomas.cu measures with: options, JSON rows, timing of repeated launches, calls of
// cuSPARSE, inputs drawn on the device, and the comparison with long double. Only bench/thomas.cu
// includes this.

#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "solver/cuda/memory.cuh"
#include "solver/thomas/arrangement.hpp"

namespace hillock::bench_thomas {

using namespace hillock::solver;

struct Options {
  std::string out = "thomas.json", commit = "unknown", command;
  bool tune = false, cpu = true;
  std::size_t largest = 256000;
};

struct Timing {
  double ms = 0, least = 0, most = 0;
  int repeats = 0;
  std::size_t sets = 1;
};

template <class Real>
const char* type_name() {
  return sizeof(Real) == 4 ? "float" : "double";
}

inline void check_cusparse(cusparseStatus_t status, const char* call, int line) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw DeviceError(call, __FILE__ + (":" + std::to_string(line)),
                      cusparseGetErrorString(status));
}
#define CUSPARSE(call) check_cusparse((call), #call, __LINE__)

// ---- cuSPARSE ----------------------------------------------------------------------------------

template <class Real>
void strided_buffer(cusparseHandle_t handle, const thomas::Arrangement& a, Real* v,
                    std::size_t* bytes) {
  const int m = static_cast<int>(a.rows), count = static_cast<int>(a.systems);
  const std::size_t f = a.field_stride;
  if constexpr (sizeof(Real) == 4)
    CUSPARSE(cusparseSgtsv2StridedBatch_bufferSizeExt(handle, m, v, v + f, v + 2 * f, v + 3 * f,
                                                      count, m, bytes));
  else
    CUSPARSE(cusparseDgtsv2StridedBatch_bufferSizeExt(handle, m, v, v + f, v + 2 * f, v + 3 * f,
                                                      count, m, bytes));
}

template <class Real>
void strided(cusparseHandle_t handle, const thomas::Arrangement& a, Real* v, void* buffer) {
  const int m = static_cast<int>(a.rows), count = static_cast<int>(a.systems);
  const std::size_t f = a.field_stride;
  if constexpr (sizeof(Real) == 4)
    CUSPARSE(
        cusparseSgtsv2StridedBatch(handle, m, v, v + f, v + 2 * f, v + 3 * f, count, m, buffer));
  else
    CUSPARSE(
        cusparseDgtsv2StridedBatch(handle, m, v, v + f, v + 2 * f, v + 3 * f, count, m, buffer));
}

template <class Real>
void interleaved_buffer(cusparseHandle_t handle, int algorithm, const thomas::Arrangement& a,
                        Real* v, std::size_t* bytes) {
  const int m = static_cast<int>(a.rows), count = static_cast<int>(a.systems);
  const std::size_t f = a.field_stride;
  if constexpr (sizeof(Real) == 4)
    CUSPARSE(cusparseSgtsvInterleavedBatch_bufferSizeExt(handle, algorithm, m, v, v + f, v + 2 * f,
                                                         v + 3 * f, count, bytes));
  else
    CUSPARSE(cusparseDgtsvInterleavedBatch_bufferSizeExt(handle, algorithm, m, v, v + f, v + 2 * f,
                                                         v + 3 * f, count, bytes));
}

template <class Real>
void interleaved(cusparseHandle_t handle, int algorithm, const thomas::Arrangement& a, Real* v,
                 void* buffer) {
  const int m = static_cast<int>(a.rows), count = static_cast<int>(a.systems);
  const std::size_t f = a.field_stride;
  if constexpr (sizeof(Real) == 4)
    CUSPARSE(cusparseSgtsvInterleavedBatch(handle, algorithm, m, v, v + f, v + 2 * f, v + 3 * f,
                                           count, buffer));
  else
    CUSPARSE(cusparseDgtsvInterleavedBatch(handle, algorithm, m, v, v + f, v + 2 * f, v + 3 * f,
                                           count, buffer));
}

// ---- output ------------------------------------------------------------------------------------

class Output {
 public:
  explicit Output(const Options& options) : file_(std::fopen(options.out.c_str(), "w")) {
    if (file_ == nullptr) throw std::runtime_error(options.out + ": cannot be written");
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    common_ = std::string("\"date\": \"") + date + "\", \"device\": \"" + describe_device() +
              "\", \"commit\": \"" + options.commit + "\", \"command\": \"" + options.command +
              "\"";
    std::fprintf(file_, "[");
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    std::fprintf(file_, "\n]\n");
    std::fclose(file_);
  }
  void row(const std::string& members) {
    std::fprintf(file_, "%s\n  {%s, %s}", first_ ? "" : ",", common_.c_str(), members.c_str());
    std::fflush(file_);
    first_ = false;
  }

 private:
  std::FILE* file_;
  std::string common_;
  bool first_ = true;
};

inline std::string text(const char* key, const std::string& value) {
  return std::string("\"") + key + "\": \"" + value + "\"";
}
inline std::string number(const char* key, double value) {
  if (!std::isfinite(value)) return std::string("\"") + key + "\": null";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "\"%s\": %.6g", key, value);
  return buffer;
}
inline std::string join(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

// ---- timing ------------------------------------------------------------------------------------

struct Event {
  cudaEvent_t event{};
  Event() { HILLOCK_CUDA(cudaEventCreate(&event)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event); }
};

inline cudaStream_t stream() {
  static cudaStream_t s = [] {
    cudaStream_t made{};
    HILLOCK_CUDA(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return s;
}

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline Timing summary(std::vector<double> ms, std::size_t sets) {
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms.front(), ms.back(), static_cast<int>(ms.size()), sets};
}

/// Time of one work(set); restore() before every repeat is not timed.
inline Timing measure(std::size_t sets, const std::function<void()>& restore,
                      const std::function<void(std::size_t)>& work, int repeats = 9,
                      double budget_s = 0.3) {
  const Event begin, end;
  cudaGraphExec_t graph = nullptr;
  if (sets > 1) {
    cudaGraph_t captured{};
    HILLOCK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    for (std::size_t set = 0; set < sets; ++set) work(set);
    HILLOCK_CUDA(cudaStreamEndCapture(stream(), &captured));
    HILLOCK_CUDA(cudaGraphInstantiate(&graph, captured, 0));
    HILLOCK_CUDA(cudaGraphDestroy(captured));
  }
  std::vector<double> ms;
  const double start = seconds();
  for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
    restore();
    HILLOCK_CUDA(cudaEventRecord(begin.event, stream()));
    if (graph != nullptr)
      HILLOCK_CUDA(cudaGraphLaunch(graph, stream()));
    else
      work(0);
    HILLOCK_CUDA(cudaEventRecord(end.event, stream()));
    HILLOCK_CUDA(cudaStreamSynchronize(stream()));
    float once = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&once, begin.event, end.event));
    if (repeat >= 0) ms.push_back(once / static_cast<double>(sets));
    if (ms.size() >= 3 && seconds() - start > budget_s) break;
  }
  if (graph != nullptr) HILLOCK_CUDA(cudaGraphExecDestroy(graph));
  return summary(ms, sets);
}

inline double measure_copy_gb_s() {
  constexpr std::size_t bytes = std::size_t{4} << 30;
  DeviceArray<char> from(bytes), to(bytes);
  HILLOCK_CUDA(cudaMemset(from.data(), 0x5a, bytes));
  const Timing t = measure(
      1, [] {},
      [&](std::size_t) {
        HILLOCK_CUDA(
            cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream()));
      },
      15, 2);
  return 2.0 * bytes / t.ms * 1e-6;
}

// ---- inputs ------------------------------------------------------------------------------------

__device__ double uniform(std::uint64_t x) {  // a hash, in [0, 1)
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

inline constexpr double coupling = 10;  // over the diagonal's excess

/// Rows of system `blockIdx.x` (or of more), contiguous: cables of random couplings.
template <class Real>
__global__ void draw(Real* values, std::size_t field_stride, const std::uint64_t* start,
                     const std::uint32_t* size, std::uint32_t rows, std::size_t systems) {
  for (std::size_t s = blockIdx.x; s < systems; s += gridDim.x) {
    const std::uint32_t n = size == nullptr ? rows : size[s];
    const std::size_t first = size == nullptr ? s * rows : start[s];
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
      const std::size_t at = first + i;
      const auto link = [&](std::size_t p) { return coupling * (0.5 + uniform(p * 4)); };
      const double a = i == 0 ? 0 : link(at), c = i + 1 == n ? 0 : link(at + 1);
      values[at] = static_cast<Real>(-a);
      values[at + field_stride] = static_cast<Real>(1 + uniform(at * 4 + 1) + a + c);
      values[at + 2 * field_stride] = static_cast<Real>(-c);
      values[at + 3 * field_stride] = static_cast<Real>(uniform(at * 4 + 2) - 0.5);
    }
  }
}

template <class Real>
__global__ void fill(Real* values, std::size_t n, Real value) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    values[i] = value;
}

/// max|v - ref| over 8·eps·(1 + coupling)·max|ref| of a system; matrix: 4 fields of n numbers.
template <class Real>
double error_over_bound(std::size_t n, const std::vector<std::vector<Real>>& m,
                        const std::vector<Real>& v) {
  std::vector<long double> d(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = m[1][i];
    x[i] = m[3][i];
    if (i == 0) continue;
    const long double f = m[0][i] / d[i - 1];
    d[i] -= f * m[2][i - 1];
    x[i] -= f * x[i - 1];
  }
  long double largest = 0, error = 0;
  for (std::size_t i = n; i-- > 0;) {
    x[i] = (x[i] - (i + 1 < n ? m[2][i] * x[i + 1] : 0)) / d[i];
    largest = std::max(largest, std::fabs(x[i]));
    const long double e = std::fabs(x[i] - static_cast<long double>(v[i]));
    if (!(e <= error)) error = e;  // keeps a NaN
  }
  return static_cast<double>(error /
                             (8 * static_cast<long double>(std::numeric_limits<Real>::epsilon()) *
                              (1 + static_cast<long double>(coupling)) * largest));
}

}  // namespace hillock::bench_thomas
