#include "network/connectivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/errors.hpp"
#include "network/expected_connections.hpp"
#include "network/sort_below.hpp"
#include "network/total_pairs.hpp"

namespace hillock::network {

namespace {

using models::ConnectionRule;

/// One of the cells of a slice, but for `self`, counted without it.
std::uint64_t member(const models::PopulationSlice& slice, std::uint64_t self, std::uint64_t i) {
  const std::uint64_t cell = slice.begin + i;
  return self >= slice.begin && self < slice.end && cell >= self ? cell + 1 : cell;
}

/// Marks cell `i`. False when it was marked.
bool mark(std::vector<std::uint64_t>& bits, std::uint64_t i) {
  std::uint64_t& word = bits[i / 64];
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  const bool is_new = !(word & bit);
  word |= bit;
  return is_new;
}

}  // namespace

Connector::Connector(const models::Network& network, std::size_t projection, const Runner& run)
    : network_(network),
      projection_(network.projections[projection]),
      draws_(network, projection, run) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (std::max(from().end, to().end) > most || projection_.connect.pairs.size() > most)
    reject(projection_.place, fmt::format("a projection between more than {} cells", most));
  const ConnectionRule::Kind kind = projection_.connect.kind;
  if (kind == ConnectionRule::Kind::fixed_outdegree) make_outdegree_pairs(run);
  if (kind == ConnectionRule::Kind::fixed_total_number) make_total_pairs(run);
  if (kind == ConnectionRule::Kind::list) sort_list(run);
  if (kind == ConnectionRule::Kind::pairwise_bernoulli &&
      !projection_.connect.probability.is_constant())
    pairs_asked_.emplace(draws_, projection_);
}

void Connector::connect(std::uint64_t target, Scratch& scratch,
                        std::vector<Connection>& connections) const {
  find(target, scratch);
  const bool is_list = projection_.connect.kind == ConnectionRule::Kind::list;
  const std::size_t before = connections.size();
  for (const std::uint32_t item : scratch.sources) {
    const ConnectionRule::Pair* row = is_list ? &projection_.connect.pairs[item] : nullptr;
    const std::uint64_t source = row ? from().begin + row->source : item;
    const bool again = connections.size() > before && connections.back().source == source;
    connections.push_back(
        draws_.connection(source, target, again ? connections.back().k + 1 : 0, row));
  }
}

std::span<const std::uint32_t> Connector::sources(std::uint64_t target, Scratch& scratch) const {
  find(target, scratch);
  if (projection_.connect.kind == ConnectionRule::Kind::list)
    for (std::uint32_t& item : scratch.sources)
      item = static_cast<std::uint32_t>(from().begin + projection_.connect.pairs[item].source);
  return scratch.sources;
}

/// The sources of a target, or the rows of the list.
void Connector::find(std::uint64_t target, Scratch& scratch) const {
  std::vector<std::uint32_t>& sources = scratch.sources;
  sources.clear();
  switch (projection_.connect.kind) {
    case ConnectionRule::Kind::one_to_one:
      return one_to_one(target, sources);
    case ConnectionRule::Kind::all_to_all:
      return all_to_all(target, sources);
    case ConnectionRule::Kind::pairwise_bernoulli:
      return bernoulli(target, scratch);
    case ConnectionRule::Kind::fixed_indegree:
      return fixed_indegree(target, scratch);
    default: {
      const std::uint64_t t = target - to().begin;
      sources.assign(pairs_.get() + first_[t], pairs_.get() + first_[t + 1]);
    }
  }
}

double Connector::expected_connections(std::uint64_t begin, std::uint64_t end) const {
  const ConnectionRule& rule = projection_.connect;
  const auto targets = static_cast<double>(end - begin);
  const auto sources = static_cast<double>(from().size());
  switch (rule.kind) {
    case ConnectionRule::Kind::one_to_one:
      return targets;
    case ConnectionRule::Kind::all_to_all:
      return targets * sources;
    case ConnectionRule::Kind::pairwise_bernoulli: {
      if (!rule.probability.is_constant()) return 0;
      const double mean = targets * sources * rule.probability.constant();
      return mean + 4 * std::sqrt(mean);
    }
    case ConnectionRule::Kind::fixed_indegree:
      return targets * static_cast<double>(rule.number);
    default:
      return static_cast<double>(first_[end - to().begin] - first_[begin - to().begin]);
  }
}

RandomStream Connector::stream(std::uint64_t cell) const {
  return RandomStream(draws_.seed(), Purpose::connect, {draws_.number(), cell, 0});
}

bool Connector::multapses() const {
  return projection_.connect.multapses == models::Multapses::allowed;
}

void Connector::one_to_one(std::uint64_t target, std::vector<std::uint32_t>& sources) const {
  const std::uint64_t source = from().begin + (target - to().begin);
  if (!draws_.forbids(source, target)) sources.push_back(static_cast<std::uint32_t>(source));
}

void Connector::all_to_all(std::uint64_t target, std::vector<std::uint32_t>& sources) const {
  for (std::uint64_t s = from().begin; s < from().end; ++s)
    if (!draws_.forbids(s, target)) sources.push_back(static_cast<std::uint32_t>(s));
}

void Connector::bernoulli(std::uint64_t target, Scratch& scratch) const {
  const models::Value& p = projection_.connect.probability;
  if (p.is_constant()) return bernoulli_constant(target, p.constant(), scratch.sources);
  if (!scratch.pairs) scratch.pairs.emplace(*pairs_asked_);
  pairs_asked_->connected(target, *scratch.pairs, scratch.sources);
}

/// Jumps from one connected source to the next: the gaps are geometric.
void Connector::bernoulli_constant(std::uint64_t target, double p,
                                   std::vector<std::uint32_t>& sources) const {
  if (p <= 0) return;
  if (p >= 1) return all_to_all(target, sources);
  RandomStream draws = stream(target);
  const double log_miss = std::log1p(-p);
  const auto size = static_cast<double>(from().size());
  const bool forbids_itself = draws_.forbids(target, target);
  double s = -1;
  while (true) {
    // Never below 0, so what a conversion drops is what floor() would.
    const double gap = std::log(draws.uniform()) / log_miss;
    if (!(gap < size)) return;
    s += 1 + static_cast<double>(static_cast<std::int64_t>(gap));
    if (s >= size) return;
    const std::uint64_t source = from().begin + static_cast<std::uint64_t>(s);
    if (!forbids_itself || source != target) sources.push_back(static_cast<std::uint32_t>(source));
  }
}

void Connector::fixed_indegree(std::uint64_t target, Scratch& scratch) const {
  RandomStream draws = stream(target);
  const std::uint64_t self = draws_.forbids(target, target) ? target : from().end + 1;
  sample(draws, from(), self, "indegree", scratch);
}

/// Draws connect.number cells of a slice other than `self`, in rising order; without repetition
/// unless multapses are allowed.
void Connector::sample(RandomStream& draws, const models::PopulationSlice& slice,
                       std::uint64_t self, const char* what, Scratch& scratch) const {
  const bool excluded = self >= slice.begin && self < slice.end;
  const std::uint64_t available = slice.size() - (excluded ? 1 : 0);
  const std::uint64_t number = projection_.connect.number;
  if (available == 0 || (!multapses() && number > available))
    reject(projection_.connect.place,
           fmt::format("{} {} is more than the {} cells there are (multapses are off)", what,
                       number, available));
  std::vector<std::uint32_t>& chosen = scratch.sources;
  const auto choose = [&](std::uint64_t pick) {
    chosen.push_back(static_cast<std::uint32_t>(pick));
  };
  if (multapses()) {
    for (std::uint64_t i = 0; i < number; ++i) choose(draws.below(available));
    sort_below(available, chosen, scratch.sorted);
  } else {
    // Floyd's sampling without replacement: exactly `number` draws (Bentley and Floyd 1987).
    if (scratch.taken.size() < available / 64 + 1) scratch.taken.resize(available / 64 + 1, 0);
    for (std::uint64_t j = available - number; j < available; ++j) {
      const std::uint64_t draw = draws.below(j + 1);
      const std::uint64_t pick = mark(scratch.taken, draw) ? draw : j;
      if (pick == j) mark(scratch.taken, j);
      choose(pick);
    }
    // Few among many are sorted; many are read off in order.
    if (number < available / 64) {
      sort_below(available, chosen, scratch.sorted);
      for (const std::uint32_t pick : chosen) scratch.taken[pick / 64] = 0;
    } else {
      chosen.clear();
      for (std::uint64_t w = 0; w < available / 64 + 1; ++w) {
        for (std::uint64_t word = scratch.taken[w]; word != 0; word &= word - 1)
          choose(w * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
        scratch.taken[w] = 0;
      }
    }
  }
  for (std::uint32_t& pick : chosen) pick = static_cast<std::uint32_t>(member(slice, self, pick));
}

void Connector::make_outdegree_pairs(const Runner& run) {
  const Pieces pieces(from().begin, from().end);
  const TargetSpans spans(to().begin, to().end);
  std::vector<PairPiece> parts(pieces.count());
  run(pieces.count(), [&](std::size_t piece) {
    Scratch scratch;
    std::vector<Pair> pairs;
    for (std::uint64_t s = pieces.begin(piece); s < pieces.end(piece); ++s) {
      RandomStream draws = stream(s);
      scratch.sources.clear();
      sample(draws, to(), draws_.forbids(s, s) ? s : to().end + 1, "outdegree", scratch);
      if (pairs.empty())
        pairs.reserve(scratch.sources.size() * (pieces.end(piece) - pieces.begin(piece)));
      for (const std::uint32_t t : scratch.sources)
        pairs.push_back({static_cast<std::uint32_t>(s), t});
    }
    parts[piece] = PairPiece(pairs, spans);
  });
  keep(join(parts, from().end, spans, run));
}

void Connector::make_total_pairs(const Runner& run) {
  const std::uint64_t available = allowed_pairs(projection_);
  const std::uint64_t number = projection_.connect.number;
  if (available == 0 || (!multapses() && number > available))
    reject(projection_.connect.place,
           fmt::format("total number {} is more than the {} pairs there are (multapses are off)",
                       number, available));
  const TargetSpans spans(to().begin, to().end);
  std::vector<PairPiece> parts = draw_total(projection_, draws_, stream(0), spans, run);
  keep(join(parts, from().end, spans, run));
}

void Connector::keep(SourcesByTarget sources) {
  first_ = std::move(sources.first);
  pairs_ = std::move(sources.sources);
}

/// Keeps the rows of each target, by source, and of one pair as they are listed.
void Connector::sort_list(const Runner& run) {
  const auto& rows = projection_.connect.pairs;
  first_.assign(to().size() + 1, 0);
  for (const auto& row : rows) ++first_[row.target + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  pairs_ = std::make_unique_for_overwrite<std::uint32_t[]>(rows.size());
  std::vector<std::uint64_t> next(first_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    pairs_[next[rows[i].target]++] = static_cast<std::uint32_t>(i);
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return rows[a].source < rows[b].source || (rows[a].source == rows[b].source && a < b);
  };
  const Pieces pieces(0, to().size());
  run(pieces.count(), [&](std::size_t piece) {
    for (std::uint64_t t = pieces.begin(piece); t < pieces.end(piece); ++t) {
      const std::span own(pairs_.get() + first_[t], pairs_.get() + first_[t + 1]);
      if (!std::ranges::is_sorted(own, is_before)) std::ranges::sort(own, is_before);
    }
  });
}

std::vector<Connection> connect(const models::Network& network, std::size_t projection) {
  const Connector connector(network, projection);
  Connector::Scratch scratch;
  std::vector<Connection> connections;
  const models::PopulationSlice& to = connector.projection().to;
  for (std::uint64_t t = to.begin; t < to.end; ++t) connector.connect(t, scratch, connections);
  return connections;
}

}  // namespace hillock::network
