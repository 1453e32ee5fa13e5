#include "mechanisms/nmodl/emit/description.hpp"

#include <algorithm>

namespace hillock::nmodl {

std::vector<int> Description::add_variables(const EvaluatorIr& e) {
  std::vector<int> columns(e.program.variables.size(), 0);
  for (const auto* role : {&e.parameters, &e.shared, &e.assigned, &e.states})
    for (const InstanceVariable& v : *role) {
      columns[at(v.variable)] = static_cast<int>(variables_.size());
      variables_.push_back({.name = kept(v.name),
                            .unit = kept(v.unit),
                            .default_value = v.default_value,
                            .minimum = std::max(v.minimum, -mechanisms::unlimited),
                            .maximum = std::min(v.maximum, mechanisms::unlimited),
                            .is_indexed = !e.program.variables[at(v.variable)].array.empty(),
                            .is_held = v.is_held});
    }
  return columns;
}

Description::Description(const EvaluatorIr& e) {
  const std::vector<int> columns = add_variables(e);
  for (const SharedVariable& c : e.couplings)
    couplings_.push_back({.quantity = c.quantity,
                          .ion = kept(c.ion),
                          .valence = c.valence,
                          .column = columns[at(c.variable)],
                          .reads = c.reads,
                          .writes = c.writes});
  for (const ArgumentIr& argument : e.further_arguments)
    arguments_.push_back({.name = kept(argument.name), .unit = kept(argument.unit)});
  const auto column = [&](int variable) { return variable < 0 ? -1 : columns[at(variable)]; };
  for (const DiffusionIr& d : e.diffusions)
    diffusions_.push_back(
        {column(d.state), column(d.coefficient), column(d.volume), column(d.pivot)});
  info_ = {.name = kept(e.name),
           .description = kept(e.description),
           .is_point_process = e.is_point_process,
           .is_artificial = e.is_artificial,
           .is_electrode = e.is_electrode,
           .parameters = static_cast<int>(e.parameters.size()),
           .shared = static_cast<int>(e.shared.size()),
           .assigned = static_cast<int>(e.assigned.size()),
           .states = static_cast<int>(e.states.size()),
           .hidden = e.hidden,
           .hidden_states = e.hidden_states,
           .variables = variables_.data(),
           .couplings = couplings_.data(),
           .coupling_count = static_cast<int>(couplings_.size()),
           .receives_events = e.receives_events,
           .weight_unit = kept(e.weight_unit),
           .arguments = e.arguments,
           .further_arguments = arguments_.empty() ? nullptr : arguments_.data(),
           .keeps_arguments = e.keeps_arguments,
           .watches = static_cast<int>(e.watches.size()),
           .sets_voltage = e.sets_voltage,
           .sends_events = e.sends_events,
           .starts = e.starts,
           .begins_connections = e.begins_connections,
           .changes_in_current = e.changes_in_current,
           .undoes_both = e.undoes_both,
           .changes_parameters = e.changes_parameters,
           .is_linear = e.is_linear,
           .is_constant = e.is_constant,
           .keeps_doubles = e.keeps_doubles,
           .is_point_neuron = e.is_point_neuron,
           .injected = column(e.injected),
           .input = column(e.input),
           .negative_input = column(e.negative_input),
           .spike = column(e.spike),
           .spikes_at_beginning = e.spikes_at_beginning,
           .diffusions = diffusions_.empty() ? nullptr : diffusions_.data(),
           .diffusion_count = static_cast<int>(diffusions_.size())};
}

const char* Description::kept(const std::string& text) {
  std::string& copy = texts_.emplace_back(text);
  for (char& c : copy)
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  return copy.c_str();
}

}  // namespace hillock::nmodl
