#pragma once
// What runs cells, seen from the loop that drives it. One engine has all cells of one backend.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/state/state_walk.hpp"
#include "models/report.hpp"
#include "network/resumed.hpp"
#include "network/spikes.hpp"
#include "simulator/backends/device_report.hpp"
#include "simulator/backends/run_again.hpp"
#include "simulator/backends/side_by_side_report.hpp"

namespace hillock::simulator {

/// Steps [first, last): during them no cell can affect another.
struct Epoch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool is_saved = false;  ///< save() follows: nothing of the next step is begun
  /// Where the epoch after this one ends, unless this one is saved; `last` where none follows.
  std::int64_t next_last = 0;
};

/// Where an engine writes the samples of one epoch: rows × columns for each recording.
struct SampleBuffer {
  double* data = nullptr;
  std::size_t columns = 0;
  std::int64_t first_sample = 0;  ///< the sample in row 0
  std::size_t rows = 0;

  /// [column] of a sample.
  double* row(std::int64_t sample) const {
    return data + static_cast<std::size_t>(sample - first_sample) * columns;
  }
};

/// What an epoch gives.
struct EpochResult {
  network::SpikeLists spikes;         ///< an engine fills lists of its own
  std::vector<SampleBuffer> samples;  ///< [recording] where to write, set before the launch
};

/// How an engine wants to be driven.
struct EngineTraits {
  /// So many steps an epoch may have where some delays are shorter: of an engine that brings to its
  /// cells itself what arrives within an epoch; of several ranks the least counts. Where all cells
  /// of one rank are point neurons it needs no spikes of launch() but those of a resumed run.
  std::int64_t free_steps = 0;
  /// Whether launch() returns when the epoch is done.
  bool launch_waits = false;
  /// Whether an epoch may be launched while the one before is under way, unless that is saved.
  /// Known after prepare().
  bool takes_two = false;
  /// Whether the samples of a potential outside are its cells' sums at contacts (solver::sums_size)
  /// instead of currents.
  bool sums_potentials = false;
};

/// What its cells come to.
struct EngineReport {
  std::size_t groups = 0;  ///< of cells, which it runs one after the other
  std::size_t state_bytes = 0, connection_bytes = 0;
  std::vector<SideBySideReport> side_by_side{};  ///< on the CPU, of populations with a cable
  DeviceReport device{};                         ///< on a GPU; empty of an engine that has none
};

/// Gives what leaves a rank to the others, and returns what comes from them (network::GapExchange).
using GapSwap = std::function<std::span<const double>(std::span<const double> leaving)>;

/// The steps from t = 0 are cut into epochs of equal length; some end early, and the next one then
/// has the rest.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual EngineTraits traits() const = 0;
  /// Before start(), once: how long epochs are, and the columns of every recording. An engine may
  /// begin its cells here. Throws solver::DeviceExhausted when a device has too little memory for
  /// the network.
  virtual void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) = 0;
  /// Sets voltages and states at t = 0, tests detectors, writes the samples of step 0. `result`
  /// stays with the engine until finish().
  virtual void start(EpochResult& result) = 0;
  /// Swaps what the ends of gap junctions give to other ranks, voltages and others, as it now is
  /// and as GapValues lists them, for what comes to this rank: for what the engine does next. Of a
  /// network that has some, called wherever these values are new: before prepare(), after start(),
  /// restore() and every launch(), whose epochs are one step each, and after follow_gaps() where
  /// NetworkPlan::gaps_carry_variables.
  virtual void exchange_gaps(const GapSwap& swap) = 0;
  /// Takes in the spikes of the whole network that were made since the last launch, as far as they
  /// are known, and begins to integrate an epoch; may return before it is done. `result` stays with
  /// the engine until finish().
  virtual void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
                      EpochResult& result) = 0;
  /// Of a network with NetworkPlan::states_follow_gaps, after every launch() and the exchange
  /// behind it: takes the states that depend on the values of gap junctions to the step's end.
  virtual void follow_gaps() = 0;
  /// Waits until what was launched first is done. Throws NumericalFailure when a voltage stops
  /// being finite.
  virtual void finish() = 0;

  /// Everything of its cells that has changed since the start but the spikes that are on their
  /// way, after an epoch with is_saved. Cells are in the order of their indices.
  virtual State save() = 0;
  /// After start(): goes on from what was saved of its cells at the end of the epoch before
  /// its first step, in whatever parts by however many threads and ranks; of other cells it reads
  /// nothing. The next launch gets every spike that may still be on its way, and some more. Throws
  /// StateMismatch.
  virtual void restore(StateReader& state, const network::Resumed& at) = 0;

  /// After finish() of start(), of cells that nothing reaches but currents and potentials: keeps
  /// what begin_again() goes back to.
  virtual void keep_beginning() { throw std::logic_error("this engine runs once"); }
  /// After finish() of the last epoch, or when something has failed: all is as it was kept, but for
  /// the factors of a field.
  virtual void begin_again(const FieldFactors&) { keep_beginning(); }
  /// How many there are of each cell: copy k of cell c is cell c + k times how many cells the
  /// network has.
  virtual std::size_t copies() const { return 1; }

  virtual EngineReport report() const = 0;
};

}  // namespace hillock::simulator
