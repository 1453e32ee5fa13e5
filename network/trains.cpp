#include "network/trains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/containers/memory_size.hpp"

namespace hillock::network {

Trains::Trains(std::vector<DrivenCell> trains) : trains_(std::move(trains)) {
  trains_.shrink_to_fit();  // as they were made there was room for up to twice as many
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

void Trains::go_back(std::span<const Place> places) {
  if (places.empty()) return;
  for (std::size_t i = places.size(); i-- > 0;)
    trains_[places[i].train].train.go_to(places[i].position, places[i].next_ms);
  find_all();
}

void Trains::walk(StateWalk& state) {
  for (std::size_t begin = 0, end = 0; begin < trains_.size(); begin = end) {
    while (end < trains_.size() && trains_[end].source == trains_[begin].source) ++end;
    walk(state, std::span(trains_).subspan(begin, end - begin));
  }
  if (!state.is_saving()) find_all();
}

/// Of trains that are over nobody asks how they got there: they have no numbers.
void Trains::walk(StateWalk& state, std::span<DrivenCell> of_stimulus) {
  auto at = of_stimulus.begin();
  const std::uint64_t stimulus = at->source - first_stimulus_source;
  state.column(fmt::format("trains/{}", stimulus), [&](std::size_t cell) {
    if (at == of_stimulus.end() || at->cell != cell) return;
    EventTrain& train = at->train;
    const bool is_over =
        state.is_saving() ? !std::isfinite(train.next_ms() + at->delay_ms) : state.left() == 0;
    ++at;
    double next_ms = is_over ? std::numeric_limits<double>::infinity() : train.next_ms();
    std::uint64_t position = is_over ? 0 : train.position();
    if (!is_over) {
      state.number(next_ms);
      state.count(position);
    }
    if (!state.is_saving()) train.go_to(position, next_ms);
  });
}

std::size_t Trains::bytes() const {
  return bytes_of(trains_) + bytes_of(next_) + bytes_of(next_of_block_);
}

}  // namespace hillock::network
