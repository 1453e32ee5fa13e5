#include "solver/lanes/sweep.hpp"

namespace hillock::solver {

namespace baseline {
const SweepKernels* sweep_tables();
}
namespace avx2 {
const SweepKernels* sweep_tables();
}
namespace avx512 {
const SweepKernels* sweep_tables();
}

namespace {

/// The first of the rows up to `end` that are apart.
std::size_t begin_of_apart(std::size_t end, std::size_t least, std::span<const int> parent) {
  std::size_t begin = end - 1;
  while (begin > least && parent[begin - 1] >= 0 && parent[begin - 1] + 1 == parent[begin] &&
         static_cast<std::size_t>(parent[end - 1]) < begin - 1)
    --begin;
  return begin;
}

}  // namespace

std::vector<RowRun> pieces_of(std::span<const RowRun> runs, std::span<const int> parent) {
  constexpr std::size_t few = 4;  // no register has more to do
  std::vector<RowRun> pieces;
  for (const RowRun& run : runs) {
    std::size_t end = run.end;  // of what is in no piece yet
    const auto add = [&](std::size_t begin, bool are_apart) {
      if (begin < end) pieces.push_back({begin, end, run.kind, 0, are_apart});
      end = begin;
    };
    for (std::size_t i = run.end; i > run.begin;) {
      const std::size_t begin = begin_of_apart(i, run.begin, parent);
      if (i - begin >= few && parent[begin] >= 0) {
        add(i, false);
        add(begin, true);
      }
      i = begin;
    }
    add(run.begin, false);
  }
  return pieces;
}

const SweepKernels& sweep_kernels(int lanes, Isa isa) {
  const SweepKernels* tables = baseline::sweep_tables();
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx2) tables = avx2::sweep_tables();
  if (isa == Isa::avx512) tables = avx512::sweep_tables();
#else
  (void)isa;
#endif
  return tables[lanes == 1 ? 0 : lanes == 4 ? 1 : 2];
}

}  // namespace hillock::solver
