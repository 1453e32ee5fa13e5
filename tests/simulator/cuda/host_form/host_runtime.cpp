// Of CUDA's runtime what the engine calls, on the host: memory is the host's, what is started on a
// stream is done when it is waited for (host_stream.hpp), and a kernel is a shared library
// (host_compiler.cpp). Linked before CUDA's own.

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simulator/backends/cuda/device/point_views.hpp"
#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"
#include "tests/simulator/cuda/host_form/fibers.hpp"
#include "tests/simulator/cuda/host_form/host_entry.hpp"
#include "tests/simulator/cuda/host_form/host_runtime.hpp"
#include "tests/simulator/cuda/host_form/host_stream.hpp"

namespace {

/// As in device_words.hpp.
struct HostThread {
  unsigned thread, block, block_size, grid_size;
  void (*sync_block)();
  void (*sync_warp)();
  void (*let_others)();
};

/// A kernel with what its block's threads share.
struct KernelOfBlock {
  void (*run)(void**) = nullptr;
  HostThread* thread = nullptr;
};

struct LoadedKernel {
  std::vector<KernelOfBlock> blocks;  ///< for as many as run at once
  std::vector<std::size_t> argument_bytes;
};

struct HostLibrary {
  std::vector<void*> handles;  ///< a copy of the library for each block that runs at once
  std::map<std::string, LoadedKernel> kernels;
};

template <class Function>
Function symbol(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  if (!found) throw std::runtime_error(std::string("no symbol ") + name);
  return reinterpret_cast<Function>(found);
}

/// HILLOCK_HOST_TOGETHER: a device of so many multiprocessors, whose blocks may wait for their
/// grid.
int multiprocessors_together() {
  const char* const number = std::getenv("HILLOCK_HOST_TOGETHER");
  return number ? std::atoi(number) : 0;
}

int attribute(cudaDeviceAttr which) {
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
      return 9;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return 227 << 10;
    case cudaDevAttrMultiProcessorCount:
      return multiprocessors_together() > 0 ? multiprocessors_together() : 4;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrCooperativeLaunch:
      return multiprocessors_together() > 0 ? 1 : 0;
    default:
      return 0;
  }
}

std::mutex one_at_a_time;  // of ranks that are threads

void run(const LoadedKernel& kernel, unsigned blocks, unsigned threads, void** arguments) {
  const std::lock_guard lock(one_at_a_time);
  const auto& [run, thread] = kernel.blocks.front();
  thread->block_size = threads;
  thread->grid_size = blocks;
  for (unsigned b = blocks; b-- > 0;) {  // the CPU's order is nobody's
    thread->block = b;
    host_form::run_blocks(
        {1, threads}, [&](unsigned, unsigned t) { thread->thread = t; },
        [&](unsigned, unsigned) { run(arguments); });
  }
}

void run_together(const LoadedKernel& kernel, unsigned blocks, unsigned threads, void** arguments) {
  const std::lock_guard lock(one_at_a_time);
  for (unsigned b = 0; b < blocks; ++b) {
    HostThread& thread = *kernel.blocks[b].thread;
    thread.block_size = threads;
    thread.grid_size = blocks;
    thread.block = b;
  }
  host_form::run_blocks(
      {blocks, threads}, [&](unsigned b, unsigned t) { kernel.blocks[b].thread->thread = t; },
      [&](unsigned b, unsigned) { kernel.blocks[b].run(arguments); });
}

using Arguments = std::vector<std::vector<std::max_align_t>>;

/// What a kernel is given stays as it was when it was launched.
template <class Run>
void start(const LoadedKernel& kernel, void** arguments, const Run& run) {
  Arguments copies;
  for (std::size_t a = 0; a < kernel.argument_bytes.size(); ++a) {
    const std::size_t bytes = kernel.argument_bytes[a];
    copies.emplace_back(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copies.back().data(), arguments[a], bytes);
  }
  host_form::start([copies = std::move(copies), run]() mutable {
    std::vector<void*> all;
    for (auto& copy : copies) all.push_back(copy.data());
    run(all.data());
  });
}

/// A library's copies have variables of their own; they are files only until they are loaded.
void* load_copy(const std::string& path, int number) {
  static std::atomic<int> copies = 0;
  std::string file = path;
  if (number > 0) {
    file += fmt::format(".{}.{}", getpid(), copies++);
    std::filesystem::copy_file(path, file);
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (number > 0) std::filesystem::remove(file);
  if (!handle) throw std::runtime_error(dlerror());
  return handle;
}

host_form::TogetherCounts together_counts;

constexpr std::size_t memory_bytes = std::size_t{4} << 30;

}  // namespace

host_form::TogetherCounts host_form::counts_together() {
  const std::lock_guard lock(one_at_a_time);
  return together_counts;
}

namespace hillock::solver {

DeviceAnswers ask_device(int) {
  DeviceAnswers answers;
  answers.driver_version = answers.runtime_version = CUDART_VERSION;
  answers.devices = 1;
  answers.name = "the host";
  answers.capability = 90;
  return answers;
}

}  // namespace hillock::solver

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  return *value = attribute(which), cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "the host");
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return *free_bytes = *total_bytes = memory_bytes, cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error";
}
cudaError_t cudaDeviceSynchronize() {
  return host_form::do_all(), cudaSuccess;
}

cudaError_t cudaMalloc(void** address, size_t bytes) {
  *address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*address) std::memset(*address, 0xff, bytes);  // NaNs: nobody may rely on zeros
  return *address ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* address) {
  host_form::do_all();
  if (address) std::memset(address, 0xff, malloc_usable_size(address));
  return std::free(address), cudaSuccess;
}
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned) {
  return cudaMalloc(address, bytes);
}
cudaError_t cudaFreeHost(void* address) {
  return cudaFree(address);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return host_form::start([=] { cudaMemcpy(to, from, bytes, kind); }), cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return std::memset(to, value, bytes), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  return host_form::start([=] { cudaMemset(to, value, bytes); }), cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return *stream = nullptr, cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return *stream = nullptr, cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return *least = *greatest = 0, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return host_form::do_next() ? cudaErrorNotReady : cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return host_form::do_all(), cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = reinterpret_cast<cudaEvent_t>(new std::uint64_t{0}), cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<std::uint64_t*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *reinterpret_cast<std::uint64_t*>(event) = host_form::started();
  return cudaSuccess;
}
/// The host has no clock for it.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  return *ms = 0, cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return host_form::do_until(*reinterpret_cast<std::uint64_t*>(event)), cudaSuccess;
}

/// code: the path of a shared library, ended by 0.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  auto* const loaded = new HostLibrary;
  for (int copy = 0; copy < std::max(1, multiprocessors_together()); ++copy) {
    void* const handle = load_copy(static_cast<const char*>(code), copy);
    loaded->handles.push_back(handle);
    auto* const thread = symbol<HostThread*>(handle, "host_thread");
    thread->sync_block = host_form::sync_block;
    thread->sync_warp = host_form::sync_warp;
    thread->let_others = host_form::let_others;
    for (const auto* entry = symbol<const HostEntry*>(handle, "host_entries"); entry->name;
         ++entry) {
      LoadedKernel& kernel = loaded->kernels[entry->name];
      kernel.blocks.push_back({entry->run, thread});
      kernel.argument_bytes.clear();
      std::ranges::copy_if(entry->bytes, std::back_inserter(kernel.argument_bytes),
                           [](std::size_t bytes) { return bytes > 0; });
    }
  }
  *library = reinterpret_cast<cudaLibrary_t>(loaded);
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  auto* const loaded = reinterpret_cast<HostLibrary*>(library);
  for (void* const handle : loaded->handles) dlclose(handle);
  delete loaded;
  return cudaSuccess;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  auto* const loaded = reinterpret_cast<HostLibrary*>(library);
  const auto found = loaded->kernels.find(name);
  if (found == loaded->kernels.end()) return cudaErrorSymbolNotFound;
  *kernel = reinterpret_cast<cudaKernel_t>(&found->second);
  return cudaSuccess;
}
cudaError_t cudaFuncGetParamInfo(const void* kernel, size_t, size_t* offset, size_t* bytes) {
  *offset = 0;
  *bytes = static_cast<const LoadedKernel*>(kernel)->argument_bytes.front();
  return cudaSuccess;
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, cudaFuncAttribute, int, int) {
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  return *attributes = {}, cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  return *blocks = 1, cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** arguments,
                             size_t, cudaStream_t) {
  const auto& kernel = *static_cast<const LoadedKernel*>(function);
  start(kernel, arguments,
        [&kernel, blocks, threads](void** copies) { run(kernel, blocks.x, threads.x, copies); });
  return cudaSuccess;
}
/// Of point neurons alone.
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 blocks, dim3 threads,
                                        void** arguments, size_t, cudaStream_t) {
  const auto& kernel = *static_cast<const LoadedKernel*>(function);
  if (blocks.x > kernel.blocks.size()) return cudaErrorCooperativeLaunchTooLarge;
  const auto* const network =
      static_cast<const hillock::simulator::cuda::PointNetwork*>(arguments[0]);
  ++(network->is_apart ? together_counts.apart : together_counts.all_warps);
  together_counts.blocks = blocks.x;
  start(kernel, arguments, [&kernel, blocks, threads](void** copies) {
    run_together(kernel, blocks.x, threads.x, copies);
  });
  return cudaSuccess;
}

}  // extern "C"
