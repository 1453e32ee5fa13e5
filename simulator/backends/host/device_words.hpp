#pragma once
// What CUDA C++ has and C++ has not, for a kernel's text that a compiler of the host is given. Each
// thread is a fiber of fibers.cpp, which runs until it has to wait for others.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "simulator/backends/host/host_entry.hpp"

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

struct HostThread {
  struct {
    unsigned x;
  } thread, block, block_size, grid_size;
  void (*sync_block)();
  void (*sync_warp)();
  void (*let_others)();
};
HostThread host_thread;
#define threadIdx host_thread.thread
#define blockIdx host_thread.block
#define blockDim host_thread.block_size
#define gridDim host_thread.grid_size

inline void __syncthreads() {
  host_thread.sync_block();
}
inline void __syncwarp() {
  host_thread.sync_warp();
}
/// Whether it is so for any of those who meet by `sync`.
inline bool any_of(bool is_so, void (*sync)()) {
  static bool found = false;
  if (is_so) found = true;
  sync();
  const bool result = found;
  sync();
  found = false;
  sync();
  return result;
}
inline int __syncthreads_or(int is_so) {
  return any_of(is_so != 0, host_thread.sync_block);
}
inline int __any_sync(unsigned, int is_so) {
  return any_of(is_so != 0, host_thread.sync_warp);
}
/// What read(values) finds when all threads of the warp have given theirs.
template <class Value, class Read>
auto among_warp(Value value, const Read& read) {
  constexpr unsigned lanes = 32, most_warps = 32;
  static Value of_warps[most_warps][lanes];
  Value* const values = of_warps[threadIdx.x / lanes];
  values[threadIdx.x % lanes] = value;
  __syncwarp();
  const auto result = read(values);
  __syncwarp();
  return result;
}
template <class Value>
Value __shfl_sync(unsigned, Value value, int lane) {
  return among_warp(value, [&](const Value* values) { return values[lane]; });
}
inline unsigned __ballot_sync(unsigned, int is_so) {
  return among_warp(is_so, [](const int* values) {
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (values[lane] != 0) all |= 1u << lane;
    return all;
  });
}
inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}
inline void __threadfence() {}

template <class Number>
Number atomicAdd(Number* at, std::type_identity_t<Number> more) {
  const Number before = *at;
  *at += more;
  return before;
}
inline unsigned atomicCAS(unsigned* at, unsigned expected, unsigned wanted) {
  const unsigned before = *at;
  if (before == expected) *at = wanted;
  return before;
}
inline unsigned atomicExch(unsigned* at, unsigned wanted) {
  const unsigned before = *at;
  *at = wanted;
  return before;
}

/// A kernel with arguments of any types.
template <auto kernel>
struct HostKernel;
template <class... Arguments, void (*kernel)(Arguments...)>
struct HostKernel<kernel> {
  template <std::size_t... i>
  static void call(void** arguments, std::index_sequence<i...>) {
    kernel(*static_cast<std::remove_reference_t<Arguments>*>(arguments[i])...);
  }
  static void run(void** arguments) { call(arguments, std::index_sequence_for<Arguments...>()); }
  static constexpr HostEntry entry(const char* name) { return {name, run, {sizeof(Arguments)...}}; }
};

namespace hillock::simulator::on_device {

inline void order_memory() {}
inline double* block_memory() {
  static double of_block[29 << 10];  // as much as the largest device has
  return of_block;
}
template <class Number>
Number read_once(const Number* at) {
  return *at;
}
inline void look_again() {
  host_thread.let_others();
}
inline void meet(unsigned barrier, unsigned threads) {
  static unsigned come[16], rounds[16];
  const unsigned round = rounds[barrier];
  if (++come[barrier] == threads) {
    come[barrier] = 0;
    ++rounds[barrier];
  }
  while (rounds[barrier] == round) look_again();
}

// As much as the largest device has.
__align__(16) double shared[29 << 10];

}  // namespace hillock::simulator::on_device
