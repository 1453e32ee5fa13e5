// Batches of Hines systems on the GPU: every layout, and one batch on several GPUs.
//
// Floor: a compartment's d, u and b are read once and its x is written once, 4 words; the tables'
// GB/s count what the method itself must move (HinesSchedule::bytes_moved: 9, 7 or 8 words). Times
// are medians between CUDA events over solves of different sets of values, at least 128 MB of them,
// so that no set waits in the L2 cache; conversions between layouts are timed apart.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "bench/gpu/clock.cuh"
#include "bench/gpu/hines.hpp"
#include "bench/hines_values.hpp"
#include "bench/reference.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

template <class T>
__global__ void fill_kernel(std::size_t n_systems, const int* tree_of_system,
                            const std::size_t* tree_first, const std::size_t* first,
                            const int* degree, T* diagonal, T* coupling, T* rhs) {
  for (std::size_t s = blockIdx.x; s < n_systems; s += gridDim.x) {
    const int* of_tree = degree + tree_first[tree_of_system[s]];
    for (std::size_t i = first[s] + threadIdx.x; i < first[s + 1]; i += blockDim.x) {
      const auto e = element<T>(i, of_tree[i - first[s]]);
      diagonal[i] = e.diagonal;
      coupling[i] = e.coupling;
      rhs[i] = e.rhs;
    }
  }
}

template <class T>
struct FlatOnDevice {
  DeviceArray<T> diagonal, coupling, rhs;
  explicit FlatOnDevice(const Forest& shape)
      : diagonal(shape.total()), coupling(shape.total()), rhs(shape.total()) {
    const DeviceArray<int> tree_of_system{shape.tree_of_system()}, degree{degrees(shape)};
    const DeviceArray<std::size_t> tree_first{shape.tree_first()}, first{shape.first()};
    fill_kernel<<<8192, 128>>>(shape.n_systems(), tree_of_system.data(), tree_first.data(),
                               first.data(), degree.data(), diagonal.data(), coupling.data(),
                               rhs.data());
    HILLOCK_CUDA(cudaGetLastError());
    HILLOCK_CUDA(cudaDeviceSynchronize());
  }
};

template <class T>
__global__ void difference_kernel(std::size_t n, const T* a, const T* b, unsigned* worst) {
  float most = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const float d = fabsf(static_cast<float>(a[i] - b[i]));
    most = d <= most ? most : (d == d ? d : INFINITY);
  }
  atomicMax(worst, __float_as_uint(most));
}

template <class T>
float largest_difference(const DeviceArray<T>& a, const DeviceArray<T>& b) {
  DeviceArray<unsigned> worst(std::vector<unsigned>{0u});
  difference_kernel<<<1024, 256>>>(a.size(), a.data(), b.data(), worst.data());
  const unsigned bits = worst.to_host()[0];
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Of a few systems, against long double. x: flat, on the device.
template <class T>
double error_of(const Forest& shape, const DeviceArray<T>& x) {
  double worst = 0;
  const std::vector<int> degree = degrees(shape);
  const std::size_t last = shape.n_systems() - 1;
  for (const std::size_t s : {std::size_t{0}, std::min<std::size_t>(1, last), last / 2, last}) {
    const std::size_t first = shape.first()[s], n = shape.first()[s + 1] - first;
    const auto tree = static_cast<std::size_t>(shape.tree_of(s));
    std::vector<T> diagonal, coupling, rhs, solved(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto e = element<T>(first + i, degree[shape.tree_first()[tree] + i]);
      diagonal.push_back(e.diagonal);
      coupling.push_back(e.coupling);
      rhs.push_back(e.rhs);
    }
    HILLOCK_CUDA(
        cudaMemcpy(solved.data(), x.data() + first, n * sizeof(T), cudaMemcpyDeviceToHost));
    const auto reference =
        tree_reference(shape.parent(tree), diagonal.data(), coupling.data(), rhs.data());
    worst = worse(worst, error_over_bound(std::span<const long double>(reference), solved.data(),
                                          hines_kappa));
  }
  return worst;
}

/// Median time of one solve on device 0. solution: of the first arrangement in, for comparison.
template <class T>
HinesResult measure(const Forest& shape, const HinesArrangement& arrangement,
                    const FlatOnDevice<T>& flat, DeviceArray<T>& solution,
                    StreamTuning tuning = {}) {
  const std::size_t bytes_of_set = 3 * shape.total() * sizeof(T);
  const int sets = static_cast<int>(std::clamp<std::size_t>((128u << 20) / bytes_of_set, 1, 64));
  const auto batch = hines_on_device<T>(shape, {arrangement, 0, sets, tuning});
  EventTimer timer(batch->stream());
  const auto refill = [&] {
    for (int k = 0; k < sets; ++k)
      batch->arrange(flat.diagonal.data(), flat.coupling.data(), flat.rhs.data(), k);
  };
  const auto solve_all = [&] {
    for (int k = 0; k < sets; ++k) batch->solve(k);
  };
  std::vector<double> us_of_runs;
  double arrange_us = 0;
  for (int run = 0; run < 6; ++run) {
    arrange_us = timer(refill) / sets;
    const double us = timer(solve_all) / sets;
    if (run > 0) us_of_runs.push_back(us);  // the first is warm-up
    if (us * sets > 1e5 && run >= 3) break;
  }
  DeviceArray<T> own(shape.total());
  const double gather_us = timer([&] { batch->gather(own.data(), sets - 1); });
  HinesResult result{arrangement.name(), summary(us_of_runs, static_cast<std::size_t>(sets)),
                     arrange_us, gather_us};
  result.error = error_of(shape, own);
  result.difference = 0;
  if (solution.size() == own.size())
    result.difference = largest_difference(own, solution);
  else
    solution = std::move(own);
  return result;
}

/// One batch cut over devices, a host thread each; the threads meet before and after every run.
template <class T>
class ManyDevices {
 public:
  ManyDevices(const Forest& shape, int n_devices, int solves, int in_flight)
      : shape_(shape),
        n_devices_(n_devices),
        in_flight_(in_flight),
        sets_((solves + in_flight - 1) / in_flight),
        cuts_(split_systems(shape, static_cast<std::size_t>(n_devices))) {}

  DevicesResult measure() {
    std::vector<std::thread> threads;
    for (int d = 0; d < n_devices_; ++d)
      threads.emplace_back([this, d] {
        try {
          solve_part(d);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!failure_) failure_ = std::current_exception();
          failed_ = true;
        }
      });
    for (auto& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    us_.erase(us_.begin());  // warm-up
    return {summary(us_, static_cast<std::size_t>(sets_)).us, error_};
  }

 private:
  void solve_part(int d) {
    HILLOCK_CUDA(cudaSetDevice(d));
    const Forest part =
        shape_.part(cuts_[static_cast<std::size_t>(d)], cuts_[static_cast<std::size_t>(d) + 1]);
    const FlatOnDevice<T> flat(part);
    std::vector<std::unique_ptr<HinesDevice<T>>> batches;
    for (int k = 0; k < in_flight_; ++k)
      batches.push_back(hines_on_device<T>(part, {HinesArrangement::streamed(), d, sets_}));
    const auto wait = [&] {
      for (auto& batch : batches) batch->synchronize();
    };
    for (int run = 0; run < 8; ++run) {
      for (auto& batch : batches)
        for (int k = 0; k < sets_; ++k)
          batch->arrange(flat.diagonal.data(), flat.coupling.data(), flat.rhs.data(), k);
      wait();
      if (!meet(2 * run)) return;
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < sets_; ++k)
        for (auto& batch : batches) batch->solve(k);
      wait();
      if (!meet(2 * run + 1)) return;  // until the last device is done
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      if (d == 0) us_.push_back(took.count() / (sets_ * in_flight_));
    }
    DeviceArray<T> own(part.total());
    batches.back()->gather(own.data(), sets_ - 1);
    wait();
    const double error = error_of(part, own);
    const std::lock_guard lock(mutex_);
    error_ = worse(error_, error);
  }

  /// Spins: a sleeper's waking would be part of the time. False when another device failed.
  bool meet(int round) {
    ++arrived_;
    while (arrived_.load() < n_devices_ * (round + 1))
      if (failed_.load()) return false;
    return true;
  }

  const Forest& shape_;
  int n_devices_, in_flight_, sets_;
  std::vector<std::size_t> cuts_;
  std::vector<double> us_;
  double error_ = 0;
  std::atomic<int> arrived_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

template <class T>
std::vector<HinesResult> measure_hines(const Forest& shape,
                                       const std::vector<HinesVariant>& variants) {
  const FlatOnDevice<T> flat(shape);
  DeviceArray<T> solution;
  std::vector<HinesResult> results;
  for (const HinesVariant& variant : variants) {
    results.push_back(measure(shape, variant.arrangement, flat, solution, variant.tuning));
    if (!variant.name.empty()) results.back().variant = variant.name;
  }
  return results;
}

template <class T>
DevicesResult measure_devices(const Forest& shape, int n_devices, int solves, int in_flight) {
  return ManyDevices<T>(shape, n_devices, solves, in_flight).measure();
}

template std::vector<HinesResult> measure_hines<float>(const Forest&,
                                                       const std::vector<HinesVariant>&);
template std::vector<HinesResult> measure_hines<double>(const Forest&,
                                                        const std::vector<HinesVariant>&);
template DevicesResult measure_devices<float>(const Forest&, int, int, int);
template DevicesResult measure_devices<double>(const Forest&, int, int, int);

}  // namespace hillock::bench
