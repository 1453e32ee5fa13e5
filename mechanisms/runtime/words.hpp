#pragma once
// Words of generators that a .mod file keeps the numbers of itself. Included by runtime.hpp.

#include "core/random/philox.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

HILLOCK_FUNCTION unsigned word_of(double number) {
  return static_cast<unsigned>(static_cast<unsigned long long>(number));
}

/// One round of the hash of Press et al. (1992).
HILLOCK_FUNCTION unsigned hashed(unsigned word, unsigned key, unsigned more) {
  word ^= key;
  const unsigned lower = word & 0xFFFFu, upper = word >> 16;
  const unsigned squares = lower * lower + ~(upper * upper);
  return ((squares >> 16 | squares << 16) ^ more) + lower * upper;
}

/// Ran4: two numbers of 32 bits, mixed by two rounds.
HILLOCK_FUNCTION double word_of_ran4(double high, double low) {
  const unsigned word = word_of(high);
  const unsigned other = word_of(low) ^ hashed(word, 0xBAA96887u, 0x4B0F3B58u);
  return word ^ hashed(other, 0x1E17D32Cu, 0xE874F0C3u);
}

/// Streams as NEURON counts them: four words to a counter. key, ids: below 2^32.
HILLOCK_FUNCTION double word_of_random123(double key, double id1, double id2, double id3,
                                          double number) {
  const auto count = static_cast<unsigned long long>(number);
  return philox<unsigned>(
             {{static_cast<unsigned>(count / 4), word_of(id3), word_of(id1), word_of(id2)}},
             word_of(key), 0u)
      .word[count % 4];
}

template <class V>
HILLOCK_FUNCTION V ran4_word(const V& high, const V& low) {
  if constexpr (is_one_number<V>) {
    return static_cast<V>(word_of_ran4(double(high), double(low)));
  } else {
    V result = V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane)
      result[lane] = word_of_ran4(high[lane], low[lane]);
    return result;
  }
}

template <class V>
HILLOCK_FUNCTION V random123_word(const V& key, const V& id1, const V& id2, const V& id3,
                                  const V& number) {
  if constexpr (is_one_number<V>) {
    return static_cast<V>(
        word_of_random123(double(key), double(id1), double(id2), double(id3), double(number)));
  } else {
    V result = V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane)
      result[lane] = word_of_random123(key[lane], id1[lane], id2[lane], id3[lane], number[lane]);
    return result;
  }
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
