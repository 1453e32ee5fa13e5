#pragma once
// How many of some draws fall to a part of what is drawn from.

#include <cstdint>

#include "core/random/random.hpp"

namespace hillock::network {

/// Of `number` draws with repetition from `all` things (at least 1), how many are of a part:
/// binomial.
std::uint64_t draw_binomial(RandomStream& draws, std::uint64_t number, std::uint64_t part,
                            std::uint64_t all);

/// Of `number` draws without repetition: hypergeometric. number ≤ all.
std::uint64_t draw_hypergeometric(RandomStream& draws, std::uint64_t number, std::uint64_t part,
                                  std::uint64_t all);

}  // namespace hillock::network
