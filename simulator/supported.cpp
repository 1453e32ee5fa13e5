// What a model may say but this version cannot simulate yet. Nothing of it is silently ignored.

#include "simulator/simulation.hpp"

namespace hillock::simulator {

void check_supported(const models::Network& network, Diagnostics& diagnostics) {
  for (const auto& cell : network.cells) {
    if (std::holds_alternative<models::IzhikevichCell>(cell.kind))
      diagnostics.error(cell.place, "izhikevich point neurons are not supported yet");
  }
  for (const auto& stimulus : network.stimuli)
    if (std::holds_alternative<models::GaussianInput>(stimulus.kind))
      diagnostics.error(stimulus.place, "gaussian stimuli are not supported yet");
}

}  // namespace hillock::simulator
