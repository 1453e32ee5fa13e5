#include "network/total_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "network/expected_connections.hpp"

namespace hillock::network {

namespace {

/// Which pairs were taken: a bit for every pair there is, or a table of those that were.
class TakenPairs {
 public:
  /// pairs: how many there are. number: about how many will be taken.
  TakenPairs(std::uint64_t pairs, std::uint64_t number) {
    constexpr std::uint64_t bits_a_place = 128;
    has_bits_ = pairs / bits_a_place <= number;
    if (has_bits_)
      words_.resize(pairs / 64 + 1, 0);
    else
      make_table(std::bit_ceil(2 * number + 2));
  }

  /// False when it was taken before.
  bool take(std::uint64_t pair) {
    if (has_bits_) {
      std::uint64_t& word = words_[pair / 64];
      const std::uint64_t bit = std::uint64_t{1} << (pair % 64);
      const bool is_new = !(word & bit);
      word |= bit;
      return is_new;
    }
    std::uint64_t& place = place_of(pair);
    if (place == pair) return false;
    place = pair;
    if (++taken_ > words_.size() / 4 * 3) grow();
    return true;
  }

 private:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  void make_table(std::size_t places) {
    words_.assign(places, nobody);
    shift_ = 64 - std::countr_zero(places);
  }
  /// Where it is, or an empty place for it.
  std::uint64_t& place_of(std::uint64_t pair) {
    std::size_t at = pair * 0x9e3779b97f4a7c15 >> shift_;
    while (words_[at] != nobody && words_[at] != pair) at = (at + 1) % words_.size();
    return words_[at];
  }
  void grow() {
    std::vector<std::uint64_t> before;
    before.swap(words_);
    make_table(2 * before.size());
    for (const std::uint64_t pair : before)
      if (pair != nobody) place_of(pair) = pair;
  }

  bool has_bits_ = true;
  int shift_ = 0;
  std::size_t taken_ = 0;
  std::vector<std::uint64_t> words_;
};

class TotalDraw {
 public:
  TotalDraw(const models::Projection& projection, const ConnectionDraws& draws,
            const RandomStream& stream, const TargetSpans& spans, const Runner& run)
      : from_(projection.from),
        to_(projection.to),
        number_(projection.connect.number),
        available_(allowed_pairs(projection)),
        repeats_(projection.connect.multapses == models::Multapses::allowed),
        draws_(draws),
        stream_(stream),
        spans_(spans),
        run_(run) {
    if (repeats_) return;
    taken_.reserve(spans.count());
    for (std::size_t s = 0; s < spans.count(); ++s) {
      const std::uint64_t targets = spans.end(s) - spans.begin(s);
      taken_.emplace_back(from_.size() * targets,
                          number_ / std::max<std::uint64_t>(1, to_.size() / targets));
    }
  }

  std::vector<PairPiece> draw() {
    std::uint64_t begun = 0;  // words of the stream
    while (found_ < number_) {
      const std::size_t before = pieces_.size();
      begin_.resize(before);
      draw_pieces(attempts_needed(), begun);
      count_new(before);
    }
    return std::move(pieces_);
  }

 private:
  static constexpr std::uint64_t attempts_a_piece = 1 << 15;

  /// About as many as give what is missing, and not too many at once.
  std::uint64_t attempts_needed() const {
    const double left = static_cast<double>(number_ - found_);
    const double all = static_cast<double>(from_.size()) * static_cast<double>(to_.size());
    const double free = static_cast<double>(available_ - (repeats_ ? 0 : found_));
    // Those that are missing are taken from what is free until then.
    const double attempts =
        repeats_ ? left * all / free
                 : all * std::log1p(std::min(left / std::max(1.0, free - left), 1e6));
    constexpr double most = 1 << 26;
    return static_cast<std::uint64_t>(std::min(most, attempts + 4 * std::sqrt(attempts) + 64));
  }

  /// Adds pieces of attempts from word `begun` of the stream on, which goes on behind them.
  void draw_pieces(std::uint64_t attempts, std::uint64_t& begun) {
    const std::size_t first = pieces_.size();
    const auto count =
        static_cast<std::size_t>((attempts + attempts_a_piece - 1) / attempts_a_piece);
    pieces_.resize(first + count);
    begin_.resize(first + count);
    // An attempt takes two words, but for one in 2^32 and fewer: then what follows begins later.
    std::vector<std::uint64_t> end(count);
    std::size_t right = 0;  // so many pieces began where they should
    for (std::uint64_t begin = begun; right < count;) {
      for (std::size_t i = right; i < count; ++i)
        begin_[first + i] = begin + 2 * attempts_a_piece * (i - right);
      run_(count - right, [&](std::size_t k) {
        const std::size_t i = right + k;
        std::vector<Pair> pairs;
        pairs.reserve(attempts_a_piece);
        end[i] = for_each_attempt(begin_[first + i], [&](const Pair& pair) {
          pairs.push_back(pair);
          return true;
        });
        pieces_[first + i] = PairPiece(pairs, spans_);
      });
      while (right < count && (right == 0 || begin_[first + right] == end[right - 1])) ++right;
      begin = end[right - 1];
      begun = begin;
    }
  }

  /// Calls body(pair) for the allowed attempts of the piece that begins there, until it says no.
  /// Where the piece ends.
  template <class Body>
  std::uint64_t for_each_attempt(std::uint64_t begin, const Body& body) const {
    RandomStream stream = stream_;
    stream.skip_to(begin);
    for (std::uint64_t i = 0; i < attempts_a_piece; ++i) {
      const std::uint64_t s = from_.begin + stream.below(from_.size());
      const std::uint64_t t = to_.begin + stream.below(to_.size());
      if (draws_.forbids(s, t)) continue;
      if (!body(Pair{static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(t)})) break;
    }
    return stream.drawn();
  }

  /// Leaves out what was there before, and what is too much.
  void count_new(std::size_t before) {
    if (!repeats_)
      run_(spans_.count(), [&](std::size_t s) {
        for (std::size_t i = before; i < pieces_.size(); ++i)
          pieces_[i].keep_if(s, [&](const Pair& pair) {
            return taken_[s].take((pair[0] - from_.begin) * (spans_.end(s) - spans_.begin(s)) +
                                  pair[1] - spans_.begin(s));
          });
      });
    for (std::size_t i = before; i < pieces_.size(); ++i) {
      std::uint64_t here = 0;
      for (std::size_t s = 0; s < spans_.count(); ++s) here += pieces_[i].count(s);
      if (found_ + here > number_) keep_first(i, number_ - found_);
      found_ = std::min(number_, found_ + here);
      if (found_ < number_) continue;
      pieces_.resize(i + 1);
      return;
    }
  }

  /// Keeps the first so many attempts of those that a piece has left.
  void keep_first(std::size_t piece, std::uint64_t number) {
    std::multiset<Pair> left;
    for (std::size_t s = 0; s < spans_.count(); ++s)
      for (const Pair& pair : pieces_[piece].in(s)) left.insert(pair);
    std::vector<Pair> kept;
    kept.reserve(number);
    for_each_attempt(begin_[piece], [&](const Pair& pair) {
      const auto at = left.find(pair);
      if (at == left.end()) return true;
      left.erase(at);
      kept.push_back(pair);
      return kept.size() < number;
    });
    pieces_[piece] = PairPiece(kept, spans_);
  }

  const models::PopulationSlice &from_, &to_;
  std::uint64_t number_, available_;
  bool repeats_;
  const ConnectionDraws& draws_;
  const RandomStream& stream_;
  const TargetSpans& spans_;
  const Runner& run_;
  std::vector<TakenPairs> taken_;  ///< [span]
  std::vector<PairPiece> pieces_;
  std::vector<std::uint64_t> begin_;  ///< [piece] its first word of the stream
  std::uint64_t found_ = 0;
};

}  // namespace

std::vector<PairPiece> draw_total(const models::Projection& projection,
                                  const ConnectionDraws& draws, const RandomStream& stream,
                                  const TargetSpans& spans, const Runner& run) {
  return TotalDraw(projection, draws, stream, spans, run).draw();
}

}  // namespace hillock::network
