#pragma once
// The contours and trees of a Neurolucida file. What they mean as branches is not known here.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/morphology/measures.hpp"
#include "models/morphology.hpp"

namespace hillock::io::asc {

/// The outline of a soma at one depth, not closed: the last point is not the first again. Diameters
/// mean nothing.
struct Contour {
  std::vector<models::Point> points;  ///< at least three
  int line = 0;
};

/// A run of points of a tree up to where it splits or ends.
struct TreeBranch {
  int type = 0;     ///< as in SWC: axon_type, dendrite_type, apical_type or 0
  int parent = -1;  ///< index of an earlier one; -1 where a tree begins
  std::vector<models::Point> points;
  int line = 0;
};

struct Objects {
  std::vector<Contour> soma;
  std::vector<TreeBranch> branches;
  /// A contour left out that is called much like a soma.
  std::optional<std::string> unread_soma;
};

/// What stands in the file, in its order, in um. Everything else is skipped. Errors go to
/// `diagnostics`; reading ends at the first one of the file's form.
/// Cost O(n); nesting takes no stack.
Objects read_objects(std::string_view text, const std::string& file, const Measures& measures,
                     Diagnostics& diagnostics);

}  // namespace hillock::io::asc
