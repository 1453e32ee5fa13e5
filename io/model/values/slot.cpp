#include "io/model/values/slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/units/quantity.hpp"
#include "io/model/values/usual.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

Slot Slot::of(std::string_view unit_text) {
  Slot slot;
  slot.unit = unit_of(unit_text);
  slot.unit_text = std::string(unit_text);
  return slot;
}

Slot Slot::of(const MechanismVariable& variable) {
  Slot slot;
  slot.unit = variable.unit;
  slot.unit_text = variable.unit_text == "1" ? "" : variable.unit_text;
  slot.minimum = variable.minimum;
  slot.maximum = variable.maximum;
  slot.lower = variable.minimum_excluded ? Limit::exclusive : Limit::inclusive;
  return slot;
}

Slot&& Slot::at_least(double value) && {
  minimum = value;
  lower = Limit::inclusive;
  return std::move(*this);
}

Slot&& Slot::more_than(double value) && {
  minimum = value;
  lower = Limit::exclusive;
  return std::move(*this);
}

Slot&& Slot::at_most(double value) && {
  maximum = value;
  return std::move(*this);
}

Slot&& Slot::usually(Usual kind) && {
  usual = kind;
  return std::move(*this);
}

Slot&& Slot::varying_in_cell() && {
  variables = {Variable::index, Variable::size, Variable::distance, Variable::x,
               Variable::y,     Variable::z,    Variable::diam,     Variable::r};
  takes_distributions = takes_columns = takes_places = true;
  return std::move(*this);
}

Slot&& Slot::varying_but_not_drawn(std::string reason) && {
  variables = {Variable::index, Variable::size, Variable::distance, Variable::x,
               Variable::y,     Variable::z,    Variable::diam,     Variable::r};
  takes_columns = takes_places = true;
  why = std::move(reason);
  return std::move(*this);
}

Slot&& Slot::varying_by_cell() && {
  variables = {Variable::index, Variable::size, Variable::x, Variable::y, Variable::z, Variable::r};
  takes_distributions = takes_columns = true;
  return std::move(*this);
}

Slot&& Slot::varying_by_connection() && {
  variables = {Variable::distance, Variable::x, Variable::y, Variable::z, Variable::r};
  takes_distributions = true;
  return std::move(*this);
}

namespace {

/// Units to suggest for a word that is none; those of the slot's dimension are considered.
std::string suggest_unit(const std::string& word, const Unit& wanted) {
  static const std::vector<std::string> common = {
      "ms",     "s",    "us",     "mV",     "V",    "um",     "mm",    "nm",   "m",     "cm",
      "nA",     "pA",   "uA",     "mA",     "uS",   "nS",     "pS",    "mS",   "S",     "S/cm2",
      "mS/cm2", "S/m2", "mA/cm2", "uF/cm2", "F/m2", "ohm.cm", "ohm.m", "MOhm", "kOhm",  "GOhm",
      "degC",   "K",    "mM",     "uM",     "nM",   "Hz",     "kHz",   "m/s",  "um/ms", "1/ms"};
  std::vector<std::string> fitting;
  for (const auto& unit : common)
    if (unit_of(unit).dimension == wanted.dimension) fitting.push_back(unit);
  const std::string suggestion = did_you_mean(word, fitting);
  if (!suggestion.empty() || fitting.empty()) return suggestion;
  return " Known units of this kind: " + fitting[0] +
         (fitting.size() > 1 ? ", " + fitting[1] : "") + ".";
}

/// Why a number with its unit does not fit the slot; empty when it does.
std::string unit_problem(const Quantity& quantity, const Item& item, const Slot& slot) {
  const std::string kind = describe(slot.unit.dimension);
  if (!quantity.unit)
    return fmt::format("'{}' is not a unit.{}", quantity.unit_text,
                       suggest_unit(std::string(quantity.unit_text), slot.unit));
  if (quantity.unit->dimension == slot.unit.dimension) return "";
  if (quantity.unit_text.empty())
    return fmt::format("{0} has no unit; {1} is {2}, for example {0} {3}", quantity.number_text,
                       item.name(), kind, slot.unit_text);
  return fmt::format("{} {} is {}; {} must be {}", quantity.number_text, quantity.unit_text,
                     describe(quantity.unit->dimension), item.name(), kind);
}

/// A scalar as a constant or an expression; reports what is wrong with it.
std::optional<models::Value> read_scalar(const Item& item, const Slot& slot) {
  const std::string& text = item.node().scalar;
  if (trim(text).empty()) {
    item.error(fmt::format("is empty ({} is needed)", describe(slot.unit.dimension)));
    return std::nullopt;
  }
  if (const std::string trap = number_trap(text); !trap.empty()) {
    item.error(trap);
    return std::nullopt;
  }
  if (auto quantity = read_quantity(text)) {
    if (item.node().has_base_unit && quantity->unit_text.empty()) quantity->unit = slot.unit;
    std::string problem = unit_problem(*quantity, item, slot);
    if (problem.empty()) {
      const double value = convert(quantity->value, *quantity->unit, slot.unit);
      problem = limit_problem(slot, value, trim(text));
      if (problem.empty()) return models::Value(value);
    }
    item.error(problem);
    return std::nullopt;
  }
  auto parsed = Expression::parse(text, slot.unit, slot.variables);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    std::string message = error->message;
    if (slot.variables.empty() && text.find_first_of("0123456789(") == std::string::npos)
      message =
          fmt::format("'{}' is not {} (write a number{})", text, describe(slot.unit.dimension),
                      slot.unit_text.empty() ? "" : " and its unit, as in 1 " + slot.unit_text);
    else if (!slot.why.empty() && message.find("cannot be used here") != std::string::npos)
      message += "; " + slot.why;
    item.error_at(item.node().place_inside(error->offset), message);
    return std::nullopt;
  }
  auto& expression = std::get<Expression>(parsed);
  if (expression.is_constant()) {
    const double value = expression.evaluate({});
    const std::string problem =
        limit_problem(slot, value, fmt::format("{} = {}", text, show(value, slot.unit_text)));
    if (problem.empty()) return models::Value(value);
    item.error(problem);
    return std::nullopt;
  }
  return models::Value(std::move(expression), item.place());
}

std::optional<double> read_one(const Item& item, const Slot& slot) {
  if (!item.is_scalar()) {
    item.wrong_form(describe(slot.unit.dimension));
    return std::nullopt;
  }
  Slot constant = slot;
  constant.variables.clear();
  const auto value = read_scalar(item, constant);
  if (!value) return std::nullopt;
  return value->constant();
}

/// Whether it depends on a cell's number, the population's size, or on where the cell lies.
bool goes_by_number(const models::Value& value, const Slot& slot) {
  if (std::holds_alternative<models::Column>(value.content())) return true;
  const auto* const expression = std::get_if<Expression>(&value.content());
  if (!expression) return false;
  const auto uses = [&](Variable variable) { return expression->uses(variable); };
  const bool is_in_cell =
      std::ranges::find(slot.variables, Variable::distance) != slot.variables.end();
  return uses(Variable::index) || uses(Variable::size) ||
         (!is_in_cell && (uses(Variable::x) || uses(Variable::y) || uses(Variable::z)));
}

}  // namespace

std::optional<double> read_constant(const Item& item, const Slot& slot) {
  const auto value = read_one(item, slot);
  if (value) warn_of_unusual(item, slot, std::span(&*value, 1));
  return value;
}

std::optional<std::vector<double>> read_constants(const Item& item, const Slot& slot,
                                                  std::size_t count) {
  const std::string kind = describe(slot.unit.dimension);
  const auto entries = item.list(count ? fmt::format("a list of {} values, each {}", count, kind)
                                       : fmt::format("a list of values, each {}", kind));
  if (!entries) return std::nullopt;
  if (count && entries->size() != count) {
    item.error(fmt::format("must have {} values, not {}", count, entries->size()));
    return std::nullopt;
  }
  std::vector<double> values;
  ValueReader read;
  for (const auto& entry : *entries) read.take(read_one(entry, slot), values.emplace_back());
  if (read.good()) warn_of_unusual(item, slot, values, "value");
  return read.result(values);
}

std::optional<std::vector<models::Value>> read_values(ReadContext& context, const Item& item,
                                                      const Slot& slot) {
  const auto entries =
      item.list(fmt::format("a list of values, each {}", describe(slot.unit.dimension)));
  if (!entries) return std::nullopt;
  std::vector<models::Value> values;
  ValueReader read;
  for (const auto& entry : *entries) read.value(context, entry, slot, values.emplace_back());
  return read.result(values);
}

bool is_rest(const Item& item) {
  return item.is_scalar() && item.node().scalar == "rest";
}

std::optional<double> lower_bound(const models::Value& value) {
  if (value.is_constant()) return value.constant();
  if (const auto* distribution = std::get_if<models::Distribution>(&value.content())) {
    using Kind = models::Distribution::Kind;
    if (distribution->kind == Kind::uniform && distribution->truncated)
      return std::max(distribution->first, distribution->minimum);
    if (distribution->kind == Kind::uniform) return distribution->first;
    if (distribution->truncated) return distribution->minimum;
  }
  if (const auto* column = std::get_if<models::Column>(&value.content()))
    if (!column->values.empty())
      return *std::min_element(column->values.begin(), column->values.end());
  return std::nullopt;
}

std::optional<models::Value> read_distribution(ReadContext& context, const Item& item,
                                               const Slot& slot);

std::optional<models::Value> read_value(ReadContext& context, const Item& item, const Slot& slot) {
  if (!item.is_scalar() && !item.is_map()) {
    item.wrong_form(describe(slot.unit.dimension));
    return std::nullopt;
  }
  auto value = item.is_scalar() ? read_scalar(item, slot) : read_distribution(context, item, slot);
  if (!value) return value;
  if (item.is_scalar() && value->is_constant()) {
    const double constant = value->constant();
    warn_of_unusual(item, slot, std::span(&constant, 1));
  }
  if (goes_by_number(*value, slot)) context.network.goes_by_number = true;
  value->keep_within({slot, item.path()});
  return value;
}

}  // namespace hillock::io
