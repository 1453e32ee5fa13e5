// What a model may say but this version cannot simulate yet. Nothing of it is silently ignored.

#include "simulator/simulation.hpp"

namespace hillock::simulator {

void check_supported(const models::Network& network, const Signatures& signatures,
                     Diagnostics& diagnostics) {
  const auto is_point_neuron = [&](const models::ArtificialCell& cell) {
    const auto found = signatures.find(cell.mechanism.name);
    return found != signatures.end() && found->second.is_point_neuron;
  };
  for (const auto& cell : network.cells) {
    if (std::holds_alternative<models::IzhikevichCell>(cell.kind))
      diagnostics.error(cell.place, "izhikevich point neurons are not supported yet");
    const auto* const artificial = std::get_if<models::ArtificialCell>(&cell.kind);
    if (artificial && is_point_neuron(*artificial))
      diagnostics.error(cell.place, "point neurons are not supported yet");
  }
  for (const auto& stimulus : network.stimuli)
    if (std::holds_alternative<models::GaussianInput>(stimulus.kind))
      diagnostics.error(stimulus.place, "gaussian stimuli are not supported yet");
}

}  // namespace hillock::simulator
