#pragma once
// How a model wants a .mod file of its own to be understood.

#include <string>

#include "core/errors/place.hpp"
#include "core/mechanism/function_table.hpp"
#include "core/units/constants.hpp"

namespace hillock {

/// What a TABLE statement becomes: the values themselves, or what lies between those at the two
/// nearest points of the table, as in NEURON.
enum class TableUse { computed, interpolated };

/// What the derivative of a current by the voltage is where it depends on the voltage: itself, or
/// the secant over 0.001 mV that NEURON takes.
enum class CurrentSlope { exact, secant };

struct MechanismOptions {
  GivenTables tables;  ///< of its FUNCTION_TABLEs
  TableUse table_use = TableUse::computed;
  CurrentSlope slope = CurrentSlope::exact;
  Constants constants = Constants::codata2018;
  /// The POINTER that has the voltage on the other side of a gap junction; empty: none.
  std::string peer;
  Place peer_place;
};

}  // namespace hillock
