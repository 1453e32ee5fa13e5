#include "simulator/backends/cpu/block_view.hpp"

#include <utility>

#include "mechanisms/settling.hpp"

namespace hillock::simulator::cpu {

mechanisms::InstanceBlock view_of(MechanismBlock& block, std::size_t lanes) {
  mechanisms::InstanceBlock view{lanes, block.count, block.columns.data(), block.nodes.data(),
                                 block.area_factors.data()};
  view.own_areas = block.own_areas;
  view.aligned = block.aligned;
  view.uniform = block.uniform;
  view.lanes_differ = block.lanes_differ;
  return view;
}

void initialise(MechanismBlock& block, mechanisms::InstanceBlock& view, std::size_t lanes,
                std::size_t packs, const mechanisms::KernelTime& start, const double* v) {
  const auto& kernels = block.mechanism->kernels(static_cast<int>(lanes));
  if (!block.uniform) return kernels.initialise(view, start, v);
  // INITIAL may give variables that are no states a number in each instance.
  LaneArray all = block.unfolded(lanes);
  view.columns = all.data();
  view.uniform = false;
  kernels.initialise(view, start, v);
  block.put(std::move(all), lanes, packs);
  view.columns = block.columns.data();
  view.uniform = block.uniform;
  view.lanes_differ = block.lanes_differ;
}

void settle(MechanismBlock& block, std::size_t lanes) {
  const mechanisms::MechanismInfo& info = *block.mechanism->info;
  for (int c = mechanisms::first_settled(info); c < info.count(); ++c) {
    double* column = block.columns.data() + block.index_of(lanes, static_cast<std::size_t>(c), 0);
    for (std::size_t i = 0; i < block.count * lanes; ++i)
      column[i] = mechanisms::settled(column[i]);
  }
}

}  // namespace hillock::simulator::cpu
