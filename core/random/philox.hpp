#pragma once
// The generators Philox4x32-10 and Philox4x64-10 (Salmon et al. 2011): four random words that are a
// function of a counter and a key. The one source for models, connections and mechanisms, on host
// and device. Includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::inline HILLOCK_ISA {

/// Word: unsigned or unsigned long long.
template <class Word>
struct PhiloxWords {
  Word word[4];
};

/// What a generator multiplies by, and what it adds to its key, in every round.
template <class Word>
struct PhiloxConstants;
template <>
struct PhiloxConstants<unsigned> {
  static constexpr unsigned factors[2] = {0xD2511F53u, 0xCD9E8D57u};
  static constexpr unsigned steps[2] = {0x9E3779B9u, 0xBB67AE85u};
};
template <>
struct PhiloxConstants<unsigned long long> {
  static constexpr unsigned long long factors[2] = {0xD2E7470EE14C6C93ull, 0xCA5A826395121157ull};
  static constexpr unsigned long long steps[2] = {0x9E3779B97F4A7C15ull, 0xBB67AE8584CAA73Bull};
};

/// The upper half of a product.
HILLOCK_FUNCTION unsigned high_half(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
HILLOCK_FUNCTION unsigned long long high_half(unsigned long long a, unsigned long long b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ using Product = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Product>(a) * b >> 64);
#endif
}

/// The words that a generator's key has, of which a pack of generators has one for all.
template <class Word>
struct PhiloxKey {
  using type = Word;
};

/// Ten rounds on a counter.
template <class Word>
HILLOCK_FUNCTION PhiloxWords<Word> philox(PhiloxWords<Word> counter,
                                          typename PhiloxKey<Word>::type key0,
                                          typename PhiloxKey<Word>::type key1) {
  using Constants = PhiloxConstants<typename PhiloxKey<Word>::type>;
  for (int round = 0; round < 10; ++round) {
    const Word a = counter.word[0], b = counter.word[2];
    counter = {
        {high_half(Constants::factors[1], b) ^ counter.word[1] ^ key0, Constants::factors[1] * b,
         high_half(Constants::factors[0], a) ^ counter.word[3] ^ key1, Constants::factors[0] * a}};
    key0 += Constants::steps[0];
    key1 += Constants::steps[1];
  }
  return counter;
}

/// Two words of 64 bits.
struct WordPair {
  unsigned long long first, second;
};

/// Those of Philox4x32-10 of a counter.
HILLOCK_FUNCTION WordPair word_pair(const PhiloxWords<unsigned>& counter, unsigned long long key) {
  const PhiloxWords<unsigned> words =
      philox<unsigned>(counter, static_cast<unsigned>(key), static_cast<unsigned>(key >> 32));
  return {static_cast<unsigned long long>(words.word[0]) << 32 | words.word[1],
          static_cast<unsigned long long>(words.word[2]) << 32 | words.word[3]};
}

/// A word as a number in the open interval (0, 1), 52 bits.
HILLOCK_FUNCTION double unit_interval(unsigned long long word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

}  // namespace hillock::inline HILLOCK_ISA
