#include "network/trains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/memory_size.hpp"

namespace hillock::network {

Trains::Trains(std::vector<DrivenCell> trains, std::size_t first_table,
               std::vector<std::uint64_t> counts)
    : trains_(std::move(trains)), first_table_(first_table), counts_(std::move(counts)) {
  find_all();
}

void Trains::find_all() {
  next_.clear();
  for (const DrivenCell& one : trains_) next_.push_back(one.train.next_ms() + one.delay_ms);
  next_of_block_.resize((trains_.size() + trains_of_block - 1) / trains_of_block);
  for (std::size_t block = 0; block < next_of_block_.size(); ++block) find_next_of(block);
  find_next();
}

void Trains::find_next_of(std::size_t block) {
  const auto begin = next_.begin() + static_cast<std::ptrdiff_t>(block * trains_of_block);
  const auto left = static_cast<std::size_t>(next_.end() - begin);
  next_of_block_[block] = *std::min_element(
      begin, begin + static_cast<std::ptrdiff_t>(std::min(left, trains_of_block)));
}

void Trains::find_next() {
  earliest_ms_ = std::numeric_limits<double>::infinity();
  for (const double next_ms : next_of_block_) earliest_ms_ = std::min(earliest_ms_, next_ms);
}

void Trains::walk(StateWalk& state, const std::string& prefix) {
  struct Position {
    double next_ms = std::numeric_limits<double>::infinity();
    std::uint64_t position = 0;
  };
  // Every train in the order of the model; of those that are over nobody asks how they got there.
  std::vector<std::vector<Position>> tables(counts_.size());
  for (std::size_t t = 0; t < tables.size(); ++t) tables[t].resize(counts_[t]);
  const auto position_of = [&](const DrivenCell& one) -> Position& {
    return tables[one.table - first_table_][one.number];
  };
  for (const DrivenCell& one : trains_)
    if (std::isfinite(one.train.next_ms() + one.delay_ms))
      position_of(one) = {one.train.next_ms(), one.train.position()};
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const std::string name = fmt::format("{}/trains/{}/", prefix, t);
    state.column(name + "next");
    for (Position& train : tables[t]) state.number(train.next_ms);
    state.column(name + "position");
    for (Position& train : tables[t]) state.count(train.position);
  }
  if (state.is_saving()) return;
  for (DrivenCell& one : trains_) {
    const Position& train = position_of(one);
    one.train.go_to(train.position, train.next_ms);
  }
  find_all();
}

std::size_t Trains::bytes() const {
  return bytes_of(trains_) + bytes_of(next_) + bytes_of(next_of_block_);
}

}  // namespace hillock::network
