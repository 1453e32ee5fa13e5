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

/// Makes the pairs of one projection, rule by rule. Pairs hold indices in the populations.
class PairMaker {
 public:
  PairMaker(const models::Network& network, std::size_t index)
      : network_(network),
        projection_(network.projections[index]),
        index_(index),
        seed_(network.run.seed),
        sources_(positions(network, projection_.from.population)),
        targets_(positions(network, projection_.to.population)),
        recurrent_(projection_.from.population == projection_.to.population) {}

  std::vector<Pair> make() const {
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

  /// "exc[3] -> inh[0]", for messages.
  std::string ends(std::uint64_t source, std::uint64_t target) const {
    const auto name = [this](const models::PopulationSlice& slice) -> const std::string& {
      return network_.populations[slice.population.value].name;
    };
    return fmt::format("{}[{}] -> {}[{}]", name(from()), source, name(to()), target);
  }

  std::array<double, 3> displacement_of(const Pair& pair) const {
    return displacement(sources_[pair.source], targets_[pair.target]);
  }

 private:
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
    for (std::uint64_t t = to().begin; t < to().end; ++t)
      for (std::uint64_t s = from().begin; s < from().end; ++s)
        if (!forbidden(s, t)) pairs.push_back({s, t});
    return pairs;
  }

  std::vector<Pair> pairwise_bernoulli() const {
    const models::Value& p = projection_.connect.probability;
    std::vector<Pair> pairs;
    for (std::uint64_t t = to().begin; t < to().end; ++t) {
      RandomStream draws = stream(t);
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
    }
    return pairs;
  }

  std::vector<Pair> fixed_total_number() const {
    std::uint64_t shared = 0;
    if (recurrent_ && projection_.connect.autapses == models::Autapses::forbidden) {
      const std::uint64_t begin = std::max(from().begin, to().begin);
      const std::uint64_t end = std::min(from().end, to().end);
      if (end > begin) shared = end - begin;
    }
    const std::uint64_t available = from().size() * to().size() - shared;
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
    }
    return pairs;
  }

  std::vector<Pair> list() const {
    std::vector<Pair> pairs;
    for (const auto& listed : projection_.connect.pairs)
      pairs.push_back({from().begin + listed.source, to().begin + listed.target, &listed});
    return pairs;
  }

  const models::Network& network_;
  const models::Projection& projection_;
  std::size_t index_;
  std::uint64_t seed_;
  std::vector<std::array<double, 3>> sources_;
  std::vector<std::array<double, 3>> targets_;
  bool recurrent_;
};

RandomKey key_of(std::size_t projection, const Connection& connection) {
  return {(static_cast<std::uint64_t>(projection) << 32) | connection.k, connection.source,
          connection.target};
}

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

std::vector<Connection> connect(const models::Network& network, std::size_t index) {
  const models::Projection& projection = network.projections[index];
  const PairMaker maker(network, index);
  std::vector<Pair> pairs = maker.make();
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::pair(a.target, a.source) < std::pair(b.target, b.source);
  });
  const bool is_gap_junction = std::holds_alternative<models::GapJunction>(projection.link);
  std::vector<Connection> connections;
  connections.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Connection c{pairs[i].source, pairs[i].target};
    if (i > 0 && pairs[i - 1].source == c.source && pairs[i - 1].target == c.target)
      c.k = connections.back().k + 1;
    const RandomKey key = key_of(index, c);
    const auto d = maker.displacement_of(pairs[i]);
    Bindings bindings;
    bindings.distance_um = norm(d);
    bindings.x_um = d[0];
    bindings.y_um = d[1];
    bindings.z_um = d[2];
    bindings.r = RandomStream(network.run.seed, Purpose::connection_r, key).uniform();
    RandomStream weights(network.run.seed, Purpose::weight, key);
    RandomStream delays(network.run.seed, Purpose::delay, key);
    const auto* listed = pairs[i].listed;
    const auto ends = [&] { return maker.ends(c.source, c.target); };
    c.weight = listed && listed->weight ? *listed->weight
                                        : projection.weight.evaluate(bindings, weights, ends);
    if (listed && listed->delay_ms) {
      c.delay_ms = *listed->delay_ms;
    } else {
      c.delay_ms = projection.delay.base_ms.evaluate(bindings, delays, ends);
      if (projection.delay.velocity_um_per_ms)
        c.delay_ms += norm(d) / *projection.delay.velocity_um_per_ms;
    }
    if (!is_gap_junction && !(c.delay_ms >= network.run.dt_ms * (1 - 1e-9) && c.delay_ms < 1e9))
      reject(
          projection.delay.place,
          fmt::format("the delay of {} is {:.6g} ms (it must be at least dt, {:.6g} ms, and below "
                      "1e9 ms)",
                      ends(), c.delay_ms, network.run.dt_ms));
    connections.push_back(c);
  }
  return connections;
}

RandomStream place_stream(const models::Network& network, std::size_t projection,
                          const Connection& connection) {
  return RandomStream(network.run.seed, Purpose::place, key_of(projection, connection));
}

}  // namespace hillock::network
