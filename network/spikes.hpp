#pragma once
// Spikes of cells, and the exchange that takes them from where they are made to where they are
// needed.

#include <algorithm>
#include <compare>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace hillock::network {

struct CellSpike {
  double time_ms = 0;
  CellId cell;

  auto operator<=>(const CellSpike&) const = default;
};

/// Spikes in several pieces: of one range of cells each, in no order within.
using SpikeLists = std::vector<std::vector<CellSpike>>;

/// Carries the spikes of an epoch between the ranks that simulate one network.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The spikes of all ranks. They stay until the next call, and as long as `own` does.
  virtual std::span<const std::vector<CellSpike>> gather(const SpikeLists& own) = 0;
  /// The least of what every rank says: of all delays the shortest.
  virtual double least(double own) = 0;
};

/// One rank: everything is its own.
class OneRank final : public Exchange {
 public:
  std::span<const std::vector<CellSpike>> gather(const SpikeLists& own) override { return own; }
  double least(double own) override { return own; }
};

}  // namespace hillock::network
