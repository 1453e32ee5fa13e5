#include "solver/thomas/choice.hpp"

namespace hillock::solver {

const char* name_of(ThomasKernel kernel) {
  return kernel == ThomasKernel::sweep ? "one thread a system" : "lanes of a warp a system";
}

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

ThomasChoice choose_thomas(std::size_t rows, std::size_t systems, std::size_t bytes_of_a_number) {
  if (rows == 0 || systems == 0) throw InvalidBatch(systems, rows * systems, "nothing to solve");
  ThomasChoice choice;
  if (rows > longest_thomas_split) {
    choice.layout = ThomasLayout::interleaved;
    choice.kernel = ThomasKernel::sweep;
    choice.reason = std::to_string(rows) + " rows do not fit the registers of a warp (" +
                    std::to_string(longest_thomas_split) + "): two sweeps, " +
                    std::to_string(9 * bytes_of_a_number) + " bytes a row";
    return choice;
  }
  choice.split = choose_split(rows, systems);
  choice.reason =
      std::to_string(choice.split.lanes) + " lanes of " + std::to_string(choice.split.rows_a_lane) +
      " rows a system, read and written once: " + std::to_string(5 * bytes_of_a_number) +
      " bytes a row against " + std::to_string(9 * bytes_of_a_number) + " of two sweeps";
  return choice;
}

}  // namespace hillock::solver
