#pragma once
// What loops over a mechanism's instances handle at a time, and how that is read from its columns
// and written to them.

#include <cstddef>

#include "core/simd/pack.hpp"
#include "mechanisms/instance_columns.hpp"
#include "mechanisms/instance_law.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// The number of lanes that a loop over `lanes` lanes is compiled for. Where the machine cannot
/// fuse multiply-adds a loop waits for the C library to do it, and is compiled once for all
/// numbers.
template <int lanes>
#if defined(__FP_FAST_FMA)
inline constexpr int compiled = lanes;
#else
inline constexpr int compiled = any;
#endif

/// A group of one lane whose instances are handled as many at a time as fill a register: of a
/// density mechanism, where each has a row of its own.
inline constexpr int across = -1;

/// Whether an instance has a row of its own, and neither sees nor changes what is another's: with a
/// POINTER instances go one after the other.
template <class E>
constexpr bool is_apart() {
  for (int k = 0; k < E::info.coupling_count; ++k)
    if (E::couplings[k].quantity == SharedQuantity::pointer) return false;
  return !E::info.is_point_process && !E::info.is_point_neuron;
}

/// How a loop of evaluator E over `lanes` lanes is compiled.
template <class E, int lanes>
inline constexpr int how = compiled<lanes> == 1 && is_apart<E>() ? across : compiled<lanes>;

/// What a loop handles at a time: as many of an instance's lanes, or instances, as fill a register.
/// N: what it computes with, double or float; where it lies are doubles.
template <int lanes, class N>
constexpr int lanes_of_part() {
  constexpr int most = register_bytes / static_cast<int>(sizeof(N));
  return lanes == any ? 1 : lanes != across && lanes < most ? lanes : most;
}
template <int lanes, class N = double>
using Part = typename PackOf<lanes_of_part<lanes, N>(), N>::type;

/// One part of an instance's lanes.
template <int lanes, class N = double>
struct Spot {
  using Value = Part<lanes, N>;
  std::size_t instance;
  std::size_t part;  ///< its first lane

  static constexpr std::size_t width() { return lanes; }
  std::size_t index() const { return instance * width() + part; }
};
/// Instances side by side, from this one on.
template <class N>
struct Spot<across, N> {
  using Value = Part<across, N>;
  std::size_t instance;
  bool lies_together = true;  ///< their rows are side by side, too
  static constexpr std::size_t part = 0;

  static constexpr std::size_t width() { return 1; }
  std::size_t index() const { return instance; }
};
template <class N>
struct Spot<any, N> {
  using Value = Part<any, N>;
  std::size_t instance;
  std::size_t part;
  std::size_t lanes;

  std::size_t width() const { return lanes; }
  std::size_t index() const { return instance * width() + part; }
};

template <int lanes>
inline Spot<lanes> first_spot([[maybe_unused]] const InstanceBlock& block) {
  if constexpr (lanes == any)
    return {0, 0, block.lanes};
  else if constexpr (lanes == across)
    return {0};
  else
    return {0, 0};
}

/// Whether instances side by side have rows that are, too. Rows rise, so the first and the last
/// tell. The compiler is kept from remembering the answer, and making two loops.
template <int n>
inline bool lie_together(const int* rows) {
  bool they_do = rows[n - 1] - rows[0] == n - 1;
  asm("" : "+r"(they_do));
  return they_do;
}

/// Calls body(Spot) for every part of every instance that is asked for.
template <int lanes, class N, class Body>
inline void for_each(const InstanceBlock& block, const Body& body) {
  constexpr std::size_t step = lanes == across ? lanes_of_part<across, N>() : 1;
  for (std::size_t i = block.first, last = block.last(); i < last; i += step) {
    if constexpr (lanes == across) {
      body(Spot<across, N>{i, lie_together<lanes_of_part<across, N>()>(block.nodes + i)});
    } else if constexpr (lanes == any) {
      for (std::size_t lane = 0; lane < block.lanes; ++lane)
        body(Spot<any, N>{i, lane, block.lanes});
    } else {
      for (std::size_t part = 0; part < lanes; part += lanes_of_part<lanes, N>())
        body(Spot<lanes, N>{i, part});
    }
  }
}

/// Loads variables [first, last) of which one number is that of all instances and lanes.
template <class E, class V>
inline void spread_columns(const InstanceBlock& block, int first, int last,
                           VariablesOf<E, V>& variables) {
#pragma GCC unroll 64
  for (int c = first; c < last; ++c)
    array_of<E, V>(variables)[c] = V{} + static_cast<Number<V>>(*column_of<E>(block, c, 1));
}

/// Loads variables [first, last) from `index` of their columns.
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void load_columns(const InstanceBlock& block, Spot<lanes, N> spot, std::size_t index,
                         int first, int last, VariablesOf<E, V>& variables) {
#pragma GCC unroll 64
  for (int c = first; c < last; ++c)
    array_of<E, V>(variables)[c] = load<V>(column_of<E>(block, c, spot.width()) + index);
}

/// Stores variables [first, last).
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void store_columns(const InstanceBlock& block, Spot<lanes, N> spot,
                          VariablesOf<E, V>& variables, int first, int last) {
#pragma GCC unroll 64
  for (int c = first; c < last; ++c)
    store(column_of<E>(block, c, spot.width()) + spot.index(), array_of<E, V>(variables)[c]);
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
