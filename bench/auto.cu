// Does `solver: auto` pick the fastest family, and how far is the cost model off?
//
// Axes: six classes of morphology, three trees of depth 35, 119, 299, cables of 128, 512 and 5,000,
// a star of 500 branches, a cell of 20,000 compartments × 16 to 100,000 cells × every family that
// can solve them, float and double; as single launches (values in device memory, in the family's
// own layout) and repeated (in one kernel where the family has one, launches back to back
// otherwise). Medians between CUDA events. Each family's solution is checked.
//
// Floor of a single launch: diagonal and right-hand side in, solution out, 3 numbers a compartment
// over the copy bandwidth (5 where couplings are not shared).

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "solver/branch/branch_device.hpp"
#include "solver/choice/cost_model.hpp"
#include "solver/contraction/contraction_device.hpp"
#include "solver/cuda/memory.cuh"
#include "solver/hines_batch/device_batch.hpp"
#include "solver/hines_batch/random_morphology.hpp"
#include "solver/random_trees.hpp"
#include "solver/stone/device_traces.hpp"
#include "solver/thomas/device.hpp"

using namespace hillock;
using namespace hillock::solver;

namespace {

constexpr std::size_t drawn_cells = 4;
constexpr std::size_t most_values = 150'000'000;

double median_us(int runs, const std::function<void()>& work, cudaStream_t stream = nullptr) {
  cudaEvent_t from, to;
  HILLOCK_CUDA(cudaEventCreate(&from));
  HILLOCK_CUDA(cudaEventCreate(&to));
  std::vector<float> times;
  for (int run = 0; run <= runs; ++run) {
    HILLOCK_CUDA(cudaEventRecord(from, stream));
    work();
    HILLOCK_CUDA(cudaEventRecord(to, stream));
    HILLOCK_CUDA(cudaEventSynchronize(to));
    float ms = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&ms, from, to));
    if (run > 0) times.push_back(ms * 1000);
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class T>
__global__ void tile_kernel(const T* drawn, std::size_t period, T* all, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    all[i] = drawn[i % period];
}

template <class T>
void tile(const std::vector<T>& drawn, T* all, std::size_t n) {
  const DeviceArray<T> period(drawn);
  tile_kernel<<<1024, 256>>>(period.data(), drawn.size(), all, n);
  HILLOCK_CUDA(cudaDeviceSynchronize());
}

struct Tree {
  std::string name;
  std::vector<int> parent;
};

/// Four drawn systems of one tree, their couplings shared, and their solutions.
template <class T>
struct Drawn {
  std::vector<T> coupling, diagonal, rhs;  // diagonal, rhs: [4][n]
  std::vector<long double> solution;

  explicit Drawn(const std::vector<int>& parent) {
    const std::size_t n = parent.size();
    for (std::size_t c = 0; c < drawn_cells; ++c) {
      const TreeSystem s = random_system(parent, 10, 1, Excess::one);
      const TreeSystem other = random_system(parent, 10, 100 + c);
      if (c == 0) coupling.assign(s.coupling.begin(), s.coupling.end());
      // The diagonal belongs to the couplings as they are in T.
      std::vector<T> own(n, T(1));
      for (std::size_t i = 1; i < n; ++i) {
        own[i] += coupling[i];
        own[static_cast<std::size_t>(parent[i])] += coupling[i];
      }
      diagonal.insert(diagonal.end(), own.begin(), own.end());
      std::vector<long double> d(own.begin(), own.end()), x(n);
      for (std::size_t i = 0; i < n; ++i) {
        rhs.push_back(static_cast<T>(other.rhs[i]));
        x[i] = rhs.back();
      }
      for (std::size_t i = n; i-- > 1;) {
        const auto p = static_cast<std::size_t>(parent[i]);
        const long double f = coupling[i] / d[i];
        d[p] -= f * coupling[i];
        x[p] += f * x[i];
      }
      x[0] /= d[0];
      for (std::size_t i = 1; i < n; ++i)
        x[i] = (x[i] + coupling[i] * x[static_cast<std::size_t>(parent[i])]) / d[i];
      solution.insert(solution.end(), x.begin(), x.end());
    }
  }

  /// Largest error as a part of 8·eps·(1 + kappa)·max|reference|; infinite for NaN.
  double error(const std::vector<T>& x) const {
    long double worst = 0, largest = 0;
    for (std::size_t i = 0; i < std::min(x.size(), solution.size()); ++i) {
      largest = std::max(largest, std::fabs(solution[i]));
      const long double e = std::fabs(solution[i] - static_cast<long double>(x[i]));
      worst = std::isfinite(e) ? std::max(worst, e) : 1e30L;
    }
    return static_cast<double>(worst / (8 * std::numeric_limits<T>::epsilon() * 16 * largest));
  }
};

struct Measured {
  Family family;
  double launch_us = 0, resident_us = 0, error = 0;
};

template <class T>
std::vector<T> first_values(const DeviceArray<T>& x, std::size_t count) {
  std::vector<T> host(std::min(count, x.size()));
  HILLOCK_CUDA(cudaMemcpy(host.data(), x.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <class T>
class Case {
 public:
  Case(const Tree& tree, std::size_t cells, const DeviceTraits& device)
      : tree_(tree),
        device_(device),
        cells_(cells),
        n_(tree.parent.size()),
        count_(n_ * cells),
        drawn_(tree.parent) {
    large_ = count_ > 3'000'000;
    singles_ = large_ ? 7 : 20;
    repeats_ = large_ ? 10 : 100;
    features_ = features_of(tree.parent);
  }

  std::vector<Measured> measure() {
    std::vector<Measured> all;
    if (features_.unbranched) all.push_back(thomas());
    all.push_back(hines());
    all.push_back(branch());
    if (cells_ <= 1024) all.push_back(stone());
    all.push_back(contraction());
    return all;
  }

  const TreeFeatures& features() const { return features_; }

 private:
  void flat(DeviceArray<T>& diagonal, DeviceArray<T>& rhs) {
    diagonal = DeviceArray<T>(count_);
    rhs = DeviceArray<T>(count_);
    tile(drawn_.diagonal, diagonal.data(), count_);
    tile(drawn_.rhs, rhs.data(), count_);
  }

  Measured thomas() {
    using namespace thomas;
    const thomas::Choice choice = thomas::choose(n_, cells_, sizeof(T));
    const Arrangement a = arrange(choice.layout, n_, cells_);
    const Arrangement few = arrange(choice.layout, n_, std::min(cells_, drawn_cells));
    DeviceArray<T> values(a.storage);
    const auto fill = [&] {  // by flat order first, which is what the drawn systems have
      const Arrangement from = arrange(Layout::flat, n_, cells_);
      DeviceArray<T> flat_values(from.storage);
      std::vector<T> fields[4];
      for (std::size_t c = 0; c < drawn_cells; ++c)
        for (std::size_t i = 0; i < n_; ++i) {
          fields[0].push_back(i > 0 ? -drawn_.coupling[i] : T(0));
          fields[1].push_back(drawn_.diagonal[c * n_ + i]);
          fields[2].push_back(i + 1 < n_ ? -drawn_.coupling[i + 1] : T(0));
          fields[3].push_back(drawn_.rhs[c * n_ + i]);
        }
      for (std::size_t f = 0; f < 4; ++f)
        tile(fields[f], flat_values.data() + f * from.field_stride, count_);
      convert_on_device(from, flat_values.data(), a, values.data());
      HILLOCK_CUDA(cudaDeviceSynchronize());
    };
    fill();
    const WarpPlan plan =
        choice.kernel == Kernel::warp ? plan_warps<T>(a, choice.split) : WarpPlan{};
    const auto solve = [&] {
      if (choice.kernel == Kernel::warp)
        solve_on_device(plan, values.data());
      else
        sweep_on_device(a, values.data());
    };
    solve();
    std::vector<T> x;
    {
      const Arrangement to = arrange(Layout::flat, n_, cells_);
      DeviceArray<T> flat_values(to.storage);
      convert_on_device(a, values.data(), to, flat_values.data());
      x.resize(few.rows * few.systems);
      HILLOCK_CUDA(cudaMemcpy(x.data(), flat_values.data() + 3 * to.field_stride,
                              x.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
    Measured m{Family::thomas, 0, 0, drawn_.error(x)};
    m.launch_us = median_us(singles_, solve);
    m.resident_us = back_to_back(solve, nullptr);
    return m;
  }

  Measured hines() {
    using namespace hines_batch;
    DeviceArray<T> diagonal, rhs, coupling(count_);
    flat(diagonal, rhs);
    tile(drawn_.coupling, coupling.data(), count_);
    DeviceBatch<T> batch(BatchShape::uniform(tree_.parent, cells_), streamed());
    const auto stream = static_cast<cudaStream_t>(batch.stream());
    batch.arrange(diagonal.data(), coupling.data(), rhs.data());
    batch.solve();
    batch.gather(rhs.data());
    batch.synchronize();
    Measured m{Family::hines, 0, 0, drawn_.error(first_values(rhs, drawn_.solution.size()))};
    batch.arrange(diagonal.data(), coupling.data(), diagonal.data());
    const auto solve = [&] { batch.solve(); };
    m.launch_us = median_us(singles_, solve, stream);
    m.resident_us = back_to_back(solve, stream);
    return m;
  }

  Measured branch() {
    DeviceArray<T> diagonal, rhs;
    flat(diagonal, rhs);
    const std::vector<int> tree_of(cells_, 0);
    BranchDevice<T> solver(make_branch_plan(std::vector<std::vector<int>>{tree_.parent}, tree_of,
                                            branch_options(features_, cells_, device_)),
                           {drawn_.coupling});
    solver.solve({diagonal.data(), rhs.data(), nullptr, BranchOrder::natural, 1, nullptr});
    Measured m{Family::branch, 0, 0, drawn_.error(first_values(rhs, drawn_.solution.size()))};
    DeviceArray<T> own_diagonal(solver.storage()), own_rhs(solver.storage());
    solver.permute_in(diagonal.data(), own_diagonal.data());
    solver.permute_in(rhs.data(), own_rhs.data());
    const auto solve = [&](int repeats) {
      solver.solve(
          {own_diagonal.data(), own_rhs.data(), nullptr, BranchOrder::solver, repeats, nullptr});
    };
    m.launch_us = median_us(singles_, [&] { solve(1); });
    m.resident_us = median_us(3, [&] { solve(repeats_); }) / repeats_;
    return m;
  }

  Measured stone() {
    using namespace stone;
    const BatchSize size{static_cast<int>(cells_), 1};
    Values<T> values;
    for (std::size_t c = 0; c < cells_; ++c) {
      const auto from = static_cast<long>(c % drawn_cells * n_), to = from + static_cast<long>(n_);
      values.coupling.insert(values.coupling.end(), drawn_.coupling.begin(), drawn_.coupling.end());
      values.diagonal.insert(values.diagonal.end(), drawn_.diagonal.begin() + from,
                             drawn_.diagonal.begin() + to);
      values.rhs.insert(values.rhs.end(), drawn_.rhs.begin() + from, drawn_.rhs.begin() + to);
    }
    DeviceTraces<T> traces(make_schedule(tree_.parent), size);
    traces.upload(values);
    const auto stream = static_cast<cudaStream_t>(traces.stream());
    LaunchOptions options{BackSubstitution::segment, stone_team, 1};
    traces.solve(options);
    Measured m{Family::stone, 0, 0, drawn_.error(traces.solution())};
    m.launch_us = median_us(
        singles_, [&] { traces.solve(options); }, stream);
    options.repeats = repeats_;
    m.resident_us = median_us(
                        3, [&] { traces.solve(options); }, stream) /
                    repeats_;
    return m;
  }

  Measured contraction() {
    DeviceArray<T> diagonal, rhs;
    flat(diagonal, rhs);
    ContractionDevice<T> solver(
        batch_of_one_template(make_contraction_schedule(tree_.parent), cells_), {drawn_.coupling});
    const auto solve = [&](int repeats) {
      solver.solve({diagonal.data(), rhs.data(), nullptr, repeats, nullptr});
    };
    solve(1);
    Measured m{Family::contraction, 0, 0, drawn_.error(first_values(rhs, drawn_.solution.size()))};
    m.launch_us = median_us(singles_, [&] { solve(1); });
    m.resident_us = median_us(3, [&] { solve(repeats_); }) / repeats_;
    return m;
  }

  double back_to_back(const std::function<void()>& solve, cudaStream_t stream) {
    return median_us(
               3,
               [&] {
                 for (int k = 0; k < repeats_; ++k) solve();
               },
               stream) /
           repeats_;
  }

  const Tree& tree_;
  const DeviceTraits& device_;
  std::size_t cells_, n_, count_;
  Drawn<T> drawn_;
  TreeFeatures features_;
  bool large_ = false;
  int singles_ = 0, repeats_ = 0;
};

template <class T>
bool run(const std::vector<Tree>& trees, const std::vector<std::size_t>& cell_counts,
         const DeviceTraits& device, std::FILE* json) {
  bool good = true;
  for (const Tree& tree : trees)
    for (const std::size_t cells : cell_counts) {
      if (cells * tree.parent.size() > most_values) continue;
      Case<T> c(tree, cells, device);
      const auto measured = c.measure();
      const std::vector<TemplateLoad> load{{c.features(), cells}};
      for (const Use use : {Use::launch, Use::resident}) {
        const auto time = [&](const Measured& m) {
          return use == Use::launch ? m.launch_us : m.resident_us;
        };
        const Choice choice = choose(load, device, use, sizeof(T));
        const auto best = std::min_element(
            measured.begin(), measured.end(),
            [&](const Measured& a, const Measured& b) { return time(a) < time(b); });
        const auto picked = std::find_if(measured.begin(), measured.end(), [&](const Measured& m) {
          return m.family == choice.family;
        });
        const double ratio = picked == measured.end() ? 1e9 : time(*picked) / time(*best);
        std::printf("%-6s %-12s %6zu %7zu %-8s auto %-11s best %-11s %6.3f |",
                    sizeof(T) == 8 ? "double" : "float", tree.name.c_str(), tree.parent.size(),
                    cells, use == Use::launch ? "launch" : "resident", name_of(choice.family),
                    name_of(best->family), ratio);
        for (const Measured& m : measured) {
          const double guess = choice.estimates[static_cast<std::size_t>(m.family)].us;
          std::printf(" %s %.4g (%.4g)", name_of(m.family), time(m), guess);
          good = good && m.error < 1;
          if (!json) continue;
          const TreeFeatures& f = c.features();
          std::fprintf(
              json,
              "{\"table\":\"auto\",\"type\":\"%s\",\"tree\":\"%s\",\"compartments\":%d,\"depth\":%"
              "d,"
              "\"contraction_steps\":%d,\"contraction_tasks\":%d,"
              "\"alone\":[%d,%d,%d,%d,%d,%d],\"packed\":[%d,%d,%d,%d,%d,%d],"
              "\"stone_rounds\":%d,\"stone_levels\":%d,\"stone_path\":%d,\"stone_children\":%d,"
              "\"cells\":%zu,\"use\":\"%s\",\"family\":\"%s\",\"us\":%.5g,"
              "\"predicted_us\":%.5g,\"chosen\":%s,\"error_over_bound\":%.3g}\n",
              sizeof(T) == 8 ? "double" : "float", tree.name.c_str(), f.compartments, f.depth,
              f.contraction_steps, f.contraction_tasks, f.branch_alone.cells, f.branch_alone.levels,
              f.branch_alone.path, f.branch_alone.storage, f.branch_alone.branches,
              f.branch_alone.threads, f.branch_packed.cells, f.branch_packed.levels,
              f.branch_packed.path, f.branch_packed.storage, f.branch_packed.branches,
              f.branch_packed.threads, f.stone_rounds, f.stone_levels, f.stone_path,
              f.stone_children, cells, use == Use::launch ? "launch" : "resident",
              name_of(m.family), time(m), guess, m.family == choice.family ? "true" : "false",
              m.error);
        }
        std::printf("\n");
        std::fflush(stdout);
      }
    }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  std::FILE* json =
      argc == 3 && !std::strcmp(argv[1], "--json") ? std::fopen(argv[2], "w") : nullptr;
  if (device_count() == 0) return std::puts(describe_device().c_str()), 77;
  std::puts(describe_device().c_str());
  std::vector<Tree> trees;
  for (const auto& c : hines_batch::morphology_classes)
    trees.push_back({c.name, hines_batch::random_morphology(c.compartments, c.branches, 1)});
  trees.push_back({"depth 35", tree_of_depth(576, 35, 6, 1)});
  trees.push_back({"depth 119", tree_of_depth(570, 119, 10, 1)});
  trees.push_back({"depth 299", tree_of_depth(1425, 299, 20, 1)});
  trees.push_back({"cable 128", cable_tree(128)});
  trees.push_back({"cable 512", cable_tree(512)});
  trees.push_back({"cable 5000", cable_tree(5000)});
  trees.push_back({"star", star_tree(500, 2)});
  trees.push_back({"giant", attachment_tree(20000, 0.9, 1)});
  const std::vector<std::size_t> cells{16, 132, 1024, 10240, 100000};
  const DeviceTraits device = traits_of_device();
  std::printf("%s: %d multiprocessors, %.3g GHz, %.4g GB/s, L2 %zu, shared %zu\n",
              device.name.c_str(), device.multiprocessors, device.clock_GHz, device.memory_GBps,
              device.cache_bytes, device.shared_bytes);
  const bool good =
      run<double>(trees, cells, device, json) & run<float>(trees, cells, device, json);
  if (json) std::fclose(json);
  return good ? 0 : 1;
}
