#include "simulator/backends/cuda/device_memory.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "solver/cuda/device.hpp"

namespace hillock::simulator::cuda {

namespace {

/// What memory of the device comes in, at least: the alignment of cudaMalloc().
constexpr std::size_t grain_bytes = 256;

std::size_t in_grains(std::size_t bytes) {
  return (bytes + grain_bytes - 1) / grain_bytes * grain_bytes;
}

}  // namespace

DeviceMemory::DeviceMemory(Kind kind)
    : kind_(kind), is_there_(kind == Kind::taken), room_(solver::room_of_device()) {}

DeviceMemory::~DeviceMemory() {
  for (void* address : taken_) cudaFree(address);
}

void* DeviceMemory::take_bytes(std::size_t bytes, DeviceUse use) {
  if (bytes == 0) return nullptr;
  // Never read: it is told from others and from none.
  void* const nowhere = std::bit_cast<void*>(std::uintptr_t{grain_bytes + bytes_.all()});
  bytes_.of(use) += in_grains(bytes);
  if (!is_there_) return nowhere;
  void* address = nullptr;
  if (is_complete_) {
    address = solver::allocate_on_device(bytes);
    taken_.insert(address);
    return address;
  }
  const cudaError_t status = cudaMalloc(&address, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // or the next call returns it
    is_there_ = false;
    // What others may use meanwhile; the rest is only counted.
    for (void* taken : taken_) cudaFree(taken);
    taken_.clear();
    return nowhere;
  }
  solver::check_cuda(status, "cudaMalloc", __FILE__, __LINE__);
  taken_.insert(address);
  return address;
}

void DeviceMemory::give_back(void* address, std::size_t bytes, DeviceUse use) {
  if (bytes == 0) return;
  bytes_.of(use) -= in_grains(bytes);
  if (taken_.erase(address) > 0) cudaFree(address);
}

DeviceReport DeviceMemory::report() const {
  DeviceReport report;
  report.device = solver::describe_device();
  report.bytes = bytes_;
  report.free_bytes = room_.free_bytes;
  report.total_bytes = room_.total_bytes;
  return report;
}

void DeviceMemory::need_all() {
  is_complete_ = is_there_;
  if (is_there_ || kind_ == Kind::counted) return;
  const auto text = [](std::size_t bytes) { return solver::gigabytes(bytes); };
  std::string parts;
  for (const auto& [use, name] : device_uses)
    if (bytes_.of(use) > 0)
      parts += fmt::format("{}{} for {}", parts.empty() ? "" : ", ", text(bytes_.of(use)), name);
  throw solver::DeviceExhausted(fmt::format(
      "the GPU's memory does not suffice: the model needs {} there ({}), and {} of its {} are "
      "free. Fewer cells or connections need less, and on the CPU (--backend cpu) the machine's "
      "memory counts; nvidia-smi shows what others use",
      text(bytes_.all()), parts, text(room_.free_bytes), text(room_.total_bytes)));
}

}  // namespace hillock::simulator::cuda
