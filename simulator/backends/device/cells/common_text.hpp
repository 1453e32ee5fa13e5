#pragma once
// Kinds of cells with the same mechanisms have one text where they may, and so one code on the
// device: codes drive each other out of caches of instructions (decision 0066).

#include <map>
#include <vector>

#include "simulator/backends/device/cells/launch_shape.hpp"

namespace hillock::simulator::on_device {

/// Of all kinds of a run, whose cells it counts, in their order: as shape_of() says or, where cells
/// share blocks and kinds differ in trees and numbers alone, with what these have in common.
std::vector<LaunchShape> shapes_of(const std::map<Signature, Cells>& kinds, DeviceLimits limits,
                                   models::Precision precision, bool sets_assigned);

}  // namespace hillock::simulator::on_device
