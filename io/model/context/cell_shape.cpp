#include "io/model/context/cell_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hillock::io {

CellShape shape_of(const models::Morphology& morphology) {
  CellShape shape;
  shape.known = !morphology.branches.empty();
  if (!shape.known) return shape;
  std::vector<double> lengths_um;
  lengths_um.reserve(morphology.branches.size());
  for (const auto& branch : morphology.branches) lengths_um.push_back(models::length_um(branch));
  const auto entries = models::path_entries(morphology, lengths_um);
  for (std::size_t b = 0; b < entries.size(); ++b) {
    const models::Branch& branch = morphology.branches[b];
    const models::PathEntry& entry = entries[b];
    shape.branches.push_back(
        {branch.name, branch.region, entry.distance_um,
         entry.distance_um + std::max(entry.arc_um, lengths_um[b] - entry.arc_um), false});
    if (branch.parent >= 0)
      shape.branches[static_cast<std::size_t>(branch.parent)].has_child = true;
    if (std::ranges::find(shape.regions, branch.region) == shape.regions.end())
      shape.regions.push_back(branch.region);
  }
  if (morphology.given) {
    std::vector<std::uint32_t> first{0};
    for (const models::Branch& branch : morphology.branches)
      first.push_back(first.back() + static_cast<std::uint32_t>(branch.compartments));
    shape.first_compartments = std::make_shared<const std::vector<std::uint32_t>>(std::move(first));
  }
  if (const auto& origin = morphology.origin)
    shape.origin = fmt::format("{}({:.6g})", shape.branches[origin->branch].name, origin->position);
  return shape;
}

CellShape shape_of(const models::RandomTree&) {
  CellShape shape;
  shape.known = true;
  shape.drawn = true;
  shape.regions = {"soma", "dend"};
  return shape;
}

bool CellShape::has_region(const std::string& name) const {
  return name == "all" || std::find(regions.begin(), regions.end(), name) != regions.end();
}

const BranchShape* CellShape::find_branch(const std::string& name) const {
  const auto found = std::find_if(branches.begin(), branches.end(),
                                  [&](const BranchShape& b) { return b.name == name; });
  return found == branches.end() ? nullptr : &*found;
}

std::vector<const BranchShape*> CellShape::branches_of(const std::string& region) const {
  std::vector<const BranchShape*> found;
  for (const auto& branch : branches)
    if (region == "all" || branch.region == region) found.push_back(&branch);
  if (found.empty())
    if (const auto* branch = find_branch(region)) found.push_back(branch);
  return found;
}

bool CellShape::selects_something(const models::Region& region) const {
  if (drawn) return true;
  return std::ranges::any_of(branches, [&](const BranchShape& branch) {
    return region.has_branch(branch.region, branch.name) &&
           (!region.distance_um || (branch.farthest_um >= region.distance_um->first &&
                                    branch.nearest_um <= region.distance_um->second));
  });
}

std::vector<std::string> CellShape::region_names() const {
  std::vector<std::string> names{"all"};
  names.insert(names.end(), regions.begin(), regions.end());
  for (const auto& [tag, region] : tags) names.push_back(tag);
  return names;
}

}  // namespace hillock::io
