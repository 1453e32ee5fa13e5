// What electrodes inject into point neurons, put onto the device.

#include <map>

#include "simulator/backends/device/points/point_memory.hpp"

namespace hillock::simulator::on_device {

/// Neurons with one waveform share it there.
const PointCurrent* PointMemory::put_current(const InjectedCurrent& current) {
  PointCurrent on_device{};
  if (!current.pulses.empty())
    on_device.pulses.all =
        memory_.put<mechanisms::ElectrodePulses>(current.pulses, DeviceUse::cells).data();
  std::map<const models::Waveform*, PointWaveform> known;
  std::vector<PointWaveform> of_neurons;
  for (const models::Waveform* waveform : current.waveforms) {
    PointWaveform& there = known[waveform];
    if (there.rows == 0) {
      std::vector<double> times_ms, values;
      for (const auto& [time_ms, value] : *waveform) {
        times_ms.push_back(time_ms);
        values.push_back(value);
      }
      there = {memory_.put<double>(times_ms, DeviceUse::cells).data(),
               memory_.put<double>(values, DeviceUse::cells).data(),
               static_cast<int>(waveform->size())};
    }
    of_neurons.push_back(there);
  }
  if (!of_neurons.empty())
    on_device.waveforms.all = memory_.put<PointWaveform>(of_neurons, DeviceUse::cells).data();
  return memory_.put<PointCurrent>(std::span(&on_device, 1), DeviceUse::cells).data();
}

}  // namespace hillock::simulator::on_device
