#include "io/model/network/read_connect.hpp"

#include <fmt/format.h>

#include "io/model/values/slices.hpp"
#include "io/model/values/usual.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

using models::ConnectionRule;

/// More connections than any machine holds; larger numbers are mistakes.
constexpr double most_connections = 1e12;

const std::vector<std::string> rules{
    "one_to_one",         "all_to_all", "pairwise_bernoulli", "fixed_indegree", "fixed_outdegree",
    "fixed_total_number", "list"};

/// The number in fixed_indegree: 10 or fixed_indegree: {number: 10}.
std::optional<std::uint64_t> read_number(const Item& item) {
  constexpr std::int64_t most = 1'000'000'000'000;
  std::optional<Item> number = item;
  if (item.is_map()) {
    MapReader map(item, item.name());
    number = map.require("number");
    if (!map.finish()) return std::nullopt;
  }
  const auto value = number->whole_number(0, most);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<models::Value> read_probability(ReadContext& context, const Item& item) {
  std::optional<Item> p = item;
  if (item.is_map()) {
    MapReader map(item, item.name());
    p = map.require("p");
    if (!map.finish()) return std::nullopt;
  }
  Slot slot = Slot::of("").at_least(0).at_most(1).varying_by_connection();
  slot.takes_distributions = false;
  return read_value(context, *p, slot);
}

/// A rule without settings: `all_to_all: {}`, or nothing after the colon.
bool read_nothing(const Item& item) {
  if (item.is_null()) return true;
  MapReader map(item, item.name());
  return map.finish();
}

std::string slice_name(const ReadContext& context, const models::PopulationSlice& slice) {
  return context.network.populations[slice.population.value].name;
}

/// Of pairs of a source and a target. without_self: but those of a cell with itself.
double possible_pairs(const ConnectScope& scope, bool without_self) {
  double pairs = static_cast<double>(scope.from.size()) * static_cast<double>(scope.to.size());
  if (without_self)
    pairs -= static_cast<double>(std::min(scope.from.end, scope.to.end) -
                                 std::max(scope.from.begin, scope.to.begin));
  return pairs;
}

/// How a rule that asks for more than there is could have it, or an empty text.
std::string several_times(const ConnectionRule& rule, double possible, const char* what) {
  if (rule.multapses != models::Multapses::forbidden || possible < 1) return "";
  return fmt::format(" (multapses: true lets a {} several times)", what);
}

/// Checks numbers against the sizes of the slices. Returns the problem, or an empty text.
std::string counts_problem(const ReadContext& context, const ConnectionRule& rule,
                           const ConnectScope& scope) {
  const double from = static_cast<double>(scope.from.size());
  const double to = static_cast<double>(scope.to.size());
  const double number = static_cast<double>(rule.number);
  const bool once = rule.multapses == models::Multapses::forbidden;
  const bool without_self =
      rule.autapses == models::Autapses::forbidden && overlap(scope.from, scope.to);
  const auto minus_self = [&](double count) { return without_self ? count - 1 : count; };
  double connections = 0;
  switch (rule.kind) {
    case ConnectionRule::Kind::one_to_one:
      if (scope.from.size() != scope.to.size())
        return fmt::format("one_to_one needs as many sources as targets, not {} and {}",
                           scope.from.size(), scope.to.size());
      if (without_self && scope.from.begin == scope.to.begin)
        return "one_to_one would connect each cell to itself, which makes nothing unless"
               " autapses: true";
      connections = from;
      break;
    case ConnectionRule::Kind::all_to_all:
    case ConnectionRule::Kind::pairwise_bernoulli:
      connections = from * to;
      if (rule.kind == ConnectionRule::Kind::pairwise_bernoulli && rule.probability.is_constant())
        connections *= rule.probability.constant();
      break;
    case ConnectionRule::Kind::fixed_indegree:
      if (number > 0 && minus_self(from) < (once ? number : 1))
        return fmt::format("each target would need {} sources, but {} has {} possible{}",
                           rule.number, slice_name(context, scope.from), minus_self(from),
                           several_times(rule, minus_self(from), "source connect"));
      connections = number * to;
      break;
    case ConnectionRule::Kind::fixed_outdegree:
      if (number > 0 && minus_self(to) < (once ? number : 1))
        return fmt::format("each source would need {} targets, but {} has {} possible{}",
                           rule.number, slice_name(context, scope.to), minus_self(to),
                           several_times(rule, minus_self(to), "target be reached"));
      connections = number * from;
      break;
    case ConnectionRule::Kind::fixed_total_number: {
      const double pairs = possible_pairs(scope, without_self);
      if (number > 0 && pairs < (once ? number : 1))
        return fmt::format("{} connections are more than the {:.12g} possible pairs{}", rule.number,
                           pairs, several_times(rule, pairs, "pair connect"));
      connections = number;
      break;
    }
    case ConnectionRule::Kind::list:
      break;
  }
  if (connections > most_connections)
    return fmt::format("about {:.2g} connections; at most 1e12 are possible in a projection",
                       connections);
  return "";
}

}  // namespace

std::optional<ConnectionRule> read_connect(ReadContext& context, const Item& item,
                                           const ConnectScope& scope) {
  ConnectionRule rule;
  rule.place = item.place();
  if (item.is_scalar()) {  // connect: all_to_all
    const auto kind = item.choice(rules);
    if (!kind) return std::nullopt;
    rule.kind = static_cast<ConnectionRule::Kind>(*kind);
    if (rule.kind != ConnectionRule::Kind::one_to_one &&
        rule.kind != ConnectionRule::Kind::all_to_all) {
      item.error(fmt::format("{0} needs its value (write connect: {{{0}: ...}})", rules[*kind]));
      return std::nullopt;
    }
  } else {
    MapReader map(item, "connect");
    if (!map.is_map()) return std::nullopt;
    const auto kind = map.one_of(rules);
    const auto autapses = map.find("autapses");
    const auto multapses = map.find("multapses");
    ValueReader read(map.finish() && kind);
    bool allowed = false;
    if (autapses && read.take(autapses->boolean(), allowed) && allowed)
      rule.autapses = models::Autapses::allowed;
    if (multapses && read.take(multapses->boolean(), allowed) && allowed)
      rule.multapses = models::Multapses::allowed;
    if (!kind) return std::nullopt;
    rule.kind = static_cast<ConnectionRule::Kind>(*kind);
    const Item inner = *map.find(rules[*kind]);
    switch (rule.kind) {
      case ConnectionRule::Kind::one_to_one:
      case ConnectionRule::Kind::all_to_all:
        read.note(read_nothing(inner));
        break;
      case ConnectionRule::Kind::pairwise_bernoulli:
        read.take(read_probability(context, inner), rule.probability);
        break;
      case ConnectionRule::Kind::list:
        if (read.take(read_rows(context, inner, scope), rule.rows) && scope.weight)
          warn_of_unusual(inner, *scope.weight, rule.rows.weights, "weight of row");
        break;
      default:
        read.take(read_number(inner), rule.number);
    }
    if (!read.good()) return std::nullopt;
  }
  if (scope.sizes_known) {
    const std::string problem = counts_problem(context, rule, scope);
    if (!problem.empty()) {
      item.error(problem);
      return std::nullopt;
    }
  }
  return rule;
}

bool is_long_enough(const ReadContext& context, double delay_ms, PopulationId source) {
  return !context.populations[source.value].cell ||
         delay_ms >= context.network.least_delay_ms(source) * (1 - 1e-9);
}

}  // namespace hillock::io
