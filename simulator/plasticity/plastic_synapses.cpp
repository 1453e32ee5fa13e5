#include "simulator/plasticity/plastic_synapses.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator {

PlasticSynapses::PlasticSynapses(std::span<const network::SynapsePart> parts,
                                 const models::PointStep& step)
    : first_source(parts.front().from->first_source),
      source_count(parts.front().from->source_count),
      index(network::joined_index(parts)) {
  struct One {
    std::uint32_t delay, target;
    double weight;
  };
  std::vector<One> of_source;
  index.each_source([&](std::uint64_t source) {
    of_source.clear();
    for (const network::SynapsePart& part : parts) {
      const network::FanIn& connections = part.from->connections;
      const network::Entries some = connections.of(source);
      for (std::uint32_t e = some.begin; e < some.end; ++e)
        of_source.push_back(
            {static_cast<std::uint32_t>(network::delay_steps(connections.delay_ms(e), step)),
             part.first_neuron + connections.instance(e), connections.weight(e)});
    }
    std::ranges::stable_sort(of_source, {}, &One::delay);
    for (const One& one : of_source) {
      targets.push_back(one.target);
      delays.push_back(one.delay);
      weights.push_back(one.weight);
      longest_steps = std::max<std::int64_t>(longest_steps, one.delay);
    }
  });
  targets.shrink_to_fit();
  delays.shrink();
  weights.shrink_to_fit();
}

PlasticSynapses::ByTarget PlasticSynapses::by_target(std::size_t neurons) const {
  ByTarget order;
  order.first.resize(neurons + 1);
  order.synapses.resize(size());
  order.sources.resize(size());
  for (const std::uint32_t target : targets) ++order.first[target + 1];
  std::partial_sum(order.first.begin(), order.first.end(), order.first.begin());
  std::vector<std::uint32_t> next(order.first.begin(), order.first.end() - 1);
  index.each_source([&](std::uint64_t source) {
    const network::Entries entries = index.of(source);
    for (std::uint32_t s = entries.begin; s < entries.end; ++s) {
      const std::uint32_t at = next[targets[s]]++;
      order.synapses[at] = s;
      order.sources[at] = static_cast<std::uint32_t>(source);
    }
  });
  return order;
}

std::size_t PlasticSynapses::bytes() const {
  return index.bytes() + bytes_of(targets) + delays.bytes() + bytes_of(weights);
}

StdpTables::StdpTables(const models::Stdp& stdp, double dt_ms) {
  rule_.plus_rate = dt_ms / stdp.tau_plus_ms;
  rule_.minus_rate = dt_ms / stdp.tau_minus_ms;
  rule_.lambda = stdp.lambda;
  rule_.minus_lambda = stdp.alpha * stdp.lambda;
  rule_.mu_plus = stdp.mu_plus;
  rule_.mu_minus = stdp.mu_minus;
  rule_.w_max = stdp.w_max;
  rule_.is_nearest = stdp.pairing == models::Stdp::Pairing::nearest;
  rule_.is_axonal = stdp.delay == models::Stdp::DelayKind::axonal;
  constexpr double most = 1 << 12;  // what is longer is computed
  const double slower = std::min(rule_.plus_rate, rule_.minus_rate);
  rule_.known_steps = static_cast<long long>(std::min(most, StdpRule::longest_decay / slower + 1));
  for (long long steps = 0; steps < rule_.known_steps; ++steps) {
    plus_.push_back(StdpRule::decay_of(rule_.plus_rate, steps));
    minus_.push_back(StdpRule::decay_of(rule_.minus_rate, steps));
  }
}

StdpRule StdpTables::rule() const {
  StdpRule rule = rule_;
  rule.plus_decay = plus_.data();
  rule.minus_decay = minus_.data();
  return rule;
}

std::size_t StdpTables::bytes() const {
  return bytes_of(plus_) + bytes_of(minus_);
}

}  // namespace hillock::simulator
