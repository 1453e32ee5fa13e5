#pragma once
// Philox4x32-10 (core/random/philox.hpp) of many counters at once: packs of words.

#include "core/random/normal_pair.hpp"
#include "core/random/philox.hpp"
#include "core/simd/pack.hpp"

namespace hillock::inline HILLOCK_ISA {

/// Words of 32 bits, each in the lower half of 64 bits, whatever stands in the upper one. They fill
/// two registers, so that one's chain of operations goes on while the other's is waited for.
struct HalfWords {
  static constexpr int count = 2 * register_bytes / 8;
  Lanes<long long, count> all;

  friend HalfWords operator^(const HalfWords& a, const HalfWords& b) { return {a.all ^ b.all}; }
  friend HalfWords operator^(const HalfWords& a, unsigned b) { return {a.all ^ b}; }
  friend HalfWords operator*(unsigned a, const HalfWords& b) {
    return {product_of_halves(b.all, Lanes<long long, count>{} + a)};
  }
  friend HalfWords high_half(unsigned a, const HalfWords& b) { return {upper_halves((a * b).all)}; }
};
template <>
struct PhiloxKey<HalfWords> {
  using type = unsigned;
};

/// As many doubles, and words of 64 bits.
using DrawPack = Lanes<double, HalfWords::count>;
using WordPack = Lanes<long long, HalfWords::count>;

/// word_pair() of each counter.
inline PairOf<WordPack> word_pairs(const PhiloxWords<HalfWords>& counters, unsigned long long key) {
  const PhiloxWords<HalfWords> words =
      philox<HalfWords>(counters, static_cast<unsigned>(key), static_cast<unsigned>(key >> 32));
  const auto join = [](const HalfWords& high, const HalfWords& low) {
    return high.all << 32 | (low.all & 0xffffffffLL);
  };
  return {join(words.word[0], words.word[1]), join(words.word[2], words.word[3])};
}

/// unit_interval() of each.
inline DrawPack unit_intervals(const WordPack& words) {
  const WordPack bits = upper_halves(words) << 20 | (words >> 12 & 0xfffffLL);
  return (from_bits(bits | 0x4330000000000000LL) - 0x1p52 + 0.5) * 0x1p-52;
}

}  // namespace hillock::inline HILLOCK_ISA
