#include "core/state/state_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace hillock {

namespace {

/// Cells of a part that follow one another there and in what they are put into.
struct CellRun {
  std::uint64_t index = 0;  ///< of the first
  std::size_t at = 0;       ///< the first's place in the part
  std::uint32_t part = 0;
  std::uint32_t count = 0;
};

constexpr std::uint32_t longest_run = 1u << 31;

/// Runs of cells whose indices follow one another, too.
void add_runs(const CellIndices& cells, std::uint32_t part, std::vector<CellRun>& runs) {
  const bool is_dense = cells.stride() == 1;
  for (std::size_t i = 0; i < cells.size();) {
    const std::uint64_t most = std::min<std::uint64_t>(longest_run, cells.size() - i);
    CellRun run{cells[i], i, part, is_dense ? static_cast<std::uint32_t>(most) : 1};
    while (!is_dense && run.count < most && cells[i + run.count] == run.index + run.count)
      ++run.count;
    runs.push_back(run);
    i += run.count;
  }
}

/// Joins what stands side by side in its part, though there may be no cells between.
void merge(std::vector<CellRun>& runs) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    CellRun& before = runs[last];
    const CellRun& run = runs[i];
    const bool follows = run.part == before.part && run.at == before.at + before.count;
    if (follows && run.count <= longest_run - before.count)
      before.count += run.count;
    else
      runs[++last] = run;
  }
  if (!runs.empty()) runs.resize(last + 1);
}

/// The cells of all parts in the order of their indices.
std::vector<CellRun> sorted_runs(const std::string& population,
                                 std::span<const CellIndices* const> parts) {
  std::vector<CellRun> runs;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p]) add_runs(*parts[p], static_cast<std::uint32_t>(p), runs);
  if (!std::ranges::is_sorted(runs, {}, &CellRun::index))
    std::ranges::sort(runs, {}, &CellRun::index);
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].index < runs[i - 1].index + runs[i - 1].count)
      throw StateMismatch(fmt::format("cell {}[{}] is in two parts", population, runs[i].index));
  merge(runs);
  return runs;
}

/// Where some cells are, which rise.
std::vector<CellRun> runs_of(const std::string& population, const CellIndices& all,
                             const CellIndices& cells) {
  std::vector<CellRun> runs;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t at = all.find(cells[i]);
    if (at == CellIndices::nowhere)
      throw StateMismatch(fmt::format("there is no cell {}[{}]", population, cells[i]));
    runs.push_back({cells[i], at, 0, 1});
  }
  merge(runs);
  return runs;
}

/// How many numbers each of those cells has. parts: null for one that has no number.
CellCounts counts_of(std::span<const CellColumn* const> parts, std::span<const CellRun> runs) {
  CellCounts counts;
  for (const CellRun& run : runs) {
    std::size_t known = 0;
    if (parts[run.part]) {
      const CellCounts& part = parts[run.part]->counts;
      if (part.size() > run.at) known = std::min<std::size_t>(run.count, part.size() - run.at);
      if (known > 0) counts.append(part, run.at, known);
    }
    counts.append(run.count - known, 0);
  }
  return counts;
}

/// A column of those cells. parts: as above. offsets: of their numbers.
CellColumn put_together(std::span<const CellColumn* const> parts, std::span<CellOffsets> offsets,
                        std::span<const CellRun> runs) {
  CellColumn made;
  made.counts = counts_of(parts, runs);
  made.numbers.reserve(CellOffsets(made.counts).all());
  for (const CellRun& run : runs) {
    if (!parts[run.part]) continue;
    CellOffsets& of_part = offsets[run.part];
    const std::size_t begin = of_part[run.at], end = of_part[run.at + run.count];
    made.numbers.append(parts[run.part]->numbers, begin, end - begin);
    of_part.expect(run.at + run.count, end);
  }
  if (made.numbers.is_one()) made.numbers.shrink();
  return made;
}

CellColumn put_together(std::span<const CellColumn* const> parts, std::span<const CellRun> runs) {
  std::vector<CellOffsets> offsets(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p]) offsets[p] = CellOffsets(parts[p]->counts);
  return put_together(parts, offsets, runs);
}

void join_of_run(State& all, const State& part) {
  for (const auto& [name, column] : part.of_run()) {
    const auto there = all.of_run().find(name);
    if (there == all.of_run().end())
      all[name] = column;
    else if (!(there->second.numbers() == column.numbers()))
      throw StateMismatch(fmt::format("parts differ in {}", name));
  }
}

StateOfCells join_population(const std::string& population, std::span<StateOfCells* const> parts) {
  std::vector<const CellIndices*> cells;
  std::set<std::string> names;
  for (const StateOfCells* part : parts) {
    cells.push_back(&part->cells);
    for (const auto& [name, column] : part->columns) names.insert(name);
  }
  const std::vector<CellRun> runs = sorted_runs(population, cells);
  StateOfCells all;
  for (const CellRun& run : runs)
    for (std::uint32_t i = 0; i < run.count; ++i)
      all.cells.push_back((*cells[run.part])[run.at + i]);
  for (const std::string& name : names) {
    std::vector<const CellColumn*> columns;
    for (const StateOfCells* part : parts) {
      const auto found = part->columns.find(name);
      columns.push_back(found != part->columns.end() ? &found->second : nullptr);
    }
    all.columns.emplace(name, put_together(columns, runs));
    for (StateOfCells* part : parts) part->columns.erase(name);
  }
  return all;
}

}  // namespace

State joined(std::vector<State> parts) {
  State all;
  std::map<std::string, std::vector<StateOfCells*>> populations;
  for (State& part : parts) {
    join_of_run(all, part);
    for (const auto& [population, cells] : part.of_cells())
      populations[population].push_back(&part.of(population));
  }
  for (const auto& [population, some] : populations)
    all.of(population) = join_population(population, some);
  return all;
}

StateCutter::StateCutter(const State& whole) : whole_(whole) {
  for (const auto& [population, some] : whole.of_cells())
    for (const auto& [name, column] : some.columns)
      offsets_[population].emplace(name, CellOffsets(column.counts));
}

State StateCutter::cut(const std::map<std::string, CellIndices>& cells) {
  State some;
  join_of_run(some, whole_);
  for (const auto& [population, indices] : cells) {
    if (indices.size() == 0) continue;
    const auto from = whole_.of_cells().find(population);
    if (from == whole_.of_cells().end())
      throw StateMismatch(fmt::format("there is no cell of {}", population));
    const std::vector<CellRun> runs = runs_of(population, from->second.cells, indices);
    StateOfCells& to = some.of(population);
    to.cells = indices;
    for (const auto& [name, column] : from->second.columns) {
      const CellColumn* const only = &column;
      CellColumn made = put_together({&only, 1}, {&offsets_.at(population).at(name), 1}, runs);
      if (made.numbers.size() > 0) to.columns.emplace(name, std::move(made));
    }
  }
  return some;
}

}  // namespace hillock
