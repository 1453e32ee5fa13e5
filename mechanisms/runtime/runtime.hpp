#pragma once
// All that emitted evaluators call, on doubles, packs and floats: this, math.hpp, and what is
// included at the end. Includes no standard header on a device, so that NVRTC can compile it. Every
// lane does the arithmetic a plain double would.

#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// Masks: bool beside double, whole lanes of ones or zeros beside packs.
HILLOCK_FUNCTION bool any(bool mask) {
  return mask;
}
HILLOCK_FUNCTION bool both(bool a, bool b) {
  return a && b;
}
HILLOCK_FUNCTION bool either(bool a, bool b) {
  return a || b;
}
HILLOCK_FUNCTION bool opposite(bool a) {
  return !a;
}

template <class Mask>
HILLOCK_FUNCTION bool any(const Mask& mask) {
  bool found = false;
  for (int lane = 0; lane < static_cast<int>(sizeof(Mask) / sizeof(mask[0])); ++lane)
    found = found || mask[lane] != 0;
  return found;
}
template <class Mask>
HILLOCK_FUNCTION Mask both(const Mask& a, const Mask& b) {
  return a & b;
}
template <class Mask>
HILLOCK_FUNCTION Mask either(const Mask& a, const Mask& b) {
  return a | b;
}
template <class Mask>
HILLOCK_FUNCTION Mask opposite(const Mask& a) {
  return a == 0;
}

/// x^n for a whole n above 0, by squaring.
template <int n, class V>
HILLOCK_FUNCTION V integer_power(const V& x) {
  if constexpr (n == 1) {
    return x;
  } else {
    const V half = integer_power<n / 2>(x);
    if constexpr (n % 2 == 0)
      return half * half;
    else
      return half * half * x;
  }
}

/// x^y of a positive x, to within a few units in the last place of y·ln x; of floats to within a
/// few of the result (single.hpp).
template <class V>
HILLOCK_FUNCTION V positive_power(const V& x, const V& y) {
  if constexpr (is_single<V>)
    return power_of_floats(x, y);
  else
    return exp<V>(y * log<V>(x));
}

/// x^y; a negative x needs a whole y, or the result is NaN.
template <class V>
HILLOCK_FUNCTION V pow(const V& x, const V& y) {
  using N = Number<V>;
  const V zero = V{}, one = zero + N(1.0);
  const V magnitude = positive_power<V>(abs<V>(x), y);
  const V whole = floor<V>(y);
  const V odd = y - N(2.0) * floor<V>(y * N(0.5));
  const V undefined = (x - x) / (x - x);
  const V negative =
      select(whole == y, V(select(odd == N(1.0), V(zero - magnitude), magnitude)), undefined);
  const V at_zero = select(y > N(0.0), zero, V(one / zero));
  const V result = select(x > N(0.0), magnitude, V(select(x < N(0.0), negative, at_zero)));
  return select(y == N(0.0), one, result);
}

/// Whether Newton's method has more to do after an unknown x moved by `step`: not when that is
/// 1e-9 of x; of floats 1e-5, after which the next step would be lost in rounding.
template <class V>
HILLOCK_FUNCTION auto still_moves(const V& step, const V& x) {
  if constexpr (is_single<V>)
    return abs<V>(step) > 1e-5f * abs<V>(x) + 1e-8f;
  else
    return abs<V>(step) > 1e-9 * abs<V>(x) + 1e-14;
}

/// How far an unknown x is moved by `step`, as NEURON counts it for blocks solved by sparse, where
/// it goes on above 1e-6. Floats rest as still_moves() says.
template <class V>
HILLOCK_FUNCTION V moved_by(const V& step, const V& x) {
  if constexpr (is_single<V>)
    return select(still_moves<V>(step, x), V(V{} + 1.0f), V{});
  else
    return abs<V>(step);
}

/// As moved_by(), for those solved by Newton's method: of itself, and not of what is next to
/// nothing.
template <class V>
HILLOCK_FUNCTION V moved_of_itself(const V& step, const V& x) {
  if constexpr (is_single<V>)
    return select(still_moves<V>(step, x), V(V{} + 1.0f), V{});
  else
    return select(abs<V>(x) > 1e-8, V(abs<V>(step / x)), V{});
}

/// Whether an equation is off by more than NEURON leaves it, of doubles.
template <class V>
HILLOCK_FUNCTION auto is_off(const V& residual) {
  if constexpr (is_single<V>)
    return residual != residual;
  else
    return abs<V>(residual) > 1e-8;
}

/// One lane after the other, by the machine's own function.
template <class V, class Function>
HILLOCK_FUNCTION V lanewise(const V& x, Function function) {
  if constexpr (is_one_number<V>) {
    return function(x);
  } else {
    V result = V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane) result[lane] = function(x[lane]);
    return result;
  }
}

/// The element of an array at a whole number, in each lane its own; NaN outside of the array.
template <class V, int n>
HILLOCK_FUNCTION V element(const V& index, const V (&array)[n]) {
  using N = Number<V>;
  if constexpr (is_one_number<V>) {
    return index >= N(0.0) && index < N(n) ? array[static_cast<int>(index)] : V{} / V{};
  } else {
    V result = V{} / V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane)
      if (index[lane] >= N(0.0) && index[lane] < N(n))
        result[lane] = array[static_cast<int>(index[lane])][lane];
    return result;
  }
}

/// array[index] = value, in each lane its own; nothing outside of the array.
template <class V, int n>
HILLOCK_FUNCTION void set_element(const V& index, const V& value, V (&array)[n]) {
  using N = Number<V>;
  if constexpr (is_one_number<V>) {
    if (index >= N(0.0) && index < N(n)) array[static_cast<int>(index)] = value;
  } else {
    for (int lane = 0; lane < numbers_in<V>; ++lane)
      if (index[lane] >= N(0.0) && index[lane] < N(n))
        array[static_cast<int>(index[lane])][lane] = value[lane];
  }
}
/// The same in the lanes of a mask alone.
template <class V, int n, class Mask>
HILLOCK_FUNCTION void set_element(const V& index, const V& value, V (&array)[n], const Mask& on) {
  set_element<V>(select(on, index, V(V{} - Number<V>(1.0))), value, array);
}

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HILLOCK_MACHINE(name) ::name
#define HILLOCK_MACHINE_OF_FLOATS(name, ...) ::name##f(__VA_ARGS__)
#else
#define HILLOCK_MACHINE(name) __builtin_##name
// By that of doubles: those of floats are rounded otherwise on other processors.
#define HILLOCK_MACHINE_OF_FLOATS(name, ...) static_cast<float>(__builtin_##name(__VA_ARGS__))
#endif
/// The machine's functions, of double and float.
template <class V>
HILLOCK_FUNCTION V sqrt(const V& x) {
  if constexpr (!is_one_number<V>)
    return square_root(x);
  else if constexpr (is_single<V>)
    return HILLOCK_MACHINE(sqrtf)(x);
  else
    return HILLOCK_MACHINE(sqrt)(x);
}
#define HILLOCK_LANEWISE(name)                                             \
  HILLOCK_FUNCTION double machine_##name(double x) {                       \
    return HILLOCK_MACHINE(name)(x);                                       \
  }                                                                        \
  HILLOCK_FUNCTION float machine_##name(float x) {                         \
    return HILLOCK_MACHINE_OF_FLOATS(name, x);                             \
  }                                                                        \
  template <class V>                                                       \
  HILLOCK_FUNCTION V name(const V& x) {                                    \
    return lanewise(x, [](Number<V> one) { return machine_##name(one); }); \
  }
HILLOCK_LANEWISE(sin)
HILLOCK_LANEWISE(cos)
HILLOCK_LANEWISE(tan)
HILLOCK_LANEWISE(asin)
HILLOCK_LANEWISE(acos)
HILLOCK_LANEWISE(atan)
HILLOCK_LANEWISE(sinh)
HILLOCK_LANEWISE(cosh)
HILLOCK_LANEWISE(tanh)
HILLOCK_LANEWISE(ceil)
#undef HILLOCK_LANEWISE

template <class V>
HILLOCK_FUNCTION V log10(const V& x) {
  return log<V>(x) * Number<V>(0.43429448190325182765);
}

#define HILLOCK_LANEWISE(name)                                 \
  HILLOCK_FUNCTION double machine_##name(double x, double y) { \
    return HILLOCK_MACHINE(name)(x, y);                        \
  }                                                            \
  HILLOCK_FUNCTION float machine_##name(float x, float y) {    \
    return HILLOCK_MACHINE_OF_FLOATS(name, x, y);              \
  }                                                            \
  template <class V>                                           \
  HILLOCK_FUNCTION V name(const V& x, const V& y) {            \
    if constexpr (is_one_number<V>) {                          \
      return machine_##name(x, y);                             \
    } else {                                                   \
      V result = V{};                                          \
      for (int lane = 0; lane < numbers_in<V>; ++lane)         \
        result[lane] = machine_##name(x[lane], y[lane]);       \
      return result;                                           \
    }                                                          \
  }
HILLOCK_LANEWISE(atan2)
HILLOCK_LANEWISE(fmod)
#undef HILLOCK_LANEWISE
#undef HILLOCK_MACHINE_OF_FLOATS
#undef HILLOCK_MACHINE

/// The error function to within 2 units in the last place. Up to 1 it is x·p(x²), beyond 1 less
/// e^(-x²)·q(s) with s = (|x| - 3) / (|x| + 3), both fitted to 2^-56; from 6 on it is 1.
template <class V>
HILLOCK_LONG_FUNCTION V erf_of_doubles(const V& x) {
  const V zero = V{};
  const V size = lesser(zero + 6.0, abs<V>(x));
  // p, whose first coefficient is added last, and q, both by Estrin's scheme.
  const V u = x * x;
  const V u2 = u * u;
  const V u4 = u2 * u2;
  const V p01 = fma(u, zero + 0.11283791670945006, zero - 0.37612638903183543);
  const V p23 = fma(u, zero + 0.0052239776071164225, zero - 0.02686617064323777);
  const V p45 = fma(u, zero + 0.00012055294904839707, zero - 0.0008548325975389692);
  const V p67 = fma(u, zero + 1.6447424703317362e-06, zero - 1.492473690741966e-05);
  const V p89 = fma(u, zero + 1.3720064546777686e-08, zero - 1.6208483801871705e-07);
  const V p8 = fma(u2, zero - 7.795898827002142e-10, p89);
  const V p = fma(u4, fma(u4, p8, fma(u2, p67, p45)), fma(u2, p23, p01));
  const V inside = fma(x * u, p, x * 1.1283791670955126);
  const V s = (size - 3.0) / (size + 3.0);
  const V s2 = s * s;
  const V s4 = s2 * s2;
  const V q01 = fma(s, zero - 0.32623356004595544, zero + 0.17900115118134305);
  const V q23 = fma(s, zero - 0.15011593599292522, zero + 0.24560380167713725);
  const V q45 = fma(s, zero - 0.02439229690707815, zero + 0.07166585444717923);
  const V q67 = fma(s, zero + 0.0007136006785692408, zero + 0.004270495303012577);
  const V q89 = fma(s, zero + 7.744569379683956e-05, zero - 0.0005802518684753088);
  const V qab = fma(s, zero + 1.5442134945616102e-05, zero + 0.00010370874372707324);
  const V q = fma(s4, fma(s4, fma(s2, qab, q89), fma(s2, q67, q45)), fma(s2, q23, q01));
  const V beyond = 1.0 - exp<V>(-(size * size)) * q;
  return select(size <= 1.0, inside, V(select(x < 0.0, V(-beyond), beyond)));
}
template <class V>
HILLOCK_FUNCTION V erf(const V& x) {
  if constexpr (is_single<V>)
    return lanewise(x, [](float one) { return static_cast<float>(erf_of_doubles<double>(one)); });
  else
    return erf_of_doubles(x);
}

/// Solves a·x = b for a few unknowns by elimination with row pivoting, lane by lane of its own
/// choice. a is destroyed; x lies in b. A singular matrix gives values that are not finite.
template <int n, class V>
HILLOCK_FUNCTION void solve_dense(V (&a)[n][n], V (&b)[n]) {
  for (int k = 0; k < n; ++k) {
    for (int r = k + 1; r < n; ++r) {  // the largest of the column moves up, by exchanges
      const auto larger = abs<V>(a[r][k]) > abs<V>(a[k][k]);
      for (int c = k; c < n; ++c) {
        const V upper = a[k][c], lower = a[r][c];
        a[k][c] = select(larger, lower, upper);
        a[r][c] = select(larger, upper, lower);
      }
      const V upper = b[k], lower = b[r];
      b[k] = select(larger, lower, upper);
      b[r] = select(larger, upper, lower);
    }
    const V pivot = Number<V>(1.0) / a[k][k];
    for (int r = k + 1; r < n; ++r) {
      const V factor = a[r][k] * pivot;
      for (int c = k + 1; c < n; ++c) a[r][c] = a[r][c] - factor * a[k][c];
      b[r] = b[r] - factor * b[k];
    }
    a[k][k] = pivot;
  }
  for (int k = n - 1; k >= 0; --k) {
    V sum = b[k];
    for (int c = k + 1; c < n; ++c) sum = sum - a[k][c] * b[c];
    b[k] = sum * a[k][k];
  }
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

#include "mechanisms/runtime/draws.hpp"
#include "mechanisms/runtime/tables.hpp"
#include "mechanisms/runtime/words.hpp"
