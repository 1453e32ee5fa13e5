#pragma once
// A slot is a place in a model where a number stands: its unit, limits, and what may vary it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expressions/expression.hpp"
#include "core/mechanism/signature.hpp"
#include "core/units/limits.hpp"
#include "io/yaml/item.hpp"
#include "models/value.hpp"

namespace hillock::io {

struct ReadContext;

/// Which range is usual for a number (usual.cpp).
enum class Usual { of_its_unit, diameter, rate, step, any };

struct Slot : Limits {
  Unit unit;
  std::vector<Variable> variables;  ///< that an expression may use
  bool takes_distributions = false;
  bool takes_columns = false;
  bool takes_places = false;  ///< a CSV file may have a row for each compartment
  Usual usual = Usual::of_its_unit;
  std::string why;  ///< why this value may not vary, for messages

  static Slot of(std::string_view unit_text);
  static Slot of(const MechanismVariable& variable);
  Slot&& at_least(double value) &&;
  Slot&& more_than(double value) &&;
  Slot&& at_most(double value) &&;
  Slot&& usually(Usual kind) &&;
  /// Values of membrane in a cell: all variables, distributions and columns.
  Slot&& varying_in_cell() &&;
  /// cm, Ra and layers: as in the cell, but nothing is drawn for each compartment; `reason` says
  /// why.
  Slot&& varying_but_not_drawn(std::string reason) &&;
  /// Values of one cell as a whole: index, size, position, r.
  Slot&& varying_by_cell() &&;
  /// Values of a connection: distance, offset, r.
  Slot&& varying_by_connection() &&;
};

/// A constant with its unit, in the slot's unit. An expression without variables is a constant.
std::optional<double> read_constant(const Item& item, const Slot& slot);

/// A value that may vary: constant, expression, distribution or CSV column. The limits of the slot
/// go with it, for what is known only when it is evaluated.
std::optional<models::Value> read_value(ReadContext& context, const Item& item, const Slot& slot);

/// A list of `count` constants (any number when count is 0).
std::optional<std::vector<double>> read_constants(const Item& item, const Slot& slot,
                                                  std::size_t count = 0);

/// A list of values that may vary, any number of them.
std::optional<std::vector<models::Value>> read_values(ReadContext& context, const Item& item,
                                                      const Slot& slot);

/// `v_init: rest`: the voltage at which a cell stays when nothing happens.
bool is_rest(const Item& item);

/// The smallest value that can occur, where that is known without drawing.
std::optional<double> lower_bound(const models::Value& value);

}  // namespace hillock::io
