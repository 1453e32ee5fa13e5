#include "solver/lanes/shared_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

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

}  // namespace

SharedRows share_rows(std::span<const int> parent, std::size_t parts) {
  const std::vector<std::size_t> below = rows_below(parent);
  // Small enough that parts come out alike, and not smaller: where parts meet the trunk they meet
  // each other's lines of the cache.
  const std::size_t most = parent.size() / (3 * parts);
  std::vector<int> part(parent.size(), of_trunk);
  std::vector<std::size_t> ends;  // rows of the trunk below which a part's begin, the largest first
  for (std::size_t row = 1; row < parent.size(); ++row) {
    const auto above = static_cast<std::size_t>(parent[row]);
    if (part[above] != of_trunk || below[above] <= most) part[row] = 0;
  }
  for (std::size_t row = 0; row < parent.size(); ++row)
    if (part[row] == of_trunk && below[row] > 0 && below[row] <= most) ends.push_back(row);
  std::ranges::stable_sort(ends, std::greater{}, [&](std::size_t row) { return below[row]; });
  std::vector<std::size_t> sizes(parts, 0);
  std::vector<int> of_end(parent.size(), of_trunk);  // [row] the part that begins below it
  for (const std::size_t row : ends) {
    const auto least = std::ranges::min_element(sizes);
    *least += below[row];
    of_end[row] = static_cast<int>(least - sizes.begin());
  }
  for (std::size_t row = 1; row < parent.size(); ++row) {
    const auto above = static_cast<std::size_t>(parent[row]);
    if (part[row] != of_trunk) part[row] = part[above] == of_trunk ? of_end[above] : part[above];
  }
  SharedRows shared;
  shared.order.resize(parent.size());
  std::iota(shared.order.begin(), shared.order.end(), 0);
  std::ranges::stable_sort(shared.order, {},
                           [&](int row) { return part[static_cast<std::size_t>(row)]; });
  std::size_t end = static_cast<std::size_t>(std::ranges::count(part, of_trunk));
  shared.begin.push_back(end);
  for (const std::size_t size : sizes) shared.begin.push_back(end += size);
  return shared;
}

}  // namespace hillock::solver
