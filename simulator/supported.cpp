// What a model may say but this version cannot simulate yet. Nothing of it is silently ignored.

#include "simulator/simulation.hpp"

namespace hillock::simulator {

namespace {

void check_regions(const models::CableCell& cell, Diagnostics& diagnostics) {
  for (const auto& settings : cell.regions)
    for (const auto& ion : settings.ions)
      if (ion.reversal == models::IonSetting::Reversal::ghk)
        diagnostics.error(ion.place,
                          "`reversal: ghk` is not supported yet: no mechanism of this "
                          "version computes a current from concentrations");
}

}  // namespace

void check_supported(const models::Network& network, Diagnostics& diagnostics) {
  for (const auto& cell : network.cells) {
    if (const auto* cable = std::get_if<models::CableCell>(&cell.kind))
      check_regions(*cable, diagnostics);
    else
      diagnostics.error(cell.place, "izhikevich point neurons are not supported yet");
  }
  for (const auto& projection : network.projections)
    if (const auto* junction = std::get_if<models::GapJunction>(&projection.link))
      diagnostics.error(junction->place, "gap junctions are not supported yet");
  for (const auto& stimulus : network.stimuli)
    if (std::holds_alternative<models::GaussianInput>(stimulus.kind))
      diagnostics.error(stimulus.place, "gaussian stimuli are not supported yet");
}

}  // namespace hillock::simulator
