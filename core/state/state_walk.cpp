#include "core/state/state_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace hillock {

void StateReader::Column::fail() const {
  throw StateMismatch(fmt::format("there are only {} numbers of {}", numbers_.size(), name_));
}

StateReader::StateReader(const State& state) {
  for (const auto& [name, column] : state.of_run())
    of_run_.emplace(name, Column(name, column.numbers()));
  for (const auto& [population, some] : state.of_cells()) {
    if (!some.cells.are_rising())
      throw StateMismatch(fmt::format("the cells of {} are not in order", population));
    Cells& cells = of_cells_[population];
    cells.indices = &some.cells;
    cells.visited.resize(some.cells.size());
    for (const auto& [name, column] : some.columns)
      cells.columns.emplace(name, Numbers{&column, CellOffsets(column.counts)});
  }
}

StateReader::Column& StateReader::operator[](const std::string& name) {
  const auto found = of_run_.find(name);
  if (found == of_run_.end()) throw StateMismatch("there is no " + name);
  return found->second;
}

void StateReader::finish_cells(const std::string& population, const Cells& cells) {
  for (const auto& [name, numbers] : cells.columns) {
    std::size_t there = 0;
    const CellCounts& counts = numbers.column->counts;
    for (std::size_t c = 0; c < counts.size(); ++c)
      if (cells.visited[c]) there += counts[c];
    if (numbers.taken != there)
      throw StateMismatch(fmt::format("there are too many numbers of {}/{}", population, name));
  }
}

void StateReader::finish_cells() const {
  for (const auto& [population, cells] : of_cells_) finish_cells(population, cells);
}

void StateReader::finish() const {
  for (const auto& [population, cells] : of_cells_) {
    finish_cells(population, cells);
    const auto other = std::ranges::find(cells.visited, false);
    if (other != cells.visited.end())
      throw StateMismatch(
          fmt::format("there are too many cells: {}[{}]", population,
                      (*cells.indices)[static_cast<std::size_t>(other - cells.visited.begin())]));
  }
  for (const auto& [name, column] : of_run_)
    if (!column.is_at_end()) throw StateMismatch("there are too many numbers of " + name);
}

void StateWalk::begin(const std::string& population, std::span<const std::uint64_t> indices) {
  population_ = population;
  narrow(0, indices.size());
  if (to_) {
    to_cells_ = &to_->of(population);
    before_ = to_cells_->cells.size();
    for (const std::uint64_t index : indices) to_cells_->cells.push_back(index);
    return;
  }
  const auto found = from_->of_cells_.find(population);
  if (found == from_->of_cells_.end()) throw StateMismatch("there is no cell of " + population);
  from_cells_ = &found->second;
  places_.clear();
  for (const std::uint64_t index : indices) {
    const std::size_t place = from_cells_->indices->find(index);
    if (place == CellIndices::nowhere)
      throw StateMismatch(fmt::format("there is no cell {}[{}]", population, index));
    from_cells_->visited[place] = true;
    places_.push_back(place);
  }
}

const CellIndices& StateWalk::begin_all(const std::string& population) {
  population_ = population;
  if (to_) {
    to_cells_ = &to_->of(population);
    before_ = 0;
    narrow(0, to_cells_->cells.size());
    return to_cells_->cells;
  }
  static const CellIndices none;
  const auto found = from_->of_cells_.find(population);
  from_cells_ = found == from_->of_cells_.end() ? nullptr : &found->second;
  places_.resize(from_cells_ ? from_cells_->indices->size() : 0);
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  narrow(0, places_.size());
  if (!from_cells_) return none;
  from_cells_->visited.assign(places_.size(), true);
  return *from_cells_->indices;
}

void StateWalk::open(const std::string& name) {
  column_ = name;
  if (to_) {
    put_ = &to_cells_->columns[name];
    const std::size_t first = before_ + first_;
    if (put_->counts.size() > first)
      throw std::logic_error("a cell's numbers of " + name + " are saved twice");
    put_->counts.append(first - put_->counts.size(), 0);
    return;
  }
  take_ = nullptr;
  if (!from_cells_) return;
  const auto found = from_cells_->columns.find(name);
  if (found != from_cells_->columns.end()) take_ = &found->second;
}

void StateWalk::close() {
  if (to_ && put_->numbers.size() == 0) to_cells_->columns.erase(column_);
}

std::uint32_t StateWalk::count_of(std::size_t numbers) {
  if (numbers > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("a cell has more than 2^32 numbers of one kind");
  return static_cast<std::uint32_t>(numbers);
}

void StateWalk::fail(const char* how_many) const {
  throw StateMismatch(fmt::format("there are {} numbers of {}/{} of cell {}", how_many, population_,
                                  column_, (*from_cells_->indices)[place_]));
}

}  // namespace hillock
