#pragma once
// The exchange of spikes between ranks: all of them to all ranks, or only to those that have
// targets.

#include <memory>
#include <string>
#include <vector>

#include "network/ranks.hpp"
#include "network/spikes.hpp"

namespace hillock::network {

/// Which ranks one rank exchanges spikes with.
struct Neighbours {
  std::vector<int> from;  ///< those with cells that project to its cells, rising, without itself
  std::vector<int> to;    ///< those whose cells its cells project to
};

enum class ExchangeKind {
  automatic,
  all,        ///< every rank gets all spikes
  neighbours  ///< a rank gets the spikes of ranks that project to it
};

/// Neighbours of this rank. sources: [rank] whether its cells project to this rank's. All ranks
/// ask together; each is told which ranks listen to it, a bit a pair of ranks.
Neighbours find_neighbours(Ranks& ranks, const std::vector<bool>& sources);

/// What `automatic` comes to: neighbours where a rank has, on average, few of them: messages to
/// each cost more than a gather does a rank. All ranks ask together and get the same answer.
ExchangeKind choose_exchange(Ranks& ranks, const Neighbours& neighbours, ExchangeKind wish);

/// kind: not automatic. ranks must outlive it. What it sent last is still its own until
/// ranks.finish_sends(Channel::spikes).
std::unique_ptr<Exchange> make_exchange(Ranks& ranks, Neighbours neighbours, ExchangeKind kind);

}  // namespace hillock::network
