#include "simulator/ranks/state_gather.hpp"

#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/state/packed_state.hpp"
#include "core/state/state_parts.hpp"

namespace hillock::simulator {

namespace {

using network::Channel;

std::map<std::string, CellIndices> cells_of(const network::Placement& placement,
                                            const models::Network& network, int rank) {
  std::map<std::string, CellIndices> cells;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    const network::CellSet own = placement.cells_of(PopulationId(p), rank);
    if (own.size() > 0)
      cells.emplace(network.populations[p].name, CellIndices(own.begin, own.stride, own.size()));
  }
  return cells;
}

}  // namespace

State gather_state(network::Ranks& ranks, const State* own) {
  if (ranks.number() != 0) {
    // The first rank gets a message, whatever fails.
    std::exception_ptr failure;
    network::Bytes bytes;
    try {
      if (own) bytes = pack(*own);
    } catch (...) {
      failure = std::current_exception();
    }
    ranks.send(0, Channel::state, bytes);
    ranks.finish_sends(Channel::state);
    if (failure) std::rethrow_exception(failure);
    return {};
  }
  std::vector<network::Bytes> messages;
  for (int rank = 1; rank < ranks.count(); ++rank)
    messages.push_back(ranks.receive(rank, Channel::state));
  std::vector<State> parts;
  if (own) parts.push_back(*own);
  for (network::Bytes& message : messages) {
    parts.push_back(unpack(message));
    message = {};
  }
  return joined(std::move(parts));
}

State deal_out_state(network::Ranks& ranks, const network::Placement& placement,
                     const models::Network& network, const State* whole) {
  if (ranks.number() != 0) {
    const network::Bytes message = ranks.receive(0, Channel::state);
    return unpack(message);
  }
  // Every rank gets a message, whatever fails.
  std::exception_ptr failure;
  State own;
  StateCutter cutter(*whole);
  for (int rank = ranks.count() - 1; rank >= 0; --rank) {
    network::Bytes bytes;
    try {
      if (!failure) {
        State part = cutter.cut(cells_of(placement, network, rank));
        if (rank == 0)
          own = std::move(part);
        else
          bytes = pack(part);
      }
    } catch (...) {
      failure = std::current_exception();
    }
    if (rank == 0) break;
    ranks.send(rank, Channel::state, bytes);
    ranks.finish_sends(Channel::state);
  }
  if (failure) std::rethrow_exception(failure);
  return own;
}

}  // namespace hillock::simulator
