#pragma once
// Packs: a number of doubles, or of floats, on which every operation works lane by lane. Host only.
// Lanes never mix, and every lane does the arithmetic that a plain number would, whatever the
// instruction set: a pack wider than a register is two packs of half its width.

#include <cstddef>
#include <type_traits>

#include "core/simd/arithmetic.hpp"
#include "core/simd/registers.hpp"
#include "core/simd/targets.hpp"

// A loop over packs with everything in it: no call is left between a load and its store. Not with
// the sanitizers, whose checks would make such a function take minutes to compile.
#if defined(__SANITIZE_ADDRESS__)
#define HILLOCK_KERNEL
#else
#define HILLOCK_KERNEL __attribute__((flatten))
#endif

namespace hillock::inline HILLOCK_ISA {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// E: double or float, or for masks and bits a whole number of their size. n: a power of two above
/// 1.
template <class E, int n, bool fits = n* static_cast<int>(sizeof(E)) <= register_bytes>
struct Lanes;

/// What masks and bits of a number are.
template <class E>
using WordOf = std::conditional_t<sizeof(E) == sizeof(int), int, long long>;

/// One register.
template <class E, int n>
struct Lanes<E, n, true> {
  typedef E Register __attribute__((vector_size(n * sizeof(E))));
  Register all;

  E& operator[](int lane) { return reinterpret_cast<E*>(this)[lane]; }
  E operator[](int lane) const { return all[lane]; }
};

/// Two packs of half the width.
template <class E, int n>
struct Lanes<E, n, false> {
  Lanes<E, n / 2> low, high;

  E& operator[](int lane) { return reinterpret_cast<E*>(this)[lane]; }
  E operator[](int lane) const { return lane < n / 2 ? low[lane] : high[lane - n / 2]; }
};

#define HILLOCK_PACK_OPERATOR(op, Result)                                                         \
  template <class E, int n>                                                                       \
  inline Lanes<Result, n> operator op(const Lanes<E, n, true>& a, const Lanes<E, n, true>& b) {   \
    return {a.all op b.all};                                                                      \
  }                                                                                               \
  template <class E, int n>                                                                       \
  inline Lanes<Result, n> operator op(const Lanes<E, n, false>& a, const Lanes<E, n, false>& b) { \
    return {a.low op b.low, a.high op b.high};                                                    \
  }                                                                                               \
  template <class E, int n>                                                                       \
  inline Lanes<Result, n> operator op(const Lanes<E, n, true>& a, std::type_identity_t<E> b) {    \
    return {a.all op b};                                                                          \
  }                                                                                               \
  template <class E, int n>                                                                       \
  inline Lanes<Result, n> operator op(const Lanes<E, n, false>& a, std::type_identity_t<E> b) {   \
    return {a.low op b, a.high op b};                                                             \
  }                                                                                               \
  template <class E, int n>                                                                       \
  inline Lanes<Result, n> operator op(std::type_identity_t<E> a, const Lanes<E, n, true>& b) {    \
    return {a op b.all};                                                                          \
  }                                                                                               \
  template <class E, int n>                                                                       \
  inline Lanes<Result, n> operator op(std::type_identity_t<E> a, const Lanes<E, n, false>& b) {   \
    return {a op b.low, a op b.high};                                                             \
  }
HILLOCK_PACK_OPERATOR(+, E)
HILLOCK_PACK_OPERATOR(-, E)
HILLOCK_PACK_OPERATOR(*, E)
HILLOCK_PACK_OPERATOR(/, E)
HILLOCK_PACK_OPERATOR(&, E)
HILLOCK_PACK_OPERATOR(|, E)
HILLOCK_PACK_OPERATOR(^, E)
HILLOCK_PACK_OPERATOR(<, WordOf<E>)
HILLOCK_PACK_OPERATOR(<=, WordOf<E>)
HILLOCK_PACK_OPERATOR(>, WordOf<E>)
HILLOCK_PACK_OPERATOR(>=, WordOf<E>)
HILLOCK_PACK_OPERATOR(==, WordOf<E>)
HILLOCK_PACK_OPERATOR(!=, WordOf<E>)
#undef HILLOCK_PACK_OPERATOR

template <class E, int n, bool fits>
inline Lanes<E, n> operator-(const Lanes<E, n, fits>& a) {
  if constexpr (fits)
    return {-a.all};
  else
    return {-a.low, -a.high};
}

template <class E, int n, bool fits>
inline Lanes<E, n> operator<<(const Lanes<E, n, fits>& a, int bits) {
  if constexpr (fits)
    return {a.all << bits};
  else
    return {a.low << bits, a.high << bits};
}

template <class E, int n, bool fits>
inline Lanes<E, n> operator>>(const Lanes<E, n, fits>& a, int bits) {
  if constexpr (fits)
    return {a.all >> bits};
  else
    return {a.low >> bits, a.high >> bits};
}

// What works on packs of doubles and on packs of floats alike.
#define HILLOCK_PACK_FUNCTIONS(E)                                                                 \
  /* yes where the condition holds, no elsewhere; both are computed. */                           \
  template <int n, bool fits>                                                                     \
  inline Lanes<E, n> select(const Lanes<WordOf<E>, n, fits>& condition, const Lanes<E, n>& yes,   \
                            const Lanes<E, n>& no) {                                              \
    if constexpr (fits)                                                                           \
      return {condition.all ? yes.all : no.all};                                                  \
    else                                                                                          \
      return {select(condition.low, yes.low, no.low), select(condition.high, yes.high, no.high)}; \
  }                                                                                               \
  /* The bits of a value, and back. */                                                            \
  template <int n, bool fits>                                                                     \
  inline Lanes<WordOf<E>, n> to_bits(const Lanes<E, n, fits>& x) {                                \
    return __builtin_bit_cast(Lanes<WordOf<E>, n>, x);                                            \
  }                                                                                               \
  template <int n, bool fits>                                                                     \
  inline Lanes<E, n> from_bits(const Lanes<WordOf<E>, n, fits>& bits) {                           \
    return __builtin_bit_cast(Lanes<E, n>, bits);                                                 \
  }
HILLOCK_PACK_FUNCTIONS(double)
HILLOCK_PACK_FUNCTIONS(float)
#undef HILLOCK_PACK_FUNCTIONS

/// Bit l: whether the condition holds in lane l.
inline unsigned true_lanes(bool condition) {
  return condition;
}
template <int n, bool fits>
inline unsigned true_lanes(const Lanes<long long, n, fits>& condition) {
  if constexpr (!fits) {
    return true_lanes(condition.low) | true_lanes(condition.high) << (n / 2);
#if defined(__AVX512DQ__)
  } else if constexpr (n == 8) {
    return registers::signs(condition.all);
#endif
#if defined(__AVX__)
  } else if constexpr (n == 4) {
    return registers::signs(reinterpret_cast<registers::Doubles4>(condition.all));
#endif
  } else {
    unsigned bits = 0;
    for (int l = 0; l < n; ++l) bits |= static_cast<unsigned>(condition[l] != 0) << l;
    return bits;
  }
}

/// a·b + c, rounded once.
template <class E, int n, bool fits>
inline Lanes<E, n> fma(const Lanes<E, n, fits>& a, const std::type_identity_t<Lanes<E, n>>& b,
                       const std::type_identity_t<Lanes<E, n>>& c) {
  if constexpr (!fits) {
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
  } else {
#if defined(HILLOCK_HAS_FMA)
    if constexpr (sizeof(a) >= 16) return {registers::fma(a.all, b.all, c.all)};
#endif
    Lanes<E, n> result;
    for (int l = 0; l < n; ++l)
      if constexpr (sizeof(E) == sizeof(float))
        result[l] = __builtin_fmaf(a[l], b[l], c[l]);
      else
        result[l] = __builtin_fma(a[l], b[l], c[l]);
    return result;
  }
}

/// Rounded as that of a number.
template <class E, int n, bool fits>
inline Lanes<E, n> square_root(const Lanes<E, n, fits>& a) {
  if constexpr (!fits) {
    return {square_root(a.low), square_root(a.high)};
#if defined(__AVX__) || defined(__aarch64__)
  } else if constexpr (sizeof(a) >= registers::least_bytes) {
    return {registers::square_root(a.all)};
#endif
  } else {
    Lanes<E, n> result;
    for (int l = 0; l < n; ++l)
      if constexpr (sizeof(E) == sizeof(float))
        result[l] = __builtin_sqrtf(a[l]);
      else
        result[l] = __builtin_sqrt(a[l]);
    return result;
  }
}

/// a where a < b, else b: b for a NaN in either.
template <class E, int n, bool fits>
inline Lanes<E, n> lesser(const Lanes<E, n, fits>& a, const std::type_identity_t<Lanes<E, n>>& b) {
  if constexpr (!fits) return {lesser(a.low, b.low), lesser(a.high, b.high)};
#if defined(__AVX__)
  else if constexpr (sizeof(a) >= 32)
    return {registers::lesser(a.all, b.all)};
#endif
  else
    return {a.all < b.all ? a.all : b.all};
}

/// a where a > b, else b: b for a NaN in either.
template <class E, int n, bool fits>
inline Lanes<E, n> greater(const Lanes<E, n, fits>& a, const std::type_identity_t<Lanes<E, n>>& b) {
  if constexpr (!fits) return {greater(a.low, b.low), greater(a.high, b.high)};
#if defined(__AVX__)
  else if constexpr (sizeof(a) >= 32)
    return {registers::greater(a.all, b.all)};
#endif
  else
    return {a.all > b.all ? a.all : b.all};
}

/// What a machine multiplies as words of 32 bits: the lower halves of numbers of 64 bits.
template <int n, bool fits>
inline Lanes<long long, n> product_of_halves(const Lanes<long long, n, fits>& a,
                                             const Lanes<long long, n>& b) {
  if constexpr (!fits) {
    return {product_of_halves(a.low, b.low), product_of_halves(a.high, b.high)};
#if defined(__AVX2__)
  } else if constexpr (n >= 4) {
    return {registers::product_of_halves(a.all, b.all)};
#endif
  } else {
    Lanes<long long, n> result;
    for (int l = 0; l < n; ++l)
      result[l] = static_cast<long long>((a[l] & 0xffffffffull) * (b[l] & 0xffffffffull));
    return result;
  }
}

/// The upper halves, as numbers from 0 on.
template <int n, bool fits>
inline Lanes<long long, n> upper_halves(const Lanes<long long, n, fits>& a) {
  typedef unsigned long long Unsigned __attribute__((vector_size(n * 8)));
  if constexpr (fits)
    return {reinterpret_cast<decltype(a.all)>(reinterpret_cast<Unsigned>(a.all) >> 32)};
  else
    return {upper_halves(a.low), upper_halves(a.high)};
}

/// Whole numbers as doubles, rounded to the nearest beyond 2^53.
template <int n, bool fits>
inline Lanes<double, n> to_doubles(const Lanes<long long, n, fits>& a) {
  if constexpr (!fits) {
    return {to_doubles(a.low), to_doubles(a.high)};
#if defined(__AVX512DQ__)
  } else if constexpr (n == 8) {
    return {registers::to_doubles(a.all)};
#endif
  } else {
    // Both halves as numbers above powers of 2 that fill the bits before them; the upper one is
    // counted from -2^31 on. What is rounded is their sum alone.
    const auto upper = from_bits((upper_halves(a) ^ 0x80000000LL) | 0x4530000000000000LL);
    const auto lower = from_bits((a & 0xffffffffLL) | 0x4330000000000000LL);
    return (upper - (0x1p84 + 0x1p63 + 0x1p52)) + lower;
  }
}

using Pack4 = Lanes<double, 4>;
using Pack8 = Lanes<double, 8>;

/// The pack of a number of lanes: of one lane the number itself.
template <int lanes, class E = double>
struct PackOf {
  using type = Lanes<E, lanes>;
};
template <class E>
struct PackOf<1, E> {
  using type = E;
};

/// Lanes of a value type, and what one of them is.
template <class V>
struct PartsOf {
  using Number = V;
  static constexpr int count = 1;
};
template <class E, int n, bool fits>
struct PartsOf<Lanes<E, n, fits>> {
  using Number = E;
  static constexpr int count = n;
};
template <class V>
inline constexpr int lanes_of = PartsOf<V>::count;
template <class V>
inline constexpr bool is_of_floats = std::is_same_v<typename PartsOf<V>::Number, float>;

/// As many doubles.
template <class V>
using DoublesOf = typename PackOf<lanes_of<V>, double>::type;

/// A pack of two halves, and its halves.
template <class V>
using HalfOf = typename PackOf<lanes_of<V> / 2, typename PartsOf<V>::Number>::type;
template <class V>
inline V joined(const HalfOf<V>& low, const HalfOf<V>& high) {
  if constexpr (sizeof(V) > register_bytes)
    return {low, high};
  else
    return {registers::joined(low.all, high.all)};
}
template <int which, class V>
inline HalfOf<V> half(const V& value) {
  if constexpr (sizeof(V) <= register_bytes)
    return {registers::half<which>(value.all)};
  else if constexpr (which == 0)
    return value.low;
  else
    return value.high;
}

/// Numbers of the other precision, each rounded once.
template <class V>
inline V narrowed(const DoublesOf<V>& doubles) {
  if constexpr (!is_of_floats<V>) {
    return doubles;
  } else if constexpr (lanes_of<V> == 1) {
    return static_cast<float>(doubles);
  } else if constexpr (sizeof(doubles) > register_bytes) {
    return joined<V>(narrowed<HalfOf<V>>(doubles.low), narrowed<HalfOf<V>>(doubles.high));
  } else {
    return {__builtin_convertvector(doubles.all, typename V::Register)};
  }
}
template <class V>
inline DoublesOf<V> widened(const V& value) {
  if constexpr (!is_of_floats<V> || lanes_of<V> == 1) {
    return value;
  } else if constexpr (sizeof(DoublesOf<V>) > register_bytes) {
    return {widened(half<0>(value)), widened(half<1>(value))};
#if defined(__AVX512F__)
  } else if constexpr (lanes_of<V> == 8) {
    return {registers::widened(value.all)};
#endif
  } else {
    return {__builtin_convertvector(value.all, typename DoublesOf<V>::Register)};
  }
}
/// Whole numbers as floats.
template <int n, bool fits>
inline Lanes<float, n> to_floats(const Lanes<int, n, fits>& a) {
  if constexpr (fits)
    return {__builtin_convertvector(a.all, typename Lanes<float, n>::Register)};
  else
    return {to_floats(a.low), to_floats(a.high)};
}

/// A pack's register as it lies in an array of doubles.
template <class V>
struct InMemory {
  typedef double Register __attribute__((vector_size(sizeof(V)), aligned(8)));
};

/// From and to an array of doubles.
template <class V>
inline V load(const double* from) {
  if constexpr (is_of_floats<V>)
    return narrowed<V>(load<DoublesOf<V>>(from));
  else if constexpr (lanes_of<V> == 1)
    return *from;
  else if constexpr (sizeof(V) <= register_bytes)
    return {*reinterpret_cast<const typename InMemory<V>::Register*>(from)};
  else
    return {load<decltype(V::low)>(from), load<decltype(V::high)>(from + lanes_of<V> / 2)};
}

template <class V>
inline void store(double* to, const V& value) {
  if constexpr (is_of_floats<V>) {
    store(to, widened(value));
  } else if constexpr (lanes_of<V> == 1) {
    *to = value;
  } else if constexpr (sizeof(V) <= register_bytes) {
    *reinterpret_cast<typename InMemory<V>::Register*>(to) = value.all;
  } else {
    store(to, value.low);
    store(to + lanes_of<V> / 2, value.high);
  }
}

/// A pack of doubles from places of an array, and to places that all differ: one instruction where
/// there is one, which is as fast and takes the compiler a fraction of the time.
template <class V>
inline V gather(const double* from, const int* at) {
  if constexpr (sizeof(V) > register_bytes) {
    return {gather<decltype(V::low)>(from, at),
            gather<decltype(V::high)>(from, at + lanes_of<V> / 2)};
#if defined(__AVX512F__)
  } else if constexpr (lanes_of<V> == 8) {
    return {registers::gathered8(from, at)};
#endif
#if defined(__AVX2__)
  } else if constexpr (lanes_of<V> == 4) {
    return {registers::gathered4(from, at)};
#endif
  } else {
    double values[lanes_of<V>];
    for (int l = 0; l < lanes_of<V>; ++l) values[l] = from[at[l]];
    return load<V>(values);
  }
}
template <class V>
inline void scatter(double* to, const int* at, const V& value) {
  if constexpr (sizeof(V) > register_bytes) {
    scatter(to, at, value.low);
    scatter(to, at + lanes_of<V> / 2, value.high);
#if defined(__AVX512F__)
  } else if constexpr (lanes_of<V> == 8) {
    registers::scatter(to, at, value.all);
#endif
  } else {
    double values[lanes_of<V>];
    store(values, value);
    for (int l = 0; l < lanes_of<V>; ++l) to[at[l]] = values[l];
  }
}

}  // namespace hillock::inline HILLOCK_ISA
