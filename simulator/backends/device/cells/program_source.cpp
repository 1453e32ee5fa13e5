#include "simulator/backends/device/cells/program_source.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>

namespace hillock::simulator::on_device {

namespace {

/// Whether the variable of a coupling lives elsewhere than with the instance.
bool lives_outside(const mechanisms::Coupling& coupling, std::size_t k, const Signature& signature,
                   const Cells& cells, std::size_t block) {
  if (coupling.quantity == mechanisms::SharedQuantity::pointer) {
    const auto& pointers = cells.blocks[block].pointers;
    return k < pointers.size() && !pointers[k].empty();
  }
  for (std::size_t ion = 0; ion < signature.ions.size(); ++ion)
    if (signature.ions[ion] == coupling.ion) return !cells.ions[ion].of(coupling.quantity).empty();
  return false;
}

/// What a program says of a block (kernels/instances.hpp, Block).
std::string traits_of(std::size_t number, const Signature& signature, const Cells& all_cells,
                      const LaunchShape& all_shapes) {
  const BlockSignature& block = signature.blocks[number];
  const BlockCells& cells = all_cells.blocks[number];
  const BlockShape& shape = all_shapes.blocks[number];
  const step::TurnFacts facts = block.facts();
  std::vector<bool> stored(shape.stored.begin(), shape.stored.end());
  std::vector<int> homes = shape.homes;
  if (homes.empty()) {  // no array is empty
    homes.push_back(one_for_all);
    stored.push_back(false);
  }
  std::vector<bool> outside;
  for (int k = 0; k < block.mechanism->info->coupling_count; ++k)
    outside.push_back(lives_outside(block.mechanism->info->couplings[k],
                                    static_cast<std::size_t>(k), signature, all_cells, number));
  if (outside.empty()) outside.push_back(false);
  return fmt::format(R"(
struct Traits{} {{
  static constexpr step::TurnFacts facts = {{{}, {}, {}, {}}};
  static constexpr bool keeps_assigned = {}, is_pointed_at = {};
  static constexpr bool is_everywhere = {}, is_leading = {}, has_chip = {};
  static constexpr int list = {}, squad = {};
  static constexpr int homes[] = {{{}}};
  static constexpr bool stored[] = {{{}}};
  static constexpr bool outside[] = {{{}}};
  using Value = {};
  using V = {};
}};
)",
                     number, facts.is_constant, facts.prepares_ions, facts.follows_gaps,
                     facts.is_point_process, cells.keeps_assigned, block.is_pointed_at,
                     shape.is_everywhere, shape.is_leading, shape.chip_variables() > 0, shape.list,
                     shape.squad, fmt::join(homes, ", "), fmt::join(stored, ", "),
                     fmt::join(outside, ", "), shape.is_single ? "float" : "double",
                     shape.is_single         ? "float"
                     : all_shapes.is_exact() ? "double"
                                             : "Quick");
}

std::string follow_kernel(int block_threads) {
  return fmt::format(R"(
extern "C" __global__ void __launch_bounds__({}) follow_gaps(
    const __grid_constant__ Arrays<Program> arrays, long long step, const unsigned* halted) {{
  if (halted && *halted != 0) return;
  with_cell<Program>(arrays, [&](auto& cell) {{ cell.follow_gaps(step); }});
}}
)",
                     block_threads);
}

}  // namespace

ProgramSource write_program(const Signature& signature, const Cells& cells,
                            const LaunchShape& shape, models::Integrator integrator) {
  ProgramSource source;
  std::vector<const mechanisms::Mechanism*> included;
  std::string headers, traits, blocks;
  bool sends = false, watches = false, diffuses = false, follows = false;
  for (std::size_t b = 0; b < signature.blocks.size(); ++b) {
    const BlockSignature& block = signature.blocks[b];
    if (std::ranges::find(included, block.mechanism) == included.end()) {
      included.push_back(block.mechanism);
      source.mechanisms.push_back({fmt::format("mechanism_{}.hpp", included.size()),
                                   block.mechanism->source, block.mechanism->signature.name});
      headers += fmt::format("#include \"{}\"\n", source.mechanisms.back().name);
    }
    traits += traits_of(b, signature, cells, shape);
    blocks += fmt::format("{}\n      Block<mechanisms::{}, Traits{}>", b == 0 ? "" : ",",
                          block.mechanism->evaluator, b);
    sends = sends || block.mechanism->info->sends_events;
    watches = watches || block.mechanism->info->watches > 0;
    diffuses = diffuses || block.mechanism->info->diffusion_count > 0;
    follows = follows || block.follows_gaps();
  }
  source.has_floats = shape.precision != models::Precision::full;
  source.text = fmt::format(
      R"(#include "simulator/backends/device/kernels/epoch.hpp"
#include "simulator/step/integrators/{}"
{}
namespace hillock::simulator::on_device {{
{}
struct Program {{
  using Real = {};
  static constexpr bool is_double = {};
  static constexpr int team = {}, solver_team = {}, tasks_of_thread = {}, squads = {}, squad_ranks = {}, stride = {}, ions = {}, points = {};
  static constexpr bool contracts = {}, is_quick = {}, on_chip = {}, tables_on_chip = {}, ions_on_chip = {};
  static constexpr int tables[] = {{{}}}, table_count = {};
  static constexpr int layers = {};
  static constexpr bool shares_block = {}, has_all_pivots = {}, most_change = {}, none_constant = {}, one_row = {}, all_change = {}, sends = {}, watches = {}, diffuses = {}, follows_gaps = {}, begins = {}, has_few_states = {}, keeps_assigned = {}, records_moved = {};
  using Integrator = step::{};
  using Blocks = BlockList<{}>;
}};

extern "C" __global__ void __launch_bounds__({}, {}) run_epoch(
    const __grid_constant__ Arrays<Program> arrays, long long first, long long last,
    EpochEvents events) {{
  if (events.halted && *events.halted != 0) return;
  with_cell<Program>(arrays, [&](auto& cell) {{ cell.run(first, last, events); }});
}}

extern "C" __global__ void __launch_bounds__({}) take_samples(
    const __grid_constant__ Arrays<Program> arrays, long long step) {{
  with_cell<Program>(arrays, [&](auto& cell) {{ cell.sample_only(step); }});
}}
{}

}}  // namespace hillock::simulator::on_device
)",
      step::header_of(integrator), headers, traits,
      shape.real_bytes() == sizeof(float) ? "float" : "double",
      shape.precision == models::Precision::full, shape.team, shape.solver_team,
      shape.tasks_of_thread, shape.squads, shape.squad_ranks, shape.stride, signature.ions.size(),
      shape.points, signature.contracts, shape.is_quick, shape.on_chip, shape.tables_on_chip,
      shape.ions_on_chip, fmt::join(shape.tables, ", "), shape.table_count, signature.layers,
      shape.shares_block, shape.has_all_pivots, shape.most_change, shape.none_constant,
      signature.one_row, shape.all_change, sends, watches, diffuses, follows, shape.begins,
      shape.has_few_states, shape.keeps_assigned, shape.records_moved, step::type_of(integrator),
      blocks, shape.block_threads, shape.blocks_at_once, shape.block_threads,
      follows ? follow_kernel(shape.block_threads) : "");
  return source;
}

}  // namespace hillock::simulator::on_device
