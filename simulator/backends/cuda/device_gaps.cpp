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
  mV_ = memory.take<double>(voltages.published_to.size(), DeviceUse::cells);
}

void DeviceGaps::join(cudaStream_t stream) const {
  start_publishing(publishing_.data(), static_cast<unsigned>(publishing_.size()), mV_.data(),
                   stream);
  start_reading(reading_.data(), static_cast<unsigned>(reading_.size()), mV_.data(), stream);
}

}  // namespace hillock::simulator::cuda
