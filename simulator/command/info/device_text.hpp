#pragma once
// What a network comes to on a GPU, for `hillock info`.

#include "io/json/json.hpp"
#include "simulator/backends/device_report.hpp"

namespace hillock::command {

io::Json to_json(const simulator::DeviceReport& report);

/// On standard output, as `info` prints.
void print_device(const simulator::DeviceReport& report);

}  // namespace hillock::command
