#pragma once
// Batches of Hines systems on one GPU or several. Includes no CUDA header; a build without CUDA
// throws DeviceError here.

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/cuda/device.hpp"
#include "solver/hines_batch/schedule.hpp"
#include "solver/hines_batch/shape.hpp"
#include "solver/hines_batch/stream_tuning.hpp"

namespace hillock::solver::hines_batch {

/// A batch on one device: its schedule, and one or more sets of values (a benchmark rotates them).
/// Work is queued on one stream of its own and returns at once where it says so.
/// Every member throws DeviceError when a CUDA call fails.
template <class T>
class DeviceBatch {
 public:
  DeviceBatch(const BatchShape& shape, Arrangement arrangement, int device = 0, int n_sets = 1,
              StreamTuning tuning = {});
  DeviceBatch(DeviceBatch&&) noexcept;
  DeviceBatch& operator=(DeviceBatch&&) noexcept;
  ~DeviceBatch();

  /// The arrangement as it runs: block-shared may have become narrower.
  const Schedule& schedule() const;
  /// What the walk `stream` runs with.
  StreamTuning tuning() const;

  /// Copies flat values to the device and arranges them there.
  /// Throws MismatchedBatch when they are not the shape's.
  void upload(const FlatValues<T>& values, int set = 0);
  /// Arranges flat values that are on this device already. Queued.
  void arrange(const T* diagonal, const T* coupling, const T* rhs, int set = 0);
  /// Solves a set in place: its diagonals are destroyed (upload or arrange again), its couplings
  /// kept. Queued. Deterministic: the same bits every time.
  void solve(int set = 0);
  /// Gathers a set's solution to flat memory on this device. Queued.
  void gather(T* flat_solution, int set = 0);
  /// Waits, and returns the solution flat: [total].
  std::vector<T> solution(int set = 0);

  void synchronize();
  /// The cudaStream_t of this batch.
  void* stream() const;
  /// Device memory held for values, schedule and tables.
  std::size_t bytes_held() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One batch split over several devices into runs of systems with equal numbers of compartments.
template <class T>
class SplitBatch {
 public:
  SplitBatch(const BatchShape& shape, Arrangement arrangement, const std::vector<int>& devices);
  void upload(const FlatValues<T>& values);
  /// Queued on every device; all of them work at the same time.
  void solve();
  void synchronize();
  std::vector<T> solution();

 private:
  std::vector<std::size_t> first_;  // flat, [n_devices + 1]
  std::vector<DeviceBatch<T>> parts_;
};

/// Where a batch is cut for n devices: [n + 1] systems.
std::vector<std::size_t> split_systems(const BatchShape& shape, std::size_t n);

}  // namespace hillock::solver::hines_batch
