#pragma once
// A state as bytes: what is sent from rank to rank, and what a checkpoint holds.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/state/state.hpp"

namespace hillock {

/// The bytes of a state, in pieces that follow one another, so that they never stand all at once.
/// They are a function of the state alone. Cells must be in order.
void pack(const State& state, const std::function<void(std::span<const std::byte>)>& put);
std::uint64_t packed_size(const State& state);
std::vector<std::byte> pack(const State& state);

/// Throws StateMismatch when bytes are missing, too many or damaged.
State unpack(std::span<const std::byte> bytes);

}  // namespace hillock
