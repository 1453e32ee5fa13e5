#pragma once
// The kernels that the build compiles, behind plain functions: those of spikes, which are the same
// for every model. Those of cells are assembled for each (program_source.hpp).

#include <cuda_runtime.h>

#include "simulator/backends/cuda/device/delivery.hpp"

namespace hillock::simulator::cuda {

/// How much of a delivery is done: all, or as much as says how much room it takes.
enum class DeliveryPhases { all, find };

/// Starts a delivery (device/delivery.hpp).
void start_delivery(const DeliveryArrays& arrays, const DeliveryWork& work, DeliveryPhases phases,
                    cudaStream_t stream);

/// What the host is told at an epoch's end.
struct EpochReport {
  unsigned spikes = 0;
  Failure failure{};
  DeliveryTotals delivered{};
};

/// Where spikes are collected during an epoch, and where they go at its end.
struct ReportedSpikes {
  const Spike* spikes;
  unsigned* count;  ///< 0 afterwards
  Spike* to;        ///< host memory
  unsigned room;    ///< there
};

/// Writes the report and the first spikes to host memory. delivered: or null.
void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, EpochReport* report, cudaStream_t stream);

}  // namespace hillock::simulator::cuda
