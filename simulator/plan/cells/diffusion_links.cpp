#include "simulator/plan/cells/diffusion_links.hpp"

#include <algorithm>

#include "core/index.hpp"

namespace hillock::simulator {

namespace {

double compartment_length_um(const solver::DiscreteBranch& branch) {
  return branch.length_um / branch.compartments;
}

/// The compartment that a node's contents pass on to, or -1 of the root's first one.
int neighbour_of(const solver::Template& cell, int node, const solver::DiscreteBranch& branch) {
  int next = cell.parent[at(node)];
  while (next >= 0 && !cell.location(at(next)).is_compartment) next = cell.parent[at(next)];
  if (next >= 0 || branch.parent < 0) return next;
  const int first = cell.branches[at(branch.parent)].first_node;
  return first < node ? first : -1;
}

}  // namespace

std::vector<solver::DiffusionLink> diffusion_links(const solver::Template& cell,
                                                   std::span<const int> nodes) {
  std::vector<int> link_of(cell.node_count(), -1);
  std::vector<solver::DiffusionLink> links;
  bool any = false;
  for (const int node : nodes) {
    const auto& branch = cell.branches[cell.branch_of(NodeId(node))];
    const int neighbour = neighbour_of(cell, node, branch);
    solver::DiffusionLink link{static_cast<int>(links.size()), node, -1, 0, 0};
    if (neighbour >= 0 && link_of[at(neighbour)] >= 0) {
      const double own_um = compartment_length_um(branch);
      const double its_um = compartment_length_um(cell.branches[cell.branch_of(NodeId(neighbour))]);
      link.parent = link_of[at(neighbour)];
      link.here = 2 / (own_um * (own_um + its_um));
      link.at_parent = 2 / (its_um * (own_um + its_um));
      any = true;
    }
    link_of[at(node)] = link.instance;
    links.push_back(link);
  }
  if (!any) links.clear();
  return links;
}

}  // namespace hillock::simulator
