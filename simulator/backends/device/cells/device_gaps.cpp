#include "simulator/backends/device/cells/device_gaps.hpp"

#include <algorithm>

namespace hillock::simulator::on_device {

DeviceGaps::DeviceGaps(const network::GapValues& values)
    : numbering_(&values),
      first_values_(values.size()),
      leaving_values_(values.leaving_to.size()),
      coming_values_(values.coming_from.size()) {}

void DeviceGaps::put(const std::vector<std::unique_ptr<DeviceProgram>>& programs,
                     DeviceMemory& memory) {
  std::ranges::copy(leaving(), leaving_values_.data());
  std::vector<GapAddress> publishing, reading;
  for (const auto& program : programs) {
    const auto &published = program->gaps_published(), &read = program->gaps_read();
    publishing.insert(publishing.end(), published.begin(), published.end());
    reading.insert(reading.end(), read.begin(), read.end());
  }
  publishing_ = memory.put<GapAddress>(publishing, DeviceUse::cells);
  reading_ = memory.put<GapAddress>(reading, DeviceUse::cells);
  values_ = memory.put<double>(first_values_, DeviceUse::cells);
  first_values_ = {};
}

std::span<const double> DeviceGaps::leaving() const {
  if (!first_values_.empty()) return numbering_->leaving(std::span(first_values_));
  return {leaving_values_.data(), leaving_values_.size()};
}

void DeviceGaps::take(std::span<const double> coming) {
  double* const to = first_values_.empty() ? coming_values_.data()
                                           : numbering_->coming(std::span(first_values_)).data();
  std::ranges::copy(coming, to);
}

void DeviceGaps::read(device::Stream stream) const {
  if (coming_values_.size() > 0)
    device::copy(values_.data() + numbering_->published(), coming_values_.data(),
                 coming_values_.size() * sizeof(double), device::Way::in, stream);
  start_reading(reading_.data(), static_cast<unsigned>(reading_.size()), values_.data(), stream);
}

void DeviceGaps::publish(device::Stream stream) {
  start_publishing(publishing_.data(), static_cast<unsigned>(publishing_.size()), values_.data(),
                   stream);
  if (leaving_values_.size() > 0)
    device::copy(leaving_values_.data(), values_.data() + numbering_->own,
                 leaving_values_.size() * sizeof(double), device::Way::out, stream);
}

}  // namespace hillock::simulator::on_device
