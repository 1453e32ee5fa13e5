// The loops for the instruction set HILLOCK_ISA. Included once by each of the files beside it, and
// by nothing else.

#include "mechanisms/draws/step_draw_loops.hpp"
#include "mechanisms/runtime/step_draws.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

inline double uniform_of(const StepDraws& of, std::size_t i) {
  return step_uniform(of.seed, of.stimulus, of.cells[i], of.step);
}

inline void draw_normal(const StepDraws& of, double* draws) {
  constexpr std::size_t some = 64;
  double p[some];
  for (std::size_t begin = 0; begin < of.count; begin += some) {
    const std::size_t size = of.count - begin < some ? of.count - begin : some;
    for (std::size_t k = 0; k < size; ++k) p[k] = uniform_of(of, begin + k);
    for (std::size_t k = 0; k < size; ++k) draws[begin + k] = near_normal_quantile(p[k] - 0.5);
    for (std::size_t k = 0; k < size; ++k)
      if (!is_near(p[k] - 0.5)) draws[begin + k] = normal_quantile(p[k]);
  }
}

inline void draw_poisson(const StepDraws& of, const double* mean, std::size_t stride,
                         double* counts) {
  double known = 0, none = 1;
  for (std::size_t i = 0; i < of.count; ++i) {
    const double expected = mean[i * stride];
    if (expected != known) none = exp<double>(-(known = expected));
    counts[i] = poisson_quantile(expected, none, uniform_of(of, i));
  }
}

inline constexpr StepDrawLoops loops_here{&draw_normal, &draw_poisson};

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
