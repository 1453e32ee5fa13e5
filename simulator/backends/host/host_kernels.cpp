// Deliveries of spikes and reports, done by one thread of the host when somebody waits for them
// (simulator/backends/device/delivery/kernels.hpp).

#include "simulator/backends/device/delivery/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/backends/host/host_stream.hpp"

namespace hillock::simulator::on_device {

namespace {

void deliver(const DeliveryArrays& arrays, const DeliveryWork& work, unsigned* spike_count) {
  const Delivery delivery(arrays, work);
  if (arrays.state->halted != 0) return;
  if (!delivery.fits()) {
    arrays.state->halted = 1;
    return;
  }
  arrays.totals[1 - work.parity] = {};
  const OneThread alone;
  for (unsigned i = 0; i < delivery.arrivals(); ++i) delivery.arrive(i, alone);
  arrays.state->sent += delivery.new_count();
  *spike_count = 0;
  for (unsigned p = 0; p < delivery.totals().large; ++p) delivery.put_large(p, alone);
  for (unsigned cell = 0; cell < arrays.cells; ++cell) delivery.settle(cell);
  for (unsigned i = 0; i < std::min(delivery.totals().spilled, arrays.room_for_spilled); ++i)
    delivery.spread(i);
  for (unsigned k = 0; k < delivery.totals().long_cells; ++k)
    delivery.order(arrays.long_cells[k], alone);
}

}  // namespace

void start_delivery(const DeliveryArrays& arrays, const DeliveryWork& work, unsigned* spike_count,
                    device::Stream) {
  on_host::start([=] { deliver(arrays, work, spike_count); });
}

void start_counting(const DeliveryArrays& arrays, const DeliveryWork& work, device::Stream) {
  on_host::start([=] {
    const Delivery delivery(arrays, work);
    for (unsigned i = 0; i < delivery.arrivals(); ++i) delivery.count(i);
  });
}

void start_publishing(const GapAddress* ends, unsigned count, double* gap_values, device::Stream) {
  on_host::start([=] {
    for (unsigned i = 0; i < count; ++i) gap_values[ends[i].value] = *ends[i].at;
  });
}

void start_reading(const GapAddress* ends, unsigned count, const double* gap_values,
                   device::Stream) {
  on_host::start([=] {
    for (unsigned i = 0; i < count; ++i) *ends[i].at = gap_values[ends[i].value];
  });
}

void start_potentials(const PotentialWork& work, device::Stream) {
  on_host::start([=] {
    const std::size_t contacts = work.blocks * solver::contacts_at_once;
    for (unsigned c = 0; c < work.cell_count; ++c) {
      const MappedCell& cell = work.cells[c];
      for (std::size_t sample = 0; sample < work.samples; ++sample)
        for (std::size_t contact = 0; contact < contacts; ++contact) {
          const double* const currents =
              work.currents + sample * work.row_length + cell.first_column;
          double potential = 0;
          for (std::size_t column = 0; column < cell.columns; ++column)
            potential =
                std::fma(work.maps[cell.map + solver::place_in_map(column, contact, cell.columns)],
                         currents[column], potential);
          double* const sums = work.sums + sample * solver::sums_size(contacts);
          ExactSum::add(potential, [&](std::size_t part, double some) {
            sums[solver::place_in_sums(part, contact)] += some;
          });
        }
    }
  });
}

void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, DeliveryState* state, EpochReport* report,
                  std::uint64_t number, device::Stream) {
  on_host::start([=] {
    const unsigned count = *spikes.count;
    std::copy_n(spikes.spikes, std::min(count, spikes.room), spikes.to);
    write_report(spikes, count, failure, delivered, *state, *report);
    report->number = number;
  });
}

}  // namespace hillock::simulator::on_device
