#include "network/expected_connections.hpp"

#include <algorithm>
#include <vector>

#include "network/arrival.hpp"
#include "network/connection_draws.hpp"

namespace hillock::network {

namespace {

using models::ConnectionRule;

struct ExpectedPair {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
};

class Expectation {
 public:
  Expectation(const models::Network& network, std::size_t projection)
      : network_(network),
        projection_(network.projections[projection]),
        draws_(network, projection) {}

  double count() const {
    const ConnectionRule& rule = projection_.connect;
    const auto number = static_cast<double>(rule.number);
    switch (rule.kind) {
      case ConnectionRule::Kind::one_to_one:
        return static_cast<double>(draws_.forbids(from().begin, to().begin) ? 0 : to().size());
      case ConnectionRule::Kind::all_to_all:
        return static_cast<double>(allowed_pairs(projection_));
      case ConnectionRule::Kind::pairwise_bernoulli:
        return mean_probability() * static_cast<double>(allowed_pairs(projection_));
      case ConnectionRule::Kind::fixed_indegree:
        return number * static_cast<double>(to().size());
      case ConnectionRule::Kind::fixed_outdegree:
        return number * static_cast<double>(from().size());
      case ConnectionRule::Kind::fixed_total_number:
        return number;
      case ConnectionRule::Kind::list:
        return static_cast<double>(rule.rows.listed);
    }
    return 0;
  }

  ExpectedConnections all() const {
    ExpectedConnections expected;
    expected.count = count();
    expected.is_exact = projection_.connect.kind != ConnectionRule::Kind::pairwise_bernoulli;
    if (expected.count == 0) return expected;
    const bool is_list = projection_.connect.kind == ConnectionRule::Kind::list;
    const bool is_constant =
        projection_.delay.base_ms.is_constant() && !projection_.delay.velocity_um_per_ms;
    expected.delay_is_exact = is_list || is_constant;
    const bool is_gap = std::holds_alternative<models::GapJunction>(projection_.link);
    const auto look_at = [&](std::uint64_t source, std::uint64_t target, std::size_t row) {
      if (is_gap) {
        draws_.conductance_uS({source, target});  // in vain, but wrong values are found
        return;
      }
      const double delay_ms =
          std::max(least_told_ms, is_list ? draws_.of_row(row, source, target, 0).delay_ms
                                          : draws_.connection(source, target, 0).delay_ms);
      if (expected.shortest_delay_ms == 0 || delay_ms < expected.shortest_delay_ms)
        expected.shortest_delay_ms = delay_ms;
      expected.longest_delay_ms = std::max(expected.longest_delay_ms, delay_ms);
    };
    const models::ConnectionRows& rows = projection_.connect.rows;
    for (std::size_t row = 0; is_list && row < rows.size(); ++row)
      look_at(from().begin + rows.sources[row], to().begin + rows.targets[row], row);
    if (!is_list)
      for (const ExpectedPair& pair : some_pairs()) look_at(pair.source, pair.target, 0);
    return expected;
  }

 private:
  const models::PopulationSlice& from() const { return projection_.from; }
  const models::PopulationSlice& to() const { return projection_.to; }

  double mean_probability() const {
    const models::Value& p = projection_.connect.probability;
    if (p.is_constant()) return p.constant();
    const std::vector<ExpectedPair> pairs = some_pairs();
    double sum = 0;
    for (const ExpectedPair& pair : pairs) sum += draws_.probability(pair.source, pair.target);
    return pairs.empty() ? 0 : sum / static_cast<double>(pairs.size());
  }

  /// Pairs that the rule may connect, drawn from all of them.
  std::vector<ExpectedPair> some_pairs() const {
    constexpr int number = 1000;
    std::vector<ExpectedPair> pairs;
    if (from().size() == 0 || to().size() == 0) return pairs;
    RandomStream draws(network_.run.seed, Purpose::connect,
                       {draws_.number(), ~std::uint64_t{0}, 0});
    for (int i = 0; i < number; ++i) {
      const std::uint64_t s = draws.below(from().size());
      const bool same = projection_.connect.kind == ConnectionRule::Kind::one_to_one;
      const std::uint64_t t = same ? s : draws.below(to().size());
      if (!draws_.forbids(from().begin + s, to().begin + t))
        pairs.push_back({from().begin + s, to().begin + t});
    }
    return pairs;
  }

  const models::Network& network_;
  const models::Projection& projection_;
  ConnectionDraws draws_;
};

}  // namespace

std::uint64_t allowed_pairs(const models::Projection& projection) {
  const models::PopulationSlice &from = projection.from, &to = projection.to;
  std::uint64_t shared = 0;
  if (from.population == to.population &&
      projection.connect.autapses == models::Autapses::forbidden) {
    const std::uint64_t begin = std::max(from.begin, to.begin);
    const std::uint64_t end = std::min(from.end, to.end);
    if (end > begin) shared = end - begin;
  }
  return from.size() * to.size() - shared;
}

double expected_connection_count(const models::Network& network, std::size_t projection) {
  return Expectation(network, projection).count();
}

ExpectedConnections expect_connections(const models::Network& network, std::size_t projection) {
  return Expectation(network, projection).all();
}

}  // namespace hillock::network
