#pragma once
// Of many cells at once, the least number that is enough.

#include <cstddef>
#include <optional>
#include <vector>

namespace hillock::session {

/// Upwards first, in doublings, since what is far too strong may block what less of it begins; then
/// halves of what is between two of these, where more does what less does. Of several tries at once
/// some are of what the others lead to: what is found is the same, in fewer rounds.
class ThresholdSearch {
 public:
  struct Bounds {
    double low = 0, high = 1;  ///< between which it is; low at least 0
    double tolerance = 0.01;   ///< of a threshold, relative to it
  };

  /// Throws UsageError where bounds make no sense.
  ThresholdSearch(std::size_t cells, const Bounds& bounds);

  /// [try][cell] what to try, the most likely first; nothing when all that can be is found. To be
  /// followed by tell().
  std::optional<std::vector<double>> next(std::size_t tries = 1);
  /// [try][cell] whether what was tried is enough: of the first tries, or all.
  void tell(const std::vector<bool>& is_enough);

  /// [cell] the least; NaN where `high` is not enough, `low` where that is.
  std::vector<double> found() const;

 private:
  /// What is known of a cell.
  struct Known {
    double below = 0;        ///< the most that was not enough
    double above = 0;        ///< the least that was; NaN: nothing was
    bool tried_low = false;  ///< low was tried
    bool is_beyond = false;  ///< high is not enough
  };

  bool rises(const Known& cell) const;
  bool is_sought(const Known& cell) const;
  double next_of(const Known& cell) const;
  Known after(Known cell, double tried, bool is_enough) const;
  /// The number of the try that follows one.
  static std::size_t follower(std::size_t number, bool rises, bool is_enough);

  Bounds bounds_;
  std::vector<Known> known_;   ///< [cell]
  std::vector<double> tried_;  ///< [try][cell]
};

}  // namespace hillock::session
