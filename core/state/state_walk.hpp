#pragma once
// Puts numbers into a state, or takes them out of one: whoever has numbers that change walks over
// them once for both.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/state/state.hpp"

namespace hillock {

/// Reads a state: columns of the run from their beginning to their end, columns of cells through a
/// StateWalk, of any cells in any order.
class StateReader {
 public:
  /// A column of the run.
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

  /// state: must outlive this. Throws StateMismatch when its cells are in another order than that
  /// of their indices.
  explicit StateReader(const State& state);
  /// A column of the run. Throws StateMismatch where there is none of that name.
  Column& operator[](const std::string& name);
  /// Throws StateMismatch when a number of a cell that was read was not.
  void finish_cells() const;
  /// Throws StateMismatch when something was not read, of any cell or of the run.
  void finish() const;

 private:
  friend class StateWalk;

  struct Numbers {
    const CellColumn* column;
    CellOffsets offsets;
    std::size_t taken = 0;
  };
  struct Cells {
    const CellIndices* indices;
    std::vector<bool> visited;  ///< [cell]
    std::map<std::string, Numbers> columns;
  };
  static void finish_cells(const std::string& population, const Cells& cells);

  std::map<std::string, Column> of_run_;
  std::map<std::string, Cells> of_cells_;
};

class StateWalk {
 public:
  explicit StateWalk(State& to) : to_(&to) {}
  explicit StateWalk(StateReader& from) : from_(&from) {}

  bool is_saving() const { return to_ != nullptr; }

  /// What follows is of these cells of a population: puts them behind those that are there, or
  /// finds them. Throws StateMismatch where one is not there to take from.
  void begin(const std::string& population, std::span<const std::uint64_t> indices);
  /// What follows is of all cells of a population that are there. Returns which.
  const CellIndices& begin_all(const std::string& population);
  /// What follows is of `count` of the cells that were begun, from number `first` on.
  void narrow(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
  }

  /// Calls body(c) for each of the cells, by their number from the first one on: it goes through
  /// the cell's numbers of that column. Throws StateMismatch where it takes more numbers or fewer
  /// than there are.
  template <class Body>
  void column(const std::string& name, const Body& body) {
    open(name);
    for (std::size_t c = 0; c < count_; ++c) {
      if (to_) {
        begin_ = put_->numbers.size();
        body(c);
        put_->counts.push_back(count_of(put_->numbers.size() - begin_));
      } else {
        enter(places_[first_ + c]);
        body(c);
        leave();
      }
    }
    close();
  }
  /// The next number of the cell.
  void number(double& number) {
    if (to_)
      put_->numbers.push_back(number);
    else
      number = take();
  }
  template <std::integral Count>
  void count(Count& count) {
    if (to_)
      put_->numbers.push_back(std::bit_cast<double>(static_cast<std::uint64_t>(count)));
    else
      count = static_cast<Count>(std::bit_cast<std::uint64_t>(take()));
  }
  /// How many numbers are left to be taken of the cell.
  std::size_t left() const { return end_ - at_; }

 private:
  void open(const std::string& name);
  void close();
  static std::uint32_t count_of(std::size_t numbers);
  void enter(std::size_t place) {
    place_ = place;
    at_ = end_ = 0;
    if (!take_) return;
    at_ = take_->offsets[place];
    end_ = at_ + take_->offsets.count(place);
    take_->taken += end_ - at_;
    take_->offsets.expect(place + 1, end_);
  }
  void leave() const {
    if (at_ != end_) fail("too many");
  }
  double take() {
    if (at_ == end_) fail("too few");
    return take_->column->numbers[at_++];
  }
  [[noreturn]] void fail(const char* how_many) const;

  State* to_ = nullptr;
  StateReader* from_ = nullptr;
  std::string population_, column_;
  std::size_t first_ = 0, count_ = 0;  ///< of the cells that were begun
  // Saving.
  StateOfCells* to_cells_ = nullptr;
  CellColumn* put_ = nullptr;
  std::size_t before_ = 0;  ///< cells of the population that were there
  std::size_t begin_ = 0;   ///< the cell's first number
  // Restoring.
  StateReader::Cells* from_cells_ = nullptr;
  StateReader::Numbers* take_ = nullptr;  ///< null: no cell has a number
  std::vector<std::size_t> places_;       ///< [cell that was begun] in the state
  std::size_t place_ = 0, at_ = 0, end_ = 0;
};

}  // namespace hillock
