#include "simulator/backends/cuda/device_gaps.hpp"

#include <algorithm>

namespace hillock::simulator::cuda {

DeviceGaps::DeviceGaps(const network::GapVoltages& voltages)
    : voltages_(&voltages),
      first_mV_(voltages.size()),
      leaving_mV_(voltages.leaving_to.size()),
      coming_mV_(voltages.coming_from.size()) {}

void DeviceGaps::put(const std::vector<std::unique_ptr<DeviceProgram>>& programs,
                     DeviceMemory& memory) {
  std::ranges::copy(leaving_mV(), leaving_mV_.data());
  std::vector<GapAddress> publishing, reading;
  for (const auto& program : programs) {
    const auto &published = program->gaps_published(), &read = program->gaps_read();
    publishing.insert(publishing.end(), published.begin(), published.end());
    reading.insert(reading.end(), read.begin(), read.end());
  }
  publishing_ = memory.put<GapAddress>(publishing, DeviceUse::cells);
  reading_ = memory.put<GapAddress>(reading, DeviceUse::cells);
  mV_ = memory.put<double>(first_mV_, DeviceUse::cells);
  first_mV_ = {};
}

std::span<const double> DeviceGaps::leaving_mV() const {
  if (!first_mV_.empty()) return voltages_->leaving(std::span(first_mV_));
  return {leaving_mV_.data(), leaving_mV_.size()};
}

void DeviceGaps::take(std::span<const double> coming_mV) {
  double* const to =
      first_mV_.empty() ? coming_mV_.data() : voltages_->coming(std::span(first_mV_)).data();
  std::ranges::copy(coming_mV, to);
}

void DeviceGaps::read(cudaStream_t stream) const {
  if (coming_mV_.size() > 0)
    HILLOCK_CUDA(cudaMemcpyAsync(mV_.data() + voltages_->published(), coming_mV_.data(),
                                 coming_mV_.size() * sizeof(double), cudaMemcpyHostToDevice,
                                 stream));
  start_reading(reading_.data(), static_cast<unsigned>(reading_.size()), mV_.data(), stream);
}

void DeviceGaps::publish(cudaStream_t stream) {
  start_publishing(publishing_.data(), static_cast<unsigned>(publishing_.size()), mV_.data(),
                   stream);
  if (leaving_mV_.size() > 0)
    HILLOCK_CUDA(cudaMemcpyAsync(leaving_mV_.data(), mV_.data() + voltages_->own,
                                 leaving_mV_.size() * sizeof(double), cudaMemcpyDeviceToHost,
                                 stream));
}

}  // namespace hillock::simulator::cuda
