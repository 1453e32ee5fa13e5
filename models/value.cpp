#include "models/value.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/errors/errors.hpp"
#include "core/random/pair_draws.hpp"

namespace hillock::models {

DrawShape Distribution::shape() const {
  DrawShape shape;
  switch (kind) {
    case Kind::uniform:
      shape = {DrawShape::uniform, first, second - first};
      break;
    case Kind::normal:
      shape = {DrawShape::normal, first, second};
      break;
    case Kind::lognormal: {
      // mean and cv of the lognormal itself, not of its logarithm
      const double sigma2 = std::log1p(second * second);
      shape = {DrawShape::lognormal, std::log(std::abs(first)) - sigma2 / 2, std::sqrt(sigma2),
               std::copysign(1.0, first)};
    }
  }
  shape.truncated = truncated;
  shape.minimum = minimum;
  shape.maximum = maximum;
  return shape;
}

double Distribution::draw(RandomStream& stream) const {
  const DrawShape made = shape();
  for (unsigned tries = 0; tries <= DrawShape::patience; ++tries) {
    const double value = shaped(made, made.is_of_normal() ? stream.normal() : stream.uniform());
    if (!made.refuses(value)) return value;
  }
  refuse_to_go_on();
}

void Distribution::refuse_to_go_on() {
  throw Error("a truncated distribution gave no value inside its limits in 100000 draws");
}

std::optional<std::size_t> Column::row_among(std::size_t rows, const std::optional<Expression>& row,
                                             const Bindings& bindings) {
  const double number = row ? row->evaluate(bindings) : bindings.index;
  if (!(number >= 0 && number < static_cast<double>(rows)) || number != std::floor(number))
    return std::nullopt;
  return static_cast<std::size_t>(number);
}

double Value::compute(const Bindings& bindings, RandomStream& stream) const {
  if (const auto* expression = std::get_if<Expression>(&content_))
    return expression->evaluate(bindings);
  if (const auto* distribution = std::get_if<Distribution>(&content_))
    return distribution->draw(stream);
  const auto& column = std::get<Column>(content_);
  if (const auto row = column.row_of(bindings)) return column.values[*row];
  const std::string has = (column.file.empty() ? "the list" : column.file) + " has " +
                          std::to_string(column.values.size()) + " rows but cell " +
                          std::to_string(static_cast<std::uint64_t>(bindings.index));
  reject(place_, column.row ? has + " has row " + show(column.row->evaluate(bindings), "") +
                                  " (whole numbers from 0)"
                            : has + " needs one (one row per cell)");
}

void Value::keep_within(Bounds bounds) {
  if (!std::holds_alternative<double>(content_))
    bounds_ = std::make_shared<const Bounds>(std::move(bounds));
}

bool Value::allows(double value) const {
  return bounds_ ? bounds_->limits.contain(value) : std::isfinite(value);
}

void Value::refuse(double value, const std::string& whose) const {
  const Bounds any;
  const Bounds& bounds = bounds_ ? *bounds_ : any;
  const auto* drawn = std::get_if<Distribution>(&content_);
  const std::string what =
      (drawn ? "the draw " : "") + show(value, bounds.limits.unit_text) + " for " + whose;
  reject(place_, (bounds.path.empty() ? "" : bounds.path + ": ") +
                     limit_problem(bounds.limits, value, what) +
                     (drawn && !drawn->truncated ? " (truncate the distribution)" : ""));
}

void Value::refuse_without_row(const PieceOfBranch& compartment, const std::string& whose) const {
  const auto* given = std::get_if<CompartmentRows>(&content_);
  reject(place_,
         fmt::format("{}{}{} has no {} for {} (of branch {}, from position {:.6g} to {:.6g})",
                     bounds_ ? bounds_->path : "", bounds_ ? ": " : "",
                     given ? given->file : std::get<PlacedRows>(content_).file,
                     given ? "number in " + given->name : "row", whose, compartment.branch,
                     static_cast<double>(compartment.piece) / compartment.pieces,
                     (compartment.piece + 1.0) / compartment.pieces));
}

bool Value::is_constant() const {
  if (std::holds_alternative<double>(content_)) return true;
  const auto* expression = std::get_if<Expression>(&content_);
  return expression && expression->is_constant();
}

double Value::constant() const {
  if (const auto* constant = std::get_if<double>(&content_)) return *constant;
  return std::get<Expression>(content_).evaluate({});
}

bool Value::varies_between_cells() const {
  if (const auto* expression = std::get_if<Expression>(&content_))
    return expression->uses(Variable::index) || expression->uses(Variable::size) ||
           expression->uses(Variable::r);
  if (const auto* given = std::get_if<CompartmentRows>(&content_)) return given->is_of_cells();
  return !std::holds_alternative<double>(content_) && !has_places();
}

bool Value::varies_along_cell() const {
  if (std::holds_alternative<Distribution>(content_) || has_places()) return true;
  return uses(Variable::distance) || uses(Variable::x) || uses(Variable::y) || uses(Variable::z) ||
         uses(Variable::diam);
}

bool Value::uses(Variable variable) const {
  const auto* expression = std::get_if<Expression>(&content_);
  return expression && expression->uses(variable);
}

}  // namespace hillock::models
