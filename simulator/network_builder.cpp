#include "simulator/network_builder.hpp"

#include "simulator/network_draft.hpp"

namespace hillock::simulator {

BuiltNetwork build_network(const models::Network& network, const mechanisms::Registry& mechanisms,
                           const BuildOptions& options) {
  BuiltNetwork result;
  result.run.dt_ms = network.run.dt_ms;
  result.run.celsius = network.run.temperature_degC;
  result.run.integrator = network.run.integrator;
  result.run.spike_time = network.run.spike_time;
  NetworkDraft draft(network, mechanisms, options);
  if (options.connections == Connections::made)
    add_projections(draft, result, *options.activity);
  else
    expect_projections(draft, result);
  options.activity->begin("placing stimuli");
  add_stimuli(draft, result);
  options.activity->begin("laying out memory", draft.group_count());
  draft.lay_out_blocks();
  options.activity->begin("placing recordings");
  add_recordings(draft, result);
  result.compartments = draft.compartments();
  result.groups = draft.take_plans();
  return result;
}

}  // namespace hillock::simulator
