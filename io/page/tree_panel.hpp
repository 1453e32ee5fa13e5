#pragma once
// A cell's shape as a page draws it: straight pieces, each with what was recorded nearest to it,
// and what that was over time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"
#include "models/morphology.hpp"

namespace hillock::io::page {

/// A location on a branch where something was recorded.
struct Element {
  std::uint32_t branch = 0;
  double position = 0;  ///< along it, 0 to 1
};

/// Straight pieces of branches.
struct Pieces {
  std::vector<float> ends;              ///< [piece][x, y, z, diameter of both ends], um
  std::vector<std::int32_t> elements;   ///< [piece] index in the elements, -1: none on its branch
  std::vector<std::uint32_t> branches;  ///< [piece]
  /// The branches were given by length and diameter alone: where they lie is drawn up here.
  bool is_drawn_up = false;
};

/// Cuts branches halfway between neighbouring elements. Where there would be more than `most`
/// pieces, bends between cuts are left out. Throws nothing; a morphology without branches has none.
Pieces cut(const models::Morphology& shape, std::span<const Element> elements, std::size_t most);

/// Branches whose points all lie on one line, as those of length and diameter do, spread out in a
/// plane: their lengths and diameters stay, and each begins where it joins its parent.
models::Morphology spread_out(const models::Morphology& shape);

/// What was recorded on one cell, at some of the times: at all where there is room.
class TreePanel {
 public:
  /// columns [first, first + elements.size()) of a row are the cell's elements.
  TreePanel(std::string label, std::size_t first, std::vector<Element> elements, std::uint64_t rows,
            std::size_t most_values);

  /// The next rows, each of `width` columns.
  void add(std::span<const double> values, std::size_t width);
  std::uint64_t frames() const { return frame_rows_.size(); }
  /// Frames that have been seen, which are all unless rows are missing.
  Json to_json(Blobs& blobs, const models::Morphology& shape, std::size_t most_pieces) const;

 private:
  std::string label_;
  std::size_t first_;
  std::vector<Element> elements_;
  std::vector<std::uint64_t> frame_rows_;
  std::uint64_t row_ = 0;
  std::size_t next_frame_ = 0;
  std::vector<float> values_;  ///< [frame][element]
};

}  // namespace hillock::io::page
