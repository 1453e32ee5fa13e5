#pragma once
// The CPU's columns of the tables thomas and thomas-variable: values, times and checks.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu/thomas.hpp"
#include "bench/reference.hpp"
#include "bench/session.hpp"
#include "bench/thomas_values.hpp"

namespace hillock::bench {

/// Where one system of a flat batch is drawn to: its first row in values.
template <class Real>
struct DrawnSystem {
  Real* values;
  std::size_t field_stride, first, rows;
};

template <class Real, class SystemAt>
void draw_on_host(std::size_t systems, const SystemAt& system_at) {
#pragma omp parallel for
  for (std::size_t s = 0; s < systems; ++s) {
    const DrawnSystem<Real> to = system_at(s);
    for (std::size_t i = 0; i < to.rows; ++i)
      draw_thomas_row(to.values, to.field_stride, to.first + i, static_cast<std::uint32_t>(i),
                      static_cast<std::uint32_t>(to.rows));
  }
}

/// Times solvers of one batch whose flat values are `pristine`, and checks some of its systems.
template <class Real>
class ThomasHost {
 public:
  ThomasHost(Session& session, std::string what, const std::vector<Real>& pristine,
             std::size_t field_stride)
      : session_(session), what_(std::move(what)), pristine_(pristine), stride_(field_stride) {}

  /// The system whose first row lies at `first` will be checked.
  void check(std::size_t first, std::size_t rows) {
    const Real* at = pristine_.data() + first;
    checks_.push_back(
        {first, tridiagonal_reference(rows, at, at + stride_, at + 2 * stride_, at + 3 * stride_)});
  }

  /// solution: the whole batch, flat, after the last solve.
  void add(const char* variant, const char* layout, const std::function<void()>& restore,
           const std::function<void()>& solve, const std::function<std::vector<Real>()>& solution) {
    const double budget_s = session_.options().quick ? 0.25 : 0.5;
    ThomasResult result{variant, layout, time_on_host(restore, solve, 5, budget_s), 9};
    const std::vector<Real> x = solution();
    result.error = 0;
    for (const Check& c : checks_)
      result.error =
          worse(result.error, error_over_bound(std::span<const long double>(c.reference),
                                               x.data() + c.first + 3 * stride_, thomas_kappa));
    session_.judge(what_ + ", " + variant, result.error);
    results_.push_back(result);
  }

  const std::vector<ThomasResult>& results() const { return results_; }

 private:
  struct Check {
    std::size_t first;
    std::vector<long double> reference;
  };
  Session& session_;
  std::string what_;
  const std::vector<Real>& pristine_;
  std::size_t stride_;
  std::vector<Check> checks_;
  std::vector<ThomasResult> results_;
};

}  // namespace hillock::bench
