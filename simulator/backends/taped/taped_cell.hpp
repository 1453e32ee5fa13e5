#pragma once
// A cell that keeps what every step of it began with, and can go back over them: derivatives of a
// number that comes of the run by all that the cell began with (docs/gradients.md).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "mechanisms/catalogue.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::taped {

/// Throws UsageError: a run with that has no derivative here.
inline void refuse_if(bool is_so, const std::string& what) {
  if (is_so) throw UsageError("there is no derivative of a run with " + what);
}

/// An event of a connection, on its way to an instance.
struct Event {
  std::int64_t step = 0;  ///< the boundary it arrives at: before that step
  double time_ms = 0;
  double weight = 0;
  std::size_t block = 0, instance = 0;
  std::uint32_t table = 0, connection = 0;  ///< it came by: of the range's inbox
  std::uint64_t source = 0;                 ///< the cell; of a stimulus the event of its train
};

/// What a run's number is derived by, of an event that arrived.
struct EventDerivative {
  Event event;
  double by_weight = 0, by_ms = 0;
};

/// By what a cell began with: the fields of begin::BegunCell of these names.
struct CellDerivatives {
  struct Ion {
    std::vector<double> reversal_mV, inside_mM, outside_mM;
  };
  std::vector<double> v_mV, coupling_uS, capacity_uS;  ///< by row
  std::vector<Ion> ions;
  /// [block][variable][instance]; of a variable that nothing depends on by itself, empty.
  std::vector<std::vector<std::vector<double>>> columns;
  double threshold_mV = 0;  ///< of its population
};

/// Of every recording's samples from t = 0 to the end: [sample · columns + column].
struct SampleDerivatives {
  const double* data = nullptr;
  std::size_t columns = 0;
};

class TapedCell {
 public:
  virtual ~TapedCell() = default;

  /// What one step takes that is kept.
  virtual std::size_t record_bytes() = 0;
  /// Before the run: of so many steps one is kept, from which the others are made again. Of 1 all
  /// are kept.
  virtual void keep_every(std::int64_t steps) = 0;
  /// Before an epoch: what arrives in it, in order, and where its samples go.
  virtual void begin_epoch(std::vector<Event> events, std::span<const SampleBuffer> samples) = 0;
  virtual void sample_start() = 0;
  virtual void advance(Epoch epoch) = 0;
  virtual std::vector<network::CellSpike> take_spikes() = 0;
  /// Where the run has led: what samples are derived by goes back from there, part by part, to what
  /// the cell began with. Steps stay kept.
  virtual void begin_undo(std::span<const SampleDerivatives> samples) = 0;
  /// The same of its spike at that time, before the step is undone that it was made in.
  virtual void add_by_spike(double time_ms, double by_ms) = 0;
  /// Undoes these steps. Gives events that arrived in them, the last first.
  virtual std::vector<EventDerivative> undo(std::int64_t first, std::int64_t last) = 0;
  virtual CellDerivatives end_undo() = 0;
  virtual std::size_t bytes() const = 0;  ///< of what is kept of steps
};

/// The adjoints of a cell's blocks: [block], with loops for a cell by itself.
using Adjoints = std::vector<const mechanisms::Mechanism*>;

/// Throws UsageError where a cell has what is not derived, by name.
void refuse_what_is_not_derived(const begin::BegunCell& begun);

/// begun, run, adjoints: must outlive the cell. Throws as that does.
std::unique_ptr<TapedCell> make_cell(const begin::BegunCell& begun, const RunConstants& run,
                                     const Adjoints& adjoints);

}  // namespace hillock::simulator::taped
