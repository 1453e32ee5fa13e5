#pragma once
// What loops over a mechanism's instances handle at a time, and how that is read from its columns
// and written to them.

#include <cstddef>
#include <type_traits>

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

/// How a loop of evaluator E over `lanes` lanes is compiled: -lanes where the lanes of several
/// instances fill a register.
template <class E, int lanes, class N>
constexpr int how() {
  constexpr int known = compiled<lanes>, most = register_bytes / static_cast<int>(sizeof(N));
  return known == 1 || (known != any && known < most) ? (is_apart<E>() ? -known : known) : known;
}

/// What a loop handles at a time: as many of an instance's lanes, or instances, as fill a register.
/// N: what it computes with, double or float; where it lies are doubles.
template <int lanes, class N>
constexpr int lanes_of_part() {
  constexpr int most = register_bytes / static_cast<int>(sizeof(N));
  return lanes == any ? 1 : lanes > 0 && lanes < most ? lanes : most;
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
/// All lanes of some instances. Of those that are missing the last one stands there, which is then
/// computed, and stored, several times.
template <int lanes, class N>
requires(lanes < across) struct Spot<lanes, N> {
  using Value = Part<lanes, N>;
  static constexpr std::size_t part = 0;
  static constexpr int count = lanes_of_part<lanes, N>() / -lanes;
  std::size_t instances[count];

  static constexpr std::size_t width() { return -lanes; }
  std::size_t index() const { return instances[0] * width(); }
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

/// The spot whose instances are which(0), which(1), ….
template <int lanes, class N, class Which>
inline Spot<lanes, N> several(const Which& which) {
  Spot<lanes, N> spot;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < Spot<lanes, N>::count; ++k) spot.instances[k] = which(k);
  return spot;
}

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
  constexpr std::size_t step = lanes < 0 ? lanes_of_part<lanes, N>() / -lanes : 1;
  for (std::size_t i = block.first, last = block.last(); i < last; i += step) {
    if constexpr (lanes == across) {
      body(Spot<across, N>{i, lie_together<lanes_of_part<across, N>()>(block.nodes + i)});
    } else if constexpr (lanes < across) {
      body(several<lanes, N>([&](std::size_t k) { return i + k < last ? i + k : last - 1; }));
    } else if constexpr (lanes == any) {
      for (std::size_t lane = 0; lane < block.lanes; ++lane)
        body(Spot<any, N>{i, lane, block.lanes});
    } else {
      for (std::size_t part = 0; part < lanes; part += lanes_of_part<lanes, N>())
        body(Spot<lanes, N>{i, part});
    }
  }
}

/// The same lanes of instance 0 where the mask is 0, the spot itself where all its bits are set.
template <int lanes, class N>
inline Spot<lanes, N> masked(Spot<lanes, N> spot, std::size_t mask) {
  if constexpr (lanes < across)
    for (std::size_t& instance : spot.instances) instance &= mask;
  else
    spot.instance &= mask;
  return spot;
}

/// A pack of packs P: of(0), of(1), ….
template <class V, class P, class Of>
inline V together(const Of& of, int first = 0) {
  if constexpr (std::is_same_v<V, P>) {
    return of(first);
  } else {
    using Half = HalfOf<V>;
    return joined<V>(together<Half, P>(of, first),
                     together<Half, P>(of, first + lanes_of<Half> / lanes_of<P>));
  }
}
/// Calls take(k, pack P) for every k of a pack of them.
template <class P, class V, class Take>
inline void apart(const V& value, const Take& take, int first = 0) {
  if constexpr (std::is_same_v<V, P>) {
    take(first, value);
  } else {
    apart<P>(half<0>(value), take, first);
    apart<P>(half<1>(value), take, first + lanes_of<V> / 2 / lanes_of<P>);
  }
}

/// The pack of one instance in a pack V of several.
template <class V, int lanes>
using OfInstance = typename PackOf<-lanes, Number<V>>::type;

/// What an array of a number for each lane of each instance has at a spot.
template <class V, int lanes, class N>
inline V load_at(const double* array, const Spot<lanes, N>& spot) {
  if constexpr (lanes < across) {
    using One = OfInstance<V, lanes>;
    return together<V, One>(
        [&](int k) { return load<One>(array + spot.instances[k] * spot.width()); });
  } else {
    return load<V>(array + spot.index());
  }
}
template <int lanes, class N, class V>
inline void store_at(double* array, const Spot<lanes, N>& spot, const V& value) {
  if constexpr (lanes < across)
    apart<OfInstance<V, lanes>>(value, [&](int k, const auto& one) {
      store(array + spot.instances[k] * spot.width(), one);
    });
  else
    store(array + spot.index(), value);
}
/// What an array of a number for each instance has, in all lanes.
template <class V, int lanes, class N>
inline V spread_at(const double* array, const Spot<lanes, N>& spot) {
  const auto spread = [&]<class P>(P zero, std::size_t at) {
    return zero + static_cast<N>(array[at]);
  };
  if constexpr (lanes < across) {
    using One = OfInstance<V, lanes>;
    return together<V, One>([&](int k) { return spread(One{}, spot.instances[k]); });
  } else {
    return spread(V{}, spot.instance);
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

/// Loads variables [first, last).
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void load_columns(const InstanceBlock& block, Spot<lanes, N> spot, int first, int last,
                         VariablesOf<E, V>& variables) {
#pragma GCC unroll 64
  for (int c = first; c < last; ++c)
    array_of<E, V>(variables)[c] = load_at<V>(column_of<E>(block, c, spot.width()), spot);
}

/// Stores variables [first, last).
template <class E, int lanes, class N, class V = Part<lanes, N>>
inline void store_columns(const InstanceBlock& block, Spot<lanes, N> spot,
                          VariablesOf<E, V>& variables, int first, int last) {
#pragma GCC unroll 64
  for (int c = first; c < last; ++c)
    store_at(column_of<E>(block, c, spot.width()), spot, array_of<E, V>(variables)[c]);
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
