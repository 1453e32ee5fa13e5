// Prints the bits, as one number a line, of what packs and the functions of mechanisms make of many
// numbers. Compiled for two processors by same_bits.py. Not here: the C library's functions.

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/random/normal_pair.hpp"
#include "core/simd/exponential.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms {
namespace {

std::uint64_t word = 1;

/// Between -1 and 1.
double draw() {
  word ^= word << 13;
  word ^= word >> 7;
  word ^= word << 17;
  return static_cast<double>(static_cast<std::int64_t>(word)) * 0x1p-63;
}

struct Sum {
  std::uint64_t of = 14695981039346656037u;

  template <class V>
  void add(const V& value) {
    unsigned char bytes[sizeof(V)];
    std::memcpy(bytes, &value, sizeof(V));
    for (const unsigned char byte : bytes) of = (of ^ byte) * 1099511628211u;
  }
};

template <class V>
V drawn(double size) {
  if constexpr (is_one_number<V>) {
    return static_cast<V>(draw() * size);
  } else {
    V x = V{};
    for (int l = 0; l < numbers_in<V>; ++l) x[l] = static_cast<Number<V>>(draw() * size);
    return x;
  }
}

template <class V>
void print(const char* name) {
  using N = Number<V>;
  Sum arithmetic, functions, memory;
  for (int i = 0; i < 2000; ++i) {
    const V a = drawn<V>(30), b = drawn<V>(3), c = drawn<V>(1);
    arithmetic.add(V(a * b + c));
    arithmetic.add(V(fma(a, b, c)));
    arithmetic.add(V(a / b - c));
    arithmetic.add(V(sqrt<V>(abs<V>(a))));
    arithmetic.add(V(select(a < b, V(lesser(b, c)), V(greater(a, c)))));
    arithmetic.add(V(floor<V>(a)));
    functions.add(V(exp<V>(V(a * b))));
    functions.add(V(log<V>(abs<V>(a))));
    functions.add(V(pow<V>(V(abs<V>(a) + N(0.5)), b)));
    functions.add(V(erf<V>(V(b * N(2)))));
    functions.add(V(integer_power<5>(a)));
    functions.add(V(exp_less_one(c, V(exp<V>(c) - N(1)))));
    if constexpr (!is_single<V>) {
      functions.add(V(exponential<V>(V(a * b))));
      functions.add(V(squared_radius<V>(V(abs<V>(c) + 1e-9))));
      functions.add(V(within_quarter<V>(c).second));
    }
    if constexpr (!is_one_number<V>) {
      constexpr int lanes = numbers_in<V>;
      double from[lanes], to[2 * lanes] = {};
      int at[lanes];
      for (int l = 0; l < lanes; ++l) {
        from[l] = draw();
        at[l] = (l * 5 + i) % lanes;
      }
      store(to, V(load<V>(from) * a));
      memory.add(to);
      if constexpr (is_single<V>) {
        memory.add(V(to_floats(to_bits(a))));
      } else {
        scatter(to, at, V(gather<V>(from, at) + b));
        memory.add(to);
        memory.add(true_lanes(a < b));
        memory.add(product_of_halves(to_bits(a), to_bits(b)));
        memory.add(to_doubles(to_bits(a)));
      }
    }
  }
  std::printf("%s %016llx %016llx %016llx\n", name, static_cast<unsigned long long>(arithmetic.of),
              static_cast<unsigned long long>(functions.of),
              static_cast<unsigned long long>(memory.of));
}

}  // namespace
}  // namespace hillock::mechanisms

int main() {
  using namespace hillock;
  mechanisms::print<double>("double");
  mechanisms::print<Lanes<double, 2>>("2_doubles");
  mechanisms::print<Lanes<double, 4>>("4_doubles");
  mechanisms::print<Lanes<double, 8>>("8_doubles");
  mechanisms::print<float>("float");
  mechanisms::print<Lanes<float, 4>>("4_floats");
  mechanisms::print<Lanes<float, 8>>("8_floats");
  mechanisms::print<Lanes<float, 16>>("16_floats");
}
