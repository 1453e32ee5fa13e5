// Which layout solves batches of Hines systems fastest, and how far from the memory's limit?
//
// Axes: six classes of morphology × 256 to 256,000 cells × flat, fully interleaved, block
// interleaved at 32 to 512, block-shared, and ours (stream), float and double, against one CPU
// core, all cores, and SIMD lanes on all cores; batches of one morphology, of 64, and of 64 with
// 600 to 700 compartments; one GPU against two.
//
// Floor: a compartment's d, u and b are read once and its x is written once, 4 words; GB/s counts
// what the method itself must move (Schedule::bytes_moved: 9, 7 or 8 words), beside the bandwidth
// of a device-to-device copy measured in the same run. Times are medians between CUDA events over
// solves of different sets of values, at least 128 MB of them, so that no set waits in the L2
// cache; conversions between layouts are timed apart.
//
// Longer than a file should be: its four parts share the values, the timer and the rows.
//
//   bench_hines_batch [--json FILE] [--part classes|variable|devices|tune|all] [--quick]

#include <cuda_runtime.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "solver/cuda/memory.cuh"
#include "solver/hines_batch/cpu.hpp"
#include "solver/hines_batch/device_batch.hpp"
#include "solver/hines_batch/random_morphology.hpp"

using namespace hillock;
using namespace hillock::solver;
using namespace hillock::solver::hines_batch;

namespace {

// ---- Values: a hash of the element's index, the same on host and device.

__host__ __device__ inline double uniform(std::uint64_t index, std::uint64_t stream) {
  std::uint64_t z = (index * 4 + stream + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

constexpr double kappa = 10;

template <class T>
struct Element {
  T diagonal, coupling, rhs;
};

/// degree: neighbours of the node in its tree; the matrix is strictly diagonally dominant.
template <class T>
__host__ __device__ inline Element<T> element(std::uint64_t index, int degree) {
  const double coupling = kappa * (0.5 + uniform(index, 0));
  return {static_cast<T>(1 + uniform(index, 1) + 1.5 * kappa * degree), static_cast<T>(coupling),
          static_cast<T>(2 * uniform(index, 2) - 1)};
}

template <class T>
__global__ void fill_kernel(std::size_t n_systems, const int* tree_of_system,
                            const std::size_t* tree_first, const std::size_t* first,
                            const int* degree, T* diagonal, T* coupling, T* rhs) {
  for (std::size_t s = blockIdx.x; s < n_systems; s += gridDim.x) {
    const int* of_tree = degree + tree_first[tree_of_system[s]];
    for (std::size_t i = first[s] + threadIdx.x; i < first[s + 1]; i += blockDim.x) {
      const auto e = element<T>(i, of_tree[i - first[s]]);
      diagonal[i] = e.diagonal;
      coupling[i] = e.coupling;
      rhs[i] = e.rhs;
    }
  }
}

std::vector<int> degrees(const BatchShape& shape) {
  std::vector<int> degree(shape.parents().size(), 0);
  for (std::size_t t = 0; t < shape.n_trees(); ++t)
    for (std::size_t i = shape.tree_first()[t] + 1; i < shape.tree_first()[t + 1]; ++i) {
      ++degree[i];
      ++degree[shape.tree_first()[t] + shape.parents()[i]];
    }
  return degree;
}

template <class T>
struct FlatOnDevice {
  DeviceArray<T> diagonal, coupling, rhs;
  explicit FlatOnDevice(const BatchShape& shape)
      : diagonal(shape.total()), coupling(shape.total()), rhs(shape.total()) {
    const DeviceArray<int> tree_of_system{shape.tree_of_system()}, degree{degrees(shape)};
    const DeviceArray<std::size_t> tree_first{shape.tree_first()}, first{shape.first()};
    fill_kernel<<<8192, 128>>>(shape.n_systems(), tree_of_system.data(), tree_first.data(),
                               first.data(), degree.data(), diagonal.data(), coupling.data(),
                               rhs.data());
    HILLOCK_CUDA(cudaGetLastError());
    HILLOCK_CUDA(cudaDeviceSynchronize());
  }
};

template <class T>
void fill_host(const BatchShape& shape, FlatValues<T>& v) {
  v.diagonal.resize(shape.total());
  v.coupling.resize(shape.total());
  v.rhs.resize(shape.total());
  const std::vector<int> degree = degrees(shape);
#pragma omp parallel for
  for (std::size_t s = 0; s < shape.n_systems(); ++s) {
    const int* of_tree = degree.data() + shape.tree_first()[shape.tree_of(s)];
    for (std::size_t i = shape.first()[s]; i < shape.first()[s + 1]; ++i) {
      const auto e = element<T>(i, of_tree[i - shape.first()[s]]);
      v.diagonal[i] = e.diagonal;
      v.coupling[i] = e.coupling;
      v.rhs[i] = e.rhs;
    }
  }
}

// ---- Time.

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Microseconds of work queued on a stream.
class Timer {
 public:
  explicit Timer(cudaStream_t stream) : stream_(stream) {
    HILLOCK_CUDA(cudaEventCreate(&begin_));
    HILLOCK_CUDA(cudaEventCreate(&end_));
  }
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  template <class Work>
  double operator()(Work work) {
    HILLOCK_CUDA(cudaEventRecord(begin_, stream_));
    work();
    HILLOCK_CUDA(cudaEventRecord(end_, stream_));
    HILLOCK_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

template <class Work>
double host_time(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// GB/s read and written by a copy of 2 GiB.
double copy_bandwidth() {
  const std::size_t n = std::size_t{1} << 28;
  DeviceArray<double> from(n), to(n);
  HILLOCK_CUDA(cudaMemset(from.data(), 1, n * sizeof(double)));
  Timer timer(nullptr);
  std::vector<double> times;
  for (int k = 0; k < 9; ++k)
    times.push_back(timer([&] {
      HILLOCK_CUDA(cudaMemcpyAsync(to.data(), from.data(), n * sizeof(double),
                                   cudaMemcpyDeviceToDevice, nullptr));
    }));
  return 2e-3 * static_cast<double>(n * sizeof(double)) / median(times);
}

// ---- Rows.

class Report {
 public:
  explicit Report(const std::string& path) : path_(path) {}
  void meta(const std::string& key, const std::string& value) {
    meta_ += (meta_.empty() ? "" : ",\n") + std::string("  \"") + key + "\": \"" + value + "\"";
  }
  void meta(const std::string& key, double value) {
    meta_ +=
        (meta_.empty() ? "" : ",\n") + std::string("  \"") + key + "\": " + std::to_string(value);
  }
  void row(const std::string& part, const std::vector<std::pair<std::string, std::string>>& words,
           const std::vector<std::pair<std::string, double>>& numbers) {
    std::string text = "    {\"part\": \"" + part + "\"";
    for (const auto& [key, value] : words) text += ", \"" + key + "\": \"" + value + "\"";
    char number[64];
    for (const auto& [key, value] : numbers) {
      std::snprintf(number, sizeof number, "%.6g", value);
      text += ", \"" + key + "\": " + (std::isfinite(value) ? number : "null");
    }
    rows_ += (rows_.empty() ? "" : ",\n") + text + "}";
  }
  ~Report() {
    if (path_.empty()) return;
    std::ofstream(path_) << "{\n" << meta_ << ",\n  \"rows\": [\n" << rows_ << "\n  ]\n}\n";
  }

 private:
  std::string path_, meta_, rows_;
};

template <class T>
std::string precision() {
  return sizeof(T) == 8 ? "double" : "float";
}

template <class T>
__global__ void difference_kernel(std::size_t n, const T* a, const T* b, unsigned* worst) {
  float most = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const float d = fabsf(static_cast<float>(a[i] - b[i]));
    most = d <= most ? most : (d == d ? d : INFINITY);
  }
  atomicMax(worst, __float_as_uint(most));
}

template <class T>
float largest_difference(const DeviceArray<T>& a, const DeviceArray<T>& b) {
  DeviceArray<unsigned> worst(std::vector<unsigned>{0u});
  difference_kernel<<<1024, 256>>>(a.size(), a.data(), b.data(), worst.data());
  const unsigned bits = worst.to_host()[0];
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

struct Measured {
  double solve_us, arrange_us, gather_us, difference;
};

/// Median time of one solve on device 0. solution: of the first arrangement in, for comparison.
template <class T>
Measured measure(const BatchShape& shape, const Arrangement& arrangement,
                 const FlatOnDevice<T>& flat, DeviceArray<T>& solution, StreamTuning tuning = {}) {
  const std::size_t bytes_of_set = 3 * shape.total() * sizeof(T);
  const int sets = static_cast<int>(std::clamp<std::size_t>((128u << 20) / bytes_of_set, 1, 64));
  DeviceBatch<T> batch(shape, arrangement, 0, sets, tuning);
  Timer timer(static_cast<cudaStream_t>(batch.stream()));
  const auto refill = [&] {
    for (int k = 0; k < sets; ++k)
      batch.arrange(flat.diagonal.data(), flat.coupling.data(), flat.rhs.data(), k);
  };
  const auto solve_all = [&] {
    for (int k = 0; k < sets; ++k) batch.solve(k);
  };
  std::vector<double> times;
  double arrange_us = 0;
  for (int run = 0; run < 6; ++run) {
    arrange_us = timer(refill) / sets;
    const double us = timer(solve_all) / sets;
    if (run > 0) times.push_back(us);  // the first is warm-up
    if (us * sets > 1e5 && run >= 3) break;
  }
  DeviceArray<T> own(shape.total());
  const double gather_us = timer([&] { batch.gather(own.data(), sets - 1); });
  double difference = 0;
  if (solution.size() == own.size())
    difference = largest_difference(own, solution);
  else
    solution = std::move(own);
  return {median(times), arrange_us, gather_us, difference};
}

std::vector<Arrangement> layouts() {
  return {fully_interleaved(),
          flat(),
          block_interleaved(32),
          block_interleaved(64),
          block_interleaved(128),
          block_interleaved(256),
          block_interleaved(512),
          block_shared(),
          streamed()};
}

struct CpuTimes {
  double serial_us = NAN, openmp_us = NAN, lanes_us = NAN;
};

template <class T>
CpuTimes measure_cpu(const BatchShape& shape, FlatValues<T>& values) {
  CpuTimes t;
  const bool large = shape.total() > 20'000'000;
  const auto time = [&](const std::function<void()>& solve, int runs) {
    std::vector<double> times;
    for (int k = 0; k < runs; ++k) {
      fill_host(shape, values);
      times.push_back(host_time(solve));
    }
    return median(times);
  };
  t.serial_us = time([&] { solve_serial(shape, values); }, large ? 1 : 3);
  t.openmp_us = time([&] { solve_openmp(shape, values); }, large ? 3 : 5);
  if (!large) {
    const Schedule schedule = make_schedule(shape, simd_lanes<T>(), sizeof(T));
    std::vector<double> times;
    for (int k = 0; k < 3; ++k) {
      fill_host(shape, values);
      auto arranged = arrange(shape, schedule, values);
      times.push_back(host_time([&] { solve_lanes(schedule, arranged); }));
    }
    t.lanes_us = median(times);
  }
  return t;
}

struct Options {
  std::string json, part = "all";
  bool quick = false;
};

template <class T>
void run_classes(const Options& options, double copy, Report& report) {
  std::printf("\nsix classes, %s: us a solve (GB/s by the method's own bytes; times OpenMP)\n",
              precision<T>().c_str());
  FlatValues<T> host;
  for (const auto& c : morphology_classes)
    for (const std::size_t cells : {256u, 2560u, 25600u, 256000u}) {
      if (options.quick && cells == 256000) continue;
      const auto shape =
          BatchShape::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const CpuTimes cpu = measure_cpu(shape, host);
      const std::vector<std::pair<std::string, std::string>> words{{"class", c.name},
                                                                   {"precision", precision<T>()}};
      const auto add = [&](const std::string& layout, double us, double bytes, const Measured* m) {
        auto w = words;
        w.push_back({"layout", layout});
        report.row(
            "classes", w,
            {{"compartments", c.compartments},
             {"branches", c.branches},
             {"cells", static_cast<double>(cells)},
             {"us", us},
             {"GBps", bytes * 1e-3 / us},
             {"copy_GBps", m ? copy : NAN},
             {"floor_us", m ? 4e-3 * sizeof(T) * static_cast<double>(shape.total()) / copy : NAN},
             {"speedup_serial", cpu.serial_us / us},
             {"speedup_openmp", cpu.openmp_us / us},
             {"arrange_us", m ? m->arrange_us : NAN},
             {"gather_us", m ? m->gather_us : NAN},
             {"difference", m ? m->difference : NAN}});
      };
      const double cpu_bytes = 9.0 * sizeof(T) * static_cast<double>(shape.total());
      add("cpu-serial", cpu.serial_us, cpu_bytes, nullptr);
      add("cpu-openmp", cpu.openmp_us, cpu_bytes, nullptr);
      if (std::isfinite(cpu.lanes_us)) add("cpu-lanes", cpu.lanes_us, cpu_bytes, nullptr);
      std::printf("%-11s %6zu serial %.0f openmp %.0f lanes %.0f |", c.name, cells, cpu.serial_us,
                  cpu.openmp_us, cpu.lanes_us);
      const FlatOnDevice<T> flat(shape);
      DeviceArray<T> solution;
      for (const auto& arrangement : layouts()) {
        const Measured m = measure(shape, arrangement, flat, solution);
        const double bytes =
            static_cast<double>(make_schedule(BatchShape::uniform({-1}, 1), arrangement)
                                    .bytes_moved(sizeof(T), shape.total()));
        add(arrangement.name(), m.solve_us, bytes, &m);
        std::printf(" %s %.1f (%.0f; %.0fx)%s", arrangement.name().c_str(), m.solve_us,
                    bytes * 1e-3 / m.solve_us, cpu.openmp_us / m.solve_us,
                    m.difference < (sizeof(T) == 8 ? 1e-12 : 1e-3) ? "" : " WRONG");
      }
      std::printf("\n");
      std::fflush(stdout);
    }
}

BatchShape variable_shape(const std::string& kind, std::size_t cells) {
  std::vector<std::vector<int>> trees;
  RandomStream draw(1, Purpose::morphology, {7, 0, 0});
  const int n = kind == "mono" ? 1 : 64;
  for (int t = 0; t < n; ++t) {
    const int size = kind == "multi-600-700" ? 600 + static_cast<int>(draw.below(101)) : 600;
    const int branches = 3 + static_cast<int>(draw.below(200)) / 2 * 2;
    trees.push_back(random_morphology(size, branches, static_cast<std::uint64_t>(t)));
  }
  std::vector<int> tree_of_system(cells);
  for (auto& t : tree_of_system) t = static_cast<int>(draw.below(static_cast<std::uint64_t>(n)));
  return BatchShape(trees, tree_of_system);
}

template <class T>
void run_variable(const Options& options, double copy, Report& report) {
  std::printf("\nvariable batches, %s: us a solve\n", precision<T>().c_str());
  Arrangement sorted = block_interleaved(32);
  sorted.order = Arrangement::Order::sorted;
  Arrangement stream_given = streamed();
  stream_given.order = Arrangement::Order::given;
  const std::vector<std::pair<std::string, Arrangement>> arrangements{
      {"full, padding computed", fully_interleaved()},
      {"full, padding skipped", fully_interleaved(Arrangement::Padding::skipped)},
      {"sorted groups of 32", sorted},
      {"stream, order given", stream_given},
      {"stream", streamed()}};
  for (const std::string kind : {"mono", "multi", "multi-600-700"})
    for (const std::size_t cells : {256u, 2560u, 25600u, 256000u}) {
      if (options.quick && cells == 256000) continue;
      const BatchShape shape = variable_shape(kind, cells);
      const FlatOnDevice<T> flat(shape);
      DeviceArray<T> solution;
      std::printf("%-13s %6zu |", kind.c_str(), cells);
      double best_padding = INFINITY;
      for (const auto& [name, arrangement] : arrangements) {
        const Measured m = measure(shape, arrangement, flat, solution);
        if (name.starts_with("full")) best_padding = std::min(best_padding, m.solve_us);
        const double bytes =
            static_cast<double>(make_schedule(BatchShape::uniform({-1}, 1), arrangement)
                                    .bytes_moved(sizeof(T), shape.total()));
        report.row("variable", {{"kind", kind}, {"precision", precision<T>()}, {"layout", name}},
                   {{"cells", static_cast<double>(cells)},
                    {"us", m.solve_us},
                    {"GBps", bytes * 1e-3 / m.solve_us},
                    {"copy_GBps", copy},
                    {"against_padding", best_padding / m.solve_us},
                    {"arrange_us", m.arrange_us},
                    {"gather_us", m.gather_us},
                    {"difference", m.difference}});
        std::printf(" %s %.1f (%.2fx)%s;", name.c_str(), m.solve_us, best_padding / m.solve_us,
                    m.difference < (sizeof(T) == 8 ? 1e-12 : 1e-3) ? "" : " WRONG");
      }
      std::printf("\n");
      std::fflush(stdout);
    }
}

/// Wall-clock time of `sets` solves of a batch cut over devices, one host thread each.
template <class T>
double measure_devices(const BatchShape& shape, int n_devices, int sets) {
  const auto cuts = split_systems(shape, static_cast<std::size_t>(n_devices));
  std::vector<double> times;
  std::atomic<int> arrived{0};
  const auto meet = [&](int round) {  // spins: a sleeper's waking would be part of the time
    ++arrived;
    while (arrived.load() < n_devices * (round + 1)) {
    }
  };
  std::vector<std::thread> threads;
  for (int d = 0; d < n_devices; ++d)
    threads.emplace_back([&, d] {
      HILLOCK_CUDA(cudaSetDevice(d));
      const BatchShape part = shape.part(cuts[d], cuts[d + 1]);
      const FlatOnDevice<T> flat(part);
      DeviceBatch<T> batch(part, streamed(), d, sets);
      for (int run = 0; run < 8; ++run) {
        for (int k = 0; k < sets; ++k)
          batch.arrange(flat.diagonal.data(), flat.coupling.data(), flat.rhs.data(), k);
        batch.synchronize();
        meet(2 * run);
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < sets; ++k) batch.solve(k);
        batch.synchronize();
        meet(2 * run + 1);  // until the last device is done
        const std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - begin;
        if (d == 0) times.push_back(took.count() / sets);
      }
    });
  for (auto& thread : threads) thread.join();
  times.erase(times.begin());
  return median(times);
}

template <class T>
void run_devices(const Options& options, Report& report) {
  if (device_count() < 2) {
    std::printf("\none GPU: the comparison of two is left out\n");
    return;
  }
  std::printf("\ntwo GPUs against one, %s, stream: us a solve, wall clock\n",
              precision<T>().c_str());
  for (const auto& c : morphology_classes)
    for (const std::size_t cells : {2560u, 25600u, 256000u}) {
      if (options.quick && cells == 256000) continue;
      const auto shape =
          BatchShape::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const std::size_t bytes = 3 * sizeof(T) * shape.total();
      const int sets =
          static_cast<int>(std::clamp<std::size_t>((std::size_t{16} << 30) / bytes, 4, 50));
      const double one = measure_devices<T>(shape, 1, sets);
      const double two = measure_devices<T>(shape, 2, sets);
      report.row("devices",
                 {{"class", c.name}, {"precision", precision<T>()}, {"layout", "stream"}},
                 {{"cells", static_cast<double>(cells)},
                  {"solves", sets},
                  {"one_us", one},
                  {"two_us", two},
                  {"speedup", one / two}});
      std::printf("%-11s %6zu one %.1f two %.1f: %.2fx\n", c.name, cells, one, two, one / two);
      std::fflush(stdout);
    }
}

template <class T>
void run_tuning(const Options& options, double copy, Report& report) {
  std::printf("\ntuning of stream, %s: us a solve (GB/s)\n", precision<T>().c_str());
  for (const int which : {0, 1, 3, 5})
    for (const std::size_t cells : {2560u, 12800u, 25600u, 256000u}) {
      if (options.quick && cells == 256000) continue;
      const auto& c = morphology_classes[static_cast<std::size_t>(which)];
      const auto shape =
          BatchShape::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const FlatOnDevice<T> flat(shape);
      std::printf("%-11s %6zu floor %.1f |", c.name, cells,
                  4e-3 * sizeof(T) * static_cast<double>(shape.total()) / copy);
      for (const int stages : {2, 3})
        for (const int kept : {0, 1, 2, 3, 5}) {
          if (kept * 16 > c.compartments + 16) continue;
          DeviceArray<T> solution;
          const Measured m = measure(shape, streamed(), flat, solution, {stages, kept});
          const double bytes = 8.0 * sizeof(T) * static_cast<double>(shape.total());
          report.row("tune", {{"class", c.name}, {"precision", precision<T>()}},
                     {{"cells", static_cast<double>(cells)},
                      {"stages", stages},
                      {"kept", kept},
                      {"us", m.solve_us},
                      {"GBps", bytes * 1e-3 / m.solve_us}});
          std::printf(" %d/%d %.1f (%.0f)", stages, kept, m.solve_us, bytes * 1e-3 / m.solve_us);
        }
      std::printf("\n");
      std::fflush(stdout);
    }
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json" && i + 1 < argc)
      options.json = argv[++i];
    else if (word == "--part" && i + 1 < argc)
      options.part = argv[++i];
    else if (word == "--quick")
      options.quick = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  try {
    if (device_count() == 0) throw DeviceError("bench", "hines_batch", describe_device());
    const double copy = copy_bandwidth();
    const char* commit = std::getenv("HILLOCK_COMMIT");
    Report report(options.json);
    report.meta("benchmark", "hines_batch");
    report.meta("gpu", describe_device());
    report.meta("gpus", device_count());
    report.meta("cpu", cpu_name());
    report.meta("threads", omp_get_max_threads());
    report.meta("commit", commit ? commit : "unknown");
    report.meta("build", "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                             std::to_string(__CUDACC_VER_MINOR__) + ", sm_90, -O3");
    report.meta("copy_GBps", copy);
    std::printf("%s; %s, %d threads; copy %.0f GB/s\n", describe_device().c_str(),
                cpu_name().c_str(), omp_get_max_threads(), copy);
    const auto wants = [&](const char* part) {
      return options.part == "all" || options.part == part;
    };
    if (options.part == "tune") {
      run_tuning<double>(options, copy, report);
      run_tuning<float>(options, copy, report);
    }
    if (wants("classes")) {
      run_classes<double>(options, copy, report);
      run_classes<float>(options, copy, report);
    }
    if (wants("variable")) {
      run_variable<double>(options, copy, report);
      run_variable<float>(options, copy, report);
    }
    if (wants("devices")) {
      run_devices<double>(options, report);
      run_devices<float>(options, report);
    }
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
