#pragma once
// One stimulus of a model while it is put on the cells of a range.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mechanisms/runtime/electrode.hpp"
#include "network/events.hpp"
#include "simulator/plan/range/range_draft.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

/// One stimulus on the draft's current cell.
class OneStimulus {
 public:
  OneStimulus(RangeDraft& draft, std::size_t number)
      : draft_(draft), number_(number), stimulus_(draft.network().stimuli[number]) {}
  virtual ~OneStimulus() = default;

  virtual void add() = 0;
  virtual void finish() {}

 protected:
  /// A value for the cell. what: tells apart the draws of one stimulus.
  double value(const models::Value& value, std::uint64_t what) {
    RandomStream draws(draft_.network().run.seed, Purpose::stimulus,
                       {number_, draft_.identity().id.value, what});
    return value.evaluate(draft_.bindings(), draws, [&] { return draft_.identity().name(); });
  }

  RandomStream location_draws() const {
    return RandomStream(draft_.network().run.seed, Purpose::location,
                        {network::first_stimulus_source + number_, draft_.identity().id.value, 0});
  }
  std::vector<NodeId> nodes(const models::Locations& at) const {
    RandomStream draws = location_draws();
    return solver::resolve(*draft_.kind().cell, at, draws);
  }
  SynapseKey key() const { return {":stimulus", {number_}, 1}; }

  struct Period {
    double start_ms, stop_ms;
  };
  Period period_of(const models::Period& period);
  /// Of a clamp whose current is no waveform.
  mechanisms::ElectrodePulses pulses_of(const models::CurrentClamp& clamp);
  /// The cell's own.
  const models::Waveform& waveform_of(const models::CurrentClamp& clamp);

  RangeDraft& draft_;
  std::size_t number_;
  const models::Stimulus& stimulus_;
};

/// A stimulus that gives something to point neurons in every step: null where it is another.
std::unique_ptr<OneStimulus> make_step_stimulus(RangeDraft& draft, std::size_t number);

/// A potential outside: null where it is another.
std::unique_ptr<OneStimulus> make_field_stimulus(RangeDraft& draft, std::size_t number);

}  // namespace hillock::simulator
