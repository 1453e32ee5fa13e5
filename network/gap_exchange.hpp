#pragma once
// Carries values at the ends of gap junctions between the ranks that simulate one network.

#include <functional>
#include <memory>
#include <span>

#include "network/gap_pairs.hpp"
#include "network/ranks.hpp"

namespace hillock::network {

class GapExchange {
 public:
  virtual ~GapExchange() = default;
  /// What comes to this rank, for what leaves it: GapValues says whose. Stays until the next
  /// call. Called by all ranks before the start and before every step, where no spikes are on their
  /// way between them.
  virtual std::span<const double> swap(std::span<const double> leaving) = 0;
};

/// One rank: nothing leaves it.
class GapsHere final : public GapExchange {
 public:
  std::span<const double> swap(std::span<const double>) override { return {}; }
};

/// Who reads a value that leaves, or has one that comes. Of those that go from one rank to another
/// the ones of smaller numbers come first on both, and of one number in the order of GapValues.
struct GapPeer {
  int rank = 0;
  std::uint64_t number = 0;
};

/// A message from each rank to each that reads some of its values. ranks: outlives it. peer_of: by
/// the other cell; asked here alone.
std::unique_ptr<GapExchange> make_gap_exchange(Ranks& ranks, const GapValues& values,
                                               const std::function<GapPeer(CellId)>& peer_of);

}  // namespace hillock::network
