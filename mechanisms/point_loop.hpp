#pragma once
// The CPU loop over point neurons: all of a step in one pass, from the sums that arrive to who
// spikes.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mechanisms/instance_spots.hpp"
#include "mechanisms/settling.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

namespace loops {

/// Numbers that the compiler knows: first, first + 1, …, last - 1.
template <int... numbers>
struct Numbers {};
template <int first, int... numbers>
constexpr auto numbers_after(std::integer_sequence<int, numbers...>) {
  return Numbers<first + numbers...>();
}
template <int first, int last>
constexpr auto numbers_from() {
  return numbers_after<first>(std::make_integer_sequence<int, last - first>());
}

/// Sums of a spot's neurons as numbers; in their place 0 is left.
template <class V>
inline V take_sums(long long* sums, double spacing) {
  if constexpr (lanes_of<V> == 1) {
    const V taken = static_cast<double>(*sums) * spacing;
    *sums = 0;
    return taken;
  } else {
    Lanes<long long, lanes_of<V>> words;
    __builtin_memcpy(&words, sums, sizeof(words));
    __builtin_memset(sums, 0, sizeof(words));
    return to_doubles(words) * spacing;
  }
}

/// settled() in every lane.
template <class V>
inline V settled_lanes(const V& x) {
  return select((x > -negligible) & (x < negligible), V{}, x);
}

/// 0, but NaN in lanes where a variable that advances is no finite number.
template <class E, class V, int... c>
inline V unless_finite(const V* x, Numbers<c...>) {
  return ((x[c] - x[c]) + ... + V{});
}

template <class E, class V, int... c>
inline void settle(V* x, Numbers<c...>) {
  ((x[c] = settled_lanes(x[c])), ...);
}

/// Columns of inputs are always 0: nobody sees what a step makes of them.
template <class E>
inline constexpr int first_input = E::info.input < 0 ? E::info.count() : E::info.input;
template <class E>
inline constexpr int after_inputs = first_input<E> + (E::info.input < 0            ? 0
                                                      : E::info.negative_input < 0 ? 1
                                                                                   : 2);

template <class E, int lanes, class V = Part<lanes>>
HILLOCK_KERNEL PointStepOutcome step(const InstanceBlock& block_of, const KernelTime& time,
                                     const PointStepWork& step, std::uint32_t* spiked) {
  static_assert(E::info.negative_input < 0 || E::info.negative_input == E::info.input + 1);
  const InstanceBlock block = block_of;  // which no store changes
  const PointStepWork of = step;
  std::size_t spikes = 0;
  V failed{};
  // What is one number for all neurons is read once, the rest of what does not advance in its turn.
  VariablesOf<E, V> known;
  load_columns<E, lanes>(block, first_spot<lanes>(block), 0, first_changed<E>, known);
  const double* differing[E::info.count()];
  for (std::size_t k = 0; k < of.differing_count; ++k)
    differing[k] = column_of<E>(block, of.differing[k], first_spot<lanes>(block).width());
  for_each<lanes, double>(block, [&](Spot<lanes> spot) {
    const std::size_t first = spot.index();
    if (first >= of.neurons) return;
    for (std::size_t k = 0; k < of.differing_count; ++k)
      array_of<E, V>(known)[of.differing[k]] = load<V>(differing[k] + first);
    VariablesOf<E, V> variables = known;
    load_columns<E, lanes>(block, spot, first_changed<E>, E::info.count(), variables);
    V* const x = array_of<E, V>(variables);
    if constexpr (E::info.input >= 0)
      x[E::info.input] = take_sums<V>(of.sums[0] + first, of.spacing);
    if constexpr (E::info.negative_input >= 0)
      x[E::info.negative_input] = take_sums<V>(of.sums[1] + first, of.spacing);
    if (of.settles) settle<E, V>(x, numbers_from<first_settled(E::info), E::info.count()>());
    E::template advance<V>(variables, at_time(V{}, time));
    store_columns<E>(block, spot, variables, first_changed<E>, first_input<E>);
    store_columns<E>(block, spot, variables, after_inputs<E>, E::info.count());
    if (of.is_checked)
      failed =
          failed + unless_finite<E, V>(x, numbers_from<E::info.first_state(), E::info.count()>());
    if constexpr (E::info.spike >= 0) {
      for (unsigned l = true_lanes(x[E::info.spike] != 0.0); l != 0; l &= l - 1) {
        const std::size_t neuron = first + static_cast<std::size_t>(__builtin_ctz(l));
        if (neuron < of.neurons) spiked[spikes++] = static_cast<std::uint32_t>(neuron);
      }
    }
  });
  return {spikes, true_lanes(failed == 0.0) == (1u << lanes_of<V>)-1};
}

}  // namespace loops

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
