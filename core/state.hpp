#pragma once
// Everything that changes during a run, as columns of numbers by name: "exc/hh/m" has the state m
// of hh on all cells of exc, in the order of cells and, on one cell, of nodes or instances. Nothing
// in it tells how many lanes, threads or ranks there were.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include "core/one_or_many.hpp"

namespace hillock {

/// A state that is not of the network it is given to.
class StateMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One column, as it is filled. Numbers are kept bit by bit.
class StateColumn {
 public:
  StateColumn() = default;
  explicit StateColumn(OneOrMany numbers) : numbers_(std::move(numbers)) {}

  void put(double number) { numbers_.push_back(number); }
  void put_count(std::uint64_t count) { put(std::bit_cast<double>(count)); }
  void append(const StateColumn& more) { numbers_.append(more.numbers_); }
  const OneOrMany& numbers() const { return numbers_; }

 private:
  OneOrMany numbers_;
};

class State {
 public:
  /// The column of that name; an empty one where there was none.
  StateColumn& operator[](const std::string& name) { return columns_[name]; }
  const std::map<std::string, StateColumn>& columns() const { return columns_; }
  /// Puts the columns of the next cells behind those of the same name.
  void append(State more);

 private:
  std::map<std::string, StateColumn> columns_;
};

/// Reads columns from their beginning to their end.
class StateReader {
 public:
  class Column {
   public:
    Column(std::string name, const OneOrMany& numbers)
        : name_(std::move(name)), numbers_(numbers) {}
    /// The next number. Throws StateMismatch behind the last one.
    double take() {
      if (next_ == numbers_.size()) fail();
      return numbers_[next_++];
    }
    std::uint64_t take_count() { return std::bit_cast<std::uint64_t>(take()); }
    bool is_at_end() const { return next_ == numbers_.size(); }

   private:
    [[noreturn]] void fail() const;

    std::string name_;
    const OneOrMany& numbers_;
    std::size_t next_ = 0;
  };

  /// state: must outlive this.
  explicit StateReader(const State& state);
  /// Throws StateMismatch where there is none of that name.
  Column& operator[](const std::string& name);
  /// Throws StateMismatch when something was not read.
  void finish() const;

 private:
  std::map<std::string, Column> columns_;
};

/// Puts numbers into a state or takes them out of one: whoever has numbers that change walks over
/// them once for both.
class StateWalk {
 public:
  explicit StateWalk(State& to) : to_(&to) {}
  explicit StateWalk(StateReader& from) : from_(&from) {}

  bool is_saving() const { return to_ != nullptr; }
  /// What follows is of that column. Throws StateMismatch where there is none to take from.
  void column(const std::string& name) {
    if (to_)
      put_ = &(*to_)[name];
    else
      take_ = &(*from_)[name];
  }
  /// The next number of the column. Throws StateMismatch behind the last one.
  void number(double& number) {
    if (to_)
      put_->put(number);
    else
      number = take_->take();
  }
  template <std::integral Count>
  void count(Count& count) {
    if (to_)
      put_->put_count(static_cast<std::uint64_t>(count));
    else
      count = static_cast<Count>(take_->take_count());
  }

 private:
  State* to_ = nullptr;
  StateReader* from_ = nullptr;
  StateColumn* put_ = nullptr;
  StateReader::Column* take_ = nullptr;
};

}  // namespace hillock
