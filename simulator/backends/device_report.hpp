#pragma once
// What a network comes to on a GPU, as an engine tells of it. Plain numbers; a build without CUDA
// has the types, too.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hillock::simulator {

/// What memory of a device is for.
enum class DeviceUse { cells, connections, events, samples };

inline constexpr std::array<std::pair<DeviceUse, const char*>, 4> device_uses{
    {{DeviceUse::cells, "cells"},
     {DeviceUse::connections, "connections"},
     {DeviceUse::events, "events and spikes"},
     {DeviceUse::samples, "samples"}}};

class DeviceBytes {
 public:
  std::uint64_t& of(DeviceUse use) { return bytes_[static_cast<std::size_t>(use)]; }
  std::uint64_t of(DeviceUse use) const { return bytes_[static_cast<std::size_t>(use)]; }
  std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : bytes_) sum += bytes;
    return sum;
  }

 private:
  std::array<std::uint64_t, device_uses.size()> bytes_{};
};

/// Cells that share a kernel.
struct DeviceKind {
  std::string population;
  std::vector<std::string> mechanisms;
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;  ///< of all of them: compartments, and points where branches meet
  int fewest_rows = 0, most_rows = 0;
  int threads = 0;  ///< a cell
  std::string solver;
  int registers = 0;               ///< a thread
  std::uint64_t local_bytes = 0;   ///< a thread: arrays, and what registers had no room for
  std::uint64_t shared_bytes = 0;  ///< a block
  int block_threads = 0;
  int blocks = 0;                   ///< that run on a multiprocessor at once
  int warps = 0, most_warps = 0;    ///< on a multiprocessor
  std::uint64_t cells_at_once = 0;  ///< on the device
  std::uint64_t bytes = 0;
};

/// Grids that a device was to start by itself (run.propagation: spikes, spike_blocks).
struct StartedGrids {
  std::uint64_t started = 0;
  std::uint64_t refused = 0;  ///< too many waited: their work was done without them
};

/// Some steps in which spikes of point neurons were passed one way.
struct PropagationTurn {
  std::string way;                             ///< as run.propagation has it
  std::int64_t first_step = 0, last_step = 0;  ///< [first, last)
  std::uint64_t spikes = 0;
  double device_s = 0;  ///< that the device took for these steps
};

struct DeviceReport {
  std::string device;
  DeviceBytes bytes;
  std::uint64_t free_bytes = 0, total_bytes = 0;  ///< before any was taken
  std::vector<DeviceKind> kinds;
  std::size_t kernels = 0;  ///< different ones: some kinds may share theirs
  StartedGrids grids;
  std::vector<std::string> propagation;  ///< of spikes of point neurons: take turns
  std::string propagation_reason;        ///< why so; empty where there are none
  std::vector<PropagationTurn> turns;    ///< of the steps that are done
};

}  // namespace hillock::simulator
