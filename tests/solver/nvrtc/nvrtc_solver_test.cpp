// The solvers' functions for a kernel's own use compile with NVRTC, without a single standard
// header. Needs no GPU.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/nvrtc/device_program.hpp"

namespace {

std::string read(const std::string& path) {
  std::ifstream file(HILLOCK_SOURCE_DIR "/" + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A cell a block (or a warp, or a thread) in shared memory, its values interleaved with others'.
const char* const kernel = R"(
#include "solver/contraction/team_solve.hpp"
using namespace hillock::solver;

template <class Real>
struct Interleaved {
  const Real *d, *a;
  Real* v;
  Pair<Real>*entries, *slots;
  int cells, cell;
  __device__ Real diagonal(int node) const { return d[node * cells + cell]; }
  __device__ Real coupling(int node) const { return a[node]; }
  __device__ Real& x(int node) const { return v[node * cells + cell]; }
  __device__ Pair<Real>& inbox(int entry) const { return entries[entry]; }
  __device__ Pair<Real>& edges(int task) const { return slots[task]; }
  __device__ Real& edge(int slot) const { return reinterpret_cast<Real*>(slots)[slot]; }
  __device__ Pair<Real>& factors(int task) const { return slots[task]; }
};

template <class Real, class Team>
__device__ void step(const Team& team, contraction::Tables tree, const Real* d, const Real* a,
                     Real* v, int cells, int cell) {
  extern __shared__ __align__(16) unsigned char memory[];
  Pair<Real>* const entries = reinterpret_cast<Pair<Real>*>(memory);
  Interleaved<Real> values{d, a, v, entries, entries + tree.entries, cells, cell};
  contraction::place_couplings(team, tree, values);
  contraction::solve<Real>(team, tree, values);
}

extern "C" __global__ void by_blocks(contraction::Tables tree, const double* d, const double* a,
                                     double* v) {
  step<double>(BlockTeam{}, tree, d, a, v, gridDim.x, blockIdx.x);
}
extern "C" __global__ void by_warps(contraction::Tables tree, const float* d, const float* a,
                                    float* v) {
  step<float>(WarpTeam{}, tree, d, a, v, gridDim.x, blockIdx.x);
}
extern "C" __global__ void by_threads(contraction::Tables tree, const double* d, const double* a,
                                      double* v) {
  step<double>(TeamOfOne{}, tree, d, a, v, gridDim.x, blockIdx.x);
}
)";

TEST(NvrtcSolver, CompilesContractionIntoAnotherKernel) {
  std::vector<hillock::DeviceHeader> headers;
  for (const char* const name :
       {"solver/arithmetic.hpp", "solver/team.hpp", "solver/contraction/elimination.hpp",
        "solver/contraction/team_solve.hpp"})
    headers.push_back({name, read(name)});
  const hillock::DeviceProgram program = hillock::compile_for_device(kernel, headers);
  ASSERT_TRUE(program.compiled) << program.log;
  EXPECT_GT(program.bytes, 1000u);
}

}  // namespace
