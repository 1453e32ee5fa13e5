#pragma once
// Batches of Hines systems on one GPU or several. Includes no CUDA header; a build without CUDA
// throws DeviceError here.

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/batch.hpp"
#include "solver/batches/hines_batch/schedule.hpp"
#include "solver/batches/hines_batch/stream_tuning.hpp"
#include "solver/cuda/device.hpp"

struct CUstream_st;

namespace hillock::solver {

struct HinesOptions {
  HinesArrangement arrangement = HinesArrangement::streamed();
  int device = 0;
  int n_sets = 1;            ///< of values (a benchmark rotates them)
  StreamTuning tuning = {};  ///< of the walk `stream`
};

/// A batch on one device: its schedule, and one or more sets of values. T: float or double.
/// Work is queued on one stream of its own and returns at once where it says so.
/// Every member throws DeviceError when a CUDA call fails.
template <class T>
class HinesDevice {
 public:
  virtual ~HinesDevice() = default;

  /// The arrangement as it runs: block-shared may have become narrower.
  virtual const HinesSchedule& schedule() const = 0;
  /// What the walk `stream` runs with.
  virtual StreamTuning tuning() const = 0;

  /// Copies flat values to the device and arranges them there.
  /// Throws InvalidBatch when they are not the forest's.
  virtual void upload(const BatchValues<T>& values, int set = 0) = 0;
  /// Arranges flat values that are on this device already. Queued.
  virtual void arrange(const T* diagonal, const T* coupling, const T* rhs, int set = 0) = 0;
  /// Solves a set in place: its diagonals are destroyed (upload or arrange again), its couplings
  /// kept. Queued. Deterministic: the same bits every time.
  virtual void solve(int set = 0) = 0;
  /// Gathers a set's solution to flat memory on this device. Queued.
  virtual void gather(T* flat_solution, int set = 0) = 0;
  /// Waits, and returns the solution flat: [total].
  virtual std::vector<T> solution(int set = 0) = 0;

  virtual void synchronize() = 0;
  virtual CUstream_st* stream() const = 0;
  /// Device memory held for values, schedule and tables.
  virtual std::size_t bytes_held() const = 0;
};

/// Sets a batch up on a device. Throws UsageError for options out of range, DeviceError when CUDA
/// fails or the build has none.
template <class T>
std::unique_ptr<HinesDevice<T>> hines_on_device(const Forest& forest,
                                                const HinesOptions& options = {});

/// One batch split over several devices into runs of systems with equal numbers of compartments.
template <class T>
class SplitBatch {
 public:
  SplitBatch(const Forest& forest, HinesArrangement arrangement, const std::vector<int>& devices);
  void upload(const BatchValues<T>& values);
  /// Queued on every device; all of them work at the same time.
  void solve();
  void synchronize();
  std::vector<T> solution();

 private:
  Forest forest_;
  std::vector<std::size_t> first_;  // flat, [n_devices + 1]
  std::vector<std::unique_ptr<HinesDevice<T>>> parts_;
};

/// Where a batch is cut for n devices: [n + 1] systems.
std::vector<std::size_t> split_systems(const Forest& forest, std::size_t n);

}  // namespace hillock::solver
