// The interface by CUDA's runtime.

#include "solver/device/runtime.hpp"

#include <cuda_runtime.h>

#include "solver/cuda/memory.cuh"

namespace hillock::device {

namespace {

cudaStream_t own(Stream stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}
cudaEvent_t own(Mark mark) {
  return reinterpret_cast<cudaEvent_t>(mark);
}
cudaLibrary_t own(Library library) {
  return reinterpret_cast<cudaLibrary_t>(library);
}
const void* function_of(Kernel kernel) {
  return reinterpret_cast<const void*>(kernel);
}

int current_device() {
  int device = 0;
  HILLOCK_CUDA(cudaGetDevice(&device));
  return device;
}

cudaMemcpyKind own(Way way) {
  switch (way) {
    case Way::in:
      return cudaMemcpyHostToDevice;
    case Way::out:
      return cudaMemcpyDeviceToHost;
    default:
      return cudaMemcpyDeviceToDevice;
  }
}

}  // namespace

Machine machine() {
  const int device = current_device();
  Machine machine;
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    HILLOCK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  machine.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                       attribute(cudaDevAttrComputeCapabilityMinor);
  machine.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  machine.warp = attribute(cudaDevAttrWarpSize);
  machine.threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  machine.registers = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  machine.shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  machine.block_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  machine.launches_together = attribute(cudaDevAttrCooperativeLaunch) != 0;
  return machine;
}

void* take(std::size_t bytes) {
  return solver::allocate_on_device(bytes);
}
void* try_take(std::size_t bytes) {
  void* address = nullptr;
  const cudaError_t status = cudaMalloc(&address, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // or the next call returns it
    return nullptr;
  }
  solver::check_cuda(status, "cudaMalloc", __FILE__, __LINE__);
  return address;
}
void give_back(void* address) noexcept {
  cudaFree(address);
}
void* take_of_host(std::size_t bytes) {
  void* address = nullptr;
  HILLOCK_CUDA(cudaHostAlloc(&address, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
  return address;
}
void give_back_of_host(void* address) noexcept {
  cudaFreeHost(address);
}

void copy(void* to, const void* from, std::size_t bytes, Way way) {
  HILLOCK_CUDA(cudaMemcpy(to, from, bytes, own(way)));
}
void copy(void* to, const void* from, std::size_t bytes, Way way, Stream stream) {
  HILLOCK_CUDA(cudaMemcpyAsync(to, from, bytes, own(way), own(stream)));
}
void clear(void* to, std::size_t bytes) {
  HILLOCK_CUDA(cudaMemset(to, 0, bytes));
}
void clear(void* to, std::size_t bytes, Stream stream) {
  HILLOCK_CUDA(cudaMemsetAsync(to, 0, bytes, own(stream)));
}

Stream make_stream(Urgency urgency) {
  cudaStream_t stream = nullptr;
  int least = 0, greatest = 0;
  if (urgency == Urgency::first) HILLOCK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  HILLOCK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  return reinterpret_cast<Stream>(stream);
}
void drop(Stream stream) noexcept {
  if (stream) cudaStreamDestroy(own(stream));
}
bool is_done(Stream stream) {
  const cudaError_t status = cudaStreamQuery(own(stream));
  if (status == cudaErrorNotReady) return false;
  HILLOCK_CUDA(status);
  return true;
}
void wait(Stream stream) {
  HILLOCK_CUDA(cudaStreamSynchronize(own(stream)));
}
void wait() {
  HILLOCK_CUDA(cudaDeviceSynchronize());
}
void wait_before_leaving() noexcept {
  cudaDeviceSynchronize();
}

Mark make_mark(Clock clock) {
  cudaEvent_t event = nullptr;
  HILLOCK_CUDA(cudaEventCreateWithFlags(
      &event, clock == Clock::kept ? cudaEventDefault : cudaEventDisableTiming));
  return reinterpret_cast<Mark>(event);
}
void drop(Mark mark) noexcept {
  if (mark) cudaEventDestroy(own(mark));
}
void record(Mark mark, Stream stream) {
  HILLOCK_CUDA(cudaEventRecord(own(mark), own(stream)));
}
void hold(Stream stream, Mark mark) {
  HILLOCK_CUDA(cudaStreamWaitEvent(own(stream), own(mark), 0));
}
void wait(Mark mark) {
  HILLOCK_CUDA(cudaEventSynchronize(own(mark)));
}
double seconds_between(Mark begin, Mark end) {
  float ms = 0;
  HILLOCK_CUDA(cudaEventElapsedTime(&ms, own(begin), own(end)));
  return static_cast<double>(ms) * 1e-3;
}

Library load(const std::string& code) {
  cudaLibrary_t library = nullptr;
  HILLOCK_CUDA(
      cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  return reinterpret_cast<Library>(library);
}
void drop(Library library) noexcept {
  if (library) cudaLibraryUnload(own(library));
}
Kernel kernel_of(Library library, const char* name) {
  cudaKernel_t kernel = nullptr;
  HILLOCK_CUDA(cudaLibraryGetKernel(&kernel, own(library), name));
  return reinterpret_cast<Kernel>(kernel);
}
KernelNeed need_of(Kernel kernel) {
  cudaFuncAttributes attributes{};
  HILLOCK_CUDA(cudaFuncGetAttributes(&attributes, function_of(kernel)));
  KernelNeed need{attributes.numRegs, attributes.localSizeBytes, attributes.sharedSizeBytes, 0};
  std::size_t offset = 0;
  HILLOCK_CUDA(cudaFuncGetParamInfo(function_of(kernel), 0, &offset, &need.first_argument_bytes));
  return need;
}
void allow_shared(Kernel kernel, std::size_t bytes) {
  HILLOCK_CUDA(cudaKernelSetAttributeForDevice(reinterpret_cast<cudaKernel_t>(kernel),
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(bytes), current_device()));
}

int blocks_at_once(Kernel kernel, const Grid& grid) {
  int blocks = 0;
  HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function_of(kernel), static_cast<int>(grid.threads), grid.shared_bytes));
  return blocks;
}
void launch(Kernel kernel, const Grid& grid, void** arguments, Stream stream) {
  if (grid.neighbours == 1) {
    HILLOCK_CUDA(cudaLaunchKernel(function_of(kernel), dim3(grid.blocks), dim3(grid.threads),
                                  arguments, grid.shared_bytes, own(stream)));
    return;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {grid.neighbours, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((grid.blocks + grid.neighbours - 1) / grid.neighbours * grid.neighbours);
  config.blockDim = dim3(grid.threads);
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = own(stream);
  config.attrs = &cluster;
  config.numAttrs = 1;
  HILLOCK_CUDA(cudaLaunchKernelExC(&config, function_of(kernel), arguments));
}
void launch_together(Kernel kernel, const Grid& grid, void** arguments, Stream stream) {
  HILLOCK_CUDA(cudaLaunchCooperativeKernel(function_of(kernel), dim3(grid.blocks),
                                           dim3(grid.threads), arguments, grid.shared_bytes,
                                           own(stream)));
}

void check(int answer, const char* call) {
  solver::check_cuda(static_cast<cudaError_t>(answer), call, __FILE__, __LINE__);
}

}  // namespace hillock::device
