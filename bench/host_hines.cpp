#include "bench/host_hines.hpp"

#include <algorithm>

#include "bench/reference.hpp"
#include "bench/session.hpp"
#include "solver/batches/hines_batch/cpu.hpp"
#include "solver/batches/hines_batch/schedule.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

/// Of a few systems, the first and the last among them.
template <class T>
double error_of(const Forest& shape, const BatchValues<T>& values, const std::vector<T>& x,
                double kappa) {
  double worst = 0;
  const std::size_t n = shape.n_systems();
  for (const std::size_t s : {std::size_t{0}, std::min<std::size_t>(1, n - 1), n / 2, n - 1}) {
    const std::size_t first = shape.first()[s];
    const auto reference = tree_reference(
        shape.parent(static_cast<std::size_t>(shape.tree_of(s))), values.diagonal.data() + first,
        values.coupling.data() + first, values.rhs.data() + first);
    worst = worse(
        worst, error_over_bound(std::span<const long double>(reference), x.data() + first, kappa));
  }
  return worst;
}

}  // namespace

template <class T>
std::vector<HostResult> measure_on_host(Session& session, const std::string& what,
                                        const Forest& shape, const BatchValues<T>& values,
                                        double kappa) {
  std::vector<HostResult> results;
  if (!session.cpu() || !session.fits(what, host_bytes<T>(shape))) return results;
  const double budget_s = session.options().quick ? 0.25 : 1;
  const auto add = [&](const char* variant, const Timing& timing, const std::vector<T>& x) {
    results.push_back({variant, timing, error_of(shape, values, x, kappa)});
    session.judge(what + ", " + variant, results.back().error);
  };
  BatchValues<T> work = values;
  const auto restore = [&] {  // couplings are kept
    work.diagonal = values.diagonal;
    work.rhs = values.rhs;
  };
  add("cpu-serial",
      time_on_host(
          restore, [&] { solve_serial(shape, work); }, 3, budget_s),
      work.rhs);
  add("cpu-openmp",
      time_on_host(
          restore, [&] { solve_openmp(shape, work); }, 5, budget_s),
      work.rhs);
  const HinesSchedule schedule = make_hines_schedule(shape, simd_lanes<T>(), sizeof(T));
  const HinesValues<T> arranged = arrange(shape, schedule, values);
  HinesValues<T> lanes = arranged;
  const auto restore_lanes = [&] {
    lanes.diagonal = arranged.diagonal;
    lanes.rhs = arranged.rhs;
  };
  const Timing timing = time_on_host(
      restore_lanes, [&] { solve_lanes(schedule, lanes); }, 5, budget_s);
  add("cpu-lanes", timing, gather(shape, schedule, std::span<const T>(lanes.rhs)));
  return results;
}

template std::vector<HostResult> measure_on_host(Session&, const std::string&, const Forest&,
                                                 const BatchValues<float>&, double);
template std::vector<HostResult> measure_on_host(Session&, const std::string&, const Forest&,
                                                 const BatchValues<double>&, double);

}  // namespace hillock::bench
