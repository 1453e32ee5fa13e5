#include "simulator/network_builder.hpp"

#include "simulator/network_draft.hpp"

namespace hillock::simulator {

BuiltNetwork build_network(const models::Network& network, const mechanisms::Registry& mechanisms,
                           int widest) {
  BuiltNetwork result;
  result.run.dt_ms = network.run.dt_ms;
  result.run.celsius = network.run.temperature_degC;
  result.run.integrator = network.run.integrator;
  result.run.spike_time = network.run.spike_time;
  NetworkDraft draft(network, mechanisms, widest);
  add_projections(draft, result);
  add_stimuli(draft, result);
  draft.lay_out_blocks();
  add_recordings(draft, result);
  result.compartments = draft.compartments();
  result.groups = draft.take_plans();
  return result;
}

}  // namespace hillock::simulator
