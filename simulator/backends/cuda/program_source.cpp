#include "simulator/backends/cuda/program_source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hillock::simulator::cuda {

namespace {

constexpr int threads_of_warp = 32;

const char* phase_of(const BlockSignature& block) {
  if (block.is_constant) return "constant";
  return block.mechanism->info->is_point_process ? "point" : "density";
}

}  // namespace

std::string describe_solver(const LaunchShape& shape) {
  if (shape.team == 1) return "none: one compartment";
  return fmt::format("level by level, in the CPU's order, {}",
                     shape.on_chip ? "on the chip" : "in the device's memory");
}

LaunchShape shape_of(const Signature& signature, const Cells& cells, const DeviceLimits& limits) {
  LaunchShape shape;
  shape.team = signature.team;
  shape.stride = signature.team == 1 ? threads_of_warp : 1;
  const auto row_bytes = static_cast<std::size_t>(work_arrays) * sizeof(double);
  const std::size_t cell_bytes = row_bytes * static_cast<std::size_t>(cells.most_rows);
  shape.block_threads = std::max(128, signature.team);
  const auto teams = static_cast<std::size_t>(shape.block_threads / signature.team);
  shape.on_chip =
      signature.team > 1 && teams * cell_bytes <= static_cast<std::size_t>(limits.shared_bytes);
  if (!shape.on_chip && signature.team > 1 && signature.team <= threads_of_warp)
    shape.block_threads = threads_of_warp;
  return shape;
}

ProgramSource write_program(const Signature& signature, const Cells& cells,
                            const LaunchShape& shape) {
  ProgramSource source;
  std::vector<const mechanisms::Mechanism*> included;
  std::string blocks;
  bool sends = false, watches = false;
  for (std::size_t b = 0; b < signature.blocks.size(); ++b) {
    const BlockSignature& block = signature.blocks[b];
    if (std::ranges::find(included, block.mechanism) == included.end()) {
      included.push_back(block.mechanism);
      source.mechanisms.push_back({fmt::format("mechanism_{}.hpp", included.size()),
                                   block.mechanism->source, block.mechanism->signature.name});
      source.text += fmt::format("#include \"{}\"\n", source.mechanisms.back().name);
    }
    blocks += fmt::format("{}\n      Block<mechanisms::{}, Phase::{}, {}, {}, {}>",
                          b == 0 ? "" : ",", block.mechanism->evaluator, phase_of(block),
                          block.prepares_ions, cells.blocks[b].keeps_assigned, block.is_pointed_at);
    sends = sends || block.mechanism->info->sends_events;
    watches = watches || block.mechanism->info->watches > 0;
  }
  source.text = fmt::format(R"(#include "simulator/backends/cuda/device/epoch.hpp"
{}
namespace hillock::simulator::cuda {{

struct Program {{
  static constexpr int team = {}, stride = {}, ions = {};
  static constexpr bool on_chip = {}, one_row = {}, sends = {}, watches = {};
  using Blocks = BlockList<{}>;
}};

__constant__ Arrays<Program> arrays;

extern "C" __global__ void __launch_bounds__({}) run_epoch(long long first, long long last) {{
  with_cell<Program>(arrays, [&](auto&& cell) {{ cell.run(first, last); }});
}}

extern "C" __global__ void __launch_bounds__({}) take_samples(long long step) {{
  with_cell<Program>(arrays, [&](auto&& cell) {{ cell.sample_only(step); }});
}}

}}  // namespace hillock::simulator::cuda
)",
                            source.text, shape.team, shape.stride, signature.ions.size(),
                            shape.on_chip, signature.one_row, sends, watches, blocks,
                            shape.block_threads, shape.block_threads);
  return source;
}

}  // namespace hillock::simulator::cuda
