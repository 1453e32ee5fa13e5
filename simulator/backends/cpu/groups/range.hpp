#pragma once
// Cells of one population that one thread at a time has, with what is on its way to them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/state/state_walk.hpp"
#include "models/report.hpp"
#include "network/spikes.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/threads/gang.hpp"
#include "solver/wiring.hpp"

namespace hillock::simulator::cpu {

class Range {
 public:
  virtual ~Range() = default;

  /// Before start(), as Engine::prepare().
  virtual void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) = 0;
  virtual void start(std::vector<network::CellSpike>& spikes,
                     std::span<const SampleBuffer> samples) = 0;
  /// Begins an epoch: gives the groups their input. arriving: the spikes of the whole network since
  /// the last call.
  virtual void receive(Epoch epoch, std::span<const std::vector<network::CellSpike>> arriving) = 0;
  /// Then every group is integrated, of which each may be on a thread of its own.
  virtual void advance(std::size_t group, Epoch epoch, std::vector<network::CellSpike>& spikes,
                       std::span<const SampleBuffer> samples, std::span<double> gap_values) = 0;
  /// Of groups that a wiring ties to others, when all were integrated up to their solve.
  virtual bool is_wired() const { return false; }
  virtual void tell(solver::Wiring&) {}
  /// Of what the process computes (Guests); is_solved: at what voltages become.
  virtual void tell_guests(bool) const {}
  virtual void hear_guests() {}
  /// wiring: null where what cuts the step is the process.
  virtual void end_step(const solver::Wiring*, std::vector<network::CellSpike>&,
                        std::span<double>) {}
  /// How other threads may help with that; null: they may not.
  virtual Gang* gang_of(std::size_t) { return nullptr; }

  /// Then, of an epoch of one step: as Engine::follow_gaps().
  virtual void follow_gaps(std::int64_t step, std::span<const SampleBuffer> samples) = 0;

  /// Gap junctions, as CellGroup has them.
  virtual void take_gap_values(std::span<const double> gap_values) = 0;
  virtual void publish_gap_values(std::span<double> gap_values) const = 0;
  virtual void number_gap_values(std::uint32_t& next, std::span<std::uint32_t> number_of) = 0;
  virtual void read_gap_values_by(std::span<const std::uint32_t> number_of) = 0;
  /// Saves or restores what changes, at an epoch's end.
  virtual void walk(StateWalk& state) = 0;
  virtual void resume_at(const network::Resumed& at) = 0;
  /// How much more its cells feel of a field from now on.
  virtual void take_factors(const FieldFactors&) {}

  virtual std::size_t group_count() const = 0;
  /// Of cells with a cable: how they lie.
  virtual std::optional<SideBySideReport> side_by_side() const { return std::nullopt; }
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t connection_bytes() const = 0;
};

}  // namespace hillock::simulator::cpu
