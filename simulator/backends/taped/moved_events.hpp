#pragma once
// What a run's number is derived by the time at which an event arrives.
//
// Events arrive at boundaries of steps, so that of the program is 0 or nothing. What stands here in
// its place is what the step would have led to with the event behind it, less what it has led to
// with the event before it, over dt: the jump and the difference of what flows on both sides of it,
// as a system that jumps has them, but for terms of order dt (docs/decisions/0061).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "simulator/backends/taped/taped_block.hpp"
#include "simulator/backends/taped/taped_cell.hpp"

namespace hillock::simulator::taped {

/// An event that arrived, and the instance's variables before.
struct TapedEvent {
  Event event;
  std::int64_t step;
  std::vector<double> before;
};

/// What a step began with and led to.
struct StepEnds {
  std::int64_t step;
  const std::vector<double>&v, &next_v;
  std::vector<Ion>&ions, &next_ions;
};

/// The events at the boundary before a step, while that is gone back over.
class MovedEvents {
 public:
  MovedEvents(const RunConstants& run, std::deque<TapedBlock>& blocks)
      : run_(run), blocks_(blocks) {}

  /// Before states are undone: blocks and by_ions have what the run is derived by behind the step.
  void begin(std::span<const TapedEvent> events, const StepEnds& ends, std::vector<Ion>& by_ions);
  /// When they are: by_ions has what it is derived by what ions gathered.
  void add_ion_currents(std::vector<Ion>& by_ions);
  /// When rows are solved: what it is derived by right-hand sides, and what was solved for.
  void add_rows(const std::vector<double>& by_rhs, const std::vector<double>& solved);
  /// [event]
  double by_ms(std::size_t event) const { return moved_[event].by_step / run_.dt_ms; }

 private:
  /// An instance by itself, on a row of its own.
  struct Tried {
    explicit Tried(const TapedBlock& block);

    Columns columns;
    double area_factor = 0, v_mV = 0, diagonal = 0, rhs = 0;
    int row = 0;
    std::vector<double> kept;  ///< [tie] what its location keeps
    std::vector<double*> shared;
    mechanisms::InstanceBlock view;
  };
  /// What the event leads to one way or the other.
  struct Led {
    double diagonal = 0, rhs = 0;
    std::vector<double> gathered;   ///< [tie] of ions' currents
    std::vector<double> set;        ///< [tie] behind the step
    std::vector<double> variables;  ///< likewise
  };
  struct Moved {
    TapedBlock* block;
    std::size_t row;
    double by_step;        ///< by a move of one step, as far as it is known
    double diagonal, rhs;  ///< that its row would have more
    std::vector<double> gathered;
  };

  Tried& tried(std::size_t block);
  /// is_late: the event comes behind the step.
  Led lead(const TapedEvent& event, const StepEnds& ends, bool is_late);

  const RunConstants& run_;
  std::deque<TapedBlock>& blocks_;
  std::map<std::size_t, Tried> tried_;
  std::vector<Moved> moved_;
};

}  // namespace hillock::simulator::taped
