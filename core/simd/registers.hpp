#pragma once
// Instructions on registers of doubles and of words that no operator stands for
// (core/simd/pack.hpp). Of GCC they are its builtins: to read <immintrin.h> takes it 0.2 s, and a
// model's own mechanisms are compiled one by one.

#include "core/simd/targets.hpp"

#if defined(__AVX__)

#if defined(__clang__)
#include <immintrin.h>
#endif

namespace hillock::inline HILLOCK_ISA::registers {

typedef double Doubles2 __attribute__((vector_size(16)));
typedef double Doubles4 __attribute__((vector_size(32)));
typedef double Doubles8 __attribute__((vector_size(64)));
typedef long long Words4 __attribute__((vector_size(32)));
typedef long long Words8 __attribute__((vector_size(64)));

// signs: bit l is the sign of number l. square_root, fma, to_doubles: rounded once. lesser: a where
// a < b, else b; greater likewise. product_of_halves: of the lower halves of words.
#if defined(__clang__)

inline unsigned signs(Doubles4 a) {
  return static_cast<unsigned>(_mm256_movemask_pd(a));
}
inline Doubles4 square_root(Doubles4 a) {
  return _mm256_sqrt_pd(a);
}
inline Doubles4 lesser(Doubles4 a, Doubles4 b) {
  return _mm256_min_pd(a, b);
}
inline Doubles4 greater(Doubles4 a, Doubles4 b) {
  return _mm256_max_pd(a, b);
}
#if defined(__FMA__)
inline Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) {
  return _mm_fmadd_pd(a, b, c);
}
inline Doubles4 fma(Doubles4 a, Doubles4 b, Doubles4 c) {
  return _mm256_fmadd_pd(a, b, c);
}
#endif
#if defined(__AVX2__)
inline Words4 product_of_halves(Words4 a, Words4 b) {
  return reinterpret_cast<Words4>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
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
inline Words8 product_of_halves(Words8 a, Words8 b) {
  return reinterpret_cast<Words8>(
      _mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
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
inline Doubles4 lesser(Doubles4 a, Doubles4 b) {
  return __builtin_ia32_minpd256(a, b);
}
inline Doubles4 greater(Doubles4 a, Doubles4 b) {
  return __builtin_ia32_maxpd256(a, b);
}
#if defined(__FMA__)
inline Doubles2 fma(Doubles2 a, Doubles2 b, Doubles2 c) {
  return __builtin_ia32_vfmaddpd(a, b, c);
}
inline Doubles4 fma(Doubles4 a, Doubles4 b, Doubles4 c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
#endif
#if defined(__AVX2__)
inline Words4 product_of_halves(Words4 a, Words4 b) {
  typedef int Halves __attribute__((vector_size(32)));
  return __builtin_ia32_pmuludq256(reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(b));
}
#endif
#if defined(__AVX512F__)
// In all lanes (0xff, or -1 where the mask has a sign), rounded as the machine is set to (4).
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
inline Words8 product_of_halves(Words8 a, Words8 b) {
  typedef int Halves __attribute__((vector_size(64)));
  return __builtin_ia32_pmuludq512_mask(reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(b), a,
                                        0xff);
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
