#pragma once
// One instance of an emitted evaluator, its variables by name: for the tests of emitted code.

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/simd/pack.hpp"
#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms {

/// A mechanism's variables by name, in every lane.
template <class E, class V>
class Instance {
 public:
  Instance() {
    for (int c = 0; c < E::info.count(); ++c)
      set(E::info.variables[c].name, E::info.variables[c].default_value);
  }
  void set(const std::string& name, double value) {
    const V all = V{} + value;
    std::memcpy(reinterpret_cast<char*>(&x) + offset(name), &all, sizeof(V));
  }
  /// The first lane's value; a failure when another lane differs.
  double get(const std::string& name) const {
    double lanes[sizeof(V) / sizeof(double)];
    std::memcpy(lanes, reinterpret_cast<const char*>(&x) + offset(name), sizeof(V));
    for (const double lane : lanes)
      EXPECT_EQ(std::memcmp(&lane, lanes, sizeof lane), 0) << name << " " << lane;
    return lanes[0];
  }
  void set_lanes(const std::string& name, const V& values) {
    std::memcpy(reinterpret_cast<char*>(&x) + offset(name), &values, sizeof(V));
  }
  double lane(const std::string& name, int l) const {
    double lanes[sizeof(V) / sizeof(double)];
    std::memcpy(lanes, reinterpret_cast<const char*>(&x) + offset(name), sizeof(V));
    return lanes[l];
  }
  bool has(const std::string& name) const {
    for (int c = 0; c < E::info.count(); ++c)
      if (E::info.variables[c].name == name) return true;
    return false;
  }
  Instant<V> at(double v, double time, double dt) const { return {V{} + v, time, dt, 6.3}; }

  typename E::template Variables<V> x;

 private:
  std::size_t offset(const std::string& name) const {
    for (int c = 0; c < E::info.count(); ++c)
      if (E::info.variables[c].name == name) return static_cast<std::size_t>(c) * sizeof(V);
    ADD_FAILURE() << "no variable " << name;
    return 0;
  }
};

template <class V>
inline double first_lane(const V& x) {
  double value;
  std::memcpy(&value, &x, sizeof(value));
  return value;
}

template <class V>
class Emitted : public testing::Test {};
using Values = testing::Types<double, Pack4, Pack8>;
TYPED_TEST_SUITE(Emitted, Values);

}  // namespace hillock::mechanisms
