// Question: how close do batches of tridiagonal systems come to the memory's speed, and how do the
// layouts, our kernels, the CPU and cuSPARSE compare?
//
// Axes: 64, 128, 256, 512 rows × 256, 2,560, 25,600, 256,000 systems × float, double × layout and
// kernel; then systems of 256 to 512 rows (uniform) × the same numbers of systems.
// Floor: every solver must read lower, diagonal, upper and rhs and write x once, 5 numbers a row
// ("necessary"); one thread a system with nothing kept on the chip moves 9 ("moved"). About 20
// operations and one reciprocal a row, far below the arithmetic's limits. Divided by the bandwidth
// of a copy of 4 GiB, bytes read plus bytes written, measured in the same run.
// Timing: as many input sets as exceed the L2 several times, solved one after the other in one CUDA
// graph (one set: a plain launch), events around it, the input restored before each repeat; median.
// Conversions between layouts are timed apart. Every solution is compared with long double.
//
// Usage: thomas [--out file.json] [--commit id] [--tune] [--no-cpu] [--largest systems]

#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/thomas_measuring.cuh"
#include "solver/cuda/memory.cuh"
#include "solver/thomas/device.hpp"
#include "solver/thomas/host.hpp"

namespace {

using namespace hillock::bench_thomas;
using namespace hillock::solver;
using namespace hillock::solver::thomas;

// ---- systems of one length ---------------------------------------------------------------------

template <class Real>
class Case {
 public:
  Case(const Options& options, Output& output, double copy_gb_s, cusparseHandle_t handle,
       std::size_t rows, std::size_t systems)
      : options_(options),
        output_(output),
        copy_gb_s_(copy_gb_s),
        handle_(handle),
        flat_(arrange(Layout::flat, rows, systems)),
        pristine_flat_(flat_.storage) {
    fill<Real><<<1024, 256, 0, stream()>>>(pristine_flat_.data(), flat_.storage, Real(0));
    draw<Real><<<4096, 128, 0, stream()>>>(pristine_flat_.data(), flat_.field_stride, nullptr,
                                           nullptr, static_cast<std::uint32_t>(rows), systems);
    HILLOCK_CUDA(cudaGetLastError());
  }

  void run() {
    const std::size_t n = flat_.rows, systems = flat_.systems;
    const Choice choice = choose(n, systems, sizeof(Real));
    use(Layout::flat);
    std::vector<char> buffer_bytes;
    {
      const WarpPlan plan = plan_warps<Real>(flat_, choice.split);
      time("ours", 5, 0, [&](Real* v) { solve_on_device(plan, v, stream()); });
      if (options_.tune) tune();
      std::size_t bytes = 0;
      strided_buffer(handle_, flat_, pristine_flat_.data(), &bytes);
      DeviceArray<char> buffer(bytes);
      time("cuSPARSE gtsv2StridedBatch", 5, static_cast<double>(bytes),
           [&](Real* v) { strided(handle_, flat_, v, buffer.data()); });
    }
    time("sweep", 9, 0, [&](Real* v) { sweep_on_device(flat_, v, stream()); });
    convert_timed(Layout::interleaved);
    convert_timed(Layout::block_interleaved);
    use(Layout::interleaved);
    time("sweep", 9, 0, [&](Real* v) { sweep_on_device(used_, v, stream()); });
    for (const int algorithm : {0, 1, 2}) {
      std::size_t bytes = 0;
      interleaved_buffer(handle_, algorithm, used_, pristine_.data(), &bytes);
      DeviceArray<char> buffer(bytes);
      time("cuSPARSE gtsvInterleavedBatch " + std::to_string(algorithm), 9,
           static_cast<double>(bytes),
           [&](Real* v) { interleaved(handle_, algorithm, used_, v, buffer.data()); });
    }
    use(Layout::unified_vector);
    time("sweep", 9, 0, [&](Real* v) { sweep_on_device(used_, v, stream()); });
    for (const std::size_t lanes : {32, 128}) {
      use(Layout::block_interleaved, lanes);
      time(lanes == 32 ? "sweep" : "sweep by 128", 9, 0,
           [&](Real* v) { sweep_on_device(used_, v, stream()); });
    }
    if (options_.cpu) cpu();
    report();
  }

  double to_interleaved = 0, to_strided = 0;  ///< ours against the peers, time over time

 private:
  /// Makes the input sets of a layout.
  void use(Layout layout, std::size_t lanes = 32) {
    used_ = arrange(layout, flat_.rows, flat_.systems, lanes);
    pristine_ = DeviceArray<Real>();
    work_ = DeviceArray<Real>();
    constexpr std::size_t beyond_l2 = std::size_t{256} << 20;
    sets_ = std::clamp<std::size_t>(beyond_l2 / (used_.storage * sizeof(Real)) + 1, 1, 400);
    pristine_ = DeviceArray<Real>(used_.storage);
    fill<Real><<<1024, 256, 0, stream()>>>(pristine_.data(), used_.storage, Real(1));
    convert_on_device(flat_, pristine_flat_.data(), used_, pristine_.data(), stream());
    work_ = DeviceArray<Real>(sets_ * used_.storage);
  }

  void restore() {
    for (std::size_t set = 0; set < sets_; ++set)
      HILLOCK_CUDA(cudaMemcpyAsync(work_.data() + set * used_.storage, pristine_.data(),
                                   used_.storage * sizeof(Real), cudaMemcpyDeviceToDevice,
                                   stream()));
  }

  std::vector<std::string> key(const std::string& method, const std::string& layout) const {
    return {text("section", "one length"),
            text("type", type_name<Real>()),
            number("rows", static_cast<double>(flat_.rows)),
            number("systems", static_cast<double>(flat_.systems)),
            text("method", method),
            text("layout", layout)};
  }

  std::vector<std::string> figures(const Timing& t, int numbers_moved) const {
    const double row_bytes =
        static_cast<double>(flat_.rows * flat_.systems) * static_cast<double>(sizeof(Real));
    const double necessary = 5 * row_bytes / t.ms * 1e-6;
    const double moved = numbers_moved * row_bytes / t.ms * 1e-6;
    return {number("ms", t.ms),
            number("ms_least", t.least),
            number("ms_most", t.most),
            number("repeats", t.repeats),
            number("sets", static_cast<double>(t.sets)),
            number("numbers_moved_a_row", numbers_moved),
            number("necessary_gb_s", necessary),
            number("moved_gb_s", moved),
            number("necessary_over_copy", necessary / copy_gb_s_),
            number("moved_over_copy", moved / copy_gb_s_),
            number("copy_gb_s", copy_gb_s_)};
  }

  double verify(const std::function<void(Real*)>& solve) {
    restore();
    solve(work_.data());
    DeviceArray<Real> solved(flat_.storage);
    convert_on_device(used_, work_.data(), flat_, solved.data(), stream());
    HILLOCK_CUDA(cudaStreamSynchronize(stream()));
    double worst = 0;
    const std::size_t n = flat_.rows;
    for (const std::size_t system :
         {std::size_t{0}, std::size_t{1}, flat_.systems / 2 + 1, flat_.systems - 1}) {
      std::vector<std::vector<Real>> m(4, std::vector<Real>(n));
      std::vector<Real> v(n);
      const auto fetch = [&](Real* to, const Real* from, int field) {
        HILLOCK_CUDA(cudaMemcpy(to, from + flat_.index(static_cast<Field>(field), 0, system),
                                n * sizeof(Real), cudaMemcpyDeviceToHost));
      };
      for (int f = 0; f < 4; ++f) fetch(m[f].data(), pristine_flat_.data(), f);
      fetch(v.data(), solved.data(), 3);
      const double e = error_over_bound(n, m, v);
      if (!(e <= worst)) worst = e;
    }
    return worst;
  }

  void time(const std::string& method, int numbers_moved, double extra_bytes,
            const std::function<void(Real*)>& solve) {
    const double error = verify(solve);
    const Timing t = measure(
        sets_, [&] { restore(); },
        [&](std::size_t set) { solve(work_.data() + set * used_.storage); });
    const std::string layout = name_of(used_.layout);
    ms_[method + " " + layout] = t.ms;
    auto parts = key(method, layout);
    for (auto& part : figures(t, numbers_moved)) parts.push_back(part);
    parts.push_back(number("extra_bytes", extra_bytes));
    parts.push_back(number("error_over_bound", error));
    output_.row(join(parts));
    if (!(error <= 1)) {
      std::printf("  WRONG: %s %s, error over bound %g\n", method.c_str(), layout.c_str(), error);
      wrong = true;
    }
  }

  void tune() {
    const std::size_t n = flat_.rows;
    for (const Split split : {Split{8, 9}, Split{16, 9}, Split{32, 3}, Split{32, 5}, Split{32, 9},
                              Split{32, 13}, Split{32, 17}}) {
      if (n > split.most_rows() || split.most_rows() > 3 * n) continue;
      const WarpPlan plan = plan_warps<Real>(flat_, split);
      const Timing t = measure(
          sets_, [&] { restore(); },
          [&](std::size_t set) {
            solve_on_device(plan, work_.data() + set * used_.storage, stream());
          },
          5, 0.1);
      std::printf("    tune %s %zu x %zu: %d lanes of %d, %d warps, %d blocks: %.4f ms\n",
                  type_name<Real>(), n, flat_.systems, split.lanes, split.rows_a_lane, plan.warps,
                  plan.blocks, t.ms);
    }
  }

  void convert_timed(Layout layout) {
    const Arrangement to = arrange(layout, flat_.rows, flat_.systems);
    DeviceArray<Real> result(to.storage);
    const auto there = measure(
        1, [] {},
        [&](std::size_t) {
          convert_on_device(flat_, pristine_flat_.data(), to, result.data(), stream());
        });
    DeviceArray<Real> flat_again(flat_.storage);
    const auto back = measure(
        1, [] {},
        [&](std::size_t) {
          convert_on_device(to, result.data(), flat_, flat_again.data(), stream());
        });
    for (const bool forth : {true, false}) {
      const Timing& t = forth ? there : back;
      auto parts = key(forth ? "conversion from flat" : "conversion to flat", name_of(layout));
      for (auto& part : figures(t, 8)) parts.push_back(part);
      output_.row(join(parts));
    }
  }

  void cpu() {
    const auto pristine = pristine_flat_.to_host();
    std::vector<Real> values;
    const auto time_host = [&](const std::string& method, const Arrangement& a,
                               const std::vector<Real>& input, const auto& solve) {
      std::vector<double> ms;
      const double start = seconds();
      for (int repeat = 0; repeat < 5; ++repeat) {
        values = input;
        const double begin = seconds();
        solve(a, std::span<Real>(values));
        ms.push_back((seconds() - begin) * 1e3);
        if (seconds() - start > 0.5) break;
      }
      const Timing t = summary(ms, 1);
      const std::string layout = name_of(a.layout);
      ms_[method + " " + layout] = t.ms;
      auto parts = key(method, layout);
      for (auto& part : figures(t, 9)) parts.push_back(part);
      output_.row(join(parts));
    };
    time_host("CPU serial", flat_, pristine,
              [](const Arrangement& a, std::span<Real> v) { solve_serial<Real>(a, v); });
    time_host("CPU OpenMP", flat_, pristine,
              [](const Arrangement& a, std::span<Real> v) { solve_openmp<Real>(a, v); });
    if (flat_.systems > 25600) return;
    const Arrangement blocks = arrange(Layout::block_interleaved, flat_.rows, flat_.systems, 8);
    std::vector<Real> converted;
    convert(flat_, pristine, blocks, converted);
    time_host("CPU OpenMP lanes", blocks, converted,
              [](const Arrangement& a, std::span<Real> v) { solve_simd<Real>(a, v); });
  }

  void report() {
    const double ours = ms_.at("ours flat");
    double best = 1e300;
    for (const auto& [name, ms] : ms_)
      if (name.starts_with("cuSPARSE gtsvInterleaved")) best = std::min(best, ms);
    to_interleaved = best / ours;
    to_strided = ms_.at("cuSPARSE gtsv2StridedBatch flat") / ours;
    const double row_bytes =
        static_cast<double>(flat_.rows * flat_.systems) * static_cast<double>(sizeof(Real));
    const double over_copy = 5 * row_bytes / ours * 1e-6 / copy_gb_s_;
    auto parts = key("summary", "flat");
    parts.push_back(number("ms", ours));
    parts.push_back(number("over_interleaved", to_interleaved));
    parts.push_back(number("over_strided", to_strided));
    parts.push_back(number("necessary_over_copy", over_copy));
    parts.push_back(text("choice", choose(flat_.rows, flat_.systems, sizeof(Real)).reason));
    output_.row(join(parts));
    std::printf(
        "%-6s %3zu x %6zu  ours %9.4f ms %5.1f %% of copy | interleaved %9.4f (%6.2fx) | strided "
        "%9.4f (%5.2fx) | sweep flat %9.4f inter %9.4f unified %9.4f block32 %9.4f block128 %9.4f",
        type_name<Real>(), flat_.rows, flat_.systems, ours, 100 * over_copy, best, to_interleaved,
        ms_.at("cuSPARSE gtsv2StridedBatch flat"), to_strided, ms_.at("sweep flat"),
        ms_.at("sweep interleaved"), ms_.at("sweep unified vector"),
        ms_.at("sweep block interleaved"), ms_.at("sweep by 128 block interleaved"));
    if (options_.cpu)
      std::printf(" | CPU %.3g OpenMP %.3g", ms_.at("CPU serial flat"), ms_.at("CPU OpenMP flat"));
    std::printf("\n");
    std::fflush(stdout);
  }

  const Options& options_;
  Output& output_;
  double copy_gb_s_;
  cusparseHandle_t handle_;
  Arrangement flat_, used_;
  std::size_t sets_ = 1;
  DeviceArray<Real> pristine_flat_, pristine_, work_;
  std::map<std::string, double> ms_;

 public:
  static inline bool wrong = false;
};

// ---- systems of different lengths --------------------------------------------------------------

template <class Real>
void run_variable(const Options& options, Output& output, double copy_gb_s, std::size_t systems) {
  std::mt19937 generator(static_cast<unsigned>(systems));
  std::vector<std::uint32_t> sizes(systems);
  for (auto& size : sizes) size = 256 + generator() % 257;
  const auto compact = arrange(VariableLayout::compact, sizes);
  DeviceArray<Real> pristine(compact.storage);
  fill<Real><<<1024, 256, 0, stream()>>>(pristine.data(), compact.storage, Real(0));
  {
    DeviceArray<std::uint64_t> start(compact.start);
    DeviceArray<std::uint32_t> size(compact.size);
    HILLOCK_CUDA(cudaDeviceSynchronize());
    draw<Real><<<4096, 128, 0, stream()>>>(pristine.data(), compact.field_stride, start.data(),
                                           size.data(), 0, systems);
    HILLOCK_CUDA(cudaStreamSynchronize(stream()));
  }
  const DeviceSlots compact_slots(compact);
  struct Method {
    const char* name;
    VariableLayout layout;
    Kernel kernel;
    Padding padding;
  };
  const Method methods[] = {
      {"no computing padding", VariableLayout::padded, Kernel::sweep, Padding::skip},
      {"computing padding", VariableLayout::padded, Kernel::sweep, Padding::compute},
      {"ours: sorted by warps", VariableLayout::sorted, Kernel::sweep, Padding::skip},
      {"ours", VariableLayout::compact, Kernel::warp, Padding::skip}};
  std::map<std::string, double> ms;
  for (const Method& method : methods) {
    const auto a = arrange(method.layout, sizes);
    const DeviceSlots slots(a);
    DeviceArray<Real> input(a.storage);
    fill<Real><<<1024, 256, 0, stream()>>>(input.data(), a.storage, Real(0));
    fill<Real><<<1024, 256, 0, stream()>>>(input.data() + a.field_stride, a.field_stride, Real(1));
    const Timing conversion = measure(
        1, [] {},
        [&](std::size_t) {
          convert_on_device(compact_slots, pristine.data(), slots, input.data(), stream());
        });
    const std::size_t sets =
        std::clamp<std::size_t>((std::size_t{256} << 20) / (a.storage * sizeof(Real)) + 1, 1, 400);
    DeviceArray<Real> work(sets * a.storage);
    const auto restore = [&] {
      for (std::size_t set = 0; set < sets; ++set)
        HILLOCK_CUDA(cudaMemcpyAsync(work.data() + set * a.storage, input.data(),
                                     a.storage * sizeof(Real), cudaMemcpyDeviceToDevice, stream()));
    };
    const auto solve = [&](std::size_t set) {
      Real* v = work.data() + set * a.storage;
      if (method.kernel == Kernel::sweep)
        sweep_on_device(slots, v, method.padding, stream());
      else
        warp_on_device(slots, v, stream());
    };
    restore();
    solve(0);
    double error = 0;
    {
      DeviceArray<Real> solved(compact.storage);
      convert_on_device(slots, work.data(), compact_slots, solved.data(), stream());
      HILLOCK_CUDA(cudaStreamSynchronize(stream()));
      for (const std::size_t system : {std::size_t{0}, systems / 2, systems - 1}) {
        const std::size_t n = compact.size[system];
        std::vector<std::vector<Real>> m(4, std::vector<Real>(n));
        std::vector<Real> v(n);
        for (int f = 0; f < 4; ++f)
          HILLOCK_CUDA(cudaMemcpy(m[f].data(),
                                  pristine.data() + compact.index(static_cast<Field>(f), 0, system),
                                  n * sizeof(Real), cudaMemcpyDeviceToHost));
        HILLOCK_CUDA(cudaMemcpy(v.data(), solved.data() + compact.index(Field::rhs, 0, system),
                                n * sizeof(Real), cudaMemcpyDeviceToHost));
        const double e = error_over_bound(n, m, v);
        if (!(e <= error)) error = e;
      }
    }
    if (!(error <= 1)) {
      std::printf("  WRONG: %s, error over bound %g\n", method.name, error);
      Case<Real>::wrong = true;
    }
    const Timing t = measure(sets, restore, solve);
    ms[method.name] = t.ms;
    const double necessary =
        5.0 * static_cast<double>(compact.rows_in_all * sizeof(Real)) / t.ms * 1e-6;
    output.row(
        join({text("section", "different lengths"), text("type", type_name<Real>()),
              number("systems", static_cast<double>(systems)), text("method", method.name),
              text("layout", name_of(method.layout)), number("ms", t.ms),
              number("ms_least", t.least), number("ms_most", t.most), number("repeats", t.repeats),
              number("sets", static_cast<double>(sets)), number("necessary_gb_s", necessary),
              number("necessary_over_copy", necessary / copy_gb_s), number("copy_gb_s", copy_gb_s),
              number("storage_bytes", static_cast<double>(a.storage * sizeof(Real))),
              number("table_bytes", static_cast<double>(slots.bytes())),
              number("conversion_ms", conversion.ms), number("error_over_bound", error)}));
  }
  const double ours = ms["ours"];
  const double best = std::min(ms["no computing padding"], ms["computing padding"]);
  std::printf(
      "%-6s 256..512 x %6zu  ours %9.4f ms %5.1f %% of copy | NCP %9.4f CP %9.4f (best %5.2fx) | "
      "sorted by warps %9.4f (%5.2fx)\n",
      type_name<Real>(), systems, ours,
      500.0 * static_cast<double>(compact.rows_in_all * sizeof(Real)) / ours * 1e-6 / copy_gb_s,
      ms["no computing padding"], ms["computing padding"], best / ours, ms["ours: sorted by warps"],
      best / ms["ours: sorted by warps"]);
  std::fflush(stdout);
  (void)options;
}

template <class Real>
void run_all(const Options& options, Output& output, double copy, cusparseHandle_t handle,
             double& least_interleaved, double& least_strided, double& log_strided, int& cases) {
  for (const std::size_t rows : {64, 128, 256, 512})
    for (const std::size_t systems : {256, 2560, 25600, 256000}) {
      if (systems > options.largest) continue;
      Case<Real> c(options, output, copy, handle, rows, systems);
      c.run();
      least_interleaved = std::min(least_interleaved, c.to_interleaved);
      least_strided = std::min(least_strided, c.to_strided);
      log_strided += std::log(c.to_strided);
      ++cases;
    }
  for (const std::size_t systems : {256, 2560, 25600, 256000})
    if (systems <= options.largest) run_variable<Real>(options, output, copy, systems);
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    options.command += (i > 0 ? " " : "") + (i == 0 ? std::string("thomas") : argument);
    const auto next = [&] {
      if (i + 1 >= argc) throw std::runtime_error(argument + " needs a value");
      const std::string value = argv[++i];
      options.command += " " + value.substr(value.rfind('/') + 1);  // no one else's folders
      return value;
    };
    if (i == 0) continue;
    if (argument == "--out")
      options.out = next();
    else if (argument == "--commit")
      options.commit = next();
    else if (argument == "--tune")
      options.tune = true;
    else if (argument == "--no-cpu")
      options.cpu = false;
    else if (argument == "--largest")
      options.largest = std::stoul(next());
    else
      throw std::runtime_error("unknown argument " + argument);
  }
  if (device_count() == 0) throw std::runtime_error(describe_device());
  Output output(options);
  const double copy = measure_copy_gb_s();
  std::printf("%s; copy %.0f GB/s\n", describe_device().c_str(), copy);
  cusparseHandle_t handle{};
  CUSPARSE(cusparseCreate(&handle));
  CUSPARSE(cusparseSetStream(handle, stream()));
  double least_interleaved = 1e300, least_strided = 1e300, log_strided = 0;
  int cases = 0;
  run_all<double>(options, output, copy, handle, least_interleaved, least_strided, log_strided,
                  cases);
  run_all<float>(options, output, copy, handle, least_interleaved, least_strided, log_strided,
                 cases);
  std::printf("copy at the end %.0f GB/s\n", measure_copy_gb_s());
  std::printf(
      "ours against gtsvInterleavedBatch: at least %.2fx; gtsv2StridedBatch: at least %.2fx, "
      "geometric mean %.2fx\n",
      least_interleaved, least_strided, std::exp(log_strided / cases));
  CUSPARSE(cusparseDestroy(handle));
  return Case<float>::wrong || Case<double>::wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "thomas: %s\n", e.what());
    return 2;
  }
}
