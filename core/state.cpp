#include "core/state.hpp"

#include <fmt/format.h>

#include <utility>

namespace hillock {

void State::append(State more) {
  for (auto& [name, column] : more.columns_) {
    const auto [at, is_new] = columns_.try_emplace(name);
    if (is_new)
      at->second = std::move(column);
    else
      at->second.append(column);
    column = {};
  }
}

void StateReader::Column::fail() const {
  throw StateMismatch(fmt::format("there are only {} numbers of {}", numbers_.size(), name_));
}

StateReader::StateReader(const State& state) {
  for (const auto& [name, column] : state.columns())
    columns_.emplace(name, Column(name, column.numbers()));
}

StateReader::Column& StateReader::operator[](const std::string& name) {
  const auto found = columns_.find(name);
  if (found == columns_.end()) throw StateMismatch("there is no " + name);
  return found->second;
}

void StateReader::finish() const {
  for (const auto& [name, column] : columns_)
    if (!column.is_at_end()) throw StateMismatch("there are too many numbers of " + name);
}

}  // namespace hillock
