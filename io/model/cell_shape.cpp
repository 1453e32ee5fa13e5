#include "io/model/cell_shape.hpp"

#include <algorithm>
#include <cmath>

namespace hillock::io {

CellShape shape_of(const models::Morphology& morphology) {
  CellShape shape;
  shape.known = !morphology.branches.empty();
  // Distances count from the middle of the soma when the root is one, else from the root's 0 end.
  double root_middle = 0;
  if (shape.known && morphology.branches[0].region == "soma")
    root_middle = models::length_um(morphology.branches[0]) / 2;
  for (const auto& branch : morphology.branches) {
    BranchShape entry{branch.name, branch.region, 0, 0, false};
    const double length = models::length_um(branch);
    if (branch.parent >= 0 && branch.parent < static_cast<int>(shape.branches.size())) {
      auto& parent = shape.branches[static_cast<std::size_t>(branch.parent)];
      parent.has_child = true;
      if (branch.parent == 0 && root_middle > 0)
        entry.start_um = std::abs(branch.at - 0.5) * 2 * root_middle;
      else
        entry.start_um = parent.start_um + branch.at * (parent.end_um - parent.start_um);
      entry.end_um = entry.start_um + length;
    } else {
      entry.end_um = root_middle > 0 ? root_middle : length;
    }
    if (std::find(shape.regions.begin(), shape.regions.end(), branch.region) == shape.regions.end())
      shape.regions.push_back(branch.region);
    shape.branches.push_back(std::move(entry));
  }
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
  const auto has_some_of = [&](const std::string& name) {
    return std::ranges::any_of(branches_of(name), [&](const BranchShape* branch) {
      return !region.distance_um || (branch->end_um >= region.distance_um->first &&
                                     branch->start_um <= region.distance_um->second);
    });
  };
  return has_some_of(region.name) || std::ranges::any_of(region.also, has_some_of);
}

std::vector<std::string> CellShape::region_names() const {
  std::vector<std::string> names{"all"};
  names.insert(names.end(), regions.begin(), regions.end());
  for (const auto& [tag, region] : tags) names.push_back(tag);
  return names;
}

}  // namespace hillock::io
