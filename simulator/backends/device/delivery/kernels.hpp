#pragma once
// The kernels that the build compiles, behind plain functions: those of spikes, of gap junctions'
// values and of potentials outside, which are the same for every model. Those of cells are
// assembled for each (program_source.hpp).

#include <cstdint>

#include "simulator/backends/device/kernels/delivery.hpp"
#include "simulator/backends/device/kernels/potential_sums.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

/// Starts a delivery (kernels/delivery.hpp). Without room it is not done, nor is any other until
/// somebody resets DeliveryState::halted. spike_count becomes 0: new spikes were taken in.
void start_delivery(const DeliveryArrays& arrays, const DeliveryWork& work, unsigned* spike_count,
                    device::Stream stream);

/// Counts events and large pieces that a delivery would have, were all pieces large.
void start_counting(const DeliveryArrays& arrays, const DeliveryWork& work, device::Stream stream);

/// An end of a gap junction: what it gives, or the number that what its peer gives goes to.
struct GapAddress {
  double* at = nullptr;
  std::uint32_t value = 0;  ///< as network::GapValues numbers them
};

/// Puts what ends give among all values, and what their peers give where it is read.
void start_publishing(const GapAddress* ends, unsigned count, double* gap_values,
                      device::Stream stream);
void start_reading(const GapAddress* ends, unsigned count, const double* gap_values,
                   device::Stream stream);

/// Adds the potentials of all cells to sums. A cell's is one chain of fused multiply-adds over its
/// columns in their order, as solver::add_potentials has it.
void start_potentials(const PotentialWork& work, device::Stream stream);

/// What the host is told at an epoch's end.
struct EpochReport {
  std::uint64_t number = 0;  ///< written when all the rest is there
  unsigned spikes = 0;
  bool is_halted = false;  ///< nothing has been done
  Failure failure{};
  DeliveryTotals delivered{};
};

/// Where spikes are collected during an epoch, and where they go at its end.
struct ReportedSpikes {
  const Spike* spikes;
  unsigned* count;
  bool are_taken_in;  ///< by a delivery, which resets `count`; otherwise the report does
  Spike* to;          ///< host memory
  unsigned room;      ///< there; with more, all that follows is halted until the host has them
};

/// What a report says beside its number and the spikes, of which there are `count`. The epoch's
/// spikes are done with then, or all that follows is halted.
HILLOCK_FUNCTION void write_report(const ReportedSpikes& spikes, unsigned count,
                                   const Failure* failure, const DeliveryTotals* delivered,
                                   DeliveryState& state, EpochReport& report) {
  report.spikes = count;
  report.failure = *failure;
  report.delivered = delivered ? *delivered : DeliveryTotals{};
  report.is_halted = state.halted != 0;
  if (count > spikes.room) state.halted = 1;
  if (!spikes.are_taken_in) *spikes.count = 0;
}

/// Writes the report of that number and the first spikes to host memory. delivered: or null, where
/// there are no deliveries.
void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, DeliveryState* state, EpochReport* report,
                  std::uint64_t number, device::Stream stream);

}  // namespace hillock::simulator::on_device
