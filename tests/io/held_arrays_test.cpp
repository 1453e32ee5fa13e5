// Arrays in memory that stand where a model names an HDF5 file.

#include "io/columns/held_arrays.hpp"

#include <gtest/gtest.h>

#include "core/errors/errors.hpp"

namespace hillock::io {
namespace {

const std::vector<double> six{1, 2, 3, 4, 5, 6};

HeldArrays some_arrays() {
  return {{"branches/at", {six, {6, 1}, {}}},
          {"branches/name", {{}, {}, {"soma", "dend"}}},
          {"cm", {six, {2, 3}, {}}}};
}

TEST(HeldFile, HasGroupsNumbersAndTexts) {
  const HeldArrays arrays = some_arrays();
  HeldFile file("held", arrays);
  EXPECT_EQ(file.children("/"), (std::vector<std::string>{"branches", "cm"}));
  EXPECT_EQ(file.children("/branches/"), (std::vector<std::string>{"at", "name"}));
  EXPECT_EQ(file.extent("cm"), (Extent{2, 3}));
  EXPECT_EQ(file.extent("/branches/no"), std::nullopt);
  EXPECT_EQ(file.numbers("/cm", {1, 1}, {1, 2}), (std::vector<double>{5, 6}));
  EXPECT_EQ(file.numbers("/cm", {0, 2}, {2, 1}), (std::vector<double>{3, 6}));
  EXPECT_EQ(file.column("/branches/at", 6), six);
  EXPECT_EQ(file.column("/branches/no", 6), std::nullopt);
  EXPECT_EQ(file.texts("/branches/name"), (std::vector<std::string>{"soma", "dend"}));
}

TEST(HeldFile, SaysWhatItCannotGive) {
  const HeldArrays arrays = some_arrays();
  HeldFile file("held", arrays);
  EXPECT_THROW(file.column("cm", 6), InputOutputError);
  EXPECT_THROW(file.column("branches/at", 5), InputOutputError);
  EXPECT_THROW(file.extent("branches/name"), InputOutputError);
  EXPECT_THROW(file.numbers("cm", {1, 0}, {2, 1}), InputOutputError);
}

TEST(HeldFile, TellsArraysApartByTheirHash) {
  HeldArrays arrays = some_arrays();
  const std::string hash = sha256_of(arrays);
  EXPECT_EQ(hash, sha256_of(some_arrays()));
  arrays["cm"].extent = {3, 2};
  EXPECT_NE(hash, sha256_of(arrays));
}

}  // namespace
}  // namespace hillock::io
