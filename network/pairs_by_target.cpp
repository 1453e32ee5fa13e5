#include "network/pairs_by_target.hpp"

#include <algorithm>
#include <numeric>

#include "network/sort_below.hpp"

namespace hillock::network {

TargetSpans::TargetSpans(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {
  constexpr std::uint64_t most = 256;  // a piece writes to so many places at once
  while ((end - begin) >> shift_ >= most) ++shift_;
  count_ = static_cast<std::size_t>((end - begin + (std::uint64_t{1} << shift_) - 1) >> shift_);
}

PairPiece::PairPiece(std::span<const Pair> pairs, const TargetSpans& spans)
    : pairs_(pairs.size()), first_(spans.count()), count_(spans.count()) {
  for (const Pair& pair : pairs) ++count_[spans.of(pair[1])];
  std::exclusive_scan(count_.begin(), count_.end(), first_.begin(), std::size_t{0});
  std::vector<std::size_t> next(first_);
  for (const Pair& pair : pairs) pairs_[next[spans.of(pair[1])]++] = pair;
}

SourcesByTarget join(std::vector<PairPiece>& pieces, std::uint64_t sources,
                     const TargetSpans& spans, const Runner& run) {
  std::vector<std::uint64_t> first_of_span(spans.count() + 1, 0);
  for (std::size_t s = 0; s < spans.count(); ++s) {
    first_of_span[s + 1] = first_of_span[s];
    for (const PairPiece& piece : pieces) first_of_span[s + 1] += piece.count(s);
  }
  SourcesByTarget joined;
  if (spans.count() == 0) {
    joined.first = {0};
    return joined;
  }
  const std::uint64_t begin = spans.begin(0);
  joined.first.resize(spans.end(spans.count() - 1) - begin + 1);
  joined.first.back() = first_of_span.back();
  joined.sources = std::make_unique_for_overwrite<std::uint32_t[]>(first_of_span.back());
  run(spans.count(), [&](std::size_t s) {
    std::uint64_t* const first = &joined.first[spans.begin(s) - begin];
    const auto targets = static_cast<std::size_t>(spans.end(s) - spans.begin(s));
    std::vector<std::uint64_t> next(targets, 0);  // first the number of each
    for (const PairPiece& piece : pieces)
      for (const Pair& pair : piece.in(s)) ++next[pair[1] - spans.begin(s)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), first_of_span[s]);
    std::ranges::copy(next, first);
    for (const PairPiece& piece : pieces)
      for (const Pair& pair : piece.in(s))
        joined.sources[next[pair[1] - spans.begin(s)]++] = pair[0];
    std::vector<std::uint32_t> there;
    for (std::size_t t = 0; t < targets; ++t) {
      const std::span own(joined.sources.get() + first[t], joined.sources.get() + next[t]);
      if (!std::ranges::is_sorted(own)) sort_below(sources, own, there);
    }
  });
  run(pieces.size(), [&](std::size_t i) { pieces[i] = {}; });
  return joined;
}

}  // namespace hillock::network
