#pragma once
// The headers that kernels are compiled with, as texts in the program. The build writes them
// (cmake/embed_texts.cmake).

#include <span>

namespace hillock::simulator::on_device {

struct DeviceHeader {
  const char* name;  ///< as it is included
  const char* text;
};

std::span<const DeviceHeader> device_headers();

}  // namespace hillock::simulator::on_device
