#pragma once
// Cuts a morphology into compartments and gives the constant part of its cable matrix.
// Compartments and zero-area nodes are NEURON's; docs/cable.md has the equations.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/expressions/expression.hpp"
#include "core/ids.hpp"
#include "models/cell.hpp"

namespace hillock::solver {

/// Where one node of a discretised cell lies.
struct NodeLocation {
  bool is_compartment = true;  ///< false: a zero-area node at the end of a branch
  double position = 0;     ///< along the branch, 0 to 1; a compartment's centre, or a branch's end
  double distance_um = 0;  ///< path length from the middle of the soma; without one, from the root
  double x_um = 0;
  double y_um = 0;
  double z_um = 0;

  bool operator==(const NodeLocation&) const = default;
};

/// What nodes have besides their parents; cells whose nodes have the same share them.
struct NodeColumns {
  std::vector<double> coupling_uS;  ///< to the parent
  std::vector<double> area_um2;     ///< 0 at zero-area nodes
  std::vector<double> diameter_um;  ///< mean over a compartment's length
  std::vector<double> capacitance_nF;
  std::vector<NodeLocation> locations;
};

/// One branch in compartments.
struct DiscreteBranch {
  int parent = -1;
  double at = 1;
  double length_um = 0;
  int compartments = 1;
  int start_node = 0;  ///< the zero-area node or compartment that the 0 end joins
  int first_node = 0;  ///< of the first compartment; the others follow
  int end_node = 0;    ///< the zero-area node at the 1 end, after the last compartment
  bool is_tip = true;  ///< no other branch joins it beyond its 0 end

  bool operator==(const DiscreteBranch&) const = default;
};

/// What a branch is called, as in models::Branch.
struct BranchName {
  std::string name, region;
};

struct Extracellular;

/// A discretised cell. Node 0 is the zero-area node at the root branch's 0 end; a parent precedes
/// its children.
struct Template {
  std::vector<DiscreteBranch> branches;
  std::shared_ptr<const std::vector<BranchName>> names;  ///< [branch], and maybe more
  std::vector<int> parent;                               ///< [node], -1 for node 0
  std::shared_ptr<const NodeColumns> columns;
  std::vector<int> like;  ///< [node] where in the columns its own are; empty: at its number
  std::shared_ptr<const Extracellular> extracellular;  ///< what lies around it; null: nothing
  /// A cell whose nodes lie as this one's, though it may have numbers of its own there; or null.
  std::shared_ptr<const Template> same_nodes;

  /// Equal for cells whose nodes are known to lie alike.
  const Template* nodes() const { return same_nodes ? same_nodes.get() : this; }
  std::size_t node_count() const { return parent.size(); }
  std::size_t compartment_count() const;
  const BranchName& name_of(std::size_t branch) const { return (*names)[branch]; }
  /// Where in the columns a node's are.
  std::size_t slot_of(std::size_t node) const {
    return like.empty() ? node : static_cast<std::size_t>(like[node]);
  }
  double coupling_uS(std::size_t node) const { return columns->coupling_uS[slot_of(node)]; }
  double area_um2(std::size_t node) const { return columns->area_um2[slot_of(node)]; }
  double diameter_um(std::size_t node) const { return columns->diameter_um[slot_of(node)]; }
  double capacitance_nF(std::size_t node) const { return columns->capacitance_nF[slot_of(node)]; }
  const NodeLocation& location(std::size_t node) const { return columns->locations[slot_of(node)]; }
  /// The branch that a node is on; of node 0 the root's.
  std::size_t branch_of(NodeId node) const;
  /// The compartment that a node is, or of an end the one beside it.
  models::PieceOfBranch piece_at(NodeId node) const;
  /// "dend[3](0.5)", for messages.
  std::string describe(NodeId node) const;
  /// Of all arrays but what several cells may share.
  std::size_t own_bytes() const;
};

/// The defaults where no region sets them: NEURON's 1 uF/cm2 and 35.4 ohm.cm.
inline constexpr double default_cm_uF_per_cm2 = 1;
inline constexpr double default_Ra_ohm_cm = 35.4;

/// The cell for which cm and Ra are evaluated.
struct CutFor {
  Bindings bindings;  ///< index, size and r
  std::string name;   ///< "exc[3]", for messages
};

/// Whether cells of this kind can differ in sizes, cm or Ra.
bool matrix_varies(const models::CableCell& cell);

/// What sizes, cm and Ra of one cell depend on: cells for which it is equal have equal matrices.
std::vector<double> matrix_key(const models::CableCell& cell, const CutFor& of);

/// Cuts `morphology` by the cell's rules.
/// Throws InvalidModel when a branch would need more than 32767 compartments or has no length, or
/// cm or Ra is outside its limits.
Template discretise(const models::Morphology& morphology, const models::CableCell& cell,
                    const CutFor& of = {});

/// How many compartments discretise() makes of each branch.
std::vector<int> compartments_of_branches(const models::Morphology& morphology,
                                          const models::CableCell& cell, const CutFor& of = {});

/// Makes `cell` share what it can with `other`, if it is cut alike, into branches of any lengths or
/// of the same. True when it is.
enum class Lengths { any, same };
bool share_nodes(Template& cell, const std::shared_ptr<const Template>& other, Lengths lengths);

/// Whether nodes have other areas or branches other lengths than those of a cell that they lie as.
bool has_own_sizes(const Template& cell, const Template& other);

/// The node at a position of a branch: its ends' nodes at 0 and 1, else the compartment's centre.
NodeId node_at(const Template& cell, int branch, double position);

/// True when the region selects this branch by name, whatever its distance range.
bool selects_branch(const models::Region& region, const BranchName& branch);

/// Whether a path length lies within the region's distance range.
inline bool in_range(const models::Region& region, double distance_um) {
  return !region.distance_um ||
         (distance_um >= region.distance_um->first && distance_um <= region.distance_um->second);
}

/// Calls body(node) for every compartment of a branch within the region's distance range.
template <class Body>
void for_each_in(const models::Region& region, const Template& cell, std::size_t b,
                 const Body& body) {
  const DiscreteBranch& branch = cell.branches[b];
  for (int node = branch.first_node; node < branch.end_node; ++node)
    if (in_range(region, cell.location(static_cast<std::size_t>(node)).distance_um))
      body(NodeId(node));
}

/// Calls body(node) for every compartment of a region, in rising order.
template <class Body>
void for_each_in(const models::Region& region, const Template& cell, const Body& body) {
  for (std::size_t b = 0; b < cell.branches.size(); ++b)
    if (selects_branch(region, cell.name_of(b))) for_each_in(region, cell, b, body);
}

}  // namespace hillock::solver
