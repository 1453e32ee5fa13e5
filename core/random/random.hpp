#pragma once
// Counter-based random numbers: a draw depends only on what it is for, never on order.
// Philox4x64-10 (core/random/philox.hpp), key = (seed, purpose), counter = (a, b, c, draw).

#include <array>
#include <cstdint>

namespace hillock {

/// What a draw is for. A new purpose gets a new number; numbers are never reused or changed.
enum class Purpose : std::uint64_t {
  neuron_r = 1,
  position = 2,
  parameter = 3,
  weight = 4,
  delay = 5,
  location = 6,
  connect = 7,
  poisson = 8,
  morphology = 9,
  stimulus = 10,
  connection_r = 11,
  peer_location = 12,
  connection_values = 13,
  connection_argument = 14,
  rotation = 15,
};

/// What identifies a stream of draws besides seed and purpose.
struct RandomKey {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

/// The draws of one key, in order. Two streams with equal arguments give equal draws.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, RandomKey key);

  /// Uniform in the open interval (0, 1), 53 bits.
  double uniform();
  /// Normal with mean 0 and standard deviation 1 (Box and Muller 1958).
  double normal();
  /// Exponential with mean 1.
  double exponential();
  /// Uniform among 0 … n-1, without bias (rejection). n must be positive.
  std::uint64_t below(std::uint64_t n);
  /// Goes on as a new stream does after so many calls of uniform() or exponential().
  void skip_to(std::uint64_t draws);
  /// How many random words were taken: one by uniform(), mostly one by below().
  std::uint64_t drawn() const { return 4 * block_ - static_cast<std::uint64_t>(4 - used_); }

 private:
  std::uint64_t next();

  std::uint64_t seed_;
  std::uint64_t purpose_;
  RandomKey key_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 4> words_{};
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

}  // namespace hillock
