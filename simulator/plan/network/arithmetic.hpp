#pragma once
// What the CPU's loops over mechanisms compute with, of a model's precision.

#include "mechanisms/catalogue.hpp"
#include "models/network.hpp"

namespace hillock::simulator {

/// `single` is `mixed` there: the cable is solved in doubles.
inline mechanisms::Arithmetic arithmetic_of(models::Precision precision) {
  return precision == models::Precision::full ? mechanisms::Arithmetic::of_doubles
                                              : mechanisms::Arithmetic::mixed;
}

}  // namespace hillock::simulator
