#include "models/point_list.hpp"

#include <numeric>

namespace hillock::models {

void PointList::sort_by_cell(std::uint64_t population_size) {
  first.assign(population_size + 1, 0);
  for (const std::uint32_t cell : cells) ++first[cell + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  of_cell.resize(size());
  std::vector<std::uint64_t> next(first);
  for (std::uint32_t point = 0; point < size(); ++point) of_cell[next[cells[point]]++] = point;
}

}  // namespace hillock::models
