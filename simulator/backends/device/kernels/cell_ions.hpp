#pragma once
// What lives with a cell's rows of its ions: currents, reversal potentials, concentrations.

#include "simulator/backends/device/kernels/cell_samples.hpp"
#include "simulator/step/nernst.hpp"

namespace hillock::simulator::on_device {

template <class Program>
class CellIons : public CellSamples<Program> {
  using Context = CellContext<Program>;

 protected:
  using Context::a_;
  using Context::all_;
  using Context::d;
  using Context::row_of;
  using Context::v;

 public:
  using Real = typename Program::Real;
  using CellSamples<Program>::CellSamples;

  // As step/cell_step.hpp asks for.
  __device__ __forceinline__ void begin_ions() {
#pragma unroll
    for (int k = 0; k < Program::ions; ++k) {
      const IonArrays& ion = all_.ions[k];
      this->for_rows([&](int r) {
        ion_at(k, 0, r) = 0;
        if (ion.nernst_mV) {
          const double factor_mV = unchanging(ion.nernst_mV + row_of(r));
          if (factor_mV != 0)
            ion_at(k, 1, r) = static_cast<Real>(
                step::nernst_mV<double>(factor_mV, ion_at(k, 2, r), ion_at(k, 3, r)));
        }
      });
    }
  }
  /// quantity: 0 current, 1 reversal, 2 inside, 3 outside
  __device__ __forceinline__ auto& ion_at(int ion, int quantity, int r) const {
    if constexpr (Program::ions_on_chip) {
      return reinterpret_cast<Real*>(this->chip_ +
                                     a_.first_ion)[(4 * ion + quantity) * this->most_rows_ + r];
    } else {
      const IonArrays& arrays = all_.ions[ion];
      double* const array = quantity == 0   ? arrays.current
                            : quantity == 1 ? arrays.reversal
                            : quantity == 2 ? arrays.inside
                                            : arrays.outside;
      return array[row_of(r)];
    }
  }

  // As step/integrators/crank_nicolson.hpp asks for: one ion after the other, for a row has one
  // number to spare, its pivot.
  __device__ static constexpr int ion_turns() {
    return Program::ions;
  }
  __device__ __forceinline__ void set_currents_aside(int ion) const {
    this->for_rows([&](int r) {
      d(r) = ion_at(ion, 0, r);
      ion_at(ion, 0, r) = 0;
    });
  }
  __device__ __forceinline__ void add_ion_currents(int ion, Real secant_mV, double time_ms) const {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      if constexpr (E::info.coupling_count > 0)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          using V = typename B::V;
          typename B::Variables y;
          load<Program, B>(arrays, at, this->v(at.r), y);
          E::current(y, this->template instant<V>(this->v(at.r) + secant_mV, time_ms));
          for_ion_currents<B>(arrays, at, y, [&](V current, unsigned long long sums) {
            auto& sum = *ion_number<Program>(sums, at);
            if (&sum == &this->ion_at(ion, 0, at.r)) sum += current;
          });
        });
    });
  }
  template <class Body>
  __device__ __forceinline__ void for_ion_currents_of(int ion, const Body& body) const {
    this->for_rows([&](int r) { body(r, d(r), ion_at(ion, 0, r)); });
  }
  __device__ __forceinline__ void forget_aside() const {
    this->load_pivots();
  }
};

}  // namespace hillock::simulator::on_device
