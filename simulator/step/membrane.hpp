#pragma once
// What crosses the membrane of a node, for whoever records it. For any engine; includes no standard
// header, so that NVRTC can compile it.
//
// Of an executor it asks
//   bool keeps_membrane_currents() const;
//   void gather_electrodes(time_ms);   what electrodes, and potentials outside, give at x:
//                                      electrode_nA(row), less electrode_uS(row) times it
//   auto inside(row);                  the potential inside, by x: x(row), but where the outside
//   has
//                                      one
//   void keep_axial(start);            for every row, as its membrane current, start(row) and what
//                                      flows in along the cable, nA, by inside(row)
//   void forget_electrodes();

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

/// Outward, nA: what flows in along the cable and from electrodes, of the voltages x.
template <class Cells>
HILLOCK_FUNCTION void keep_membrane_currents(Cells& cells, double time_ms) {
  if (!cells.keeps_membrane_currents()) return;
  cells.gather_electrodes(time_ms);
  cells.keep_axial([&](auto row) {
    return cells.electrode_nA(row) - cells.electrode_uS(row) * cells.inside(row);
  });
  cells.forget_electrodes();
}

}  // namespace hillock::simulator::step
