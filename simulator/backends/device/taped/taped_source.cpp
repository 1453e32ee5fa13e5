#include "simulator/backends/device/taped/taped_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hillock::simulator::on_device {

namespace {

std::string homes_text(const std::vector<TapedHome>& homes) {
  static constexpr const char* names[] = {"one", "placed", "own", "kept", "back", "none"};
  std::string text;
  for (const TapedHome& home : homes)
    text += fmt::format("{}{{TapedHome::{}, {}}}", text.empty() ? "" : ", ", names[home.kind],
                        home.slot);
  return text;
}

std::string traits_of(std::size_t number, const AlikeBlock& block, std::size_t rows,
                      Quotients quotients) {
  return fmt::format(R"(
struct TapedTraits{} {{
  static constexpr step::TurnFacts facts = {{{}, {}, false, {}}};
  static constexpr bool is_everywhere = {}, is_whole = {};
  static constexpr TapedHome homes[] = {{{}}};
  static constexpr TapedHome back_homes[] = {{{}}};
  static constexpr int of_i = {}, of_g = {}, of_v = {};
  using V = {};
}};
)",
                     number, block.facts.is_constant, block.facts.prepares_ions,
                     block.facts.is_point_process, block.is_everywhere(rows), block.is_whole,
                     homes_text(block.homes), homes_text(block.back_homes), block.columns.of_i,
                     block.columns.of_g, block.columns.of_v,
                     quotients == Quotients::quick ? "Quick" : "double");
}

}  // namespace

ProgramSource write_taped_program(const AlikeCells& cells, Quotients quotients) {
  ProgramSource source;
  std::vector<const mechanisms::Mechanism*> included;
  std::string headers, traits, blocks;
  for (std::size_t b = 0; b < cells.blocks.size(); ++b) {
    const AlikeBlock& block = cells.blocks[b];
    for (const mechanisms::Mechanism* mechanism : {block.first.mechanism, &block.adjoint}) {
      if (std::ranges::find(included, mechanism) != included.end()) continue;
      included.push_back(mechanism);
      source.mechanisms.push_back({fmt::format("mechanism_{}.hpp", included.size()),
                                   mechanism->source, mechanism->signature.name});
      headers += fmt::format("#include \"{}\"\n", source.mechanisms.back().name);
    }
    traits += traits_of(b, block, cells.rows(), quotients);
    blocks += fmt::format("{}\n      TapedPair<mechanisms::{}, mechanisms::{}, TapedTraits{}>",
                          b == 0 ? "" : ",", block.first.mechanism->evaluator,
                          block.adjoint.evaluator, b);
  }
  source.text = fmt::format(
      R"(#include "simulator/backends/device/kernels/taped_way_back.hpp"
{0}
namespace hillock::simulator::on_device {{
{1}
struct Program {{
  static constexpr int lanes = {2}, parts = {3}, solvers = {10}, ones = {11};
  static constexpr bool on_chip = {4}, quick = {8};
  using Blocks = TapedList<{5}>;
}};

extern "C" __global__ void __launch_bounds__({6}, {9}) run_taped(
    const __grid_constant__ TapedArraysOf<Program> arrays, long long first, long long last) {{
  for_groups<TapedCells, Program>(arrays, [&](auto& cells) {{ cells.run(first, last); }});
}}

extern "C" __global__ void __launch_bounds__({6}) sample_taped(
    const __grid_constant__ TapedArraysOf<Program> arrays) {{
  for_groups<TapedCells, Program>(arrays, [&](auto& cells) {{ cells.sample(0); }});
}}

extern "C" __global__ void __launch_bounds__({6}, {7}) go_back(
    const __grid_constant__ TapedArraysOf<Program> arrays) {{
  for_groups<TapedWayBack, Program>(arrays, [&](auto& cells) {{ cells.go_back(); }});
}}

}}  // namespace hillock::simulator::on_device
)",
      headers, traits, cells.shape.lanes, cells.shape.parts, cells.shape.is_on_chip, blocks,
      cells.shape.threads(), cells.shape.at_once, quotients == Quotients::quick,
      cells.shape.ahead_at_once, cells.shape.solvers(), cells.ones.size());
  return source;
}

}  // namespace hillock::simulator::on_device
