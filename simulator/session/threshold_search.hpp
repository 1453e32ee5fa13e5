#pragma once
// Of many cells at once, the least number that is enough.

#include <optional>
#include <vector>

namespace hillock::session {

/// Upwards first, in doublings, since what is far too strong may block what less of it begins; then
/// halves of what is between two of these, where more does what less does.
class ThresholdSearch {
 public:
  struct Bounds {
    double low = 0, high = 1;  ///< between which it is; low at least 0
    double tolerance = 0.01;   ///< of a threshold, relative to it
  };

  /// Throws UsageError where bounds make no sense.
  ThresholdSearch(std::size_t cells, const Bounds& bounds);

  /// [cell] what to try; nothing when all that can be is found. To be followed by tell().
  std::optional<std::vector<double>> next();
  /// [cell] whether what was tried is enough.
  void tell(const std::vector<bool>& is_enough);

  /// [cell] the least; NaN where `high` is not enough, `low` where that is.
  const std::vector<double>& found() const { return above_; }

 private:
  bool rises(std::size_t cell) const;
  bool is_sought(std::size_t cell) const;

  Bounds bounds_;
  bool has_begun_ = false;       ///< low was tried
  std::vector<double> below_;    ///< [cell] the most that was not enough
  std::vector<double> above_;    ///< [cell] the least that was; NaN: nothing was
  std::vector<bool> is_beyond_;  ///< [cell] high is not enough
  std::vector<double> tried_;
};

}  // namespace hillock::session
