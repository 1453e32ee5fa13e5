#pragma once
// How what a model begins with changes with its values: by differences of the model as it is read.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/containers/unset_allocator.hpp"

namespace hillock::session {

/// Values of a model by their paths, in base units.
using ModelValues = std::vector<std::pair<std::string, double>>;

class Slopes {
 public:
  using Numbers = UnsetVector<double>;
  /// What cells begin with, with other values; called on several threads.
  using Read = std::function<Numbers(const ModelValues&)>;

  /// numbers: what they begin with.
  Slopes(ModelValues values, Numbers numbers, int threads)
      : values_(std::move(values)), numbers_(std::move(numbers)), threads_(threads) {}

  /// [value] what something is derived by values, of what it is by numbers. Reads the first time
  /// alone: where no number that counts depends on two values 5 times by up to 10 values, 6 by up
  /// to 65, 7 by up to 350. Throws UsageError with the path for one of which there is no
  /// derivative, and where read() throws one, whose text then says what it does.
  std::vector<double> derivatives(const Numbers& by_numbers, const Read& read);

 private:
  /// Slope over `divisor` is that of a number by a value.
  struct OfNumber {
    std::size_t number;
    double slope;
  };
  struct OfValue {
    double divisor = 1;
    std::vector<OfNumber> numbers;
  };
  struct Found {
    std::vector<OfValue> of_values;
    std::vector<std::size_t> shared;  ///< numbers that depend on several values, which are left out

    std::size_t size() const;
  };
  class Together;

  Found one_by_one(const Read& read) const;
  OfValue by_one(std::size_t value, const Read& read) const;

  ModelValues values_;
  Numbers numbers_;
  int threads_;
  std::optional<Found> together_, one_by_one_;
};

}  // namespace hillock::session
