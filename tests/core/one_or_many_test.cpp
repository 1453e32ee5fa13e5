// One number as long as all are equal, many when one differs.

#include "core/containers/one_or_many.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hillock {
namespace {

TEST(OneOrMany, EqualNumbersTakeNoPlace) {
  OneOrMany numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(0.25);
  EXPECT_TRUE(numbers.is_one());
  EXPECT_EQ(numbers.size(), 1000u);
  EXPECT_EQ(numbers.bytes(), 0u);
  EXPECT_EQ(numbers[999], 0.25);
}

TEST(OneOrMany, ADifferentNumberLeavesTheOthersAsTheyAre) {
  OneOrMany numbers;
  for (int i = 0; i < 10; ++i) numbers.push_back(3);
  numbers.push_back(4);
  numbers.push_back(3);
  EXPECT_FALSE(numbers.is_one());
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(numbers[i], i == 10 ? 4 : 3) << i;
  numbers.set(2, 7);
  EXPECT_EQ(numbers[2], 7);
  EXPECT_EQ(numbers[3], 3);
}

TEST(OneOrMany, AppendsOtherNumbersWhicheverOfThemAreAlike) {
  const OneOrMany none, threes(3, 3.0), fours(2, 4.0), mixed(std::vector<double>{5, 6});
  for (const OneOrMany* first : {&none, &threes, &fours, &mixed})
    for (const OneOrMany* second : {&none, &threes, &fours, &mixed}) {
      OneOrMany all(*first);
      all.append(*second);
      ASSERT_EQ(all.size(), first->size() + second->size());
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], i < first->size() ? (*first)[i] : (*second)[i - first->size()]);
      EXPECT_EQ(all.is_one(), first != &mixed && second != &mixed &&
                                  (first == second || first == &none || second == &none));
    }
}

TEST(OneOrMany, TellsZeroFromMinusZero) {
  OneOrMany numbers;
  numbers.push_back(0.0);
  numbers.push_back(-0.0);
  EXPECT_FALSE(std::signbit(numbers[0]));
  EXPECT_TRUE(std::signbit(numbers[1]));
}

TEST(OneOrMany, SettingTheSameNumberKeepsItOne) {
  OneOrMany numbers;
  numbers.push_back(1);
  numbers.push_back(1);
  numbers.set(1, 1);
  EXPECT_TRUE(numbers.is_one());
}

TEST(OneOrMany, PermutesWhatIsMany) {
  OneOrMany numbers;
  for (const double x : {1.0, 2.0, 3.0}) numbers.push_back(x);
  numbers.permute({2, 0, 1});
  EXPECT_EQ(numbers[2], 1);
  EXPECT_EQ(numbers[0], 2);
  EXPECT_EQ(numbers[1], 3);
}

}  // namespace
}  // namespace hillock
