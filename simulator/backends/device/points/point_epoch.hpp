#pragma once
// What goes between host and device for one epoch of point neurons: each of two that are under way
// has its own.

#include <cstdint>

#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/backends/device/memory/stream_mark.hpp"

namespace hillock::simulator::on_device {

struct PointEpoch {
  std::int64_t first = 0;
  // Read by the device where they lie:
  PinnedArray<PointSpike> given;
  PinnedArray<PointInput> inputs;
  // Of the device, once it has come to `done`; the spikes stay there, too:
  PointSpike* log = nullptr;
  PinnedArray<PointSpike> told;     ///< the first of its spikes
  PinnedArray<unsigned> spikes{1};  ///< how many there are
  PinnedArray<Failure> failure{1};
  StreamMark done;
};

}  // namespace hillock::simulator::on_device
