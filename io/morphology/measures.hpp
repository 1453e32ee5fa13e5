#pragma once
// How a file's numbers become lengths in um, and which of them cannot be.

#include <string>
#include <string_view>
#include <vector>

#include "core/errors/diagnostics.hpp"

namespace hillock::io {

/// A metre: no neuron has a coordinate or diameter beyond it, and sums of squares stay finite.
inline constexpr double largest_length_um = 1e6;

/// Twice a picometre: smaller diameters are a mistake, and their areas vanish in single precision.
inline constexpr double smallest_diameter_um = 2e-6;

/// What a model says of a file's numbers.
struct Measures {
  double scale = 1;                ///< um of one unit of the file
  double minimum_diameter_um = 0;  ///< thinner points get this diameter; 0 leaves all as they are
};

/// Looks at each thickness of a file, and tells of all bad ones at once.
class ThicknessCheck {
 public:
  /// word, words: what the file gives, "radius" and "radii". halves: how often that goes into a
  /// diameter.
  ThicknessCheck(const std::string& file, std::string_view word, std::string_view words, int halves,
                 const Measures& measures)
      : file_(file), word_(word), words_(words), halves_(halves), measures_(measures) {}

  /// The diameter in um that a point has, of a thickness in um. text: as it is written.
  double checked_diameter_um(double thickness_um, std::string_view text, int line, int column);

  /// One error for all that are not positive, one for all that are too small; a warning where such
  /// were raised. True when there was no error.
  bool report(Diagnostics& diagnostics) const;

 private:
  /// The first few of one kind, and how many there are.
  struct Found {
    std::size_t count = 0;
    std::string first_text;
    std::vector<Place> places;
  };
  void add(Found& found, std::string_view text, int line, int column) const;
  std::string lines_of(const Found& found) const;

  std::string file_;
  std::string_view word_;
  std::string_view words_;
  int halves_;
  Measures measures_;
  Found not_positive_;
  Found too_small_;
  Found raised_;  ///< not positive, but raised to the minimum
};

}  // namespace hillock::io
