#include "simulator/backends/device/points/child_grids.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/program/own_libraries.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

const ChildGrids& load_child_grids() {
  constexpr const char* name = "libhillock-child-grids.so";
  const auto place = find_own_file(name);
  if (!place)
    throw solver::DeviceUnusable(
        fmt::format("run.propagation: spikes and spike_blocks need {}, which is not there", name));
  void* const library = dlopen(place->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw solver::DeviceUnusable(fmt::format("{} cannot be loaded: {}", name, dlerror()));
  const auto* const grids = static_cast<const ChildGrids*>(dlsym(library, child_grids_name));
  if (grids && grids->network_bytes == sizeof(PointNetwork)) return *grids;
  throw solver::DeviceUnusable(
      fmt::format("{}: is of another version of hillock", place->string()));
}

}  // namespace hillock::simulator::on_device
