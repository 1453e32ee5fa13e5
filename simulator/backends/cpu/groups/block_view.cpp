#include "simulator/backends/cpu/groups/block_view.hpp"

#include <utility>

#include "mechanisms/settling.hpp"
#include "solver/lanes/sweep.hpp"

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
                std::size_t packs, const mechanisms::CpuKernels& kernels,
                const mechanisms::KernelTime& start, const double* v) {
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

namespace {

/// The array of a concentration that is an ion's, [row][lane], or null where the column is the
/// instance's own.
double* array_of_ion(const mechanisms::MechanismInfo& info, const mechanisms::InstanceBlock& view,
                     int column) {
  if (!view.shared) return nullptr;
  for (int k = 0; k < info.coupling_count; ++k)
    if (info.couplings[k].column == column) return view.shared[k];
  return nullptr;
}

}  // namespace

void diffuse(const MechanismBlock& block, const mechanisms::InstanceBlock& view, double dt_ms) {
  if (block.links.empty()) return;
  const mechanisms::MechanismInfo& info = *block.mechanism->info;
  // Of cells of one tree a pack has its links; else each cell its own.
  const std::size_t parts = block.first_link.size() - 1;
  const bool in_packs = !block.own_areas;
  const auto& kernels = solver::sweep_kernels(in_packs ? static_cast<int>(view.lanes) : 1);
  for (int d = 0; d < info.diffusion_count; ++d) {
    const mechanisms::Diffusion& diffusion = info.diffusions[d];
    double* const of_ion = array_of_ion(info, view, diffusion.state);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t lane = in_packs ? 0 : part % view.lanes, first = block.first_link[part];
      const auto column = [&](int variable) {
        return view.columns + block.index_of(view.lanes, static_cast<std::size_t>(variable), lane);
      };
      kernels.diffuse({.links = block.links.data() + first,
                       .count = static_cast<int>(block.first_link[part + 1] - first),
                       .dt_ms = dt_ms,
                       .stride = view.lanes,
                       .is_by_row = of_ion != nullptr,
                       .amounts = of_ion ? of_ion + lane : column(diffusion.state),
                       .coefficients = column(diffusion.coefficient),
                       .volumes = column(diffusion.volume),
                       .pivots = column(diffusion.pivot)});
    }
  }
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
