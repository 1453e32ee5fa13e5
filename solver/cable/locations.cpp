#include "solver/cable/locations.hpp"

#include <fmt/format.h>

#include "core/errors/errors.hpp"

namespace hillock::solver {

LocationsByLength::LocationsByLength(const Template& cell, const models::Region& region) {
  for (std::size_t b = 0; b < cell.branches.size(); ++b) {
    if (!selects_branch(region, cell.name_of(b))) continue;
    const DiscreteBranch& branch = cell.branches[b];
    const double length_um = branch.length_um / branch.compartments;
    if (!region.distance_um) {
      runs_.push_back({branch.first_node, branch.compartments, length_um});
      for (int i = 0; i < branch.compartments; ++i) total_um_ += length_um;
      continue;
    }
    const auto add = [&](int node) {
      if (runs_.empty() || runs_.back().first + runs_.back().count != node ||
          node == branch.first_node)
        runs_.push_back({node, 0, length_um});
      ++runs_.back().count;
      total_um_ += length_um;
    };
    for (int node = branch.first_node; node < branch.end_node; ++node)
      if (in_range(region, cell.location(static_cast<std::size_t>(node)).distance_um)) add(node);
  }
}

NodeId LocationsByLength::draw(RandomStream& stream) const {
  double left = stream.uniform() * total_um_;
  for (const Run& run : runs_) {
    const double length_um = run.length_um;
    for (int i = 0, count = run.count; i < count; ++i) {
      left -= length_um;
      if (left < 0) return NodeId(run.first + i);
    }
  }
  return NodeId(runs_.back().first + runs_.back().count - 1);
}

std::vector<NodeId> resolve(const Template& cell, const models::Locations& locations,
                            RandomStream& stream) {
  using Kind = models::Locations::Kind;
  std::vector<NodeId> nodes;
  const auto add_if_in_range = [&](NodeId node) {
    if (in_range(locations.region, cell.location(static_cast<std::size_t>(node.value)).distance_um))
      nodes.push_back(node);
  };
  switch (locations.kind) {
    case Kind::position:
    case Kind::middles:
      for (std::size_t b = 0; b < cell.branches.size(); ++b) {
        const double position = locations.kind == Kind::middles ? 0.5 : locations.position;
        if (selects_branch(locations.region, cell.name_of(b)))
          add_if_in_range(node_at(cell, static_cast<int>(b), position));
      }
      break;
    case Kind::listed:
      nodes.push_back(node_at(cell, 0, 0.5));
      break;
    case Kind::tips:
      for (std::size_t b = 0; b < cell.branches.size(); ++b)
        if (cell.branches[b].is_tip && selects_branch(locations.region, cell.name_of(b)))
          add_if_in_range(NodeId(cell.branches[b].end_node));
      break;
    case Kind::all:
      for_each_in(locations.region, cell, [&](NodeId node) { nodes.push_back(node); });
      break;
    case Kind::uniform: {
      const LocationsByLength by_length(cell, locations.region);
      if (!by_length.empty()) nodes.push_back(by_length.draw(stream));
      break;
    }
  }
  if (nodes.empty())
    reject(locations.place, fmt::format("'{}' is nowhere on this cell", locations.text));
  return nodes;
}

}  // namespace hillock::solver
