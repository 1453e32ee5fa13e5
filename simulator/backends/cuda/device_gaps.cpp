#include "simulator/backends/cuda/device_gaps.hpp"

namespace hillock::simulator::cuda {

DeviceGaps::DeviceGaps(const std::vector<std::unique_ptr<DeviceProgram>>& programs,
                       const network::GapVoltages& voltages, DeviceMemory& memory) {
  std::vector<GapAddress> publishing, reading;
  for (const auto& program : programs) {
    const auto &published = program->gaps_published(), &read = program->gaps_read();
    publishing.insert(publishing.end(), published.begin(), published.end());
    reading.insert(reading.end(), read.begin(), read.end());
  }
  publishing_ = memory.put<GapAddress>(publishing, DeviceUse::cells);
  reading_ = memory.put<GapAddress>(reading, DeviceUse::cells);
  published_mV_ = memory.take<double>(voltages.published_to.size(), DeviceUse::cells);
  read_mV_ = memory.take<double>(voltages.read_from.size(), DeviceUse::cells);
}

void DeviceGaps::publish(cudaStream_t stream) const {
  start_publishing(publishing_.data(), static_cast<unsigned>(publishing_.size()),
                   published_mV_.data(), stream);
}

void DeviceGaps::read(bool are_own, cudaStream_t stream) const {
  start_reading(reading_.data(), static_cast<unsigned>(reading_.size()),
                are_own ? published_mV_.data() : read_mV_.data(), stream);
}

std::span<const double> DeviceGaps::published_mV(cudaStream_t stream) {
  HILLOCK_CUDA(cudaStreamSynchronize(stream));
  on_host_mV_.resize(published_mV_.size());
  published_mV_.download(on_host_mV_);
  return on_host_mV_;
}

}  // namespace hillock::simulator::cuda
