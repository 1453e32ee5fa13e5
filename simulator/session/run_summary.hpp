#pragma once
// What run.json says of a run, from its model, its simulation and where it ran.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/run/run_directory.hpp"
#include "io/sonata/sonata.hpp"
#include "models/network.hpp"
#include "simulator/loop/backend_choice.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/session/loaded_model.hpp"

namespace hillock::session {

/// "auto", or the ways that take turns: "queue, neurons".
std::string propagation_text(const std::vector<std::string>& ways);

/// What the files of a run say of their model.
io::Provenance provenance_of(const models::Network& network);

/// What is known before the network is made; the run begins now. file: the model's.
io::RunSummary summary_of(const LoadedModel& model, const std::string& file,
                          const io::Provenance& provenance);

void note_backend(io::RunSummary& summary, const simulator::BackendChoice& choice);

/// What the network came to. Returns what the user should hear, a line each: what the model asks
/// for and this run does not do.
std::vector<std::string> note_built(io::RunSummary& summary, const models::Network& network,
                                    const simulator::Simulation& simulation);

/// What a run, or its part that was done, took. saves: whether it may have been saved.
void note_done(io::RunSummary& summary, const models::Network& network,
               const simulator::Simulation& simulation, bool saves);

/// How fast a run went, and how much its cells spiked: what there is to tell at its end. spikes: of
/// all cells, recorded or not.
void note_pace(io::RunSummary& summary, const simulator::Simulation& simulation, double reached_ms,
               std::uint64_t spikes);

/// Makes the network. Where only `wish` has a GPU taken, and it cannot run the network, `choice`
/// becomes the CPU.
std::unique_ptr<simulator::Simulation> make_simulation(const models::Network& network,
                                                       simulator::SimulationOptions settings,
                                                       simulator::BackendWish wish,
                                                       simulator::BackendChoice& choice);

}  // namespace hillock::session
