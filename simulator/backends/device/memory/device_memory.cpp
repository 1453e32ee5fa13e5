#include "simulator/backends/device/memory/device_memory.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

namespace {

/// What memory of the device comes in, at least: the alignment of CUDA's.
constexpr std::size_t grain_bytes = 256;

std::size_t in_grains(std::size_t bytes) {
  return (bytes + grain_bytes - 1) / grain_bytes * grain_bytes;
}

}  // namespace

DeviceMemory::DeviceMemory(Kind kind)
    : kind_(kind), is_there_(kind == Kind::taken), room_(solver::room_of_device()) {}

DeviceMemory::~DeviceMemory() {
  for (void* address : taken_) device::give_back(address);
}

void* DeviceMemory::take_bytes(std::size_t bytes, DeviceUse use) {
  if (bytes == 0) return nullptr;
  // Never read: it is told from others and from none.
  void* const nowhere = std::bit_cast<void*>(std::uintptr_t{grain_bytes + bytes_.all()});
  bytes_.of(use) += in_grains(bytes);
  if (!is_there_) return nowhere;
  void* const address = is_complete_ ? device::take(bytes) : device::try_take(bytes);
  if (!address) {
    is_there_ = false;
    // What others may use meanwhile; the rest is only counted.
    for (void* taken : taken_) device::give_back(taken);
    taken_.clear();
    return nowhere;
  }
  taken_.insert(address);
  return address;
}

void DeviceMemory::give_back(void* address, std::size_t bytes, DeviceUse use) {
  if (bytes == 0) return;
  bytes_.of(use) -= in_grains(bytes);
  if (taken_.erase(address) > 0) device::give_back(address);
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

}  // namespace hillock::simulator::on_device
