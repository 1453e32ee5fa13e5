#include "solver/cable/extracellular.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/containers/memory_size.hpp"
#include "core/errors/errors.hpp"
#include "models/region_index.hpp"
#include "solver/cable/cut_piece.hpp"

namespace hillock::solver {

namespace {

class ExtracellularBuilder {
 public:
  ExtracellularBuilder(const Template& cut, const models::CableCell& cell, const CutFor& of)
      : cut_(cut), cell_(cell), of_(of), regions_(cell.regions) {
    const std::size_t nodes = cut.node_count();
    result_.has.assign(nodes, 0);
    result_.layers.resize(cell.layer_count());
    places_.resize(nodes);
    half_MOhm_.assign(result_.layers.size(), std::vector<double>(nodes, 0));
    for (Extracellular::Layer& layer : result_.layers)
      for (std::vector<double>* column : {&layer.along_uS, &layer.across_uS, &layer.capacitance_nF})
        column->assign(nodes, 0);
  }

  Extracellular take() {
    for (std::size_t b = 0; b < cut_.branches.size(); ++b) fill_branch(b);
    result_.has[0] = result_.has[index(cut_.branches.front().first_node)];
    for (std::size_t b = 0; b < cut_.branches.size(); ++b) join_branch(b);
    for (std::size_t l = 0; l < result_.layers.size() && !cell_.layers_are_tied; ++l)
      refuse_afloat(l);
    return std::move(result_);
  }

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }

  void fill_branch(std::size_t b) {
    const DiscreteBranch& branch = cut_.branches[b];
    regions_.find(cut_.name_of(b).region, cut_.name_of(b).name, found_);
    for (int node = branch.first_node; node < branch.end_node; ++node)
      if (const models::RegionSettings* settings = settings_at(index(node)))
        fill(b, index(node), *settings);
    result_.has[index(branch.end_node)] = result_.has[index(branch.end_node) - 1];
  }

  /// Those of the last region there that has layers.
  const models::RegionSettings* settings_at(std::size_t node) {
    const models::RegionSettings* last = nullptr;
    for (const std::size_t i : found_) {
      const models::RegionSettings& settings = cell_.regions[i];
      if (!settings.layers.empty() && in_range(settings.region, cut_.location(node).distance_um))
        last = &settings;
    }
    return last;
  }

  void fill(std::size_t b, std::size_t node, const models::RegionSettings& settings) {
    const DiscreteBranch& branch = cut_.branches[b];
    const models::PieceOfBranch piece{b, static_cast<int>(node) - branch.first_node,
                                      branch.compartments};
    const CutPiece here{cut_.name_of(b).name, cut_.location(node), cut_.diameter_um(node), piece};
    if (settings.layers.size() != result_.layers.size())
      reject(settings.region.place,
             fmt::format("{} has {} extracellular layer, and another region of the cell {}",
                         cut_.describe(NodeId(static_cast<int>(node))), settings.layers.size(),
                         result_.layers.size()));
    result_.has[node] = 1;
    places_[node] = settings.region.place;
    const double area_um2 = cut_.area_um2(node);
    for (std::size_t l = 0; l < result_.layers.size(); ++l) {
      const models::ExtracellularLayer& layer = settings.layers[l];
      // MOhm/cm · um = 1e-4 MOhm
      half_MOhm_[l][node] = 1e-4 * value_for(of_, layer.xraxial_MOhm_per_cm, here) *
                            (branch.length_um / branch.compartments / 2);
      // S/cm2 · um2 = 1e-8 S = 1e-2 uS, uF/cm2 · um2 = 1e-5 nF
      result_.layers[l].across_uS[node] =
          1e-2 * value_for(of_, layer.xg_S_per_cm2, here) * area_um2;
      result_.layers[l].capacitance_nF[node] =
          1e-5 * value_for(of_, layer.xc_uF_per_cm2, here) * area_um2;
    }
  }

  void join_branch(std::size_t b) {
    const DiscreteBranch& branch = cut_.branches[b];
    for (int n = branch.first_node; n <= branch.end_node; ++n) {
      const std::size_t node = index(n), above = index(cut_.parent[node]);
      if (!result_.has[node] || !result_.has[above]) continue;
      for (std::size_t l = 0; l < result_.layers.size(); ++l) {
        const double before = n == branch.first_node ? 0 : half_MOhm_[l][above];
        result_.layers[l].along_uS[node] = 1 / (before + half_MOhm_[l][node]);
      }
    }
  }

  /// A part of a layer of which no node conducts across it takes any potential.
  void refuse_afloat(std::size_t l) const {
    const Extracellular::Layer& layer = result_.layers[l];
    std::vector<std::size_t> part(cut_.node_count());  // [node] the first node of its part
    std::vector<char> is_tied(cut_.node_count(), 0);   // [first node]
    for (std::size_t n = 0; n < part.size(); ++n) {
      part[n] = layer.along_uS[n] > 0 ? part[index(cut_.parent[n])] : n;
      if (layer.across_uS[n] > 0 || layer.capacitance_nF[n] > 0) is_tied[part[n]] = 1;
    }
    for (std::size_t n = 0; n < part.size(); ++n)
      if (cut_.location(n).is_compartment && result_.has[n] && !is_tied[part[n]])
        reject(places_[n], fmt::format("xg[{0}] and xc[{0}] are 0 all around {1}: nothing ties the "
                                       "extracellular layer there to ground",
                                       l, cut_.describe(NodeId(static_cast<int>(n)))));
  }

  const Template& cut_;
  const models::CableCell& cell_;
  const CutFor& of_;
  models::RegionIndex regions_;
  std::vector<std::size_t> found_;
  std::vector<Place> places_;                   ///< [node] of what says that there are layers
  std::vector<std::vector<double>> half_MOhm_;  ///< [layer][node] from its middle to its end
  Extracellular result_;
};

}  // namespace

std::size_t Extracellular::bytes() const {
  std::size_t bytes = sizeof(*this) + bytes_of(has);
  for (const Layer& layer : layers)
    bytes += bytes_of(layer.along_uS) + bytes_of(layer.across_uS) + bytes_of(layer.capacitance_nF);
  return bytes;
}

std::shared_ptr<const Extracellular> extracellular_of(const Template& cut,
                                                      const models::CableCell& cell,
                                                      const CutFor& of) {
  if (cell.layer_count() == 0) return nullptr;
  return std::make_shared<const Extracellular>(ExtracellularBuilder(cut, cell, of).take());
}

}  // namespace hillock::solver
