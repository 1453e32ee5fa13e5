#pragma once
// Instructions on registers of doubles, floats and words that no operator stands for
// (core/simd/pack.hpp). Of GCC they are its builtins: to read <immintrin.h> takes it 0.2 s, and a
// model's own mechanisms are compiled one by one.

#include <type_traits>

#include "core/simd/targets.hpp"

namespace hillock::inline HILLOCK_ISA::registers {

/// A register of twice the width, and its halves.
template <class Half>
inline auto joined(const Half& low, const Half& high) {
  using Number = std::remove_cvref_t<decltype(low[0])>;
  constexpr int n = sizeof(Half) / sizeof(Number);
  typedef Number Whole __attribute__((vector_size(2 * sizeof(Half))));
#if __has_builtin(__builtin_shufflevector)
  if constexpr (n == 2)
    return Whole(__builtin_shufflevector(low, high, 0, 1, 2, 3));
  else if constexpr (n == 4)
    return Whole(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
  else
    return Whole(
        __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
#else
  struct Both {
    Half low, high;
  };
  return __builtin_bit_cast(Whole, (Both{low, high}));
#endif
}
template <int which, class Whole>
inline auto half(const Whole& all) {
  using Number = std::remove_cvref_t<decltype(all[0])>;
  constexpr int n = sizeof(Whole) / sizeof(Number) / 2;
  typedef Number Half __attribute__((vector_size(sizeof(Whole) / 2)));
#if __has_builtin(__builtin_shufflevector)
  constexpr int k = which * n;
  if constexpr (n == 2)
    return Half(__builtin_shufflevector(all, all, k, k + 1));
  else if constexpr (n == 4)
    return Half(__builtin_shufflevector(all, all, k, k + 1, k + 2, k + 3));
  else
    return Half(
        __builtin_shufflevector(all, all, k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7));
#else
  struct Both {
    Half half[2];
  };
  return __builtin_bit_cast(Both, all).half[which];
#endif
}

}  // namespace hillock::inline HILLOCK_ISA::registers

#if defined(__aarch64__)

#if defined(__clang__)
#include <arm_neon.h>
#endif

namespace hillock::inline HILLOCK_ISA::registers {

typedef double Doubles2 __attribute__((vector_size(16)));
typedef float Floats4 __attribute__((vector_size(16)));
inline constexpr int least_bytes = 16;  ///< of a register with a square root below

// Rounded once. The compiler makes the other instructions of the operators on registers.
#if defined(__clang__)

inline Doubles2 square_root(Doubles2 a) {
  return vsqrtq_f64(a);
}
inline Floats4 square_root(Floats4 a) {
  return vsqrtq_f32(a);
}
inline Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) {
  return vfmaq_f64(c, a, b);
}
inline Floats4 fma(Floats4 a, Floats4 b, Floats4 c) {
  return vfmaq_f32(c, a, b);
}

#else

inline Doubles2 square_root(Doubles2 a) {
  return __builtin_aarch64_sqrtv2df(a);
}
inline Floats4 square_root(Floats4 a) {
  return __builtin_aarch64_sqrtv4sf(a);
}
inline Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) {
  return __builtin_aarch64_fmav2df(a, b, c);
}
inline Floats4 fma(Floats4 a, Floats4 b, Floats4 c) {
  return __builtin_aarch64_fmav4sf(a, b, c);
}

#endif

}  // namespace hillock::inline HILLOCK_ISA::registers

#endif

#if defined(__AVX__)

#if defined(__clang__)
#include <immintrin.h>
#endif

namespace hillock::inline HILLOCK_ISA::registers {

inline constexpr int least_bytes = 32;  ///< of a register with a square root below
typedef double Doubles2 __attribute__((vector_size(16)));
typedef double Doubles4 __attribute__((vector_size(32)));
typedef double Doubles8 __attribute__((vector_size(64)));
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef float Floats16 __attribute__((vector_size(64)));
typedef long long Words4 __attribute__((vector_size(32)));
typedef long long Words8 __attribute__((vector_size(64)));
/// Numbers of places in an array, where they lie in memory.
typedef int Places4 __attribute__((vector_size(16), aligned(4)));
typedef int Places8 __attribute__((vector_size(32), aligned(4)));

// signs: bit l is the sign of number l. square_root, fma, to_doubles: rounded once. lesser: a where
// a < b, else b; greater likewise. product_of_halves: of the lower halves of words. gathered4,
// gathered8, scatter: what an array has at so many places.
#if defined(__clang__)

inline unsigned signs(Doubles4 a) {
  return static_cast<unsigned>(_mm256_movemask_pd(a));
}
inline Doubles4 square_root(Doubles4 a) {
  return _mm256_sqrt_pd(a);
}
inline Floats8 square_root(Floats8 a) {
  return _mm256_sqrt_ps(a);
}
inline Doubles4 lesser(Doubles4 a, Doubles4 b) {
  return _mm256_min_pd(a, b);
}
inline Floats8 lesser(Floats8 a, Floats8 b) {
  return _mm256_min_ps(a, b);
}
inline Doubles4 greater(Doubles4 a, Doubles4 b) {
  return _mm256_max_pd(a, b);
}
inline Floats8 greater(Floats8 a, Floats8 b) {
  return _mm256_max_ps(a, b);
}
#if defined(__FMA__)
inline Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) {
  return _mm_fmadd_pd(a, b, c);
}
inline Doubles4 fma(Doubles4 a, Doubles4 b, Doubles4 c) {
  return _mm256_fmadd_pd(a, b, c);
}
inline Floats4 fma(Floats4 a, Floats4 b, Floats4 c) {
  return _mm_fmadd_ps(a, b, c);
}
inline Floats8 fma(Floats8 a, Floats8 b, Floats8 c) {
  return _mm256_fmadd_ps(a, b, c);
}
#endif
#if defined(__AVX2__)
inline Words4 product_of_halves(Words4 a, Words4 b) {
  return reinterpret_cast<Words4>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline Doubles4 gathered4(const double* from, const int* at) {
  return _mm256_i32gather_pd(from, *reinterpret_cast<const __m128i_u*>(at), 8);
}
#endif
#if defined(__AVX512F__)
inline Doubles8 square_root(Doubles8 a) {
  return _mm512_sqrt_pd(a);
}
inline Doubles8 lesser(Doubles8 a, Doubles8 b) {
  return _mm512_min_pd(a, b);
}
inline Doubles8 greater(Doubles8 a, Doubles8 b) {
  return _mm512_max_pd(a, b);
}
inline Doubles8 fma(Doubles8 a, Doubles8 b, Doubles8 c) {
  return _mm512_fmadd_pd(a, b, c);
}
inline Doubles8 widened(Floats8 a) {
  return _mm512_cvtps_pd(a);
}
inline Floats16 square_root(Floats16 a) {
  return _mm512_sqrt_ps(a);
}
inline Floats16 lesser(Floats16 a, Floats16 b) {
  return _mm512_min_ps(a, b);
}
inline Floats16 greater(Floats16 a, Floats16 b) {
  return _mm512_max_ps(a, b);
}
inline Floats16 fma(Floats16 a, Floats16 b, Floats16 c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline Words8 product_of_halves(Words8 a, Words8 b) {
  return reinterpret_cast<Words8>(
      _mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
inline Doubles8 gathered8(const double* from, const int* at) {
  return _mm512_i32gather_pd(*reinterpret_cast<const __m256i_u*>(at), from, 8);
}
inline void scatter(double* to, const int* at, Doubles8 values) {
  _mm512_i32scatter_pd(to, *reinterpret_cast<const __m256i_u*>(at), values, 8);
}
#endif
#if defined(__AVX512DQ__)
inline unsigned signs(Words8 a) {
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(a));
}
inline Doubles8 to_doubles(Words8 a) {
  return _mm512_cvtepi64_pd(reinterpret_cast<__m512i>(a));
}
#endif

#else

inline unsigned signs(Doubles4 a) {
  return static_cast<unsigned>(__builtin_ia32_movmskpd256(a));
}
inline Doubles4 square_root(Doubles4 a) {
  return __builtin_ia32_sqrtpd256(a);
}
inline Floats8 square_root(Floats8 a) {
  return __builtin_ia32_sqrtps256(a);
}
inline Doubles4 lesser(Doubles4 a, Doubles4 b) {
  return __builtin_ia32_minpd256(a, b);
}
inline Floats8 lesser(Floats8 a, Floats8 b) {
  return __builtin_ia32_minps256(a, b);
}
inline Doubles4 greater(Doubles4 a, Doubles4 b) {
  return __builtin_ia32_maxpd256(a, b);
}
inline Floats8 greater(Floats8 a, Floats8 b) {
  return __builtin_ia32_maxps256(a, b);
}
#if defined(__FMA__)
inline Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) {
  return __builtin_ia32_vfmaddpd(a, b, c);
}
inline Doubles4 fma(Doubles4 a, Doubles4 b, Doubles4 c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
inline Floats4 fma(Floats4 a, Floats4 b, Floats4 c) {
  return __builtin_ia32_vfmaddps(a, b, c);
}
inline Floats8 fma(Floats8 a, Floats8 b, Floats8 c) {
  return __builtin_ia32_vfmaddps256(a, b, c);
}
#endif
#if defined(__AVX2__)
inline Words4 product_of_halves(Words4 a, Words4 b) {
  typedef int Halves __attribute__((vector_size(32)));
  return __builtin_ia32_pmuludq256(reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(b));
}
inline Doubles4 gathered4(const double* from, const int* at) {
  const Doubles4 all = reinterpret_cast<Doubles4>(Words4{} - 1);
  return __builtin_ia32_gathersiv4df(Doubles4{}, from, *reinterpret_cast<const Places4*>(at), all,
                                     8);
}
#endif
#if defined(__AVX512F__)
// In all lanes (0xff, 0xffff, or -1 where the mask has a sign), rounded as the machine is set to
// (4).
inline Doubles8 square_root(Doubles8 a) {
  return __builtin_ia32_sqrtpd512_mask(a, a, -1, 4);
}
inline Doubles8 lesser(Doubles8 a, Doubles8 b) {
  return __builtin_ia32_minpd512_mask(a, b, a, 0xff, 4);
}
inline Doubles8 greater(Doubles8 a, Doubles8 b) {
  return __builtin_ia32_maxpd512_mask(a, b, a, 0xff, 4);
}
inline Doubles8 fma(Doubles8 a, Doubles8 b, Doubles8 c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, 0xff, 4);
}
inline Doubles8 widened(Floats8 a) {
  return __builtin_ia32_cvtps2pd512_mask(a, Doubles8{}, -1, 4);
}
inline Floats16 square_root(Floats16 a) {
  return __builtin_ia32_sqrtps512_mask(a, a, -1, 4);
}
inline Floats16 lesser(Floats16 a, Floats16 b) {
  return __builtin_ia32_minps512_mask(a, b, a, -1, 4);
}
inline Floats16 greater(Floats16 a, Floats16 b) {
  return __builtin_ia32_maxps512_mask(a, b, a, -1, 4);
}
inline Floats16 fma(Floats16 a, Floats16 b, Floats16 c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
}
inline Words8 product_of_halves(Words8 a, Words8 b) {
  typedef int Halves __attribute__((vector_size(64)));
  return __builtin_ia32_pmuludq512_mask(reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(b), a,
                                        0xff);
}
inline Doubles8 gathered8(const double* from, const int* at) {
  return __builtin_ia32_gathersiv8df(Doubles8{}, from, *reinterpret_cast<const Places8*>(at), -1,
                                     8);
}
inline void scatter(double* to, const int* at, Doubles8 values) {
  __builtin_ia32_scattersiv8df(to, -1, *reinterpret_cast<const Places8*>(at), values, 8);
}
#endif
#if defined(__AVX512DQ__)
inline unsigned signs(Words8 a) {
  return static_cast<unsigned char>(__builtin_ia32_cvtq2mask512(a));
}
inline Doubles8 to_doubles(Words8 a) {
  return __builtin_ia32_cvtqq2pd512_mask(a, Doubles8{}, -1, 4);
}
#endif

#endif

}  // namespace hillock::inline HILLOCK_ISA::registers

#endif
