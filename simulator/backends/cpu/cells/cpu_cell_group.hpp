#pragma once
// A group of cells integrated on one core, or a large cell on several: a cell a lane, a whole epoch
// at a time.

#include <memory>
#include <span>
#include <vector>

#include "simulator/backends/cpu/events/event_delivery.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/threads/gang.hpp"
#include "solver/wiring.hpp"

namespace hillock::simulator::cpu {

class CellGroup {
 public:
  virtual ~CellGroup() = default;

  /// Before initialise(), once: recordings' columns, until then counted on each cell, are counted
  /// through the reports.
  virtual void number_columns(std::span<const models::ReportLayout> reports) = 0;
  /// Sets voltages and states at t = 0, tests detectors, writes samples of step 0.
  virtual void initialise(std::vector<network::CellSpike>& spikes,
                          std::span<const SampleBuffer> samples) = 0;
  /// Instead of initialise(), of a group of one cell, for an engine that goes on elsewhere: the
  /// same without samples. What is given lacks its tree and what begin::add_numbers() says.
  virtual begin::BegunCell begin(std::vector<network::CellSpike>& spikes) = 0;
  /// Puts values of gap junctions where instances read them, before initialise() or begin(), and
  /// before every step. gap_values: all that the rank has, [GapValues::size()].
  virtual void take_gap_values(std::span<const double> gap_values) = 0;
  /// Numbers, from `next` on, what its ends give to cells of this rank: ends that give the same
  /// have one number. number_of: [GapValues::own]
  virtual void number_gap_values(std::uint32_t& next, std::span<std::uint32_t> number_of) = 0;
  /// Reads by these numbers from then on, when all groups have theirs.
  virtual void read_gap_values_by(std::span<const std::uint32_t> number_of) = 0;
  /// Puts what its own ends give among these.
  virtual void publish_gap_values(std::span<double> gap_values) const = 0;
  /// Begins an epoch of steps from `first` on.
  virtual void begin_epoch(std::int64_t first) = 0;
  /// Where the epoch's events for a block are put, in the order of their arrival: if additions()
  /// is null, all together in events().
  virtual std::vector<mechanisms::Addition>* additions(std::size_t block) = 0;
  virtual std::vector<GroupEvent>& events() = 0;
  /// After advance(): forgets the epoch's events.
  virtual void give_back_events(EventBuffers& buffers) = 0;
  /// Integrates the epoch. Throws NumericalFailure when a voltage stops being finite.
  virtual void advance(Epoch epoch, std::vector<network::CellSpike>& spikes,
                       std::span<const SampleBuffer> samples) = 0;
  /// Of a group on which a wiring is, or of a run with guests: advance() of one step ends with its
  /// solve.
  virtual bool is_wired() const = 0;
  /// Tells what its cells' voltages are at the wiring's places.
  virtual void tell(solver::Wiring& wiring) = 0;
  /// Tells guests what is at their points, and takes what they answer. is_solved: at what voltages
  /// become.
  virtual void tell_guests(bool is_solved) const = 0;
  virtual void hear_guests() = 0;
  /// When all that is done: the rest of the step. wiring: null where there is none.
  virtual void end_step(const solver::Wiring* wiring, std::vector<network::CellSpike>& spikes) = 0;
  /// Where threads share the rows of its cell: what helps advance(). Else null.
  virtual Gang* gang() = 0;
  /// After the one step of an epoch, which ends at `step`, when take_gap_values() had what the
  /// other ends then give: as Engine::follow_gaps(). Takes the step's samples where it has such
  /// states.
  virtual void follow_gaps(std::int64_t step, std::span<const SampleBuffer> samples) = 0;
  /// Saves or restores what changes, at an epoch's end whose rows were not begun. `state` has begun
  /// the group's cells.
  virtual void walk(StateWalk& state) = 0;
  /// How much more its cells feel of a field from now on.
  virtual void take_factors(const FieldFactors& factors) = 0;
  virtual const GroupLayout& layout() const = 0;
  /// Bytes of state.
  virtual std::size_t bytes() const = 0;
};

/// layout.lanes must be 1, 4 or 8.
std::unique_ptr<CellGroup> make_cell_group(GroupLayout layout, const RunConstants& run);

}  // namespace hillock::simulator::cpu
