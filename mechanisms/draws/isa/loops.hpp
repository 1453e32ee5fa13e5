// The loops for the instruction set HILLOCK_ISA. Included once by each of the files beside it, and
// by nothing else.

#include "core/random/philox_pack.hpp"
#include "mechanisms/draws/step_draw_loops.hpp"
#include "mechanisms/runtime/step_draws.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// step_words() of some pairs.
inline PairOf<WordPack> words_of(const StepDraws& of, const WordPack& pairs) {
  const HalfWords none{};
  return word_pairs({{{pairs},
                      HalfWords{upper_halves(pairs)} ^ (of.stimulus << 16),
                      none ^ static_cast<unsigned>(of.step),
                      none ^ static_cast<unsigned>(of.step >> 32)}},
                    of.seed);
}

inline PairOf<DrawPack> uniforms_of(const PairOf<WordPack>& words) {
  return {unit_intervals(words.first), unit_intervals(words.second)};
}
inline PairOf<DrawPack> normals_of(const PairOf<WordPack>& words) {
  const PairOf<DrawPack> uniforms = uniforms_of(words);
  return normal_pair<DrawPack>(uniforms.first, uniforms.second, words.second);
}

/// Whether cell i is the first of a pair's first, and all cells of these pairs follow.
inline bool begins_pairs(const StepDraws& of, std::size_t i) {
  constexpr std::size_t all = 2 * cells_apart;
  return of.cells[i] % all == 0 && i + all <= of.count &&
         of.cells[i + all - 1] == of.cells[i] + all - 1;
}

/// draws[i]: for cell i, of what draw() makes of its pair's words.
template <class Draw>
HILLOCK_KERNEL inline void draw_for_all(const StepDraws& of, const Draw& draw, double* draws) {
  constexpr std::size_t lanes = HalfWords::count;
  WordPack in_turn{};
  for (int l = 0; l < HalfWords::count; ++l) in_turn[l] = l;
  for (std::size_t i = 0; i < of.count;) {
    if (begins_pairs(of, i)) {
      const auto pair = static_cast<long long>(pair_of(of.cells[i]));
      for (std::size_t k = 0; k < cells_apart; k += lanes) {
        const PairOf<DrawPack> drawn =
            draw(words_of(of, in_turn + (pair + static_cast<long long>(k))));
        store(draws + i + k, drawn.first);
        store(draws + i + k + cells_apart, drawn.second);
      }
      i += 2 * cells_apart;
      continue;
    }
    WordPack pairs{};
    std::size_t some = 0;
    do {
      pairs[static_cast<int>(some)] = static_cast<long long>(pair_of(of.cells[i + some]));
      ++some;
    } while (some < lanes && i + some < of.count && !begins_pairs(of, i + some));
    const PairOf<DrawPack> drawn = draw(words_of(of, pairs));
    for (std::size_t k = 0; k < some; ++k)
      draws[i + k] = (is_second(of.cells[i + k]) ? drawn.second : drawn.first)[static_cast<int>(k)];
    i += some;
  }
}

inline void draw_normal(const StepDraws& of, double* draws) {
  draw_for_all(
      of, [](const auto& words) { return normals_of(words); }, draws);
}

inline void draw_poisson(const StepDraws& of, const double* mean, std::size_t stride,
                         double* counts) {
  draw_for_all(
      of, [](const auto& words) { return uniforms_of(words); }, counts);
  double known = 0, none = 1;
  for (std::size_t i = 0; i < of.count; ++i) {
    const double expected = mean[i * stride];
    if (expected != known) none = exp<double>(-(known = expected));
    counts[i] = poisson_quantile(expected, none, counts[i]);
  }
}

inline void add_scaled(const double* mean, std::size_t mean_stride, const double* sd,
                       std::size_t sd_stride, const double* draws, std::size_t count, double* to) {
  std::size_t i = 0;
  const auto numbers = [&](const double* from, std::size_t stride) {
    return stride == 0 ? DrawPack{} + *from : load<DrawPack>(from + i);
  };
  for (; i + HalfWords::count <= count; i += HalfWords::count)
    store(to + i, load<DrawPack>(to + i) + (numbers(mean, mean_stride) +
                                            numbers(sd, sd_stride) * load<DrawPack>(draws + i)));
  for (; i < count; ++i) to[i] += mean[i * mean_stride] + sd[i * sd_stride] * draws[i];
}

inline constexpr StepDrawLoops loops_here{&draw_normal, &draw_poisson, &add_scaled};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
