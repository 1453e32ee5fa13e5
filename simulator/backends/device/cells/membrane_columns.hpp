#pragma once
// Recorded membrane currents that go to their sample as they are made, not read from memory again.

#include <optional>
#include <vector>

#include "simulator/backends/device/cells/cells.hpp"

namespace hillock::simulator::on_device {

/// Those of one recording, at most one of each row. They are a cell's last columns.
struct MembraneColumns {
  std::optional<std::uint32_t> recording;
  std::vector<unsigned> begin;  ///< [cell] the first of them among samples
};

/// Takes them of the recording that has most, and puts the samples of each cell in that order.
MembraneColumns order_samples(Cells& cells);

}  // namespace hillock::simulator::on_device
