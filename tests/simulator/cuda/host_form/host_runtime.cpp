// Of CUDA's runtime what the engine calls, on the host: memory is the host's, what is started on a
// stream is done when it is waited for (host_stream.hpp), and a kernel is a shared library
// (host_compiler.cpp). Linked before CUDA's own.

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"
#include "tests/simulator/cuda/host_form/fibers.hpp"
#include "tests/simulator/cuda/host_form/host_entry.hpp"
#include "tests/simulator/cuda/host_form/host_stream.hpp"

namespace {

/// As in device_words.hpp.
struct HostThread {
  unsigned thread, block, block_size, grid_size;
  void (*sync_block)();
  void (*sync_warp)();
  void (*let_others)();
};

struct LoadedKernel {
  void (*run)(void**) = nullptr;
  HostThread* thread = nullptr;
  std::vector<std::size_t> argument_bytes;
};

struct HostLibrary {
  void* handle = nullptr;
  std::map<std::string, LoadedKernel> kernels;
};

template <class Function>
Function symbol(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  if (!found) throw std::runtime_error(std::string("no symbol ") + name);
  return reinterpret_cast<Function>(found);
}

/// HILLOCK_HOST_ONE_BLOCK: a device of one multiprocessor, whose one block may wait for its grid.
bool has_one_block() {
  return std::getenv("HILLOCK_HOST_ONE_BLOCK") != nullptr;
}

int attribute(cudaDeviceAttr which) {
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
      return 9;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return 227 << 10;
    case cudaDevAttrMultiProcessorCount:
      return has_one_block() ? 1 : 4;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrCooperativeLaunch:
      return has_one_block() ? 1 : 0;
    default:
      return 0;
  }
}

void run(const LoadedKernel& kernel, unsigned blocks, unsigned threads, void** arguments) {
  static std::mutex one_at_a_time;  // of ranks that are threads
  const std::lock_guard lock(one_at_a_time);
  HostThread& thread = *kernel.thread;
  thread.block_size = threads;
  thread.grid_size = blocks;
  for (unsigned b = blocks; b-- > 0;) {  // the CPU's order is nobody's
    thread.block = b;
    host_form::run_block(
        threads, [&](unsigned t) { thread.thread = t; }, [&](unsigned) { kernel.run(arguments); });
  }
}

constexpr std::size_t memory_bytes = std::size_t{4} << 30;

}  // namespace

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
  loaded->handle = dlopen(static_cast<const char*>(code), RTLD_NOW | RTLD_LOCAL);
  if (!loaded->handle) throw std::runtime_error(dlerror());
  auto* const thread = symbol<HostThread*>(loaded->handle, "host_thread");
  thread->sync_block = host_form::sync_block;
  thread->sync_warp = host_form::sync_warp;
  thread->let_others = host_form::let_others;
  for (const auto* entry = symbol<const HostEntry*>(loaded->handle, "host_entries"); entry->name;
       ++entry) {
    LoadedKernel& kernel = loaded->kernels[entry->name];
    kernel = {entry->run, thread, {}};
    std::ranges::copy_if(entry->bytes, std::back_inserter(kernel.argument_bytes),
                         [](std::size_t bytes) { return bytes > 0; });
  }
  *library = reinterpret_cast<cudaLibrary_t>(loaded);
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  auto* const loaded = reinterpret_cast<HostLibrary*>(library);
  dlclose(loaded->handle);
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
  std::vector<std::vector<std::max_align_t>> copies;
  for (std::size_t a = 0; a < kernel.argument_bytes.size(); ++a) {
    const std::size_t bytes = kernel.argument_bytes[a];
    copies.emplace_back(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copies.back().data(), arguments[a], bytes);
  }
  host_form::start([&kernel, copies = std::move(copies), blocks, threads]() mutable {
    std::vector<void*> all;
    for (auto& copy : copies) all.push_back(copy.data());
    run(kernel, blocks.x, threads.x, all.data());
  });
  return cudaSuccess;
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 blocks, dim3 threads,
                                        void** arguments, size_t bytes, cudaStream_t stream) {
  if (blocks.x > 1) return cudaErrorCooperativeLaunchTooLarge;  // one is run after the other
  return cudaLaunchKernel(function, blocks, threads, arguments, bytes, stream);
}

}  // extern "C"
