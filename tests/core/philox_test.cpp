// The generators against Random123, which nothing else includes.

#include "core/random/philox.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include "core/random/random.hpp"

namespace hillock {
namespace {

/// Counters and keys with all bits in use.
template <class Word>
Word scattered(int k, int place) {
  const unsigned long long bits =
      0x9e3779b97f4a7c15ull * static_cast<unsigned long long>(7 * k + place);
  return static_cast<Word>(bits ^ bits >> 29);
}

template <class Peer, class Word>
void expect_the_words_of() {
  for (int k = 0; k < 1000; ++k) {
    const Word a = scattered<Word>(k, 0), b = scattered<Word>(k, 1), c = scattered<Word>(k, 2),
               d = scattered<Word>(k, 3), key0 = scattered<Word>(k, 4),
               key1 = scattered<Word>(k, 5);
    const typename Peer::ctr_type expected = Peer{}({{a, b, c, d}}, {{key0, key1}});
    const PhiloxWords<Word> words = philox<Word>({{a, b, c, d}}, key0, key1);
    for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(words.word[w], expected[w]) << k;
  }
}

TEST(Philox, IsRandom123sOf32Bits) {
  expect_the_words_of<r123::Philox4x32, unsigned>();
}

TEST(Philox, IsRandom123sOf64Bits) {
  expect_the_words_of<r123::Philox4x64, unsigned long long>();
}

TEST(Philox, ANumberOfAWordLiesInTheOpenInterval) {
  EXPECT_EQ(unit_interval(0), 0x1p-53);
  EXPECT_EQ(unit_interval(~0ull), 1 - 0x1p-53);
  EXPECT_EQ(unit_interval(1ull << 63), 0.5 + 0x1p-53);
}

TEST(Philox, GivesTheStreamsOfModels) {
  RandomStream stream(17, Purpose::weight, {3, 4, 5});
  for (unsigned long long block = 0; block < 5; ++block) {
    const auto expected = r123::Philox4x64{}({{3, 4, 5, block}}, {{17, 4}});
    for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(stream.uniform(), unit_interval(expected[w]));
  }
}

}  // namespace
}  // namespace hillock
