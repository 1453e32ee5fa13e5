#pragma once
// Random numbers of emitted evaluators: a draw is a function of an instance's stream, the source
// within the instance and how many draws that source has made. Philox4x32-10
// (core/random/philox.hpp), key: the stream, counter: (number of the draw, source, part of the
// draw). Included by runtime.hpp.

#include "core/random/philox.hpp"
#include "mechanisms/runtime/given_draws.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// stream, source, count: whole numbers from 0 on; stream and count below 2^53, which floats cannot
/// hold: what draws keeps doubles (MechanismInfo).
HILLOCK_FUNCTION PhiloxWords<unsigned> draw_words(double stream, double source, double count,
                                                  unsigned part = 0) {
  const auto key = static_cast<unsigned long long>(stream);
  const auto number = static_cast<unsigned long long>(count);
  return philox<unsigned>({{static_cast<unsigned>(number), static_cast<unsigned>(number >> 32),
                            static_cast<unsigned>(source), part}},
                          static_cast<unsigned>(key), static_cast<unsigned>(key >> 32));
}

HILLOCK_FUNCTION double unit_interval(unsigned high, unsigned low) {
  return hillock::unit_interval(static_cast<unsigned long long>(high) << 32 | low);
}

HILLOCK_FUNCTION double uniform_draw(double stream, double source, double count) {
  const PhiloxWords<unsigned> words = draw_words(stream, source, count);
  return unit_interval(words.word[0], words.word[1]);
}

/// Mean 0, standard deviation 1 (Box and Muller 1958).
HILLOCK_FUNCTION double normal_draw(double stream, double source, double count, unsigned part = 0) {
  const PhiloxWords<unsigned> words = draw_words(stream, source, count, part);
  const double radius =
      sqrt<double>(-2.0 * log<double>(unit_interval(words.word[0], words.word[1])));
  return radius * cos<double>(6.283185307179586 * unit_interval(words.word[2], words.word[3]));
}

/// How many waiting times of a process with rate 1 fit into `mean`; from a mean of 1e5 on, where
/// that takes long, the normal distribution in its place.
HILLOCK_FUNCTION double poisson_draw(double stream, double source, double count, double mean) {
  if (!(mean > 0.0)) return 0.0;
  if (mean >= 1e5) {
    const double near = mean + sqrt<double>(mean) * normal_draw(stream, source, count);
    return near > 0.0 ? floor<double>(near + 0.5) : 0.0;
  }
  double time = 0.0;
  for (unsigned part = 0;; ++part) {
    const PhiloxWords<unsigned> words = draw_words(stream, source, count, part);
    for (int half = 0; half < 2; ++half) {
      time -= log<double>(unit_interval(words.word[2 * half], words.word[2 * half + 1]));
      if (time > mean) return 2.0 * part + half;
    }
  }
}

/// A whole number below 2^32.
HILLOCK_FUNCTION double integer_draw(double stream, double source, double count) {
  return draw_words(stream, source, count).word[0];
}

/// What source 0, which is no RANDOM, takes of the numbers that a run is given: NaN behind them.
HILLOCK_FUNCTION double given_draw(const GivenDraws& given, double count) {
  const auto at = static_cast<unsigned long long>(count);
  return at < given.count ? given.numbers[at] : double() / double();
}

#define HILLOCK_DRAW(name, function)                                                 \
  template <class V>                                                                 \
  HILLOCK_FUNCTION V name(const GivenDraws* given, const V& stream, const V& source, \
                          const V& count) {                                          \
    const auto one = [&](double its_stream, double its_source, double its_count) {   \
      return given && its_source == 0 ? given_draw(*given, its_count)                \
                                      : function(its_stream, its_source, its_count); \
    };                                                                               \
    if constexpr (is_one_number<V>) {                                                \
      return static_cast<V>(one(double(stream), double(source), double(count)));     \
    } else {                                                                         \
      V result = V{};                                                                \
      for (int lane = 0; lane < numbers_in<V>; ++lane)                               \
        result[lane] = one(stream[lane], source[lane], count[lane]);                 \
      return result;                                                                 \
    }                                                                                \
  }
HILLOCK_DRAW(draw_uniform, uniform_draw)
HILLOCK_DRAW(draw_normal, normal_draw)
HILLOCK_DRAW(draw_integer, integer_draw)
#undef HILLOCK_DRAW

template <class V>
HILLOCK_FUNCTION V draw_poisson(const GivenDraws*, const V& stream, const V& source, const V& count,
                                const V& mean) {
  if constexpr (is_one_number<V>) {
    return static_cast<V>(
        poisson_draw(double(stream), double(source), double(count), double(mean)));
  } else {
    V result = V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane)
      result[lane] = poisson_draw(stream[lane], source[lane], count[lane], mean[lane]);
    return result;
  }
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
