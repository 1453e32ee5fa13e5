#include "core/state/packed_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

// Words of 8 bytes, little-endian: a mark, how many words there are in all; the columns of the run;
// the populations, each with its cells and its columns, and of each column how many numbers a cell
// has, and the numbers; at last a sum of all words before. A list begins with how many there are;
// what is one for all stands there once. Texts are filled up with zeros.

namespace hillock {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t mark = 0x3265746174736868;  // "hhstate2"
constexpr std::size_t word = sizeof(std::uint64_t);

constexpr std::size_t words_of(std::size_t bytes) {
  return (bytes + word - 1) / word;
}

/// Of one word after the other. No two that differ in one word have the same.
class Checksum {
 public:
  void add(std::uint64_t one) { sum_ = (std::rotl(sum_, 5) ^ one) * 0x517cc1b727220a95; }
  void add(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += word) {
      std::uint64_t one = 0;
      std::memcpy(&one, bytes.data() + at, std::min(word, bytes.size() - at));
      add(one);
    }
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// How many numbers each cell has.
enum class Counts : std::uint64_t { one, many, as_before };

/// Calls put(list) for every list of words and numbers of a state; list: of bytes.
template <class Put>
class Packer {
 public:
  explicit Packer(const Put& put) : put_(put) {}

  void state(const State& state) {
    number(state.of_run().size());
    for (const auto& [name, column] : state.of_run()) {
      text(name);
      numbers(column.numbers());
    }
    number(state.of_cells().size());
    for (const auto& [population, some] : state.of_cells()) {
      text(population);
      cells(some);
    }
  }

 private:
  void number(std::uint64_t one) { put_(std::as_bytes(std::span(&one, 1))); }
  void text(const std::string& text) {
    number(text.size());
    std::string filled = text;
    filled.resize(words_of(text.size()) * word);
    put_(std::as_bytes(std::span(filled)));
  }
  void numbers(const OneOrMany& numbers) {
    number(numbers.is_one());
    number(numbers.size());
    const double one = numbers.one();
    put_(numbers.is_one() ? std::as_bytes(std::span(&one, 1)) : std::as_bytes(numbers.many()));
  }
  void cells(const StateOfCells& some) {
    number(some.cells.size());
    number(some.cells.stride());
    if (some.cells.stride() > 0)
      number(some.cells[0]);
    else
      for (std::size_t i = 0; i < some.cells.size(); ++i) number(some.cells[i]);
    number(some.columns.size());
    const CellCounts* before = nullptr;
    for (const auto& [name, column] : some.columns) {
      text(name);
      counts(column.counts, some.cells.size(), before);
      numbers(column.numbers);
      before = &column.counts;
    }
  }
  void counts(const CellCounts& counts, std::size_t cells, const CellCounts* before) {
    if (counts.is_one() && counts.size() == cells) {
      number(static_cast<std::uint64_t>(Counts::one));
      return number(counts.one());
    }
    if (before && counts == *before) return number(static_cast<std::uint64_t>(Counts::as_before));
    number(static_cast<std::uint64_t>(Counts::many));
    std::array<std::uint32_t, 1024> piece{};
    for (std::size_t c = 0; c < cells; c += piece.size()) {
      const std::size_t end = std::min(cells - c, piece.size());
      for (std::size_t i = 0; i < piece.size(); ++i)
        piece[i] = i < end && c + i < counts.size() ? counts[c + i] : 0;
      put_(std::as_bytes(std::span(piece)).first(words_of(end * sizeof(std::uint32_t)) * word));
    }
  }

  const Put& put_;
};

[[noreturn]] void damaged() {
  throw StateMismatch("it is damaged");
}

/// The parts of bytes, one after the other.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  State state() {
    State state;
    for (std::uint64_t left = number(); left > 0; --left) {
      const std::string name = text();
      state[name] = StateColumn(numbers());
    }
    for (std::uint64_t left = number(); left > 0; --left) cells(state.of(text()));
    if (!bytes_.empty()) damaged();
    return state;
  }

 private:
  std::span<const std::byte> take(std::uint64_t words) {
    if (words > bytes_.size() / word) damaged();
    const auto part = bytes_.first(words * word);
    bytes_ = bytes_.subspan(words * word);
    return part;
  }
  std::uint64_t number() {
    std::uint64_t one = 0;
    std::memcpy(&one, take(1).data(), word);
    return one;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) damaged();
    std::string text(size, '\0');
    std::memcpy(text.data(), take(words_of(size)).data(), size);
    return text;
  }
  template <class Number>
  std::vector<Number> list(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(Number)) damaged();
    std::vector<Number> list(count);
    const auto part = take(words_of(count * sizeof(Number)));
    if (count > 0) std::memcpy(list.data(), part.data(), count * sizeof(Number));
    return list;
  }
  OneOrMany numbers() {
    const bool is_one = number() != 0;
    const std::uint64_t size = number();
    if (!is_one) return OneOrMany(list<double>(size));
    return {size, std::bit_cast<double>(number())};
  }
  void cells(StateOfCells& some) {
    const std::uint64_t size = number();
    const std::uint64_t stride = number();
    some.cells =
        stride > 0 ? CellIndices(number(), stride, size) : CellIndices(list<std::uint64_t>(size));
    if (!some.cells.are_rising()) damaged();
    const CellCounts* before = nullptr;
    for (std::uint64_t left = number(); left > 0; --left) {
      CellColumn& column = some.columns[text()];
      column.counts = counts(size, before);
      column.numbers = numbers();
      before = &column.counts;
      check(column);
    }
  }
  CellCounts counts(std::uint64_t cells, const CellCounts* before) {
    const auto how = static_cast<Counts>(number());
    if (how == Counts::as_before && before) return *before;
    if (how == Counts::many) return CellCounts(list<std::uint32_t>(cells));
    const std::uint64_t one = number();
    if (how != Counts::one || one > 0xffffffff) damaged();
    return {cells, static_cast<std::uint32_t>(one)};
  }
  static void check(const CellColumn& column) {
    const std::size_t size = column.numbers.size(), cells = column.counts.size();
    const bool fits = column.counts.is_one()
                          ? cells > 0 && size % cells == 0 && size / cells == column.counts.one()
                          : CellOffsets(column.counts).all() == size;
    if (!fits) damaged();
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

std::uint64_t packed_size(const State& state) {
  std::uint64_t bytes = 3 * word;
  const auto count = [&](std::span<const std::byte> piece) { bytes += piece.size(); };
  Packer<decltype(count)>(count).state(state);
  return bytes;
}

void pack(const State& state, const std::function<void(std::span<const std::byte>)>& put) {
  Checksum sum;
  const auto put_summed = [&](std::span<const std::byte> piece) {
    sum.add(piece);
    put(piece);
  };
  const std::array<std::uint64_t, 2> head{mark, packed_size(state) / word};
  put_summed(std::as_bytes(std::span(head)));
  Packer<decltype(put_summed)>(put_summed).state(state);
  const std::uint64_t all = sum.sum();
  put(std::as_bytes(std::span(&all, 1)));
}

std::vector<std::byte> pack(const State& state) {
  std::vector<std::byte> bytes;
  bytes.reserve(packed_size(state));
  pack(state, [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  return bytes;
}

State unpack(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 2> head{};
  if (bytes.size() < sizeof(head) + word || bytes.size() % word != 0) damaged();
  std::memcpy(head.data(), bytes.data(), sizeof(head));
  if (head[0] != mark || head[1] != bytes.size() / word) damaged();
  Checksum sum;
  sum.add(bytes.first(bytes.size() - word));
  std::uint64_t expected = 0;
  std::memcpy(&expected, bytes.last(word).data(), word);
  if (sum.sum() != expected) damaged();
  return Unpacker(bytes.subspan(sizeof(head), bytes.size() - sizeof(head) - word)).state();
}

}  // namespace hillock
