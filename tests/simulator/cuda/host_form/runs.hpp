#pragma once
// Runs of models with either backend, and how far what they give lies apart.

#include <cstdint>
#include <string>
#include <vector>

#include "core/state/state.hpp"
#include "network/thread_ranks.hpp"
#include "simulator/command/process/loaded_model.hpp"
#include "tests/simulator/networks.hpp"

namespace host_form {

using namespace hillock;

/// settings: "run.duration=3 ms".
command::LoadedModel load(const std::string& file, const std::vector<std::string>& settings);

/// Of a run by two threads, in epochs of some steps.
simulator::SimulationOptions options_for(const command::LoadedModel& model,
                                         simulator::Backend backend);

/// What a run that is saved half way gives, and what it has then.
struct Saved {
  simulator::MemorySink sink;
  std::int64_t step = 0;
  State state;
  simulator::SimulationCounts counts;
};

/// On ranks that are threads, saved half way. from: what is resumed, or null.
Saved run_on_ranks(const command::LoadedModel& model, int count,
                   const simulator::SimulationOptions& options, simulator::Overlap overlap,
                   const State* from);

/// Ranks give the spikes of one population after another's, and so may epochs: a point neuron's may
/// have the time of an epoch's beginning.
void sort_by_cell(simulator::MemorySink& sink);

/// The largest difference of two runs, relative to the largest number of a report, where
/// that is above 1. most_ms: of spikes' times.
/// Throws std::runtime_error where they have other spikes, or reports of another size.
double difference(const simulator::MemorySink& is, const simulator::MemorySink& wanted,
                  double most_ms);

}  // namespace host_form
