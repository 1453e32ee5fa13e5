#pragma once
// The kernels that the build compiles, behind plain functions: those of spikes, which are the same
// for every model. Those of cells are assembled for each (program_source.hpp).

#include <cuda_runtime.h>

#include <cstdint>

#include "simulator/backends/cuda/device/delivery.hpp"

namespace hillock::simulator::cuda {

/// Starts a delivery (device/delivery.hpp), for which there must be room.
void start_delivery(const DeliveryArrays& arrays, const DeliveryWork& work, cudaStream_t stream);

/// Counts events and large pieces that a delivery would have, were all pieces large.
void start_counting(const DeliveryArrays& arrays, const DeliveryWork& work, cudaStream_t stream);

/// What the host is told at an epoch's end.
struct EpochReport {
  std::uint64_t number = 0;  ///< written when all the rest is there
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

/// Writes the report of that number and the first spikes to host memory. delivered: or null.
void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, EpochReport* report, std::uint64_t number,
                  cudaStream_t stream);

}  // namespace hillock::simulator::cuda
