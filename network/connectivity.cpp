#include "network/connectivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_set>

#include "core/errors.hpp"

namespace hillock::network {

namespace {

using models::ConnectionRule;

struct Pair {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  const ConnectionRule::Pair* listed = nullptr;
};

std::array<double, 3> displacement(const std::array<double, 3>& from,
                                   const std::array<double, 3>& to) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

double norm(const std::array<double, 3>& v) {
  return std::hypot(v[0], v[1], v[2]);
}

RandomKey key_of(std::size_t projection, const Connection& connection) {
  return {(static_cast<std::uint64_t>(projection) << 32) | connection.k, connection.source,
          connection.target};
}

/// How many connections are made between two reports of progress.
constexpr std::size_t told_every = 4096;

/// Makes the connections of one projection, rule by rule. Pairs hold indices in the populations.
class ConnectionMaker {
 public:
  ConnectionMaker(const models::Network& network, std::size_t index, ConnectProgress progress)
      : network_(network),
        progress_(std::move(progress)),
        projection_(network.projections[index]),
        index_(index),
        seed_(network.run.seed),
        sources_(positions(network, projection_.from.population)),
        targets_(positions(network, projection_.to.population)),
        recurrent_(projection_.from.population == projection_.to.population) {}

  std::vector<Pair> choose() const {
    switch (projection_.connect.kind) {
      case ConnectionRule::Kind::one_to_one:
        return one_to_one();
      case ConnectionRule::Kind::all_to_all:
        return all_to_all();
      case ConnectionRule::Kind::pairwise_bernoulli:
        return pairwise_bernoulli();
      case ConnectionRule::Kind::fixed_indegree:
        return fixed_indegree();
      case ConnectionRule::Kind::fixed_outdegree:
        return fixed_outdegree();
      case ConnectionRule::Kind::fixed_total_number:
        return fixed_total_number();
      case ConnectionRule::Kind::list:
        return list();
    }
    return {};
  }

  /// The k-th connection of a pair, with its weight and its delay.
  Connection connection(const Pair& pair, std::uint32_t k) const {
    Connection c{pair.source, pair.target, k};
    const RandomKey key = key_of(index_, c);
    const auto d = displacement(sources_[pair.source], targets_[pair.target]);
    Bindings bindings;
    bindings.distance_um = norm(d);
    bindings.x_um = d[0];
    bindings.y_um = d[1];
    bindings.z_um = d[2];
    bindings.r = RandomStream(seed_, Purpose::connection_r, key).uniform();
    RandomStream weights(seed_, Purpose::weight, key);
    RandomStream delays(seed_, Purpose::delay, key);
    const auto ends_of_it = [&] { return ends(c.source, c.target); };
    c.weight = pair.listed && pair.listed->weight
                   ? *pair.listed->weight
                   : projection_.weight.evaluate(bindings, weights, ends_of_it);
    if (pair.listed && pair.listed->delay_ms) {
      c.delay_ms = *pair.listed->delay_ms;
    } else {
      c.delay_ms = projection_.delay.base_ms.evaluate(bindings, delays, ends_of_it);
      if (projection_.delay.velocity_um_per_ms)
        c.delay_ms += norm(d) / *projection_.delay.velocity_um_per_ms;
    }
    check_delay(c);
    return c;
  }

  double expected_count() const {
    const auto number = static_cast<double>(projection_.connect.number);
    switch (projection_.connect.kind) {
      case ConnectionRule::Kind::one_to_one:
        return static_cast<double>(forbidden(from().begin, to().begin) ? 0 : to().size());
      case ConnectionRule::Kind::all_to_all:
        return static_cast<double>(allowed_pairs());
      case ConnectionRule::Kind::pairwise_bernoulli:
        return mean_probability() * static_cast<double>(allowed_pairs());
      case ConnectionRule::Kind::fixed_indegree:
        return number * static_cast<double>(to().size());
      case ConnectionRule::Kind::fixed_outdegree:
        return number * static_cast<double>(from().size());
      case ConnectionRule::Kind::fixed_total_number:
        return number;
      case ConnectionRule::Kind::list:
        return static_cast<double>(projection_.connect.pairs.size());
    }
    return 0;
  }

  ExpectedConnections expect() const {
    ExpectedConnections expected;
    expected.count = expected_count();
    expected.is_exact = projection_.connect.kind != ConnectionRule::Kind::pairwise_bernoulli;
    if (expected.count == 0) return expected;
    const bool is_list = projection_.connect.kind == ConnectionRule::Kind::list;
    const bool is_constant =
        projection_.delay.base_ms.is_constant() && !projection_.delay.velocity_um_per_ms;
    expected.delay_is_exact = is_list || is_constant;
    for (const Pair& pair : is_list ? list() : some_pairs()) {
      const double delay_ms = connection(pair, 0).delay_ms;
      if (expected.shortest_delay_ms == 0 || delay_ms < expected.shortest_delay_ms)
        expected.shortest_delay_ms = delay_ms;
    }
    return expected;
  }

 private:
  /// "exc[3] -> inh[0]", for messages.
  std::string ends(std::uint64_t source, std::uint64_t target) const {
    const auto name = [this](const models::PopulationSlice& slice) -> const std::string& {
      return network_.populations[slice.population.value].name;
    };
    return fmt::format("{}[{}] -> {}[{}]", name(from()), source, name(to()), target);
  }

  void check_delay(const Connection& c) const {
    const double dt_ms = network_.run.dt_ms;
    const bool is_gap_junction = std::holds_alternative<models::GapJunction>(projection_.link);
    if (!is_gap_junction && !(c.delay_ms >= dt_ms * (1 - 1e-9) && c.delay_ms < 1e9))
      reject(projection_.delay.place,
             fmt::format("the delay of {} is {:.6g} ms (it must be at least dt, {:.6g} ms, and "
                         "below 1e9 ms)",
                         ends(c.source, c.target), c.delay_ms, dt_ms));
  }

  /// How many pairs of different cells there are, or of any where cells may connect to themselves.
  std::uint64_t allowed_pairs() const {
    std::uint64_t shared = 0;
    if (recurrent_ && projection_.connect.autapses == models::Autapses::forbidden) {
      const std::uint64_t begin = std::max(from().begin, to().begin);
      const std::uint64_t end = std::min(from().end, to().end);
      if (end > begin) shared = end - begin;
    }
    return from().size() * to().size() - shared;
  }

  double mean_probability() const {
    if (projection_.connect.probability.is_constant())
      return projection_.connect.probability.constant();
    const std::vector<Pair> pairs = some_pairs();
    double sum = 0;
    for (const Pair& pair : pairs) sum += probability(pair.source, pair.target);
    return pairs.empty() ? 0 : sum / static_cast<double>(pairs.size());
  }

  /// Pairs that the rule may connect, drawn from all of them.
  std::vector<Pair> some_pairs() const {
    constexpr int number = 1000;
    std::vector<Pair> pairs;
    if (from().size() == 0 || to().size() == 0) return pairs;
    RandomStream draws(seed_, Purpose::connect, {index_, ~std::uint64_t{0}, 0});
    for (int i = 0; i < number; ++i) {
      const std::uint64_t s = draws.below(from().size());
      const bool same = projection_.connect.kind == ConnectionRule::Kind::one_to_one;
      const std::uint64_t t = same ? s : draws.below(to().size());
      if (!forbidden(from().begin + s, to().begin + t))
        pairs.push_back({from().begin + s, to().begin + t});
    }
    return pairs;
  }

  const models::PopulationSlice& from() const { return projection_.from; }
  const models::PopulationSlice& to() const { return projection_.to; }

  bool forbidden(std::uint64_t source, std::uint64_t target) const {
    return recurrent_ && source == target &&
           projection_.connect.autapses == models::Autapses::forbidden;
  }
  bool multapses() const { return projection_.connect.multapses == models::Multapses::allowed; }

  RandomStream stream(std::uint64_t cell) const {
    return RandomStream(seed_, Purpose::connect, {index_, cell, 0});
  }

  std::vector<Pair> one_to_one() const {
    std::vector<Pair> pairs;
    for (std::uint64_t i = 0; i < to().size(); ++i)
      if (!forbidden(from().begin + i, to().begin + i))
        pairs.push_back({from().begin + i, to().begin + i});
    return pairs;
  }

  std::vector<Pair> all_to_all() const {
    std::vector<Pair> pairs;
    for (std::uint64_t t = to().begin; t < to().end; ++t) {
      for (std::uint64_t s = from().begin; s < from().end; ++s)
        if (!forbidden(s, t)) pairs.push_back({s, t});
      tell(pairs);
    }
    return pairs;
  }

  std::vector<Pair> pairwise_bernoulli() const {
    const models::Value& p = projection_.connect.probability;
    std::vector<Pair> pairs;
    for (std::uint64_t t = to().begin; t < to().end; ++t) {
      RandomStream draws = stream(t);
      tell(pairs);
      if (p.is_constant()) {
        bernoulli_constant(t, p.constant(), draws, pairs);
        continue;
      }
      for (std::uint64_t s = from().begin; s < from().end; ++s) {
        const double draw = draws.uniform();
        if (forbidden(s, t)) continue;
        const double here = probability(s, t);
        if (draw < here) pairs.push_back({s, t});
      }
    }
    return pairs;
  }

  /// Jumps from one connected source to the next: the gaps are geometric.
  void bernoulli_constant(std::uint64_t target, double p, RandomStream& draws,
                          std::vector<Pair>& pairs) const {
    if (p <= 0) return;
    const double log_miss = p < 1 ? std::log1p(-p) : 0;
    double s = -1;
    while (true) {
      s += p < 1 ? 1 + std::floor(std::log(draws.uniform()) / log_miss) : 1;
      if (s >= static_cast<double>(from().size())) return;
      const std::uint64_t source = from().begin + static_cast<std::uint64_t>(s);
      if (!forbidden(source, target)) pairs.push_back({source, target});
    }
  }

  double probability(std::uint64_t source, std::uint64_t target) const {
    const models::Value& p = projection_.connect.probability;
    const auto d = displacement(sources_[source], targets_[target]);
    Bindings bindings;
    bindings.distance_um = norm(d);
    bindings.x_um = d[0];
    bindings.y_um = d[1];
    bindings.z_um = d[2];
    RandomStream none(seed_, Purpose::connection_r, {index_, source, target});
    if (p.uses(Variable::r)) bindings.r = none.uniform();
    return p.evaluate(bindings, none, [&] { return ends(source, target); });
  }

  /// `number` members of [begin, end) other than `self`; without repetition unless multapses are
  /// allowed. self: end + 1 when none is excluded.
  std::vector<std::uint64_t> sample(RandomStream& draws, std::uint64_t begin, std::uint64_t end,
                                    std::uint64_t self, const char* what) const {
    const bool excluded = self >= begin && self < end;
    const std::uint64_t available = end - begin - (excluded ? 1 : 0);
    const std::uint64_t number = projection_.connect.number;
    if (available == 0 || (!multapses() && number > available))
      reject(projection_.connect.place,
             fmt::format("{} {} is more than the {} cells there are (multapses are off)", what,
                         number, available));
    const auto member = [&](std::uint64_t i) {
      const std::uint64_t cell = begin + i;
      return excluded && cell >= self ? cell + 1 : cell;
    };
    std::vector<std::uint64_t> chosen;
    if (multapses()) {
      for (std::uint64_t i = 0; i < number; ++i) chosen.push_back(member(draws.below(available)));
    } else {
      // Floyd's sampling without replacement: exactly `number` draws (Bentley and Floyd 1987).
      std::unordered_set<std::uint64_t> taken;
      for (std::uint64_t j = available - number; j < available; ++j) {
        const std::uint64_t draw = draws.below(j + 1);
        const std::uint64_t pick = taken.insert(draw).second ? draw : j;
        taken.insert(pick);
        chosen.push_back(member(pick));
      }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  std::uint64_t excluded_for(std::uint64_t cell, const models::PopulationSlice& slice) const {
    return forbidden(cell, cell) ? cell : slice.end + 1;
  }

  std::vector<Pair> fixed_indegree() const {
    std::vector<Pair> pairs;
    for (std::uint64_t t = to().begin; t < to().end; ++t) {
      RandomStream draws = stream(t);
      for (const std::uint64_t s :
           sample(draws, from().begin, from().end, excluded_for(t, from()), "indegree"))
        pairs.push_back({s, t});
      tell(pairs);
    }
    return pairs;
  }

  std::vector<Pair> fixed_outdegree() const {
    std::vector<Pair> pairs;
    for (std::uint64_t s = from().begin; s < from().end; ++s) {
      RandomStream draws = stream(s);
      for (const std::uint64_t t :
           sample(draws, to().begin, to().end, excluded_for(s, to()), "outdegree"))
        pairs.push_back({s, t});
      tell(pairs);
    }
    return pairs;
  }

  std::vector<Pair> fixed_total_number() const {
    const std::uint64_t available = allowed_pairs();
    const std::uint64_t number = projection_.connect.number;
    if (available == 0 || (!multapses() && number > available))
      reject(projection_.connect.place,
             fmt::format("total number {} is more than the {} pairs there are (multapses are off)",
                         number, available));
    RandomStream draws = stream(0);
    std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
    std::vector<Pair> pairs;
    while (pairs.size() < number) {
      const std::uint64_t s = from().begin + draws.below(from().size());
      const std::uint64_t t = to().begin + draws.below(to().size());
      if (forbidden(s, t)) continue;
      if (!multapses() && !taken.emplace(s, t).second) continue;
      pairs.push_back({s, t});
      if (pairs.size() % told_every == 0) tell(pairs);
    }
    return pairs;
  }

  std::vector<Pair> list() const {
    std::vector<Pair> pairs;
    for (const auto& listed : projection_.connect.pairs)
      pairs.push_back({from().begin + listed.source, to().begin + listed.target, &listed});
    return pairs;
  }

  void tell(const std::vector<Pair>& pairs) const {
    if (progress_) progress_(pairs.size());
  }

  const models::Network& network_;
  ConnectProgress progress_;
  const models::Projection& projection_;
  std::size_t index_;
  std::uint64_t seed_;
  std::vector<std::array<double, 3>> sources_;
  std::vector<std::array<double, 3>> targets_;
  bool recurrent_;
};

}  // namespace

std::vector<std::array<double, 3>> positions(const models::Network& network,
                                             PopulationId population) {
  const models::Population& p = network.populations[population.value];
  std::vector<std::array<double, 3>> all(p.size, std::array<double, 3>{});
  using Kind = models::Positions::Kind;
  for (std::uint64_t i = 0; i < p.size; ++i) {
    switch (p.positions.kind) {
      case Kind::none:
        break;
      case Kind::uniform_box: {
        RandomStream draws(network.run.seed, Purpose::position, {population.value, i, 0});
        for (int axis = 0; axis < 3; ++axis)
          all[i][axis] = p.positions.size_um[axis] * draws.uniform();
        break;
      }
      case Kind::grid: {
        std::uint64_t rest = i;
        for (int axis = 0; axis < 3; ++axis) {
          all[i][axis] =
              static_cast<double>(rest % p.positions.counts[axis]) * p.positions.spacing_um[axis];
          rest /= p.positions.counts[axis];
        }
        break;
      }
      case Kind::list:
        all[i] = p.positions.list_um[i];
        break;
    }
  }
  return all;
}

std::vector<Connection> connect(const models::Network& network, std::size_t index,
                                const ConnectProgress& progress) {
  const ConnectionMaker maker(network, index, progress);
  std::vector<Pair> pairs = maker.choose();
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::pair(a.target, a.source) < std::pair(b.target, b.source);
  });
  std::vector<Connection> connections;
  connections.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool again =
        i > 0 && pairs[i - 1].source == pairs[i].source && pairs[i - 1].target == pairs[i].target;
    connections.push_back(maker.connection(pairs[i], again ? connections.back().k + 1 : 0));
    if (progress && i % told_every == 0) progress(pairs.size() + i);
  }
  return connections;
}

double expected_connection_count(const models::Network& network, std::size_t index) {
  return ConnectionMaker(network, index, {}).expected_count();
}

ExpectedConnections expect_connections(const models::Network& network, std::size_t index) {
  return ConnectionMaker(network, index, {}).expect();
}

RandomStream place_stream(const models::Network& network, std::size_t projection,
                          const Connection& connection) {
  return RandomStream(network.run.seed, Purpose::place, key_of(projection, connection));
}

}  // namespace hillock::network
