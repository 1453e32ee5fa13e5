#include "core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace hillock {

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, RandomKey key)
    : seed_(seed), purpose_(static_cast<std::uint64_t>(purpose)), key_(key) {}

std::uint64_t RandomStream::next() {
  if (used_ == 4) {
    const r123::Philox4x64::ctr_type counter = {{key_.a, key_.b, key_.c, block_++}};
    const r123::Philox4x64::key_type key = {{seed_, purpose_}};
    const auto words = r123::Philox4x64{}(counter, key);
    for (int i = 0; i < 4; ++i) words_[i] = words[i];
    used_ = 0;
  }
  return words_[used_++];
}

double RandomStream::uniform() {
  return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52;
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
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % n;
  std::uint64_t word = next();
  while (word >= limit) word = next();
  return word % n;
}

}  // namespace hillock
