#pragma once
// The shape of one neuron as a tree of unbranched cables, before it is cut into compartments.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"

namespace hillock::models {

/// A point on a cable's centre line with the cable's diameter there.
struct Point {
  double x_um = 0;
  double y_um = 0;
  double z_um = 0;
  double diameter_um = 0;
};

/// One unbranched cable (a section in NEURON's words). Its 0 end joins the parent.
struct Branch {
  std::string name;           ///< unique in the morphology, for example "dend[3]"
  std::string region;         ///< "soma", "axon", "dend", "apic" or a custom tag
  int parent = -1;            ///< index of an earlier branch; -1 for the root, which is branch 0
  double at = 1;              ///< where on the parent the 0 end joins, in [0, 1]
  std::vector<Point> points;  ///< at least two, from the 0 end to the 1 end
  int compartments = 0;       ///< a fixed number of compartments; 0 leaves it to the discretisation
};

/// A position, 0 to 1, on a branch.
struct PlaceOnBranch {
  std::size_t branch = 0;
  double position = 0;
};

/// The numbers of a cell that is given in compartments, in place of those that points and Ra give:
/// branch by branch, each with as many compartments as it says. Of each array there is one row, or
/// one for each of `cells`, one after the other.
struct CompartmentNumbers {
  std::vector<double> area_um2;             ///< [compartment]
  std::vector<double> diameter_um;          ///< [compartment]
  std::vector<double> resistance_MOhm;      ///< [compartment] to the one before or, of a branch's
                                            ///< first, to where its 0 end joins
  std::vector<double> end_resistance_MOhm;  ///< [branch] from its last compartment to its 1 end
  std::vector<double> length_um;            ///< [branch], where no points give them; else empty
  std::size_t cells = 1;  ///< of the population, if any array has a row for each; else 1
};

/// A tree of branches: a parent precedes its children.
struct Morphology {
  std::vector<Branch> branches;
  /// Where path lengths begin. Unset: in the middle of the first branch of the soma, or without one
  /// at the root's 0 end.
  std::optional<PlaceOnBranch> origin{};
  std::shared_ptr<const CompartmentNumbers> given{};  ///< or null
};

/// Whether cells of a population have numbers of their own, though all have the same branches.
bool sizes_vary(const Morphology& morphology);

/// One cell of such a population. cell: below `given->cells`.
Morphology of_one_cell(const Morphology& morphology, std::size_t cell);

/// Draws branches of which lengths alone are known along x, one after its parent, by the first row
/// of each array.
void draw_along_x(const CompartmentNumbers& given, std::vector<Branch>& branches);

/// Sum of the distances between a branch's points, um.
double length_um(const Branch& branch);

/// Where paths from the origin enter a branch: a place on it lies
/// distance_um + |its arc length - arc_um| from the origin.
struct PathEntry {
  double arc_um = 0;
  double distance_um = 0;
};

/// [branch]. lengths_um: [branch], as length_um gives them.
std::vector<PathEntry> path_entries(const Morphology& morphology,
                                    const std::vector<double>& lengths_um);

/// A random tree drawn for each cell on its own, keyed by the cell's id (benchmarks: Arbor's
/// busyring). At level i of `depth`, p = i / (depth - 1) moves every [first, last] pair linearly
/// from the first to the last; each tip tries two children, each made with the level's branch
/// probability.
struct RandomTree {
  int depth = 1;
  std::pair<double, double> branch_probability{1, 0.5};
  std::pair<double, double> compartments{20, 2};  ///< a branch, rounded
  std::pair<double, double> length_um{200, 20};
  double diameter_um = 1;
  double soma_length_um = 12.6157;
  double soma_diameter_um = 12.6157;
};

/// Which branches a random tree has. Branch 0 is the soma; a parent precedes its children, and a
/// level the next one. Branches of one level differ in where they join, and in nothing else.
struct TreeOutline {
  std::vector<int> parent;  ///< [branch], -1 for the soma
  std::vector<int> level;   ///< [branch], -1 for the soma

  std::size_t size() const { return parent.size(); }
};

/// Draws the tree of one cell. Deterministic in (seed, cell).
TreeOutline outline_of(const RandomTree& tree, std::uint64_t seed, CellId cell);

/// Into how many compartments a branch of a level is cut; -1 for the soma.
int compartments_at(const RandomTree& tree, int level);

/// Of a random tree's branch: "soma" for 0, "dend[3]" for 4.
std::string name_in_tree(std::size_t branch);

/// The branches that an outline tells. Each joins its parent's end.
Morphology grow(const RandomTree& tree, const TreeOutline& outline);

/// The tree of one cell.
inline Morphology grow(const RandomTree& tree, std::uint64_t seed, CellId cell) {
  return grow(tree, outline_of(tree, seed, cell));
}

}  // namespace hillock::models
