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

namespace {

/// One diffusing state of one lane's instances.
struct LaneNumbers {
  double *amounts = nullptr, *coefficients = nullptr, *volumes = nullptr, *pivots = nullptr;
  std::size_t lanes = 1;
  bool by_row = false;  ///< the amounts

  double& number(double* column, int index) const {
    return column[static_cast<std::size_t>(index) * lanes];
  }
  double& amount(const mechanisms::DiffusionLink& link) const {
    return number(amounts, by_row ? link.row : link.instance);
  }
  double& coefficient(const mechanisms::DiffusionLink& link) const {
    return number(coefficients, link.instance);
  }
  double& volume(const mechanisms::DiffusionLink& link) const {
    return number(volumes, link.instance);
  }
  double& pivot(const mechanisms::DiffusionLink& link) const {
    return number(pivots, link.instance);
  }
};

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
  const mechanisms::MechanismInfo& info = *block.mechanism->info;
  for (int d = 0; d < info.diffusion_count; ++d) {
    const mechanisms::Diffusion& diffusion = info.diffusions[d];
    double* const of_ion = array_of_ion(info, view, diffusion.state);
    for (std::size_t cell = 0; cell + 1 < block.first_link.size(); ++cell) {
      const std::size_t lane = cell % view.lanes, first = block.first_link[cell];
      const auto column = [&](int variable) {
        return view.columns + block.index_of(view.lanes, static_cast<std::size_t>(variable), lane);
      };
      const LaneNumbers numbers{of_ion ? of_ion + lane : column(diffusion.state),
                                column(diffusion.coefficient),
                                column(diffusion.volume),
                                column(diffusion.pivot),
                                view.lanes,
                                of_ion != nullptr};
      mechanisms::diffuse(block.links.data() + first,
                          static_cast<int>(block.first_link[cell + 1] - first), dt_ms, numbers);
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
