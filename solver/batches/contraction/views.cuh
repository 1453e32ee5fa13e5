#pragma once
// What the kernels of contraction are handed: tasks, where their values lie, cells and their
// matrices.

#include <cuda_runtime.h>

#include <cstdint>

#include "solver/contraction/team_solve.hpp"

namespace hillock::solver::contraction {

inline constexpr std::uint16_t none = 0xffff;
/// Later steps share one barrier and its warps. A multiprocessor has 64 barriers for its blocks.
constexpr int last_named_step(bool few_names) {
  return few_names ? 5 : 13;
}

/// One task in 16 bytes, which a thread keeps in four registers and unpacks where it needs a field.
/// Places and entries have their gaps counted in.
struct alignas(16) PackedTask {
  std::uint32_t place_a = 0xffffffffu;  ///< its node's place in v (none for a fold or padding), a's
  std::uint32_t b_give_a = 0xffffffffu;  ///< b's place, entry of its contribution to a
  std::uint32_t give_b_edge =
      0xffffffffu;                       ///< entry of its contribution to b, slot of the new edge
  std::uint32_t inbox_entries_step = 0;  ///< first entry (gaps not counted), how many, step << 24
};
__host__ __device__ inline std::uint32_t low(std::uint32_t word) {
  return word & 0xffffu;
}
__host__ __device__ inline std::uint32_t high(std::uint32_t word) {
  return word >> 16;
}

template <class Real>
struct TemplateView {
  const PackedTask* tasks = nullptr;  ///< [K·T], padding first
  /// [K·T] how many entries a task adds up ahead of its own step: bits 2s, 2s+1 for step s < 16.
  const std::uint32_t* arrivals = nullptr;
  const std::uint8_t* first_warp = nullptr;  ///< [steps] first warp that takes part in a step
  const Real* edges = nullptr;       ///< [2·K·T] couplings, 0 where an elimination gives them
  const int* coupling_of = nullptr;  ///< [2·K·T] the same as node numbers, -1 for none
  int nodes = 0, steps = 0, entry_places = 0;
  int pairs = 0;          ///< of inbox and v together
  int zero_place = 0;     ///< of v
  bool all_meet = false;  ///< every warp takes part in every step
};

/// A run of cells of one template, for one team.
struct Work {
  int tree = 0, begin = 0, end = 0;  ///< cells cell_list[begin … end)
};

template <class Real>
struct RegisterArguments {
  const TemplateView<Real>* templates;
  const Work* work;
  int work_count;
  const int* cell_list;
  const std::size_t* offsets;  ///< [cell]
  const Real* diagonal;
  Real* rhs;
  const Real* coupling;  ///< per system, or null
  int repeats;
  int team_bytes;  ///< shared memory of one team
};

__host__ __device__ inline int node_place(int node) {
  return node + (node >> 4);
}
__device__ inline int node_at_place(int place) {
  return place - place / 17;
}
__host__ __device__ inline int entry_place(int entry) {
  return entry + (entry >> 3);
}

/// One template for the global kernel: the schedule as it is.
template <class Real>
struct GlobalView {
  Tables tables;
  const Real* coupling = nullptr;  ///< [node], shared by the template's cells, or null
};

template <class Real>
struct GlobalArguments {
  const GlobalView<Real>* templates;
  const Work* work;
  const int* cell_list;
  const std::size_t* offsets;
  const Real* diagonal;
  Real* rhs;
  const Real* coupling;  ///< per system, or null
  Real* scratch;         ///< [block][stride]: inbox, edges, factors
  std::size_t scratch_stride;
  int repeats;
};

}  // namespace hillock::solver::contraction
