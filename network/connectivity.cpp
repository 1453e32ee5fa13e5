#include "network/connectivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors/errors.hpp"
#include "network/expected_connections.hpp"
#include "network/total_counts.hpp"

namespace hillock::network {

namespace {

using models::ConnectionRule;

/// One of the cells of a slice, but for `self`, counted without it.
std::uint64_t member(const models::PopulationSlice& slice, std::uint64_t self, std::uint64_t i) {
  const std::uint64_t cell = slice.begin + i;
  return self >= slice.begin && self < slice.end && cell >= self ? cell + 1 : cell;
}

/// How many cells a slice has besides `self`.
std::uint64_t others(const models::PopulationSlice& slice, std::uint64_t self) {
  return slice.size() - (self >= slice.begin && self < slice.end ? 1 : 0);
}

CellSet all_targets(const models::Network& network, std::size_t projection) {
  const models::PopulationSlice& to = network.projections[projection].to;
  return {to.begin, to.end};
}

}  // namespace

Connector::Connector(const models::Network& network, std::size_t projection, const Runner& run)
    : Connector(network, projection, all_targets(network, projection), run) {}

Connector::Connector(const models::Network& network, std::size_t projection, const CellSet& own,
                     const Runner& run)
    : network_(network),
      projection_(network.projections[projection]),
      targets_(own.within(projection_.to.begin, projection_.to.end)),
      draws_(network, projection, targets_, run) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (std::max(from().end, to().end) > most || projection_.connect.rows.size() > most)
    reject(projection_.place, fmt::format("a projection between more than {} cells", most));
  const ConnectionRule::Kind kind = projection_.connect.kind;
  if (kind == ConnectionRule::Kind::fixed_indegree && to().size() > 0)
    check_number(from(), "indegree");
  if (kind == ConnectionRule::Kind::fixed_outdegree && from().size() > 0)
    check_number(to(), "outdegree");
  if (targets_.size() == 0) return;
  if (kind == ConnectionRule::Kind::fixed_outdegree) make_outdegree_pairs(run);
  if (kind == ConnectionRule::Kind::fixed_total_number) count_total(run);
  if (kind == ConnectionRule::Kind::list) sort_list(run);
  if (kind == ConnectionRule::Kind::pairwise_bernoulli &&
      !projection_.connect.probability.is_constant())
    pairs_asked_.emplace(draws_, projection_);
}

TargetConnections Connector::connect(std::uint64_t target, Scratch& scratch) const {
  find(target, scratch);
  if (projection_.connect.kind == ConnectionRule::Kind::list) {
    find_listed(target, scratch);
  } else {
    count_repetitions(scratch);
    draws_.values(target, scratch.sources, scratch.k, scratch.weights, scratch.delays_ms);
  }
  return {target,           scratch.sources,   scratch.k,   scratch.weights, scratch.delays_ms,
          scratch.branches, scratch.positions, scratch.rows};
}

void Connector::connect(std::uint64_t target, Scratch& scratch,
                        std::vector<Connection>& connections) const {
  const TargetConnections made = connect(target, scratch);
  for (std::size_t i = 0; i < made.size(); ++i) connections.push_back(made[i]);
}

/// Rows become their sources, with what else is known of them.
void Connector::find_listed(std::uint64_t target, Scratch& scratch) const {
  const std::size_t n = scratch.sources.size();
  scratch.k.resize(n);
  scratch.weights.resize(n);
  scratch.delays_ms.resize(n);
  const models::ConnectionRows& rows = projection_.connect.rows;
  scratch.branches.clear();
  scratch.positions.clear();
  if (!rows.arguments.empty() || !rows.points.empty()) scratch.rows = scratch.sources;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = scratch.sources[i];
    if (!rows.branches.empty()) {
      scratch.branches.push_back(rows.branches[row]);
      scratch.positions.push_back(rows.positions[row]);
    }
    const auto source = static_cast<std::uint32_t>(source_of_row(row));
    const bool again = i > 0 && scratch.sources[i - 1] == source;
    const Connection one = draws_.of_row(row, source, target, again ? scratch.k[i - 1] + 1 : 0);
    scratch.sources[i] = source;
    scratch.k[i] = one.k;
    scratch.weights[i] = one.weight;
    scratch.delays_ms[i] = one.delay_ms;
  }
}

/// Counts the connections of each pair, where there may be several.
void Connector::count_repetitions(Scratch& scratch) const {
  const std::vector<std::uint32_t>& sources = scratch.sources;
  scratch.k.clear();
  if (!multapses()) return;
  scratch.k.assign(sources.size(), 0);
  std::uint32_t k = 0;
  for (std::size_t i = 1; i < sources.size(); ++i)
    scratch.k[i] = k = (k + 1) & -static_cast<std::uint32_t>(sources[i] == sources[i - 1]);
}

std::span<const std::uint32_t> Connector::sources(std::uint64_t target, Scratch& scratch) const {
  find(target, scratch);
  if (projection_.connect.kind == ConnectionRule::Kind::list)
    for (std::uint32_t& item : scratch.sources)
      item = static_cast<std::uint32_t>(source_of_row(item));
  return scratch.sources;
}

std::uint64_t Connector::source_of_row(std::uint32_t row) const {
  return from().begin + projection_.connect.rows.sources[row];
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
      return draw_sources(target, projection_.connect.number, scratch);
    case ConnectionRule::Kind::fixed_total_number:
      return draw_sources(target, counts_[targets_.before(target)], scratch);
    default: {
      const std::uint64_t t = targets_.before(target);
      sources.assign(pairs_.get() + first_[t], pairs_.get() + first_[t + 1]);
    }
  }
}

double Connector::expected_connections(const CellSet& cells) const {
  const ConnectionRule& rule = projection_.connect;
  const CellSet here = cells.within(to().begin, to().end);
  const auto targets = static_cast<double>(here.size());
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
      break;
  }
  double sum = 0;
  for (std::uint64_t i = 0; i < here.size(); ++i) {
    const std::uint64_t t = targets_.before(here[i]);
    sum += static_cast<double>(counts_.empty() ? first_[t + 1] - first_[t] : counts_[t]);
  }
  return sum;
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

/// The sources of a target, so many of those that may be: rising.
void Connector::draw_sources(std::uint64_t target, std::uint64_t number, Scratch& scratch) const {
  if (number == 0) return;
  const std::uint64_t self = draws_.forbids(target, target) ? target : from().end;
  RandomStream draws = stream(target);
  scratch.sample.draw_sorted(draws, others(from(), self), number, projection_.connect.multapses,
                             scratch.sources);
  for (std::uint32_t& source : scratch.sources)
    source = static_cast<std::uint32_t>(member(from(), self, source));
}

/// Whether every cell finds as many others as it is to be joined to.
void Connector::check_number(const models::PopulationSlice& of, const char* what) const {
  const models::PopulationSlice& cells = &of == &from() ? to() : from();
  const bool may_meet_itself = draws_.recurrent() &&
                               projection_.connect.autapses == models::Autapses::forbidden &&
                               std::max(of.begin, cells.begin) < std::min(of.end, cells.end);
  const std::uint64_t available = of.size() - (may_meet_itself ? 1 : 0);
  const std::uint64_t number = projection_.connect.number;
  if (available == 0 || (!multapses() && number > available))
    reject(projection_.connect.place,
           fmt::format("{} {} is more than the {} cells there are (multapses are off)", what,
                       number, available));
}

void Connector::make_outdegree_pairs(const Runner& run) {
  constexpr std::uint64_t most_pieces = 4096;  // what a piece takes besides pairs stays small
  const Pieces pieces(from().begin, from().end, most_pieces);
  const TargetSpans spans(0, targets_.size());
  const double own = static_cast<double>(targets_.size()) / static_cast<double>(to().size());
  std::vector<PairPiece> parts(pieces.count());
  run(pieces.count(), [&](std::size_t piece) {
    CellSample sample;
    std::vector<std::uint32_t> chosen;
    std::vector<Pair> pairs;
    const auto draws_here =
        static_cast<double>((pieces.end(piece) - pieces.begin(piece)) * projection_.connect.number);
    pairs.reserve(static_cast<std::size_t>(own * draws_here + 4 * std::sqrt(own * draws_here)));
    for (std::uint64_t s = pieces.begin(piece); s < pieces.end(piece); ++s) {
      RandomStream draws = stream(s);
      const std::uint64_t self = draws_.forbids(s, s) ? s : to().end;
      chosen.clear();
      sample.draw(draws, others(to(), self), projection_.connect.number,
                  projection_.connect.multapses, chosen);
      for (const std::uint32_t i : chosen)
        if (const std::uint64_t target = member(to(), self, i); targets_.contains(target))
          pairs.push_back(
              {static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(targets_.before(target))});
    }
    parts[piece] = PairPiece(pairs, spans);
  });
  SourcesByTarget joined = join(parts, from().end, spans, run);
  first_ = std::move(joined.first);
  pairs_ = std::move(joined.sources);
}

void Connector::count_total(const Runner& run) {
  const std::uint64_t available = allowed_pairs(projection_);
  const std::uint64_t number = projection_.connect.number;
  if (available == 0 || (!multapses() && number > available))
    reject(projection_.connect.place,
           fmt::format("total number {} is more than the {} pairs there are (multapses are off)",
                       number, available));
  counts_ = counts_of_total(projection_, draws_, targets_, run);
}

/// Keeps the rows of each target, by source, and of one pair as they are listed.
void Connector::sort_list(const Runner& run) {
  const models::ConnectionRows& rows = projection_.connect.rows;
  const auto is_own = [&](std::uint64_t target) { return targets_.contains(to().begin + target); };
  const auto place = [&](std::uint64_t target) { return targets_.before(to().begin + target); };
  first_.assign(targets_.size() + 1, 0);
  for (const std::uint32_t target : rows.targets)
    if (is_own(target)) ++first_[place(target) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  pairs_ = std::make_unique_for_overwrite<std::uint32_t[]>(first_.back());
  std::vector<std::uint64_t> next(first_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_own(rows.targets[i]))
      pairs_[next[place(rows.targets[i])]++] = static_cast<std::uint32_t>(i);
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return rows.sources[a] < rows.sources[b] || (rows.sources[a] == rows.sources[b] && a < b);
  };
  const Pieces pieces(0, targets_.size());
  run(pieces.count(), [&](std::size_t piece) {
    for (std::uint64_t t = pieces.begin(piece); t < pieces.end(piece); ++t) {
      const std::span own(pairs_.get() + first_[t], pairs_.get() + first_[t + 1]);
      if (!std::ranges::is_sorted(own, is_before)) std::ranges::sort(own, is_before);
    }
  });
}

std::vector<Connection> connect(const models::Network& network, std::size_t projection) {
  return connect(network, projection, all_targets(network, projection));
}

std::vector<Connection> connect(const models::Network& network, std::size_t projection,
                                const CellSet& own) {
  const Connector connector(network, projection, own);
  const CellSet& targets = connector.targets();
  Connector::Scratch scratch;
  std::vector<Connection> connections;
  for (std::uint64_t i = 0; i < targets.size(); ++i)
    connector.connect(targets[i], scratch, connections);
  return connections;
}

}  // namespace hillock::network
