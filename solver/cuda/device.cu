#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::solver {

namespace {

/// Of CUDA: 13000; 0 where there is no driver. Asked of the driver itself: CUDA's runtime tells
/// nothing of one that it does not get on with.
int version_of_driver() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return 0;
  int version = 0;
  const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  if (!ask || ask(&version) != 0) version = 0;
  return version;
}

}  // namespace

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string describe_device(int device) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess) {
    const DeviceState state = judge(ask_device(device), 0);
    if (state.kind == DeviceState::Kind::absent) return state.why;
    return "no GPU: " + (state.why.empty() ? cudaGetErrorString(status) : state.why);
  }
  return std::string(properties.name) + ", " + std::to_string(properties.multiProcessorCount) +
         " multiprocessors, " + std::to_string(properties.totalGlobalMem >> 30) + " GiB";
}

DeviceTraits traits_of_device(int device) {
  cudaDeviceProp properties;
  HILLOCK_CUDA(cudaGetDeviceProperties(&properties, device));
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    HILLOCK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return static_cast<double>(value);
  };
  DeviceTraits traits;
  traits.name = properties.name;
  traits.multiprocessors = properties.multiProcessorCount;
  traits.clock_GHz = attribute(cudaDevAttrClockRate) * 1e-6;
  // Two transfers a clock, width in bits.
  traits.memory_GBps = 2 * attribute(cudaDevAttrMemoryClockRate) * 1e-6 *
                       attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  traits.cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  traits.shared_bytes = properties.sharedMemPerMultiprocessor;
  return traits;
}

DeviceAnswers ask_device(int device) {
  DeviceAnswers answers;
  answers.runtime_version = CUDART_VERSION;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    answers.visible = std::string("CUDA_VISIBLE_DEVICES=") + visible;
  answers.driver_version = version_of_driver();
  if (answers.driver_version == 0) return answers;
  const cudaError_t counted = cudaGetDeviceCount(&answers.devices);
  if (counted != cudaSuccess) answers.devices = 0;
  if (answers.devices <= device) {
    answers.devices = 0;
    if (counted != cudaSuccess && counted != cudaErrorNoDevice)
      answers.count_problem = cudaGetErrorString(counted);
    cudaGetLastError();
    return answers;
  }
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) answers.name = properties.name;
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
  };
  answers.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                       attribute(cudaDevAttrComputeCapabilityMinor);
  answers.is_closed = attribute(cudaDevAttrComputeMode) == cudaComputeModeProhibited;
  if (answers.is_closed) return answers;
  cudaError_t made = cudaSetDevice(device);
  if (made == cudaSuccess) made = cudaFree(nullptr);
  using Context = DeviceAnswers::Context;
  if (made == cudaErrorDevicesUnavailable)
    answers.context = Context::device_is_taken;
  else if (made == cudaErrorMemoryAllocation)
    answers.context = Context::no_memory;
  else if (made != cudaSuccess)
    answers.context = Context::refused;
  if (made != cudaSuccess) {
    answers.context_problem = cudaGetErrorString(made);
    cudaGetLastError();
  }
  return answers;
}

DeviceRoom room_of_device() {
  DeviceRoom room;
  HILLOCK_CUDA(cudaMemGetInfo(&room.free_bytes, &room.total_bytes));
  return room;
}

void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line) {
  const std::string words = cudaGetErrorString(status);
  if (status != cudaErrorMemoryAllocation && status != cudaErrorLaunchOutOfResources)
    throw DeviceError(call, std::string(file) + ":" + std::to_string(line), words);
  cudaGetLastError();  // or the next call returns it
  throw DeviceExhausted(std::string("the GPU has not enough for a run: ") + call + ": " + words);
}

void* allocate_on_device(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaSuccess) return data;
  if (status != cudaErrorMemoryAllocation)
    throw_cuda_error(status, "cudaMalloc", __FILE__, __LINE__);
  cudaGetLastError();
  const DeviceRoom room = room_of_device();
  throw DeviceExhausted("the GPU's memory is used up: " + gigabytes(bytes) + " more are needed, " +
                        gigabytes(room.free_bytes) + " of its " + gigabytes(room.total_bytes) +
                        " are free");
}

}  // namespace hillock::solver
