#include "simulator/backends/cpu/cells/row_parts.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator::cpu {

namespace {

bool is_density(const MechanismBlock& block) {
  return !block.mechanism->info->is_point_process;
}

/// Rows of the density mechanism with the most instances, rising; empty without one.
std::span<const int> rows_of_largest(const GroupLayout& group) {
  std::span<const int> largest;
  for (const MechanismBlock& block : group.blocks)
    if (is_density(block) && block.nodes.size() > largest.size()) largest = block.nodes;
  return largest;
}

/// A border near one before which a mechanism's instances fill whole registers, of any machine and
/// precision: what is left over is worked with one by one.
std::size_t behind_whole_registers(std::size_t border, std::span<const int> rows) {
  constexpr std::size_t fill = 16;
  const auto at = std::ranges::lower_bound(rows, static_cast<int>(border));
  const auto before = static_cast<std::size_t>(at - rows.begin());
  const std::size_t whole = (before + fill / 2) / fill * fill;
  return whole < rows.size() ? static_cast<std::size_t>(rows[whole]) : border;
}

/// Rows in parts of about as many numbers to work with; ends where the last one does. States are
/// what takes time.
std::vector<std::size_t> borders_of(const GroupLayout& group) {
  std::vector<std::size_t> work(group.row_count(), 4);
  for (const MechanismBlock& block : group.blocks)
    if (is_density(block))
      for (const int row : block.nodes)
        work[static_cast<std::size_t>(row)] +=
            2 + 4 * static_cast<std::size_t>(block.mechanism->info->states);
  const std::span<const int> largest = rows_of_largest(group);
  const std::size_t all = std::accumulate(work.begin(), work.end(), std::size_t{0});
  std::vector<std::size_t> borders{0};
  std::size_t before = 0;
  for (std::size_t row = 0; row < work.size(); before += work[row++])
    while (before * group.part_count() >= all * borders.size())
      borders.push_back(std::max(borders.back(), behind_whole_registers(row, largest)));
  borders.resize(group.part_count() + 1, work.size());
  borders.back() = work.size();
  return borders;
}

/// Those of a block that lie in rows [begin, end).
std::pair<std::size_t, std::size_t> instances_in(const MechanismBlock& block, std::size_t begin,
                                                 std::size_t end) {
  if (!is_density(block)) return {0, 0};
  const auto first_of = [&](std::size_t row) {
    const auto at = std::ranges::lower_bound(block.nodes, static_cast<int>(row));
    return static_cast<std::size_t>(at - block.nodes.begin());
  };
  return {first_of(begin), first_of(end)};
}

}  // namespace

RowParts::RowParts(const GroupLayout& group, std::size_t voltages) : whole_{0, 0, voltages, {}} {
  if (group.part_count() < 2) return;
  const std::vector<std::size_t> borders = borders_of(group);
  gang_.emplace(group.part_count());
  for (std::size_t p = 0; p < group.part_count(); ++p) {
    RowPart& part = parts_.emplace_back(RowPart{p, borders[p], borders[p + 1], {}});
    for (const MechanismBlock& block : group.blocks)
      part.instances.push_back(instances_in(block, part.begin, part.end));
  }
}

std::vector<std::size_t> RowParts::borders() const {
  std::vector<std::size_t> borders{0};
  for (const RowPart& part : parts_) borders.push_back(part.end);
  return borders;
}

std::size_t RowParts::bytes() const {
  std::size_t bytes = 0;
  for (const RowPart& part : parts_) bytes += sizeof(RowPart) + bytes_of(part.instances);
  return bytes;
}

}  // namespace hillock::simulator::cpu
