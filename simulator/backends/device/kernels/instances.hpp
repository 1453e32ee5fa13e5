#pragma once
// One instance of a mechanism, loaded from where its variables are and stored again: what the loops
// of mechanisms/cpu_kernels.hpp do, for one thread that owns the instance.

#include "mechanisms/instance_law.hpp"
#include "simulator/backends/device/kernels/views.hpp"
#include "simulator/step/cell_step.hpp"

/// A loop whose every turn is written out on a device, so that what it counts through may lie in
/// registers.
#if defined(__CUDACC__)
#define HILLOCK_UNROLLED _Pragma("unroll")
#else
#define HILLOCK_UNROLLED
#endif

namespace hillock::simulator::on_device {

/// A number in memory that no kernel changes while it runs: loads of it need not wait for stores.
template <class T>
__device__ __forceinline__ T unchanging(const T* at) {
#ifdef __CUDA_ARCH__
  return __ldg(at);
#else
  return *at;
#endif
}

/// Asks for a number in memory that this thread will load soon.
__device__ __forceinline__ void ask_for([[maybe_unused]] const double* at) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L1 [%0];" : : "l"(at));
#endif
}

using mechanisms::advances;
using mechanisms::Coupling;
using mechanisms::first_changed;
using mechanisms::SharedQuantity;

/// How a program has a mechanism. homes: by variable, a number on the chip, one_for_all or
/// in_memory; stored: by variable, whether it may change.
template <class Evaluator, class Traits>
struct Block : Traits {
  // Traits has
  //   static constexpr step::TurnFacts facts;    when its current and its states have their turns
  //   static constexpr bool keeps_assigned;  they are recorded
  //   static constexpr bool is_pointed_at;   others see its variables
  //   static constexpr bool is_everywhere;   density: instance r is row r's
  //   static constexpr int list;             which list has its instances by thread
  //   static constexpr int squad;            which advances its states; -1: those with its rows
  //   static constexpr int homes[];
  //   static constexpr bool stored[];
  //   static constexpr bool outside[];       by coupling: whether it lives elsewhere than here
  //   using Value = ...;   its numbers on the chip: double or float
  //   using V = ...;       what it computes with: Value, or Quick
  using E = Evaluator;
  using Variables = typename E::template Variables<typename Traits::V>;

  /// Whether its loops are its own: it sees other instances, or they see it, or it is no density
  /// mechanism.
  __device__ static constexpr bool is_alone() {
    for (int k = 0; k < E::info.coupling_count; ++k)
      if (E::couplings[k].quantity == SharedQuantity::pointer && Traits::outside[k]) return true;
    return E::info.is_point_process || Traits::is_pointed_at;
  }
};

/// The variables of an instance in order. V: their type, of the size of double or float.
template <class V, template <class> class Variables>
__device__ __forceinline__ V* array_of(Variables<V>& variables) {
  return reinterpret_cast<V*>(&variables);
}

/// A number that a lambda's body may use as a constant.
template <int k>
struct Constant {
  static constexpr int value = k;
};

/// Calls body(Constant<first>{}) … body(Constant<last - 1>{}). Halves, for a compiler's depth.
template <int first, int last, class Body>
__device__ __forceinline__ void for_constants(const Body& body) {
  if constexpr (last - first > 1) {
    constexpr int middle = first + (last - first) / 2;
    for_constants<first, middle>(body);
    for_constants<middle, last>(body);
  } else if constexpr (first < last) {
    body(Constant<first>{});
  }
}

/// The first of E's variables [first, last) that is indexed, or is not.
template <class E>
__device__ constexpr int next_that_is(bool indexed, int first, int last) {
  while (first < last && E::variables[first].is_indexed != indexed) ++first;
  return first;
}

/// Calls one(Constant<c>) for each of E's variables [first, last) but for elements of arrays that a
/// run indexes: many(begin, end) for those that lie side by side, of which each is in memory.
template <class E, int first, int last, class One, class Many>
__device__ __forceinline__ void for_variables(const One& one, const Many& many) {
  constexpr int begin = next_that_is<E>(true, first, last);
  constexpr int end = next_that_is<E>(false, begin, last);
  for_constants<first, begin>(one);
  if constexpr (begin < end) {
    many(begin, end);
    for_variables<E, end, last>(one, many);
  }
}

/// Calls body(Constant<k>) for every coupling.
template <class E, class Body>
__device__ __forceinline__ void for_couplings(const Body& body) {
  for_constants<0, E::info.coupling_count>(body);
}

/// Where an instance is: its number on its cell, its element of columns in memory, its row among
/// its cell's and among those of all cells; and the cell's words on the chip.
struct InstanceSlot {
  unsigned instance;
  unsigned long long element;
  int r;
  unsigned long long row;
  double* chip;
};

/// Stands in POINTERs for the voltage of the instance's row, which has no address: it may lie in
/// shared memory.
__device__ __forceinline__ bool is_voltage(const void* address) {
  return reinterpret_cast<unsigned long long>(address) == voltage_address;
}

/// Variable c, which is not one for all: a double in memory, or a Value on the chip.
template <class B, int c>
__device__ __forceinline__ auto& variable(const BlockArrays<typename B::E>& block,
                                          const InstanceSlot& at) {
  constexpr int home = B::homes[c];
  static_assert(home != one_for_all);
  if constexpr (home == in_memory)
    return block.columns[c].data[at.element];
  else
    return reinterpret_cast<typename B::Value*>(at.chip +
                                                block.chip)[home * block.most + at.instance];
}

/// Asks for those in memory, but arrays'.
template <class B>
__device__ __forceinline__ void ask_for_variables(const BlockArrays<typename B::E>& block,
                                                  const InstanceSlot& at) {
  for_variables<typename B::E, 0, B::E::info.count()>(
      [&](auto number) {
        constexpr int c = decltype(number)::value;
        if constexpr (B::homes[c] == in_memory) ask_for(&variable<B, c>(block, at));
      },
      [](int, int) {});
}

/// Element `row` of an array of ions (BlockArrays::shared): a double in memory, or a Real on the
/// chip.
template <class Program>
__device__ __forceinline__ auto ion_number(unsigned long long array, const InstanceSlot& at) {
  if constexpr (Program::ions_on_chip)
    return reinterpret_cast<typename Program::Real*>(at.chip) + (array - 1) + at.r;
  else
    return reinterpret_cast<double*>(array) + at.row;
}

/// Where the variable of coupling k lives; a POINTER that stands for its own variable is null.
template <class Program, class B, int k>
__device__ __forceinline__ auto outside(const BlockArrays<typename B::E>& block,
                                        const InstanceSlot& at) {
  static_assert(B::outside[k]);
  if constexpr (B::E::couplings[k].quantity == SharedQuantity::pointer)
    return block.pointed[k][at.element];
  else
    return ion_number<Program>(block.shared[k], at);
}

/// x: the variables of B's evaluator, of any type of numbers.
template <class Program, class B, class Variables>
__device__ __forceinline__ void load(const BlockArrays<typename B::E>& block,
                                     const InstanceSlot& at, typename Program::Real v_mV,
                                     Variables& x) {
  using E = typename B::E;
  for_variables<E, 0, E::info.count()>(
      [&](auto number) {
        constexpr int c = decltype(number)::value;
        if constexpr (B::homes[c] != one_for_all)
          array_of(x)[c] = variable<B, c>(block, at);
        else if constexpr (sizeof(typename B::Value) == sizeof(float))
          array_of(x)[c] = block.columns[c].single;
        else
          array_of(x)[c] = block.columns[c].one;
      },
      [&](int begin, int end) {
#pragma unroll 1
        for (int c = begin; c < end; ++c) array_of(x)[c] = block.columns[c].data[at.element];
      });
  for_couplings<E>([&](auto number) {
    constexpr int k = decltype(number)::value;
    constexpr Coupling coupling = E::couplings[k];
    if constexpr (coupling.column < E::info.first_assigned() && B::outside[k]) {
      const auto* const there = outside<Program, B, k>(block, at);
      if constexpr (coupling.quantity != SharedQuantity::pointer)
        array_of(x)[coupling.column] = *there;
      else if (is_voltage(there))
        array_of(x)[coupling.column] = v_mV;
      else if (there)
        array_of(x)[coupling.column] = *there;
    }
  });
}

/// Stores variables [first, last); what is one number for all instances never changes.
template <class B, int first, int last, class Variables>
__device__ __forceinline__ void store(const BlockArrays<typename B::E>& block,
                                      const InstanceSlot& at, Variables& x) {
  for_variables<typename B::E, first, last>(
      [&](auto number) {
        constexpr int c = decltype(number)::value;
        if constexpr (B::homes[c] != one_for_all) variable<B, c>(block, at) = array_of(x)[c];
      },
      [&](int begin, int end) {
#pragma unroll 1
        for (int c = begin; c < end; ++c) block.columns[c].data[at.element] = array_of(x)[c];
      });
}

/// Stores what a mechanism's location keeps and `stored`, a constant function of a Coupling, names.
template <class Program, class B, class Variables, class Stored>
__device__ __forceinline__ void store_outside(const BlockArrays<typename B::E>& block,
                                              const InstanceSlot& at, Variables& x, const Stored&) {
  using E = typename B::E;
  for_couplings<E>([&](auto number) {
    constexpr int k = decltype(number)::value;
    constexpr Coupling coupling = E::couplings[k];
    if constexpr (Stored{}(coupling) && B::outside[k])
      if (auto* const there = outside<Program, B, k>(block, at);
          coupling.quantity != SharedQuantity::pointer || (there && !is_voltage(there)))
        *there = array_of(x)[coupling.column];
  });
}

/// What `current` and `advance` leave with the location: all that is set, but no currents.
template <class Program, class B, class Variables>
__device__ __forceinline__ void store_outside(const BlockArrays<typename B::E>& block,
                                              const InstanceSlot& at, Variables& x) {
  store_outside<Program, B>(block, at, x, [](const Coupling& coupling) { return coupling.sets(); });
}

/// Calls body(current in mA/cm2, the array of the ion's currents) for each ion whose current the
/// mechanism makes.
template <class B, class Body>
__device__ __forceinline__ void for_ion_currents(const BlockArrays<typename B::E>& block,
                                                 const InstanceSlot& at, typename B::Variables& x,
                                                 const Body& body) {
  using E = typename B::E;
  for_couplings<E>([&](auto number) {
    constexpr int k = decltype(number)::value;
    constexpr Coupling coupling = E::couplings[k];
    if constexpr (coupling.adds() && B::outside[k]) {
      auto current = array_of(x)[coupling.column];
      if constexpr (E::info.is_point_process) current = current * block.area_factors[at.element];
      body(current, block.shared[k]);
    }
  });
}

}  // namespace hillock::simulator::on_device
