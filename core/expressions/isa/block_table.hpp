// The loops over blocks for the instruction set HILLOCK_ISA. Included once by each of the files
// beside it, and by nothing else.

#include "core/expressions/block_kernels.hpp"
#include "core/expressions/remainder.hpp"
#include "core/random/pair_draws.hpp"
#include "core/random/philox.hpp"
#include "core/random/philox_pack.hpp"
#include "core/simd/exponential.hpp"
#include "core/simd/pack.hpp"

namespace hillock::inline HILLOCK_ISA {

namespace block {

using Pack = Pack8;
constexpr std::size_t lanes = 8;

inline Pack absolute(const Pack& a) {
  return from_bits(to_bits(a) & 0x7fffffffffffffffll);
}
inline Pack same(double a) {
  return Pack{} + a;
}
/// 1 where the condition holds, else 0.
inline Pack truth(const Lanes<long long, 8>& condition) {
  return from_bits(condition & __builtin_bit_cast(long long, 1.0));
}

struct Packed {
  template <class F>
  static void each(const double* a, const double* b, const double* c, double* to, std::size_t n) {
    for (std::size_t i = 0; i < n; i += lanes) {
      const Pack x = load<Pack>(a + i);
      Pack y{}, z{};
      if constexpr (F::arguments > 1) y = load<Pack>(b + i);
      if constexpr (F::arguments > 2) z = load<Pack>(c + i);
      store(to + i, F::of(x, y, z));
    }
  }
};

#define HILLOCK_BLOCK_OPERATION(Name, count, result)                               \
  struct Name {                                                                    \
    static constexpr int arguments = count;                                        \
    static Pack of([[maybe_unused]] const Pack& a, [[maybe_unused]] const Pack& b, \
                   [[maybe_unused]] const Pack& c) {                               \
      return result;                                                               \
    }                                                                              \
  };
HILLOCK_BLOCK_OPERATION(Add, 2, a + b)
HILLOCK_BLOCK_OPERATION(Subtract, 2, a - b)
HILLOCK_BLOCK_OPERATION(Multiply, 2, a* b)
HILLOCK_BLOCK_OPERATION(Divide, 2, a / b)
HILLOCK_BLOCK_OPERATION(Negate, 1, -a)
HILLOCK_BLOCK_OPERATION(Less, 2, truth(a < b))
HILLOCK_BLOCK_OPERATION(LessEqual, 2, truth(a <= b))
HILLOCK_BLOCK_OPERATION(Greater, 2, truth(a > b))
HILLOCK_BLOCK_OPERATION(GreaterEqual, 2, truth(a >= b))
HILLOCK_BLOCK_OPERATION(Equal, 2, truth(a == b))
HILLOCK_BLOCK_OPERATION(NotEqual, 2, truth(a != b))
HILLOCK_BLOCK_OPERATION(Choose, 3, select(a != 0.0, b, c))
HILLOCK_BLOCK_OPERATION(Exp, 1, exponential(a))
HILLOCK_BLOCK_OPERATION(Sqrt, 1, square_root(a))
HILLOCK_BLOCK_OPERATION(Abs, 1, absolute(a))
HILLOCK_BLOCK_OPERATION(Min, 2, select((b < a) | (b != b), b, a))
HILLOCK_BLOCK_OPERATION(Max, 2, select((b > a) | (b != b), b, a))
#undef HILLOCK_BLOCK_OPERATION

template <class F>
HILLOCK_KERNEL void apply(const double* a, const double* b, const double* c, double* to,
                          std::size_t n) {
  Packed::each<F>(a, b, c, to, n);
}

/// A function of the C library, one number after the other.
template <double (*f)(double)>
void call(const double* a, const double*, const double*, double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = f(a[i]);
}
inline double log_of(double a) {
  return __builtin_log(a);
}
inline double sin_of(double a) {
  return __builtin_sin(a);
}
inline double cos_of(double a) {
  return __builtin_cos(a);
}
inline double tanh_of(double a) {
  return __builtin_tanh(a);
}
inline double floor_of(double a) {
  return __builtin_floor(a);
}
inline void powers(const double* a, const double* b, const double*, double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = __builtin_pow(a[i], b[i]);
}

inline void remainders(const double* a, const double* b, const double*, double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = floored_remainder(a[i], b[i]);
}

HILLOCK_KERNEL inline void scale(const double* from, double factor, double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; i += lanes) store(to + i, load<Pack>(from + i) * factor);
}

HILLOCK_KERNEL inline void displacements(double end, const double* begin, double* to,
                                         std::size_t n) {
  // What lies after the block's last number belongs to others, or to nobody.
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) store(to + i, end - load<Pack>(begin + i));
  for (; i < n; ++i) to[i] = end - begin[i];
}

HILLOCK_KERNEL inline void lengths(const double* x, const double* y, const double* z, double* to,
                                   std::size_t n) {
  for (std::size_t i = 0; i < n; i += lanes) {
    const Pack a = absolute(load<Pack>(x + i)), b = absolute(load<Pack>(y + i)),
               c = absolute(load<Pack>(z + i));
    const Pack greatest = greater(greater(a, b), c);
    const Pack p = a / greatest, q = b / greatest, r = c / greatest;
    store(to + i, select(greatest == 0.0, greatest, greatest * square_root(p * p + q * q + r * r)));
  }
}

/// Words of 53 bits and less as numbers, which are exact.
inline Pack numbers_of(const Lanes<long long, 8>& words) {
  const Pack two52 = same(0x1p52);
  return from_bits(words | to_bits(two52)) - two52;
}

/// unit_interval() of each.
inline Pack unit_intervals(const std::uint64_t* words) {
  const auto bits = to_bits(load<Pack>(reinterpret_cast<const double*>(words)));
  return (numbers_of((bits >> 12) & 0xfffffffffffffll) + 0.5) * 0x1p-52;
}

HILLOCK_KERNEL inline void uniforms(std::uint64_t seed, std::uint64_t purpose,
                                    const std::uint64_t* key, std::uint64_t block, double* to,
                                    std::size_t n) {
  using Word = unsigned long long;
  for (std::size_t i = 0; i < n; i += lanes, block += 2) {
    // Two at a time, so that one's multiplications go on while the other's are waited for.
    const PhiloxWords<Word> one = philox<Word>({{key[0], key[1], key[2], block}}, seed, purpose);
    const PhiloxWords<Word> two =
        philox<Word>({{key[0], key[1], key[2], block + 1}}, seed, purpose);
    alignas(64) std::uint64_t words[lanes];
    for (int w = 0; w < 4; ++w) {
      words[w] = one.word[w];
      words[w + 4] = two.word[w];
    }
    store(to + i, unit_intervals(words));
  }
}

/// Words i … of n, in the lower halves; 0 beyond them.
inline WordPack words_at(const std::uint32_t* words, std::size_t i, std::size_t n) {
  WordPack result{};
  if (i + HalfWords::count <= n) {
    for (int l = 0; l < HalfWords::count; ++l) result[l] = words[i + static_cast<std::size_t>(l)];
  } else {
    for (int l = 0; i < n; ++i, ++l) result[l] = words[i];
  }
  return result;
}

HILLOCK_KERNEL inline void draw_pairs(const DrawCounters& counters, bool normal, double* first,
                                      double* second, std::size_t n) {
  const HalfWords none{};
  for (std::size_t i = 0; i < n; i += HalfWords::count) {
    const PairOf<WordPack> words =
        word_pairs({{{words_at(counters.a, i, n)},
                     none ^ counters.b,
                     counters.c ? HalfWords{words_at(counters.c, i, n)} : none,
                     none ^ counters.attempt}},
                   counters.key);
    PairOf<DrawPack> draws = {unit_intervals(words.first), unit_intervals(words.second)};
    if (normal) draws = normal_pair<DrawPack>(draws.first, draws.second, words.second);
    store(first + i, draws.first);
    store(second + i, draws.second);
  }
}

HILLOCK_KERNEL inline void shape(const DrawShape& of, const double* draws, double* to,
                                 std::size_t n) {
  for (std::size_t i = 0; i < n; i += lanes) store(to + i, shaped(of, load<Pack>(draws + i)));
}

inline std::size_t pick(const double* draws, const double* p, std::uint32_t* to, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[count] = static_cast<std::uint32_t>(i);
    count += draws[i] < p[i];
  }
  return count;
}

HILLOCK_KERNEL inline bool are_within(const double* values, double minimum, double maximum,
                                      std::size_t n) {
  // What is infinite or no number differs from 0 when it is taken from itself.
  const auto within = [&](const auto& value) {
    return (value - value == 0.0) & (value >= minimum) & (value <= maximum);
  };
  Lanes<long long, 8> all = to_bits(Pack{}) - 1;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) all = all & within(load<Pack>(values + i));
  bool result = true;
  for (int l = 0; l < static_cast<int>(lanes); ++l) result = result && all[l];
  for (; i < n; ++i) result = result && within(values[i]);
  return result;
}

HILLOCK_KERNEL inline void extend(const double* values, std::size_t n, double* least,
                                  double* greatest) {
  Pack low = same(*least), high = same(*greatest);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Pack some = load<Pack>(values + i);
    low = lesser(some, low);
    high = greater(some, high);
  }
  for (int l = 0; l < static_cast<int>(lanes); ++l) {
    *least = lesser(low[l], *least);
    *greatest = greater(high[l], *greatest);
  }
  for (; i < n; ++i) {
    *least = lesser(values[i], *least);
    *greatest = greater(values[i], *greatest);
  }
}

}  // namespace block

const BlockKernels& block_table() {
  static constexpr BlockKernels table = [] {
    BlockKernels kernels;
    const auto set = [&](Operation operation, BlockKernels::Apply* apply) {
      kernels.of[static_cast<int>(operation)] = apply;
    };
    set(Operation::add, block::apply<block::Add>);
    set(Operation::subtract, block::apply<block::Subtract>);
    set(Operation::multiply, block::apply<block::Multiply>);
    set(Operation::divide, block::apply<block::Divide>);
    set(Operation::power, block::powers);
    set(Operation::negate, block::apply<block::Negate>);
    set(Operation::less, block::apply<block::Less>);
    set(Operation::less_equal, block::apply<block::LessEqual>);
    set(Operation::greater, block::apply<block::Greater>);
    set(Operation::greater_equal, block::apply<block::GreaterEqual>);
    set(Operation::equal, block::apply<block::Equal>);
    set(Operation::not_equal, block::apply<block::NotEqual>);
    set(Operation::choose, block::apply<block::Choose>);
    set(Operation::exp, block::apply<block::Exp>);
    set(Operation::log, block::call<block::log_of>);
    set(Operation::sqrt, block::apply<block::Sqrt>);
    set(Operation::sin, block::call<block::sin_of>);
    set(Operation::cos, block::call<block::cos_of>);
    set(Operation::tanh, block::call<block::tanh_of>);
    set(Operation::abs, block::apply<block::Abs>);
    set(Operation::min, block::apply<block::Min>);
    set(Operation::max, block::apply<block::Max>);
    set(Operation::floor, block::call<block::floor_of>);
    set(Operation::mod, block::remainders);
    kernels.scale = block::scale;
    kernels.displacements = block::displacements;
    kernels.lengths = block::lengths;
    kernels.uniforms = block::uniforms;
    kernels.draw_pairs = block::draw_pairs;
    kernels.shape = block::shape;
    kernels.pick = block::pick;
    kernels.extend = block::extend;
    kernels.are_within = block::are_within;
    return kernels;
  }();
  return table;
}

}  // namespace hillock::inline HILLOCK_ISA
