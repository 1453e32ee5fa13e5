#include "core/random/random.hpp"

#include <cmath>
#include <numbers>

#include "core/random/philox.hpp"

namespace hillock {

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, RandomKey key)
    : seed_(seed), purpose_(static_cast<std::uint64_t>(purpose)), key_(key) {}

std::uint64_t RandomStream::next() {
  if (used_ == 4) {
    const auto block =
        philox<unsigned long long>({{key_.a, key_.b, key_.c, block_++}}, seed_, purpose_);
    for (std::size_t i = 0; i < 4; ++i) words_[i] = block.word[i];
    used_ = 0;
  }
  return words_[used_++];
}

double RandomStream::uniform() {
  return unit_interval(next());
}

double RandomStream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

double RandomStream::exponential() {
  return -std::log(uniform());
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  std::uint64_t word = next();
  // Words at or above the last multiple of n are drawn again; which that is is seldom asked.
  if (word > most - n)
    while (word >= most - most % n) word = next();
  return word % n;
}

void RandomStream::skip_to(std::uint64_t draws) {
  block_ = draws / 4;
  used_ = 4;
  has_spare_normal_ = false;
  for (std::uint64_t i = 0; i < draws % 4; ++i) next();
}

}  // namespace hillock
