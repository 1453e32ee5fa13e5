#include "network/gap_pairs.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace hillock::network {

namespace {

const models::GapJunction* junction_of(const models::Projection& projection) {
  return std::get_if<models::GapJunction>(&projection.link);
}

/// Those of some targets.
struct DrawnPiece {
  std::uint64_t drawn = 0;
  std::vector<GapPair> here;  ///< numbered from 0 on
};

}  // namespace

bool has_gap_junctions(const models::Network& network) {
  return std::ranges::any_of(network.projections,
                             [](const auto& projection) { return junction_of(projection); });
}

GapTable::GapTable(const models::Network& network,
                   std::span<const std::unique_ptr<const Connector>> connectors,
                   const IsHere& is_here, const Runner& run) {
  for (const auto& connector : connectors)
    if (connector && junction_of(connector->projection())) draw(network, *connector, is_here, run);
  if (pairs_.size() >= std::numeric_limits<std::uint32_t>::max() / 2)
    throw std::length_error("more than 2^31 gap junctions on a rank");
  make_ends(network, is_here);
}

void GapTable::draw(const models::Network& network, const Connector& connector,
                    const IsHere& is_here, const Runner& run) {
  const models::Projection& projection = connector.projection();
  const PopulationId from = projection.from.population, to = projection.to.population;
  const CellId first_source = network.first_cell(from), first_target = network.first_cell(to);
  const Pieces pieces(projection.to.begin, projection.to.end);
  std::vector<DrawnPiece> parts(pieces.count());
  run(pieces.count(), [&](std::size_t i) {
    Connector::Scratch scratch;
    std::vector<Connection> connections;
    for (std::uint64_t target = pieces.begin(i); target < pieces.end(i); ++target) {
      connections.clear();
      connector.connect(target, scratch, connections);
      const bool target_is_here = is_here(to, target);
      for (const Connection& c : connections) {
        const std::uint64_t number = parts[i].drawn++;
        if (!target_is_here && !is_here(from, c.source)) continue;
        parts[i].here.push_back({static_cast<std::uint32_t>(connector.draws().number()), c.k,
                                 number, c.source, c.target, CellId(first_source.value + c.source),
                                 CellId(first_target.value + c.target)});
      }
    }
  });
  std::uint64_t before = 0;
  for (DrawnPiece& part : parts) {
    for (GapPair& pair : part.here) {
      pair.number += before;
      pairs_.push_back(pair);
    }
    before += part.drawn;
    part = {};
  }
  drawn_ += before;
}

/// A voltage of the source comes before one of the target.
void GapTable::make_ends(const models::Network& network, const IsHere& is_here) {
  const auto publish = [&](GapEnd& end, CellId reader) {
    end.publishes = static_cast<std::uint32_t>(voltages_.published_to.size());
    voltages_.published_to.push_back(reader);
  };
  const auto read = [&](GapEnd& end, CellId peer) {
    end.reads = static_cast<std::uint32_t>(voltages_.read_from.size());
    voltages_.read_from.push_back(peer);
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const GapPair& pair = pairs_[i];
    const models::Projection& projection = network.projections[pair.projection];
    const auto number = static_cast<std::uint32_t>(i);
    GapEnd source{pair.source_id, number, GapSide::source};
    GapEnd target{pair.target_id, number, GapSide::target};
    const bool source_is_here = is_here(projection.from.population, pair.source);
    const bool target_is_here = is_here(projection.to.population, pair.target);
    if (source_is_here) publish(source, pair.target_id);
    if (target_is_here) read(target, pair.source_id);
    if (junction_of(projection)->is_mutual()) {
      if (target_is_here) publish(target, pair.source_id);
      if (source_is_here) read(source, pair.target_id);
    }
    if (source_is_here) ends_.push_back(source);
    if (target_is_here) ends_.push_back(target);
  }
  std::ranges::stable_sort(ends_, {}, &GapEnd::cell);
}

std::span<const GapEnd> GapTable::ends_of(CellId cell) const {
  const auto [begin, end] = std::ranges::equal_range(ends_, cell, {}, &GapEnd::cell);
  return {begin, end};
}

}  // namespace hillock::network
