// Many traces of one cell: does Stone's recursive doubling (segment method) or the branch method
// solve them faster, and where?
//
// Axes: the paper's fork (320, 640, 960 segments) and binary trees (depth 5 to 10) × 1 to 13 traces
// of a cell × 1 to 128 cells × a warp a trace (the paper's mapping) or a block of 256 a trace,
// float (the paper's) and double. Time a solve inside one kernel that solves 100 times, each from
// the inputs anew, and of single launches; medians between CUDA events after warm-up. Floor:
// n·(log2(depth)+1) fused operations by 32 lanes and as many shared-memory accesses; memory is not
// the limit, for the inputs of all cells fit in the L2 cache and are meant to: a simulation
// assembles them on the chip.
//
//   bench_stone [--json FILE]

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "solver/cuda/memory.cuh"
#include "solver/stone/device_traces.hpp"

using namespace hillock;
using namespace hillock::solver;
using namespace hillock::solver::stone;

namespace {

template <class T>
Values<T> random_values(const std::vector<int>& parent, BatchSize size) {
  RandomStream draw(1, Purpose::stimulus, {parent.size(), 0, 0});
  const std::size_t n = parent.size();
  Values<T> v;
  for (int cell = 0; cell < size.n_cells; ++cell) {
    std::vector<double> coupling(n), axial(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      coupling[i] = 10 * (0.5 + draw.uniform());
      v.coupling.push_back(static_cast<T>(coupling[i]));
      if (i == 0) continue;
      axial[i] += coupling[i];
      axial[static_cast<std::size_t>(parent[i])] += coupling[i];
    }
    for (int trace = 0; trace < size.n_traces; ++trace)
      for (std::size_t i = 0; i < n; ++i) {
        v.diagonal.push_back(static_cast<T>(axial[i] + 1 + draw.uniform()));
        v.rhs.push_back(static_cast<T>(2 * draw.uniform() - 1));
      }
  }
  return v;
}

template <class Work>
double median_us(cudaStream_t stream, int runs, Work work) {
  cudaEvent_t begin, end;
  HILLOCK_CUDA(cudaEventCreate(&begin));
  HILLOCK_CUDA(cudaEventCreate(&end));
  std::vector<double> times;
  for (int k = 0; k <= runs; ++k) {
    HILLOCK_CUDA(cudaEventRecord(begin, stream));
    work();
    HILLOCK_CUDA(cudaEventRecord(end, stream));
    HILLOCK_CUDA(cudaEventSynchronize(end));
    float ms = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&ms, begin, end));
    if (k > 0) times.push_back(1e3 * ms);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Tree {
  std::string name;
  std::vector<int> parent;
};

std::vector<Tree> trees() {
  std::vector<Tree> all;
  for (const int n : {320, 640, 960}) all.push_back({"fork " + std::to_string(n), make_fork(n)});
  for (int depth = 5; depth <= 10; ++depth)
    all.push_back({"binary " + std::to_string(depth), make_binary_tree(depth)});
  return all;
}

template <class T>
void run(std::string& rows) {
  const char* precision = sizeof(T) == 8 ? "double" : "float";
  std::printf("\n%s: us a solve in one kernel: segment/branch, a warp a trace; a block a trace\n",
              precision);
  for (const auto& tree : trees()) {
    const Schedule schedule = make_schedule(tree.parent);
    for (const int cells : {1, 14, 128})
      for (const int traces : {1, 4, 8, 13}) {
        DeviceTraces<T> device(schedule, {cells, traces});
        device.upload(random_values<T>(tree.parent, {cells, traces}));
        const auto stream = static_cast<cudaStream_t>(device.stream());
        double us[2][2];
        for (int t = 0; t < 2; ++t)
          for (int m = 0; m < 2; ++m) {
            LaunchOptions options{m == 0 ? BackSubstitution::segment : BackSubstitution::branch,
                                  t == 0 ? 32 : 256, 100};
            us[t][m] = median_us(stream, 3, [&] { device.solve(options); }) / options.repeats;
            options.repeats = 1;
            const double single = median_us(stream, 9, [&] { device.solve(options); });
            char row[512];
            std::snprintf(row, sizeof row,
                          "    {\"tree\": \"%s\", \"segments\": %d, \"cells\": %d, \"traces\": %d, "
                          "\"precision\": \"%s\", \"method\": \"%s\", \"team\": %d, \"us\": %.4g, "
                          "\"single_launch_us\": %.4g}",
                          tree.name.c_str(), schedule.n, cells, traces, precision,
                          m == 0 ? "segment" : "branch", options.team, us[t][m], single);
            rows += (rows.empty() ? "" : ",\n") + std::string(row);
          }
        if (traces == 1 || traces == 13)
          std::printf("%-10s cells %3d traces %2d: %7.2f/%7.2f %s; %7.2f/%7.2f %s\n",
                      tree.name.c_str(), cells, traces, us[0][0], us[0][1],
                      us[0][0] < us[0][1] ? "segment" : "branch ", us[1][0], us[1][1],
                      us[1][0] < us[1][1] ? "segment" : "branch");
      }
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string json = argc == 3 && std::string(argv[1]) == "--json" ? argv[2] : "";
  try {
    if (device_count() == 0) throw DeviceError("bench", "stone", describe_device());
    std::printf("%s\n", describe_device().c_str());
    std::string rows;
    run<float>(rows);
    run<double>(rows);
    if (json.empty()) return 0;
    const char* commit = std::getenv("HILLOCK_COMMIT");
    std::ofstream(json) << "{\n  \"benchmark\": \"stone\",\n  \"gpu\": \"" << describe_device()
                        << "\",\n  \"commit\": \"" << (commit ? commit : "unknown")
                        << "\",\n  \"build\": \"nvcc " << __CUDACC_VER_MAJOR__ << "."
                        << __CUDACC_VER_MINOR__ << ", sm_90, -O3\",\n  \"rows\": [\n"
                        << rows << "\n  ]\n}\n";
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
