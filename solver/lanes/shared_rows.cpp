#include "solver/lanes/shared_rows.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace hillock::solver {

namespace {

constexpr int of_trunk = -1;

/// [row] how many rows hang below it.
std::vector<std::size_t> rows_below(std::span<const int> parent) {
  std::vector<std::size_t> below(parent.size(), 0);
  for (std::size_t row = parent.size(); row-- > 0;)
    if (parent[row] >= 0) below[static_cast<std::size_t>(parent[row])] += below[row] + 1;
  return below;
}

/// A way to share a tree: what hangs below a row of the trunk is as large as `most`, or smaller.
class Cut {
 public:
  Cut(std::span<const int> parent, std::span<const std::size_t> below, std::size_t parts,
      std::size_t most)
      : part_(parent.size(), of_trunk), sizes_(parts, 0) {
    std::vector<std::size_t> ends;  // rows of the trunk below which a part's begin
    std::vector<int> of_end(parent.size(), of_trunk);  // [row] that part
    const auto hangs = [&](std::size_t above) {
      return part_[above] != of_trunk || below[above] <= most;
    };
    for (std::size_t row = 0; row < parent.size(); ++row) {
      if (row > 0 && hangs(static_cast<std::size_t>(parent[row])))
        part_[row] = 0;
      else if (below[row] > 0 && below[row] <= most)
        ends.push_back(row);
      trunk_ += part_[row] == of_trunk ? 1 : 0;
    }
    std::ranges::stable_sort(ends, std::greater{}, [&](std::size_t row) { return below[row]; });
    for (const std::size_t row : ends) {
      const auto least = std::ranges::min_element(sizes_);
      *least += below[row];
      of_end[row] = static_cast<int>(least - sizes_.begin());
    }
    for (std::size_t row = 1; row < parent.size(); ++row) {
      if (part_[row] == of_trunk) continue;
      const auto above = static_cast<std::size_t>(parent[row]);
      part_[row] = part_[above] == of_trunk ? of_end[above] : part_[above];
    }
  }

  /// Rows that one thread after the other has to do.
  std::size_t cost() const { return trunk_ + std::ranges::max(sizes_); }

  SharedRows rows() const {
    SharedRows shared;
    shared.order.resize(part_.size());
    std::iota(shared.order.begin(), shared.order.end(), 0);
    std::ranges::stable_sort(shared.order, {},
                             [&](int row) { return part_[static_cast<std::size_t>(row)]; });
    shared.begin.push_back(trunk_);
    for (const std::size_t size : sizes_) shared.begin.push_back(shared.begin.back() + size);
    return shared;
  }

 private:
  std::vector<int> part_;           ///< [row]
  std::vector<std::size_t> sizes_;  ///< [part]
  std::size_t trunk_ = 0;
};

}  // namespace

SharedRows share_rows(std::span<const int> parent, std::size_t parts) {
  const std::vector<std::size_t> below = rows_below(parent);
  Cut best(parent, below, parts, parent.size() / 2);
  for (std::size_t k = 3; k <= 4 * parts; k += (k + 1) / 2) {
    Cut cut(parent, below, parts, parent.size() / k);
    if (cut.cost() < best.cost()) best = std::move(cut);
  }
  return best.rows();
}

}  // namespace hillock::solver
