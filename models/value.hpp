#pragma once
// A number in a model that may vary from place to place, cell to cell or connection to connection.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/errors/place.hpp"
#include "core/expressions/expression.hpp"
#include "core/random/random.hpp"
#include "core/units/limits.hpp"
#include "models/compartment_rows.hpp"
#include "models/placed_rows.hpp"

namespace hillock {
struct DrawShape;
}

namespace hillock::models {

/// A random value. Parameters are in the unit of the slot the distribution stands in.
struct Distribution {
  enum class Kind { uniform, normal, lognormal };
  Kind kind = Kind::uniform;
  double first = 0;   ///< uniform: minimum; normal, lognormal: the distribution's own mean
  double second = 0;  ///< uniform: maximum; normal: standard deviation; lognormal: cv (sd / mean)
  bool truncated = false;
  double minimum = 0;  ///< when truncated; draws outside [minimum, maximum] are drawn again
  double maximum = 0;

  double draw(RandomStream& stream) const;
  /// The same distribution, of a draw that others make.
  DrawShape shape() const;
  /// Throws what is said when DrawShape::patience is at an end.
  [[noreturn]] static void refuse_to_go_on();
};

/// Numbers of which each cell of a population has one: a CSV column, or a list.
struct Column {
  std::string file;            ///< empty: a list of the model's
  std::string name;            ///< of the CSV column, if it has one
  std::vector<double> values;  ///< [row], in the unit of the slot
  /// Which row a cell has, from 0, by its index and the population's size; nothing: its own, one
  /// row for each cell.
  std::optional<Expression> row;

  /// The row of a cell; nothing when there is no such row.
  std::optional<std::size_t> row_of(const Bindings& bindings) const {
    return row_among(values.size(), row, bindings);
  }
  static std::optional<std::size_t> row_among(std::size_t rows,
                                              const std::optional<Expression>& row,
                                              const Bindings& bindings);
};

/// What a value must be wherever it is evaluated.
struct Bounds {
  Limits limits;
  std::string path;  ///< of the value in the model, for messages: "cells.c.regions.all.v_init"
};

/// A number that may vary, in the unit of the slot it stands in.
class Value {
 public:
  Value() = default;
  Value(double constant) : content_(constant) {}  // NOLINT: a number is a value
  Value(Expression expression, Place place)
      : content_(std::move(expression)), place_(std::move(place)) {}
  Value(Distribution distribution, Place place)
      : content_(distribution), place_(std::move(place)) {}
  Value(Column column, Place place) : content_(std::move(column)), place_(std::move(place)) {}
  Value(PlacedRows rows, Place place) : content_(std::move(rows)), place_(std::move(place)) {}
  Value(CompartmentRows rows, Place place) : content_(std::move(rows)), place_(std::move(place)) {}

  /// The value under `bindings`; a distribution draws from `stream`. Throws InvalidModel when it is
  /// not finite or not within bounds, or a column has no row for bindings.index. Only then is
  /// `whose` called, which says what it was evaluated for: "p[3] at soma(0.5)".
  template <class Whose>
  double evaluate(const Bindings& bindings, RandomStream& stream, const Whose& whose) const {
    if (const auto* constant = std::get_if<double>(&content_)) return *constant;
    const double value = compute(bindings, stream);
    check(value, whose);
    return value;
  }
  /// The value of a compartment, which rows that have places give, those of cells by the cell's
  /// index; these are not for evaluate(). Throws InvalidModel where there is none.
  template <class Whose>
  double at(const PieceOfBranch& compartment, double index, const Whose& whose) const {
    const auto* given = std::get_if<CompartmentRows>(&content_);
    const auto value =
        given ? given->at(compartment, index) : std::get<PlacedRows>(content_).at(compartment);
    if (!value) refuse_without_row(compartment, whose());
    return *value;
  }
  bool has_places() const {
    return std::holds_alternative<PlacedRows>(content_) ||
           std::holds_alternative<CompartmentRows>(content_);
  }
  /// What evaluate() says of a value that was drawn elsewhere.
  template <class Whose>
  void check(double value, const Whose& whose) const {
    if (!allows(value)) refuse(value, whose());
  }

  /// Constants were checked by whoever read them, so nothing is kept for them.
  void keep_within(Bounds bounds);

  bool is_constant() const;
  /// The value when is_constant().
  double constant() const;
  /// True when cells of one population can differ in it (r, index, size, a column, a distribution).
  bool varies_between_cells() const;
  /// True when places of one cell can differ in it (distance, x, y, z, diam, a distribution, rows
  /// that have places).
  bool varies_along_cell() const;
  bool uses(Variable variable) const;
  const Place& place() const { return place_; }
  /// What is known of where it stands and what it must be; null for constants.
  const Bounds* bounds() const { return bounds_.get(); }

  using Content =
      std::variant<double, Expression, Distribution, Column, PlacedRows, CompartmentRows>;
  const Content& content() const { return content_; }

 private:
  double compute(const Bindings& bindings, RandomStream& stream) const;
  bool allows(double value) const;
  [[noreturn]] void refuse(double value, const std::string& whose) const;
  [[noreturn]] void refuse_without_row(const PieceOfBranch& compartment,
                                       const std::string& whose) const;

  Content content_ = 0.0;
  Place place_;
  std::shared_ptr<const Bounds> bounds_;  ///< null: any finite number
};

}  // namespace hillock::models
