#include "network/trains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/memory_size.hpp"
#include "network/events.hpp"

namespace hillock::network {

Trains::Trains(std::vector<DrivenCell> trains, std::size_t first_table,
               std::vector<std::uint64_t> counts)
    : trains_(std::move(trains)), first_table_(first_table), counts_(std::move(counts)) {
  find_next();
}

void Trains::find_next() {
  heap_.clear();
  for (std::size_t i = 0; i < trains_.size(); ++i) {
    const double next_ms = trains_[i].train.next_ms() + trains_[i].delay_ms;
    if (std::isfinite(next_ms)) heap_.push_back({next_ms, static_cast<std::uint32_t>(i)});
  }
  std::ranges::make_heap(heap_, std::greater{});
}

/// The train whose event is the next, if that arrives before step `last`.
const DrivenCell* Trains::next_before(std::int64_t last, double dt_ms) {
  if (heap_.empty()) return nullptr;
  next_ms_ = heap_.front().time_ms;
  if (!(next_ms_ < (static_cast<double>(last) + 1) * dt_ms)) return nullptr;
  next_step_ = arrival_step(next_ms_, dt_ms);
  return next_step_ < last ? &trains_[heap_.front().train] : nullptr;
}

void Trains::advance() {
  std::ranges::pop_heap(heap_, std::greater{});
  DrivenCell& driven = trains_[heap_.back().train];
  driven.train.advance();
  heap_.back().time_ms = driven.train.next_ms() + driven.delay_ms;
  if (std::isfinite(heap_.back().time_ms))
    std::ranges::push_heap(heap_, std::greater{});
  else
    heap_.pop_back();
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
  find_next();
}

std::size_t Trains::bytes() const {
  return bytes_of(trains_) + bytes_of(heap_);
}

}  // namespace hillock::network
