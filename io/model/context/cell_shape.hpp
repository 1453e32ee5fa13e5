#pragma once
// What the reader must know of a morphology to check locations on it: names, extents, tips.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cell.hpp"
#include "models/morphology.hpp"

namespace hillock::io {

/// One branch: its names and how far from the origin of distances its nearest and its farthest
/// place lie.
struct BranchShape {
  std::string name;
  std::string region;
  double nearest_um = 0;
  double farthest_um = 0;
  bool has_child = false;
};

/// A cell's branches, or only its regions when each cell's tree is drawn.
struct CellShape {
  bool known = false;
  bool drawn = false;  ///< a random tree: regions are known, branches are not
  /// Of a cell that is given in compartments: as in models::CompartmentRows; or null.
  std::shared_ptr<const std::vector<std::uint32_t>> first_compartments;
  std::vector<BranchShape> branches;
  std::vector<std::string> regions;
  std::string origin = "the soma";  ///< of distances, as messages call it
  /// Custom tags of `regions:`, each with what it stands for.
  std::map<std::string, models::Region> tags;

  bool is_given() const { return first_compartments != nullptr; }
  bool has_region(const std::string& name) const;
  const BranchShape* find_branch(const std::string& name) const;
  /// The branches of a region in file order; `all` gives every branch.
  std::vector<const BranchShape*> branches_of(const std::string& region) const;
  /// True when some part of `region` lies within its distance range (or that cannot be told).
  bool selects_something(const models::Region& region) const;
  /// Region names, tags and "all"; the names a region may be given by, for suggestions.
  std::vector<std::string> region_names() const;
};

CellShape shape_of(const models::Morphology& morphology);
CellShape shape_of(const models::RandomTree& tree);

}  // namespace hillock::io
