#pragma once
// The text of the kernels of taped cells (kernels/taped_cells.hpp).

#include "simulator/backends/device/compiler/program_text.hpp"
#include "simulator/backends/device/taped/alike_cells.hpp"

namespace hillock::simulator::on_device {

/// Of an arithmetic that need not be the CPU's to the last bit quotients are quick.
enum class Quotients { exact, quick };

ProgramSource write_taped_program(const AlikeCells& cells, bool is_on_chip, int blocks_at_once,
                                  Quotients quotients);

}  // namespace hillock::simulator::on_device
