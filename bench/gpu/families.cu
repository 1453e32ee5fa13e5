// Every family of solvers on one batch: single launches, and many solves in a row. Medians between
// CUDA events.
//
// Floor of a single launch: diagonal and right-hand side in, solution out, 3 numbers a compartment
// over the copy bandwidth (5 where couplings are not shared).

#include <algorithm>

#include "bench/gpu/clock.cuh"
#include "bench/gpu/families.hpp"
#include "bench/gpu/tile.cuh"
#include "bench/reference.hpp"
#include "solver/batches/branch/branch_device.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"
#include "solver/batches/stone/stone_device.hpp"
#include "solver/batches/thomas/device.hpp"

namespace hillock::bench {
namespace {

using namespace solver;

template <class T>
std::vector<T> first_values(const DeviceArray<T>& x, std::size_t count) {
  std::vector<T> host(std::min(count, x.size()));
  HILLOCK_CUDA(cudaMemcpy(host.data(), x.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <class T>
class Measurement {
 public:
  Measurement(const DrawnSystems<T>& drawn, std::size_t cells, const TreeFeatures& features,
              const DeviceTraits& device)
      : drawn_(drawn),
        features_(features),
        device_(device),
        cells_(cells),
        n_(drawn.parent.size()),
        count_(n_ * cells),
        singles_(count_ > 3'000'000 ? 7 : 20),
        repeats_(count_ > 3'000'000 ? 10 : 100) {}

  std::vector<FamilyResult> all() {
    std::vector<FamilyResult> results;
    if (features_.unbranched) results.push_back(thomas());
    results.push_back(hines());
    results.push_back(branch());
    if (cells_ <= 1024) results.push_back(stone());
    results.push_back(contraction());
    return results;
  }

 private:
  static constexpr std::size_t systems = DrawnSystems<T>::count;

  void flat(DeviceArray<T>& diagonal, DeviceArray<T>& rhs) {
    diagonal = DeviceArray<T>(count_);
    rhs = DeviceArray<T>(count_);
    tile(drawn_.diagonal, diagonal.data(), count_);
    tile(drawn_.rhs, rhs.data(), count_);
  }

  FamilyResult thomas() {
    const ThomasChoice choice = choose_thomas(n_, cells_, sizeof(T));
    const ThomasArrangement a = arrange(choice.layout, n_, cells_);
    const ThomasArrangement flat_order = arrange(ThomasLayout::flat, n_, cells_);
    DeviceArray<T> values(a.storage), flat_values(flat_order.storage);
    std::vector<T> fields[4];
    for (std::size_t c = 0; c < systems; ++c)
      for (std::size_t i = 0; i < n_; ++i) {
        fields[0].push_back(i > 0 ? -drawn_.coupling[i] : T(0));
        fields[1].push_back(drawn_.diagonal[c * n_ + i]);
        fields[2].push_back(i + 1 < n_ ? -drawn_.coupling[i + 1] : T(0));
        fields[3].push_back(drawn_.rhs[c * n_ + i]);
      }
    for (std::size_t f = 0; f < 4; ++f)
      tile(fields[f], flat_values.data() + f * flat_order.field_stride, count_);
    convert_on_device(flat_order, flat_values.data(), a, values.data());
    const ThomasWarpPlan plan =
        choice.kernel == ThomasKernel::warp ? plan_warps<T>(a, choice.split) : ThomasWarpPlan{};
    const auto solve = [&] {
      if (choice.kernel == ThomasKernel::warp)
        solve_on_device(plan, values.data());
      else
        sweep_on_device(a, values.data());
    };
    solve();
    convert_on_device(a, values.data(), flat_order, flat_values.data());
    std::vector<T> x(n_ * std::min(cells_, systems));
    HILLOCK_CUDA(cudaMemcpy(x.data(), flat_values.data() + 3 * flat_order.field_stride,
                            x.size() * sizeof(T), cudaMemcpyDeviceToHost));
    FamilyResult m{Family::thomas, 0, 0, drawn_.error(x)};
    m.launch_us = median_us(1, singles_, solve);
    m.resident_us = back_to_back(solve, nullptr);
    return m;
  }

  FamilyResult hines() {
    DeviceArray<T> diagonal, rhs, coupling(count_);
    flat(diagonal, rhs);
    tile(drawn_.coupling, coupling.data(), count_);
    const auto batch = hines_on_device<T>(Forest::uniform(drawn_.parent, cells_));
    const auto stream = batch->stream();
    batch->arrange(diagonal.data(), coupling.data(), rhs.data());
    batch->solve();
    batch->gather(rhs.data());
    batch->synchronize();
    FamilyResult m{Family::hines, 0, 0, drawn_.error(first_values(rhs, drawn_.rhs.size()))};
    batch->arrange(diagonal.data(), coupling.data(), diagonal.data());
    const auto solve = [&] { batch->solve(); };
    m.launch_us = median_us(1, singles_, solve, stream);
    m.resident_us = back_to_back(solve, stream);
    return m;
  }

  FamilyResult branch() {
    DeviceArray<T> diagonal, rhs;
    flat(diagonal, rhs);
    const auto solver =
        branch_on_device<T>(make_branch_plan(Forest::uniform(drawn_.parent, cells_),
                                             branch_options(features_, cells_, device_)),
                            {drawn_.coupling});
    solver->solve({diagonal.data(), rhs.data(), nullptr, BranchOrder::natural, 1, nullptr});
    FamilyResult m{Family::branch, 0, 0, drawn_.error(first_values(rhs, drawn_.rhs.size()))};
    DeviceArray<T> own_diagonal(solver->storage()), own_rhs(solver->storage());
    solver->permute_in(diagonal.data(), own_diagonal.data());
    solver->permute_in(rhs.data(), own_rhs.data());
    const auto solve = [&](int repeats) {
      solver->solve(
          {own_diagonal.data(), own_rhs.data(), nullptr, BranchOrder::solver, repeats, nullptr});
    };
    m.launch_us = median_us(1, singles_, [&] { solve(1); });
    m.resident_us = median_us(1, 3, [&] { solve(repeats_); }) / repeats_;
    return m;
  }

  FamilyResult stone() {
    BatchValues<T> values;
    for (std::size_t c = 0; c < cells_; ++c) {
      const auto from = static_cast<long>(c % systems * n_), to = from + static_cast<long>(n_);
      values.coupling.insert(values.coupling.end(), drawn_.coupling.begin(), drawn_.coupling.end());
      values.diagonal.insert(values.diagonal.end(), drawn_.diagonal.begin() + from,
                             drawn_.diagonal.begin() + to);
      values.rhs.insert(values.rhs.end(), drawn_.rhs.begin() + from, drawn_.rhs.begin() + to);
    }
    const auto traces = stone_on_device<T>(Forest::uniform(drawn_.parent, cells_));
    traces->upload(values);
    const auto stream = traces->stream();
    StoneOptions options{BackSubstitution::segment, stone_team, 1};
    traces->solve(options);
    FamilyResult m{Family::stone, 0, 0, drawn_.error(traces->solution())};
    m.launch_us = median_us(
        1, singles_, [&] { traces->solve(options); }, stream);
    options.repeats = repeats_;
    m.resident_us = median_us(
                        1, 3, [&] { traces->solve(options); }, stream) /
                    repeats_;
    return m;
  }

  FamilyResult contraction() {
    DeviceArray<T> diagonal, rhs;
    flat(diagonal, rhs);
    const auto solver =
        contraction_on_device<T>(Forest::uniform(drawn_.parent, cells_), {drawn_.coupling});
    const auto solve = [&](int repeats) {
      solver->solve({diagonal.data(), rhs.data(), nullptr, repeats, nullptr});
    };
    solve(1);
    FamilyResult m{Family::contraction, 0, 0, drawn_.error(first_values(rhs, drawn_.rhs.size()))};
    m.launch_us = median_us(1, singles_, [&] { solve(1); });
    m.resident_us = median_us(1, 3, [&] { solve(repeats_); }) / repeats_;
    return m;
  }

  double back_to_back(const std::function<void()>& solve, cudaStream_t stream) {
    return median_us(
               1, 3,
               [&] {
                 for (int k = 0; k < repeats_; ++k) solve();
               },
               stream) /
           repeats_;
  }

  const DrawnSystems<T>& drawn_;
  const TreeFeatures& features_;
  const DeviceTraits& device_;
  std::size_t cells_, n_, count_;
  int singles_, repeats_;
};

}  // namespace

template <class T>
DrawnSystems<T>::DrawnSystems(std::vector<int> tree) : parent(std::move(tree)) {
  const std::size_t n = parent.size();
  const TreeSystem couplings = random_system(parent, 10, 1);
  coupling.assign(couplings.coupling.begin(), couplings.coupling.end());
  // The diagonal belongs to the couplings as they are in T.
  std::vector<T> own(n, T(1));
  for (std::size_t i = 1; i < n; ++i) {
    own[i] += coupling[i];
    own[static_cast<std::size_t>(parent[i])] += coupling[i];
  }
  for (std::size_t c = 0; c < count; ++c) {
    const TreeSystem drawn = random_system(parent, 10, 100 + c);
    diagonal.insert(diagonal.end(), own.begin(), own.end());
    rhs.insert(rhs.end(), drawn.rhs.begin(), drawn.rhs.end());
  }
}

template <class T>
double DrawnSystems<T>::error(const std::vector<T>& x) const {
  double worst = 0;
  const std::size_t n = parent.size();
  for (std::size_t first = 0; first < std::min(x.size(), rhs.size()); first += n) {
    const auto reference = tree_reference(std::span<const int>(parent), diagonal.data() + first,
                                          coupling.data(), rhs.data() + first);
    worst = worse(
        worst, error_over_bound(std::span<const long double>(reference), x.data() + first, kappa));
  }
  return worst;
}

template <class T>
std::vector<FamilyResult> measure_families(const DrawnSystems<T>& drawn, std::size_t cells,
                                           const TreeFeatures& features,
                                           const DeviceTraits& device) {
  return Measurement<T>(drawn, cells, features, device).all();
}

template struct DrawnSystems<float>;
template struct DrawnSystems<double>;
template std::vector<FamilyResult> measure_families(const DrawnSystems<float>&, std::size_t,
                                                    const TreeFeatures&, const DeviceTraits&);
template std::vector<FamilyResult> measure_families(const DrawnSystems<double>&, std::size_t,
                                                    const TreeFeatures&, const DeviceTraits&);

}  // namespace hillock::bench
