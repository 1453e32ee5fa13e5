#include "simulator/begin/begun_points.hpp"

#include <algorithm>

#include "simulator/begin/in_state.hpp"

namespace hillock::simulator::begin {

std::vector<RecordedNumber> recorded_of(const RangePlan& plan) {
  std::vector<RecordedNumber> recorded;
  for (const Probe& probe : plan.probes) {
    RecordedNumber& number = recorded.emplace_back();
    number.neuron = probe.cell;
    number.recording = static_cast<std::uint32_t>(probe.recording);
    number.column = probe.column;
    number.factor = 0;
    if (probe.terms.empty()) continue;
    const ProbeTerm& term = probe.terms.front();
    if (term.kind == step::Summand::voltage || term.kind == step::Summand::membrane_current)
      continue;  // it has no membrane
    number.factor = term.factor;
    if (term.kind == step::Summand::variable) number.variable = static_cast<int>(term.variable);
  }
  return recorded;
}

void BegunPoints::number_columns(std::span<const models::ReportLayout> reports) {
  for (RecordedNumber& number : recorded) {
    const models::ReportLayout& report = reports[number.recording];
    const auto at = std::ranges::lower_bound(report.node_ids, indices[number.neuron]);
    number.column += report.index_pointers[static_cast<std::size_t>(at - report.node_ids.begin())];
  }
}

void BegunPoints::sample_start(std::span<const SampleTimes> times,
                               std::span<const SampleBuffer> samples) const {
  for (const RecordedNumber& number : recorded) {
    if (times[number.recording].sample_at(0) != 0) continue;
    const auto variable = static_cast<std::size_t>(number.variable);
    samples[number.recording].data[number.column] =
        number.variable < 0 ? number.factor : number.factor * columns[variable][number.neuron];
  }
}

void BegunPoints::walk(StateWalk& state, const RunConstants& run) {
  state.begin(population->name, indices);
  double no_voltage = 0;
  state.column("v", [&](std::size_t) { state.number(no_voltage); });
  const auto& variables = mechanism->signature.variables;
  for (std::size_t c = 0; c < variables.size(); ++c) {
    if (!is_in_state(*mechanism->info, c, run, false)) continue;
    state.column(mechanism->signature.name + '/' + variables[c].name, [&](std::size_t neuron) {
      double number = columns[c][neuron];
      state.number(number);
      columns[c].set(neuron, number);
    });
  }
}

}  // namespace hillock::simulator::begin
