#include "bench/machine.hpp"

#include <omp.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "bench/build.hpp"
#include "bench/gpu/probe.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::bench {

extern const char* const built_commit;  // written by bench/write_commit.cmake at every build

namespace {

std::string field_of(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key) && line.find(':') + 2 < line.size())
      return line.substr(line.find(':') + 2);
  return "";
}

std::string now() {
  char text[32];
  const std::time_t time = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

}  // namespace

Machine this_machine() {
  Machine m;
  m.device = solver::describe_device();
  m.gpus = solver::device_count();
  if constexpr (with_cuda) {
    const std::string problem = m.gpus > 0 ? why_kernels_do_not_run() : "";
    if (!problem.empty()) {
      m.device = "no GPU: " + m.device + " does not run this build's kernels (" + problem +
                 "); they need compute capability 9.0 (Hopper) or newer";
      m.gpus = 0;
    }
  }
  m.cpu = field_of("/proc/cpuinfo", "model name");
  if (m.cpu.empty()) m.cpu = "unknown CPU";
  m.threads = omp_get_max_threads();
  const char* commit = std::getenv("HILLOCK_COMMIT");
  m.commit = commit ? commit : built_commit;
  m.date = now();
  m.build = HILLOCK_BENCH_BUILD;
  return m;
}

}  // namespace hillock::bench
