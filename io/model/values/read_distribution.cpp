// Values written as maps: distributions; columns and lists are read in read_column.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/model/context/read_context.hpp"
#include "io/model/values/read_column.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

namespace {

using models::Distribution;

/// The least chance that one draw of a truncated distribution falls inside its limits.
constexpr double least_chance = 1e-3;

enum class ValueForm { constant, uniform, normal, lognormal, truncated, csv, hdf5, list };
const OneOf<ValueForm> shapes{{"uniform", ValueForm::uniform},
                              {"normal", ValueForm::normal},
                              {"lognormal", ValueForm::lognormal}};

std::optional<Distribution> read_shape(const Chosen<ValueForm>& shape, const Slot& slot) {
  Slot constant = slot;
  constant.variables.clear();
  MapReader map(shape.item, "the distribution " + shape.key);
  Distribution result;
  std::optional<double> first;
  std::optional<double> second;
  if (shape.meaning == ValueForm::uniform) {
    const auto low = map.require("min");
    const auto high = map.require("max");
    if (!map.finish()) return std::nullopt;
    first = read_constant(*low, constant);
    second = read_constant(*high, constant);
    if (first && second && *first > *second) {
      high->error("must not be less than min");
      return std::nullopt;
    }
  } else if (shape.meaning == ValueForm::normal) {
    result.kind = Distribution::Kind::normal;
    const auto mean = map.require("mean");
    const auto sd = map.require("sd");
    if (!map.finish()) return std::nullopt;
    first = read_constant(*mean, constant);
    second = read_constant(*sd, Slot::of(slot.unit_text).at_least(0));
  } else {
    result.kind = Distribution::Kind::lognormal;
    const auto mean = map.require("mean");
    const auto cv = map.require("cv");
    if (!map.finish()) return std::nullopt;
    first = read_constant(*mean, constant);
    second = read_constant(*cv, Slot::of("").at_least(0).at_most(1000));
    if (first && *first == 0) {
      mean->error("the mean of a lognormal distribution cannot be 0");
      return std::nullopt;
    }
  }
  if (!first || !second) return std::nullopt;
  result.first = *first;
  result.second = *second;
  return result;
}

double normal_below(double z) {
  return std::erfc(-z / std::sqrt(2.0)) / 2;
}

/// The chance that one draw lies in [minimum, maximum].
double chance_inside(const Distribution& d) {
  if (d.kind == Distribution::Kind::uniform) {
    const double width = d.second - d.first;
    const double inside = std::min(d.second, d.maximum) - std::max(d.first, d.minimum);
    if (width == 0) return inside >= 0 ? 1 : 0;
    return std::max(0.0, inside / width);
  }
  if (d.second == 0) return d.first >= d.minimum && d.first <= d.maximum ? 1 : 0;
  if (d.kind == Distribution::Kind::normal)
    return normal_below((d.maximum - d.first) / d.second) -
           normal_below((d.minimum - d.first) / d.second);
  const double sign = d.first < 0 ? -1 : 1;
  const double low = std::max(0.0, sign < 0 ? -d.maximum : d.minimum);
  const double high = sign < 0 ? -d.minimum : d.maximum;
  if (high <= 0) return 0;
  const double variance = std::log1p(d.second * d.second);
  const double middle = std::log(std::abs(d.first)) - variance / 2;
  const auto below = [&](double x) {
    return x <= 0 ? 0.0 : normal_below((std::log(x) - middle) / std::sqrt(variance));
  };
  return below(high) - below(low);
}

std::optional<Distribution> read_truncated(const Item& item, const Slot& slot) {
  Slot constant = slot;
  constant.variables.clear();
  MapReader map(item, "a truncated distribution");
  const auto shape = map.one_of(shapes);
  const auto low = map.require("min");
  const auto high = map.require("max");
  if (!map.finish() || !shape) return std::nullopt;
  auto result = read_shape(*shape, slot);
  const auto minimum = read_constant(*low, constant);
  const auto maximum = read_constant(*high, constant);
  if (!result || !minimum || !maximum) return std::nullopt;
  result->truncated = true;
  result->minimum = *minimum;
  result->maximum = *maximum;
  if (*minimum > *maximum) {
    high->error("must not be less than min");
    return std::nullopt;
  }
  if (chance_inside(*result) < least_chance) {
    item.error(
        "fewer than one draw in a thousand falls between min and max (draws outside are"
        " drawn again)");
    return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<models::Value> read_distribution(ReadContext& context, const Item& item,
                                               const Slot& slot) {
  static const OneOf<ValueForm> forms{
      {"constant", ValueForm::constant},   {"uniform", ValueForm::uniform},
      {"normal", ValueForm::normal},       {"lognormal", ValueForm::lognormal},
      {"truncated", ValueForm::truncated}, {"csv", ValueForm::csv},
      {"hdf5", ValueForm::hdf5},           {"list", ValueForm::list}};
  MapReader map(item, "a value");
  const auto chosen = map.one_of(forms);
  if (chosen && chosen->meaning == ValueForm::hdf5)
    return read_compartment_rows(context, item, slot);
  const bool is_csv = chosen && chosen->meaning == ValueForm::csv;
  if (is_csv || (chosen && chosen->meaning == ValueForm::list)) {
    if (slot.takes_columns)
      return is_csv ? read_column(context, item, slot) : read_list_of_cells(context, item, slot);
    item.error(is_csv ? "a CSV column cannot stand here (it gives one value per cell)"
                      : "a list cannot stand here (it gives one value per cell)");
    return std::nullopt;
  }
  if (!map.finish() || !chosen) return std::nullopt;
  if (chosen->meaning == ValueForm::constant) {
    Slot constant = slot;
    constant.variables.clear();
    const auto value = read_constant(chosen->item, constant);
    if (!value) return std::nullopt;
    return models::Value(*value);
  }
  if (!slot.takes_distributions) {
    item.error(slot.why.empty() ? "a random value cannot stand here"
                                : "a random value cannot stand here; " + slot.why);
    return std::nullopt;
  }
  const auto distribution = chosen->meaning == ValueForm::truncated
                                ? read_truncated(chosen->item, slot)
                                : read_shape(*chosen, slot);
  if (!distribution) return std::nullopt;
  return models::Value(*distribution, item.place());
}

}  // namespace hillock::io
