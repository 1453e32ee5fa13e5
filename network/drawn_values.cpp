#include "network/drawn_values.hpp"

#include <algorithm>

#include "core/random/random.hpp"

namespace hillock::network {

namespace {

/// One of the keys of a projection's draws.
std::uint64_t key_of_values(std::uint64_t seed, std::size_t number, unsigned which) {
  return philox<unsigned long long>({{number, which, 0, 0}}, seed,
                                    static_cast<std::uint64_t>(Purpose::connection_values))
      .word[0];
}

}  // namespace

DrawnValues::DrawnValues(std::uint64_t seed, std::size_t number,
                         const models::Projection& projection)
    : kernels_(block_kernels()) {
  const models::Value* const values[] = {&projection.weight, &projection.delay.base_ms};
  for (unsigned v = 0; v < 2; ++v)
    if (const auto* drawn = std::get_if<models::Distribution>(&values[v]->content()))
      values_[v] = {drawn->shape(), key_of_values(seed, number, 0), v == 1};
  if (weight() && delay() && weight()->shape.is_of_normal() != delay()->shape.is_of_normal())
    values_[1]->key = key_of_values(seed, number, 1);
}

void DrawnValues::draw(std::uint32_t target, std::span<const std::uint32_t> sources,
                       std::span<const std::uint32_t> k, double* weights, double* delays_ms) const {
  if (!weight() && !delay()) return;
  for (std::size_t first = 0; first < sources.size(); first += block_size)
    draw_block({0, sources.data() + first, target, k.empty() ? nullptr : k.data() + first, 0},
               std::min(block_size, sources.size() - first), weights + first, delays_ms + first);
}

void DrawnValues::draw_block(DrawCounters counters, std::size_t n, double* weights,
                             double* delays_ms) const {
  alignas(64) double draws[2][block_size];
  double* const to[] = {weights, delays_ms};
  for (std::size_t v = 0; v < 2; ++v) {
    if (!values_[v]) continue;
    const DrawnValue& value = *values_[v];
    if (v == 0 || !weight() || counters.key != value.key) {
      counters.key = value.key;
      kernels_.draw_pairs(counters, value.shape.is_of_normal(), draws[0], draws[1], n);
    }
    double* const drawn = draws[v];
    kernels_.shape(value.shape, drawn, drawn, n);
    if (value.shape.truncated &&
        !kernels_.are_within(drawn, value.shape.minimum, value.shape.maximum, n))
      draw_again(value, counters, drawn, n);
    std::copy_n(drawn, n, to[v]);
  }
}

/// Draws what lies outside again until nothing does.
void DrawnValues::draw_again(const DrawnValue& value, DrawCounters counters, double* to,
                             std::size_t n) const {
  alignas(64) double draws[2][block_size];
  std::uint32_t a[block_size], c[block_size];
  std::array<std::uint8_t, block_size> there;  // whose draws these are
  std::size_t left = 0;
  const std::uint32_t* const k = counters.c;
  for (std::size_t i = 0; i < n; ++i)
    if (value.shape.refuses(to[i])) there[left++] = static_cast<std::uint8_t>(i);
  for (counters.attempt = 1; left > 0; ++counters.attempt) {
    if (counters.attempt > DrawShape::patience) models::Distribution::refuse_to_go_on();
    DrawCounters some = counters;
    for (std::size_t i = 0; i < left; ++i) {
      a[i] = counters.a[there[i]];
      c[i] = k ? k[there[i]] : 0;
    }
    some.a = a;
    some.c = c;
    kernels_.draw_pairs(some, value.shape.is_of_normal(), draws[0], draws[1], left);
    double* const drawn = draws[value.is_second];
    kernels_.shape(value.shape, drawn, drawn, left);
    std::size_t still = 0;
    for (std::size_t i = 0; i < left; ++i) {
      to[there[i]] = drawn[i];
      if (value.shape.refuses(drawn[i])) there[still++] = there[i];
    }
    left = still;
  }
}

}  // namespace hillock::network
