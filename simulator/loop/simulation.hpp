#pragma once
// A network made ready to run: groups of cells, who sends spikes to whom, and the epoch loop.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/state/state.hpp"
#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "models/report.hpp"
#include "network/agreement.hpp"
#include "network/outside.hpp"
#include "network/rank_exchange.hpp"
#include "network/spikes.hpp"
#include "simulator/backends/device_report.hpp"
#include "simulator/backends/run_again.hpp"
#include "simulator/backends/side_by_side_report.hpp"
#include "simulator/output/run_sink.hpp"
#include "simulator/plan/network/epoch_length.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator {

namespace taped {
class TapedEngine;
}

/// What runs the cells.
enum class Backend { cpu, cuda };

/// This process is one of several that simulate a network together: each has a simulation of its
/// own, made, run and resumed by all at the same time. What fails on one fails on all, with
/// RankFailed.
struct RankOptions {
  network::Ranks* ranks = nullptr;  ///< null: there is no other
  network::ExchangeKind exchange = network::ExchangeKind::automatic;
  Overlap overlap = Overlap::automatic;
  network::TellFailure tell = {};  ///< must be there where there are ranks
  /// Each rank has a network of its own, and hears of the others' cells what this says: it has its
  /// own output and state, and runs in parts as a rank alone does. Null: all have the same network.
  const network::Outside* outside = nullptr;
};

/// A run all of whose steps are kept, so that it can be gone back over (backends/taped).
struct Taping {
  bool is_only_begun = false;                ///< how cells begin is looked at, and nothing run
  std::size_t most_bytes = ~std::size_t{0};  ///< of steps; those that do not fit are made again
  taped::TapedEngine* engine = nullptr;      ///< of the simulation, as long as that lives
};

struct SimulationOptions {
  mechanisms::Registry mechanisms;  ///< of which the model's are
  Backend backend = Backend::cpu;
  int threads = 1;
  /// No epoch is longer than this; results do not depend on it.
  std::int64_t most_epoch_steps = 400;
  /// On the CPU, cells side by side, 1, 4 or 8: 0: what suits. Results do not depend on it.
  int side_by_side = 0;
  /// Samples of one epoch are kept in memory up to about this size; shorter epochs beyond it.
  std::size_t most_sample_bytes = std::size_t{256} << 20;
  /// expected: for counts() and reports() alone; such a simulation cannot be run.
  Connections connections = Connections::made;
  /// On a GPU: none of its memory is taken, for on_device() alone; such a simulation cannot be run.
  bool is_only_counted = false;
  bool saves_assigned = false;  ///< a state has what mechanisms assign, too, as start_at() may need
  /// What mechanisms draw without a RANDOM, by the counts of a state, which start_at() sets; must
  /// outlive the simulation. Null: every instance draws for itself.
  const mechanisms::GivenDraws* given_draws = nullptr;
  /// Mechanisms that the process computes, of one rank on the CPU; must outlive the simulation,
  /// too.
  const Guests* guests = nullptr;
  Activity* activity = nullptr;  ///< told what the simulation is busy with; may be null
  /// Hears lines for the user while the simulation is built; may be empty.
  std::function<void(const std::string& line)> announce = {};
  RankOptions together = {};
  Taping* taping = nullptr;  ///< null: steps are not kept. Of no other ranks
  /// On a GPU, of what may_run_again(): how many there are to be of each cell.
  Copies copies = {};
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  std::uint64_t spikes = 0;  ///< of all cells but relays
};

/// When the state of a run is saved, and who keeps it.
struct Saving {
  std::int64_t every_steps = 0;     ///< 0: only when it is wanted
  std::function<bool()> is_wanted;  ///< asked before each epoch: whether to save at its end
  /// Called when the sink has got everything until then, on the thread that runs. step: how many
  /// are done. Of several ranks the first has the state, and the others an empty one.
  std::function<void(State state, std::int64_t step)> keep;
};

/// Wall seconds by what they were spent on.
struct Timings {
  double build_s = 0;
  double initialise_s = 0;
  double advance_s = 0;
  double exchange_s = 0;
  double record_s = 0;
  double save_s = 0;
};

/// Of several ranks cells, compartments, connections and synapses are those of all, bytes those of
/// this one.
struct SimulationCounts {
  std::uint64_t cells = 0;
  std::uint64_t relays = 0;         ///< of the cells
  std::uint64_t point_neurons = 0;  ///< of the cells
  std::uint64_t compartments = 0;
  std::uint64_t groups = 0;
  std::uint64_t connections = 0;
  std::uint64_t synapses = 0;
  std::uint64_t gap_junctions = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t connection_bytes = 0;  ///< of those that were made
  std::int64_t epoch_steps = 0;
  ConnectionMemory connection_memory;  ///< of Connections::expected
  /// Whose spikes Progress counts.
  std::uint64_t spiking_cells() const { return cells - relays; }
  std::uint64_t building_bytes = 0;  ///< beyond what is kept, while the last ranges are made
  std::uint64_t sample_bytes = 0;    ///< reports' columns, and the rows between engine and sink
  std::uint64_t map_bytes = 0;       ///< of these the maps from currents to potentials
  std::uint64_t spike_bytes = 0;     ///< spikes of a burst, to cells and to the sink
  double shortest_delay_ms = 0;      ///< 0 without connections
  std::vector<SideBySideReport> side_by_side;                   ///< how cells lie on the CPU
  network::ExchangeKind exchange = network::ExchangeKind::all;  ///< of several ranks
  bool overlaps = false;   ///< spikes travel while the next epoch runs
  int epochs_at_once = 1;  ///< 2: one is launched while the one before it is under way
};

class Simulation {
 public:
  /// Builds everything; `network` must outlive the simulation, but for the rows of its lists, which
  /// nobody reads any more. On one of several ranks those onto its own cells suffice.
  /// Throws InvalidModel for what only shows when cells and connections are made, among it
  /// UnsupportedOnDevice, and solver::DeviceError.
  Simulation(const models::Network& network, const SimulationOptions& options);
  ~Simulation();

  const SimulationCounts& counts() const;
  /// What it comes to on the GPU; empty on the CPU.
  DeviceReport on_device() const;
  const Timings& timings() const;
  /// One layout for each recording of a variable, in the model's order; of several ranks the first
  /// has the columns of all.
  const std::vector<models::ReportLayout>& reports() const;

  /// Runs from t = 0 to the end. `progress` is called after each epoch, on the calling thread, and
  /// may throw to stop the run. Throws NumericalFailure, and what `saving` throws.
  void run(RunSink& sink, const std::function<void(const Progress&)>& progress,
           const Saving& saving = {});
  /// The same from where a run of the same network was when it was saved; the sink gets what comes
  /// after that. Bit for bit what the saved run would have given, on however many threads. Throws
  /// StateMismatch when it is not of the same network.
  void resume(State state, RunSink& sink, const std::function<void(const Progress&)>& progress,
              const Saving& saving = {});

  /// Whether nothing comes to its cells but currents and potentials, and all that is recorded is
  /// spikes.
  bool may_run_again() const;
  /// Of such a network, as often as wanted: run() from t = 0, when cells feel a field more or less
  /// than the model says. There may be several copies of each cell, which differ in that alone: of
  /// cell c copy k is told to the sink as cell c + k times how many cells the network has.
  void run_again(RunSink& sink, const FieldFactors& factors,
                 const std::function<void(const Progress&)>& progress);
  std::size_t copies() const;

  /// The same in parts, where no other ranks have the same network: begin(), then advance() as
  /// often as wanted. What comes out does not depend on the parts. The sink, which must outlive the
  /// simulation, has got all until then when one of them returns. from: to go on from; of its
  /// columns of cells those that are named in `own` are the network's own instead, as they are at t
  /// = 0. Throw as run() and resume(); what has thrown is not gone on with.
  void begin(RunSink& sink, std::optional<State> from = {}, const std::set<std::string>& own = {});
  /// After begin() at t = 0, instead of advance(): the run is at `step`, which may be 0, and its
  /// state is what `change` makes of that of t = 0, with the spikes of cells elsewhere that are on
  /// their way to cells here. The sink takes the place of the one before.
  void start_at(RunSink& sink, std::int64_t step, const std::function<void(State&)>& change);
  /// step: from the one that is reached to the end.
  void advance(std::int64_t step, const std::function<void(const Progress&)>& progress);
  /// After one of them: what the run can be gone on from, but at t = 0, where it is to look at.
  State save();
  /// How many steps are done.
  std::int64_t step() const;
  /// How many rows of a report there are when so many steps are done.
  std::uint64_t rows_by(std::size_t report, std::int64_t step) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reports POINTERs that stand for nothing. signatures: of all mechanisms of the model.
void check_pointers(const models::Network& network, const Signatures& signatures,
                    Diagnostics& diagnostics);

}  // namespace hillock::simulator
