#pragma once
// The tables of an image as kernels read them (kernels/views.hpp, Image).

#include <vector>

#include "simulator/backends/device/cells/launch_shape.hpp"

namespace hillock::simulator::on_device {

/// Puts the tables of one image behind those of others, in words of 8 bytes.
Image write_image(const Cells& cells, const LaunchShape& shape, const ImagePart& part,
                  std::vector<double>& words);

}  // namespace hillock::simulator::on_device
