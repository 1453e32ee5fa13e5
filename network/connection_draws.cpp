#include "network/connection_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors/errors.hpp"
#include "network/positions.hpp"

namespace hillock::network {

namespace {

constexpr double longest_delay_ms = 1e9;  // all are below it

bool uses_location(const models::Value& value) {
  return value.uses(Variable::distance) || value.uses(Variable::x) || value.uses(Variable::y) ||
         value.uses(Variable::z);
}

/// BlockKernels::lengths() of one.
double length(double x, double y, double z) {
  x = std::abs(x);
  y = std::abs(y);
  z = std::abs(z);
  const double greatest = std::max({x, y, z});
  if (greatest == 0) return 0;
  x /= greatest;
  y /= greatest;
  z /= greatest;
  return greatest * std::sqrt(x * x + y * y + z * z);
}

/// Whether someone is to know where the cells of a projection lie.
bool needs_positions(const models::Projection& projection) {
  const auto* junction = std::get_if<models::GapJunction>(&projection.link);
  return projection.delay.velocity_um_per_ms || uses_location(projection.delay.base_ms) ||
         std::ranges::any_of(projection.arguments, uses_location) ||
         uses_location(projection.weight) || uses_location(projection.connect.probability) ||
         (junction && uses_location(junction->g_uS));
}

}  // namespace

bool ConnectionDraws::are_alike() const {
  const models::Delay& delay = projection_.delay;
  const models::ConnectionRows& rows = projection_.connect.rows;
  return projection_.weight.is_constant() && delay.base_ms.is_constant() &&
         !delay.velocity_um_per_ms && rows.weights.empty() && rows.delays_ms.empty();
}

ConnectionDraws::ConnectionDraws(const models::Network& network, std::size_t projection)
    : network_(network),
      projection_(network.projections[projection]),
      number_(projection),
      seed_(network.run.seed),
      recurrent_(projection_.from.population == projection_.to.population),
      uses_positions_(needs_positions(projection_)),
      least_delay_ms_(network.least_delay_ms(projection_.from.population) * (1 - 1e-9)),
      drawn_(seed_, number_, projection_) {}

ConnectionDraws::ConnectionDraws(const models::Network& network, std::size_t projection,
                                 const CellSet& targets, const Runner& run)
    : ConnectionDraws(network, projection) {
  targets_ = targets;
  if (!uses_positions_ || targets.size() == 0) return;
  keeps_positions_ = true;
  const CellSet sources{0, network.populations[projection_.from.population.value].size};
  source_um_ = positions(network, projection_.from.population, sources, run);
  if (!recurrent_) target_um_ = positions(network, projection_.to.population, targets, run);
}

RandomKey ConnectionDraws::key_of(const Connection& connection) const {
  return {(static_cast<std::uint64_t>(number_) << 32) | connection.k, connection.source,
          connection.target};
}

RandomStream ConnectionDraws::location_stream(const Connection& connection) const {
  return RandomStream(seed_, Purpose::location, key_of(connection));
}

RandomStream ConnectionDraws::peer_location_stream(const Connection& connection) const {
  return RandomStream(seed_, Purpose::peer_location, key_of(connection));
}

double ConnectionDraws::conductance_uS(const Connection& c) const {
  const models::Value& g_uS = std::get<models::GapJunction>(projection_.link).g_uS;
  if (g_uS.is_constant()) return g_uS.constant();
  Bindings bindings = displacement(c.source, c.target);
  if (g_uS.uses(Variable::r))
    bindings.r = RandomStream(seed_, Purpose::connection_r, key_of(c)).uniform();
  // A gap junction has no weight, whose draws these would be.
  RandomStream draws(seed_, Purpose::weight, key_of(c));
  const double drawn = g_uS.evaluate(bindings, draws, [&] { return ends(c.source, c.target); });
  if (drawn < 0)
    reject(g_uS.place(), fmt::format("the conductance of {} comes out as {:.6g} uS (it must not be "
                                     "negative; truncate the distribution)",
                                     ends(c.source, c.target), drawn));
  return drawn;
}

void ConnectionDraws::arguments(const Connection& c, std::optional<std::size_t> row,
                                std::vector<double>& values) const {
  const auto& of_rows = projection_.connect.rows.arguments;
  values.assign(std::max(projection_.arguments.size(), of_rows.size()), 0);
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (row && a < of_rows.size() && !of_rows[a].empty()) {
      values[a] = of_rows[a][*row];
      continue;
    }
    if (a >= projection_.arguments.size()) continue;
    const models::Value& argument = projection_.arguments[a];
    if (argument.is_constant()) {
      values[a] = argument.constant();
      continue;
    }
    RandomKey key = key_of(c);
    Bindings bindings = displacement(c.source, c.target);
    if (argument.uses(Variable::r))
      bindings.r = RandomStream(seed_, Purpose::connection_r, key).uniform();
    key.b |= static_cast<std::uint64_t>(a) << 40;  // above any source
    RandomStream draws(seed_, Purpose::connection_argument, key);
    values[a] = argument.evaluate(bindings, draws, [&] { return ends(c.source, c.target); });
  }
}

Bindings ConnectionDraws::displacement(std::uint64_t source, std::uint64_t target) const {
  Bindings bindings;
  if (!uses_positions_) return bindings;
  std::array<double, 3> from{}, to{};
  if (keeps_positions_) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from[axis] = source_um_[axis][source];
      to[axis] = target_um(axis, target);
    }
  } else {
    from = position_of(network_, projection_.from.population, source);
    to = position_of(network_, projection_.to.population, target);
  }
  bindings.x_um = to[0] - from[0];
  bindings.y_um = to[1] - from[1];
  bindings.z_um = to[2] - from[2];
  bindings.distance_um = length(bindings.x_um, bindings.y_um, bindings.z_um);
  return bindings;
}

Connection ConnectionDraws::of_row(std::size_t row, std::uint64_t source, std::uint64_t target,
                                   std::uint32_t k) const {
  const models::ConnectionRows& rows = projection_.connect.rows;
  const auto own = [&](const std::vector<double>& column) {
    return column.empty() ? std::nullopt : std::optional(column[row]);
  };
  return draw({source, target, k}, own(rows.weights), own(rows.delays_ms));
}

/// weight, delay_ms: its own, where it has them.
Connection ConnectionDraws::draw(Connection c, std::optional<double> weight,
                                 std::optional<double> delay_ms) const {
  const models::Delay& delay = projection_.delay;
  if (!weight && projection_.weight.is_constant()) weight = projection_.weight.constant();
  if (!delay_ms && delay.base_ms.is_constant() && !delay.velocity_um_per_ms)
    delay_ms = delay.base_ms.constant();
  if (weight && delay_ms) {
    c.weight = *weight;
    c.delay_ms = *delay_ms;
    check_delay(c);
    return c;
  }
  const auto source = static_cast<std::uint32_t>(c.source);
  drawn_.draw(static_cast<std::uint32_t>(c.target), {&source, 1}, {&c.k, 1}, &c.weight,
              &c.delay_ms);
  const RandomKey key = key_of(c);
  Bindings bindings = displacement(c.source, c.target);
  if (projection_.weight.uses(Variable::r) || delay.base_ms.uses(Variable::r))
    bindings.r = RandomStream(seed_, Purpose::connection_r, key).uniform();
  const auto ends_of_it = [&] { return ends(c.source, c.target); };
  const auto value_of = [&](const models::Value& value, Purpose purpose, bool is_drawn,
                            double drawn) {
    if (is_drawn) {
      value.check(drawn, ends_of_it);
      return drawn;
    }
    RandomStream draws(seed_, purpose, key);
    return value.evaluate(bindings, draws, ends_of_it);
  };
  c.weight =
      weight ? *weight
             : value_of(projection_.weight, Purpose::weight, drawn_.weight().has_value(), c.weight);
  if (delay_ms) {
    c.delay_ms = *delay_ms;
  } else {
    c.delay_ms = value_of(delay.base_ms, Purpose::delay, drawn_.delay().has_value(), c.delay_ms);
    if (delay.velocity_um_per_ms) c.delay_ms += bindings.distance_um / *delay.velocity_um_per_ms;
  }
  check_delay(c);
  return c;
}

void ConnectionDraws::values(std::uint64_t target, std::span<const std::uint32_t> sources,
                             std::span<const std::uint32_t> k, std::vector<double>& weights,
                             std::vector<double>& delays_ms) const {
  const models::Delay& delay = projection_.delay;
  const std::size_t n = sources.size();
  weights.resize(n);
  delays_ms.resize(n);
  const bool weights_are_known = projection_.weight.is_constant() || drawn_.weight();
  const bool delays_are_known = delay.base_ms.is_constant() || drawn_.delay();
  if (!weights_are_known || !delays_are_known || delay.velocity_um_per_ms) {
    for (std::size_t i = 0; i < n; ++i) {
      const Connection one = connection(sources[i], target, k.empty() ? 0 : k[i]);
      weights[i] = one.weight;
      delays_ms[i] = one.delay_ms;
    }
    return;
  }
  if (!drawn_.weight()) std::ranges::fill(weights, projection_.weight.constant());
  if (!drawn_.delay()) std::ranges::fill(delays_ms, delay.base_ms.constant());
  drawn_.draw(static_cast<std::uint32_t>(target), sources, k, weights.data(), delays_ms.data());
  check_values(target, sources, weights, delays_ms);
}

/// Those that were drawn for connections onto one target.
void ConnectionDraws::check_values(std::uint64_t target, std::span<const std::uint32_t> sources,
                                   std::span<const double> weights,
                                   std::span<const double> delays_ms) const {
  const auto check = [&](const models::Value& value, std::span<const double> drawn) {
    const auto [least, most] = interval_of(value.bounds() ? value.bounds()->limits : Limits{});
    if (block_kernels().are_within(drawn.data(), least, most, drawn.size())) return;
    for (std::size_t i = 0; i < drawn.size(); ++i)
      value.check(drawn[i], [&] { return ends(sources[i], target); });
  };
  if (drawn_.weight()) check(projection_.weight, weights);
  if (drawn_.delay()) check(projection_.delay.base_ms, delays_ms);
  if (block_kernels().are_within(delays_ms.data(), least_delay_ms_,
                                 std::nextafter(longest_delay_ms, 0.0), delays_ms.size()))
    return;
  for (std::size_t i = 0; i < delays_ms.size(); ++i)
    check_delay({sources[i], target, 0, 0, delays_ms[i]});
}

/// "exc[3] -> inh[0]", for messages.
std::string ConnectionDraws::ends(std::uint64_t source, std::uint64_t target) const {
  const auto name = [this](const models::PopulationSlice& slice) -> const std::string& {
    return network_.populations[slice.population.value].name;
  };
  return fmt::format("{}[{}] -> {}[{}]", name(projection_.from), source, name(projection_.to),
                     target);
}

void ConnectionDraws::check_delay(const Connection& c) const {
  if (c.delay_ms >= least_delay_ms_ && c.delay_ms < longest_delay_ms) return;
  if (std::holds_alternative<models::GapJunction>(projection_.link)) return;
  reject(projection_.delay.place,
         fmt::format("the delay of {} is {:.6g} ms (it must be at least {}, and below 1e9 ms)",
                     ends(c.source, c.target), c.delay_ms,
                     least_delay_ms_ > 0 ? fmt::format("dt, {:.6g} ms", network_.run.dt_ms) : "0"));
}

bool ConnectionDraws::forbids(std::uint64_t source, std::uint64_t target) const {
  return recurrent_ && source == target &&
         projection_.connect.autapses == models::Autapses::forbidden;
}

double ConnectionDraws::pair_r(std::uint64_t source, std::uint64_t target) const {
  return RandomStream(seed_, Purpose::connection_r, {number_, source, target}).uniform();
}

double ConnectionDraws::probability(std::uint64_t source, std::uint64_t target) const {
  const models::Value& p = projection_.connect.probability;
  Bindings bindings = displacement(source, target);
  if (p.uses(Variable::r)) bindings.r = pair_r(source, target);
  RandomStream none(seed_, Purpose::connection_r, {number_, source, target});
  return p.evaluate(bindings, none, [&] { return ends(source, target); });
}

}  // namespace hillock::network
