#pragma once
// The text of the kernels of taped cells (kernels/taped_cells.hpp).

#include "simulator/backends/device/compiler/program_text.hpp"
#include "simulator/backends/device/taped/alike_cells.hpp"

namespace hillock::simulator::on_device {

/// Of an arithmetic that need not be the CPU's to the last bit quotients are quick.
enum class Quotients { exact, quick };

ProgramSource write_taped_program(const AlikeCells& cells, Quotients quotients);

}  // namespace hillock::simulator::on_device
