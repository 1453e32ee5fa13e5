#include "simulator/backends/cpu/groups/side_by_side.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/simd/isa.hpp"
#include "core/simd/targets.hpp"
#include "simulator/backends/cpu/groups/range_groups.hpp"
#include "simulator/backends/cpu/layout/layout_builder.hpp"

namespace hillock::simulator::cpu {

namespace {

/// Of a core's second-level cache.
double cache_bytes() {
  constexpr long least = 1 << 20;  // where the system does not say
  return static_cast<double>(std::max(least, ::sysconf(_SC_LEVEL2_CACHE_SIZE)));
}

/// What a step of one cell has to do.
struct StepOfCell {
  double rows = 0;
  double bytes = 0;      ///< about what it reads and writes
  double lone_us = 0;    ///< of its mechanisms, an instance in each lane of a full register
  double registers = 0;  ///< that its instances fill, over what they would fill if none was left
};

/// Nanoseconds that an instance takes in one lane of eight: measured on AVX-512, hh 7.8 with three
/// states, eight mechanisms with eleven states 36.
double ns_of_instance(const mechanisms::MechanismInfo& info) {
  return 2 + 2.0 * info.states;
}

StepOfCell step_of(const CellKind& kind, double register_numbers) {
  constexpr double numbers_of_a_row = 10;  // voltage, matrix, what is solved for, its tree
  StepOfCell step;
  step.rows = static_cast<double>(kind.cell->node_count());
  double numbers = numbers_of_a_row * step.rows, filled = 0;
  for (const DensityPlacement& density : kind.densities) {
    const mechanisms::MechanismInfo& info = *density.mechanism->info;
    const auto instances = static_cast<double>(density.nodes.size());
    double of_an_instance = 2.0 + info.states + info.shared;
    for (int c = 0; c < info.parameters; ++c)
      if (!density.values->is_one(static_cast<std::size_t>(c))) ++of_an_instance;
    numbers += of_an_instance * instances;
    if (info.is_constant) continue;
    const double us = 1e-3 * ns_of_instance(info), whole = std::floor(instances / register_numbers);
    step.lone_us += us * instances;
    // The last instances come one by one, each not much faster than a register.
    filled += us * register_numbers * (whole + 0.8 * (instances - whole * register_numbers));
  }
  step.registers = step.lone_us > 0 ? filled / step.lone_us : 1;
  step.bytes = numbers * sizeof(double);
  return step;
}

/// Means over some of a range's cells.
StepOfCell typical_step(const RangePlan& plan, double register_numbers) {
  const std::size_t some = std::min<std::size_t>(plan.kinds.size(), 16);
  StepOfCell mean;
  for (std::size_t k = 0; k < some; ++k) {
    const StepOfCell one = step_of(*plan.kinds[k * plan.kinds.size() / some], register_numbers);
    const auto n = static_cast<double>(some);
    mean.rows += one.rows / n;
    mean.bytes += one.bytes / n;
    mean.lone_us += one.lone_us / n;
    mean.registers += one.registers / n;
  }
  return mean;
}

/// Rows of some cells laid over each other, over those of one.
double padding(const RangePlan& plan, int lanes, double rows) {
  if (are_alike(plan)) return 1;
  const std::size_t end = std::min(plan.cell_count(), static_cast<std::size_t>(lanes));
  const auto tree = tree_of(plan, {.begin = 0, .end = end, .lanes = lanes});
  return std::max(1.0, static_cast<double>(tree->row_count()) / rows);
}

/// What mechanisms take over what they do in a register of eight doubles.
double mechanisms_factor(int cells, bool mixed) {
  if (active_isa() != Isa::avx512) return (cells == 1 ? 1.65 : 1.5) * (mixed ? 0.75 : 1);
  if (cells == 8) return mixed ? 0.62 : 1;
  // Rows of instances that fill a register come from several places.
  return (cells == 1 ? 1.25 : 1.2) * (mixed ? 0.8 : 1);
}

/// Microseconds of a step of one cell when so many lie side by side. Fitted to cells of 133, 215
/// and 844 compartments, passive, with hh and with eight channels, on AVX-512 and AVX2 (one core),
/// and to busyring's complex cells of 214 and 1,606, on 16 threads too.
double expected_us(const RangePlan& plan, const StepOfCell& step, int cells, bool mixed) {
  const double mechanisms_us = step.lone_us * mechanisms_factor(cells, mixed);
  if (cells == 1) return 0.3 + 1.8e-3 * step.rows + mechanisms_us * step.registers;
  const double padded = padding(plan, cells, step.rows);
  const double rows = (cells == 4 ? 1.25e-3 : 0.85e-3) * step.rows;
  const double us = padded * (rows + mechanisms_us);
  const double of_cache = cells * padded * step.bytes / cache_bytes();
  return us * std::clamp(1 + (of_cache - 1) / 2, 1.0, 1.8);
}

/// How often the step of one cell takes its time until all threads are done.
double rounds(const CellsAndThreads& of, int side_by_side) {
  const double groups = std::ceil(static_cast<double>(of.cells) / side_by_side);
  if (side_by_side == 1 && shares_cells(of)) return groups / of.threads;
  return side_by_side * std::ceil(groups / of.threads);
}

/// In how many parts threads share the rows of a cell that lies alone: each is enough to do that
/// the threads' meetings, a few microseconds a step, do not matter.
std::size_t parts_of(const RangePlan& plan, const StepOfCell& step, const CellsAndThreads& of) {
  if (!shares_cells(of) || !plan.pointers.empty() || plan.population->cable->layer_count() > 0)
    return 1;
  constexpr double least_bytes = 16 << 10;
  return std::clamp<std::size_t>(static_cast<std::size_t>(step.bytes / least_bytes), 1,
                                 static_cast<std::size_t>(of.threads));
}

}  // namespace

bool shares_cells(const CellsAndThreads& of) {
  return of.threads > 1 && of.cells > 0 && of.asked <= 1 &&
         of.cells < 4 * static_cast<std::uint64_t>(of.threads);
}

SideBySide side_by_side(const RangePlan& plan, const CellsAndThreads& of) {
  SideBySide chosen{.most = std::max(1, of.asked)};
#if defined(HILLOCK_HAS_FMA)
  constexpr double least_bytes = 16;
#else
  constexpr double least_bytes = 8;  // number by number: of each the C library is asked
#endif
  const double register_bytes = active_isa() == Isa::avx512 ? 64
                                : active_isa() == Isa::avx2 ? 32
                                                            : least_bytes;
  const StepOfCell step = typical_step(plan, register_bytes / (of.mixed ? 4 : 8));
  chosen.bytes = step.bytes / step.rows;
  if (of.asked == 0) {
    double least = 0;
    for (const int cells : {8, 4, 1}) {
      if (cells > 1 && of.cells == 1) continue;
      chosen.expected_us.emplace_back(cells, expected_us(plan, step, cells, of.mixed));
      const double all = chosen.expected_us.back().second * rounds(of, cells);
      if (least == 0 || all < least) {
        least = all;
        chosen.most = cells;
      }
    }
  }
  if (chosen.most == 1) chosen.parts = parts_of(plan, step, of);
  return chosen;
}

}  // namespace hillock::simulator::cpu
