#include "simulator/command/info/device_text.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "simulator/command/terminal/report.hpp"
#include "simulator/session/run_summary.hpp"
#include "solver/cuda/device_state.hpp"

namespace hillock::command {

using solver::gigabytes;

namespace {

std::string parts_of(const simulator::DeviceBytes& bytes) {
  std::vector<std::string> parts;
  for (const auto& [use, name] : simulator::device_uses)
    if (bytes.of(use) > 0)
      parts.push_back(fmt::format("{} for {}", gigabytes(bytes.of(use)), name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string rows_of(const simulator::DeviceKind& kind) {
  if (kind.fewest_rows != kind.most_rows)
    return fmt::format("{} to {} rows", kind.fewest_rows, kind.most_rows);
  return fmt::format("{} row{}", kind.most_rows, kind.most_rows == 1 ? "" : "s");
}

void print_kind(const simulator::DeviceKind& kind) {
  const auto line = [](const std::string& text) { print_entry("", text); };
  print_entry("  " + kind.population,
              fmt::format("{} cell{} of {}: {}", kind.cells, kind.cells == 1 ? "" : "s",
                          rows_of(kind), fmt::join(kind.mechanisms, ", ")));
  line(fmt::format("solver: {}", kind.solver));
  line(fmt::format("{} thread{} a cell, {} registers and {} bytes of local memory a thread",
                   kind.threads, kind.threads == 1 ? "" : "s", kind.registers, kind.local_bytes));
  line(
      fmt::format("blocks of {} threads with {} bytes of shared memory: {} on a multiprocessor at "
                  "once, {} of its {} warps; {} cells on the GPU at once",
                  kind.block_threads, kind.shared_bytes, kind.blocks, kind.warps, kind.most_warps,
                  kind.cells_at_once));
  line(fmt::format("{} of memory", gigabytes(kind.bytes)));
}

}  // namespace

io::Json to_json(const simulator::DeviceReport& report) {
  io::Json bytes = io::Json::object();
  for (const auto& [use, name] : simulator::device_uses) bytes.add(name, report.bytes.of(use));
  io::Json kinds = io::Json::array();
  for (const simulator::DeviceKind& kind : report.kinds)
    kinds.add(io::Json::object({{"population", kind.population},
                                {"mechanisms", kind.mechanisms},
                                {"cells", kind.cells},
                                {"rows", kind.rows},
                                {"fewest_rows", kind.fewest_rows},
                                {"most_rows", kind.most_rows},
                                {"solver", kind.solver},
                                {"threads_a_cell", kind.threads},
                                {"registers_a_thread", kind.registers},
                                {"local_bytes_a_thread", kind.local_bytes},
                                {"block_threads", kind.block_threads},
                                {"shared_bytes_a_block", kind.shared_bytes},
                                {"blocks_a_multiprocessor", kind.blocks},
                                {"warps_a_multiprocessor", kind.warps},
                                {"most_warps_a_multiprocessor", kind.most_warps},
                                {"cells_at_once", kind.cells_at_once},
                                {"bytes", kind.bytes}}));
  return io::Json::object({{"device", report.device},
                           {"bytes", report.bytes.all()},
                           {"bytes_for", bytes},
                           {"free_bytes", report.free_bytes},
                           {"total_bytes", report.total_bytes},
                           {"propagation", session::propagation_text(report.propagation)},
                           {"propagation_reason", report.propagation_reason},
                           {"kernels", report.kernels},
                           {"kinds", kinds}});
}

void print_device(const simulator::DeviceReport& report) {
  print_entry("GPU", report.device);
  print_entry(
      "memory on the GPU",
      fmt::format("{}: {}; {} of {} are free{}", gigabytes(report.bytes.all()),
                  parts_of(report.bytes), gigabytes(report.free_bytes),
                  gigabytes(report.total_bytes),
                  report.bytes.all() > report.free_bytes ? ", which does not suffice" : ""));
  print_entry("kernels", fmt::format("{} of {} kind{} of cells", report.kernels,
                                     report.kinds.size(), report.kinds.size() == 1 ? "" : "s"));
  for (const simulator::DeviceKind& kind : report.kinds) print_kind(kind);
  if (!report.propagation_reason.empty())
    print_entry("propagation", fmt::format("{}: {}", session::propagation_text(report.propagation),
                                           report.propagation_reason));
}

}  // namespace hillock::command
