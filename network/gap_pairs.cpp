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

/// Which ends of a pair are here, and whether both read what the other gives.
struct PairHere {
  bool source = false, target = false, is_mutual = false;
};

PairHere here_of(const models::Network& network, const GapPair& pair,
                 const GapTable::IsHere& is_here) {
  const models::Projection& projection = network.projections[pair.projection];
  return {is_here(projection.from.population, pair.source),
          is_here(projection.to.population, pair.target), junction_of(projection)->is_mutual()};
}

/// How many values stay here, and how many leave.
struct Carried {
  std::size_t own = 0, leaving = 0;
};

Carried count_carried(const models::Network& network, std::span<const GapPair> pairs,
                      const GapTable::IsHere& is_here) {
  Carried carried;
  for (const GapPair& pair : pairs) {
    const PairHere here = here_of(network, pair, is_here);
    if (here.source && here.target)
      carried.own += here.is_mutual ? 2 : 1;
    else if (here.source || here.is_mutual)
      ++carried.leaving;
  }
  return carried;
}

}  // namespace

bool has_gap_junctions(const models::Network& network) {
  return std::ranges::any_of(network.projections,
                             [](const auto& projection) { return junction_of(projection); });
}

bool has_variables_in_gaps(const models::Network& network) {
  return std::ranges::any_of(network.projections, [](const auto& projection) {
    const auto* const junction = std::get_if<models::GapJunction>(&projection.link);
    return junction && junction->reads;
  });
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
    for (std::uint64_t target = pieces.begin(i); target < pieces.end(i); ++target) {
      const TargetConnections onto = connector.connect(target, scratch);
      const bool target_is_here = is_here(to, target);
      for (std::size_t c = 0; c < onto.size(); ++c) {
        const std::uint64_t source = onto.sources[c], number = parts[i].drawn++;
        if (!target_is_here && !is_here(from, source)) continue;
        parts[i].here.push_back(
            {static_cast<std::uint32_t>(connector.draws().number()), onto.k.empty() ? 0 : onto.k[c],
             number, source, target, CellId(first_source.value + source),
             CellId(first_target.value + target), onto.rows.empty() ? 0 : onto.rows[c]});
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

/// What the source gives comes before what the target does.
void GapTable::make_ends(const models::Network& network, const IsHere& is_here) {
  const Carried carried = count_carried(network, pairs_, is_here);
  values_.own = carried.own;
  values_.leaving_to.reserve(carried.leaving);
  std::size_t own = 0;
  const auto carry = [&](GapEnd& giver, bool gives, GapEnd& reader, bool reads) {
    if (gives && reads) {
      giver.publishes = reader.reads = static_cast<std::uint32_t>(own++);
    } else if (gives) {
      giver.publishes = static_cast<std::uint32_t>(values_.own + values_.leaving_to.size());
      values_.leaving_to.push_back(reader.cell);
    } else if (reads) {
      reader.reads =
          static_cast<std::uint32_t>(values_.own + carried.leaving + values_.coming_from.size());
      values_.coming_from.push_back(giver.cell);
    }
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const GapPair& pair = pairs_[i];
    const auto number = static_cast<std::uint32_t>(i);
    GapEnd source{pair.source_id, number, GapSide::source};
    GapEnd target{pair.target_id, number, GapSide::target};
    const PairHere here = here_of(network, pair, is_here);
    carry(source, here.source, target, here.target);
    if (here.is_mutual) carry(target, here.target, source, here.source);
    if (here.source) ends_.push_back(source);
    if (here.target) ends_.push_back(target);
  }
  std::ranges::stable_sort(ends_, {}, &GapEnd::cell);
}

std::span<const GapEnd> GapTable::ends_of(CellId cell) const {
  const auto [begin, end] = std::ranges::equal_range(ends_, cell, {}, &GapEnd::cell);
  return {begin, end};
}

}  // namespace hillock::network
