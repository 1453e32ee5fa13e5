#include "solver/choice/thomas_split.hpp"

#include <string>

#include "core/errors/errors.hpp"

namespace hillock::solver {

ThomasSplit choose_split(std::size_t rows, std::size_t systems) {
  if (rows > longest_thomas_split)
    throw UsageError("tridiagonal systems of " + std::to_string(rows) +
                     " rows: the warp kernel takes at most " +
                     std::to_string(longest_thomas_split));
  constexpr std::size_t few = 1024;  // below it, warps are scarcer than bandwidth
  if (systems > few) {
    if (rows <= 8 * 9) return {8, 9};
    if (rows <= 16 * 9) return {16, 9};
  }
  for (const int rows_a_lane : {3, 5, 9, 13, 17, 25})
    if (rows <= static_cast<std::size_t>(32 * rows_a_lane)) return {32, rows_a_lane};
  return {32, 33};
}

}  // namespace hillock::solver
