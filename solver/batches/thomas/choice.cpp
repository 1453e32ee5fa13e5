#include "solver/batches/thomas/choice.hpp"

namespace hillock::solver {

const char* name_of(ThomasKernel kernel) {
  return kernel == ThomasKernel::sweep ? "one thread a system" : "lanes of a warp a system";
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
