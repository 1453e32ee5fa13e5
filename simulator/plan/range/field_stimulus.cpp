// Puts potentials outside on cells.

#include <fmt/format.h>

#include <numeric>
#include <variant>

#include "core/errors/errors.hpp"
#include "simulator/plan/range/one_stimulus.hpp"
#include "simulator/plan/range/placed_sources.hpp"
#include "solver/potential/current_sources.hpp"
#include "solver/potential/scattered_nodes.hpp"

namespace hillock::simulator {

namespace {

using solver::CurrentSource;

class FieldOnCells final : public OneStimulus {
 public:
  FieldOnCells(RangeDraft& draft, std::size_t number, const models::Field& field)
      : OneStimulus(draft, number),
        field_(field),
        placed_(draft.network(), draft.plan().population->id) {
    if (const auto* points = std::get_if<models::FieldOfPoints>(&field.potential))
      map_.emplace(points->medium);
    if (const auto* nodes =
            std::get_if<std::shared_ptr<const models::FieldOfNodes>>(&field.potential))
      between_.emplace((*nodes)->places_um);
  }

  void add() override {
    const CellIdentity& cell = draft_.identity();
    const solver::Template& cut = *draft_.kind().cell;
    std::vector<NodeId> nodes;
    for (std::size_t node = 0; node < cut.node_count(); ++node)
      nodes.push_back(NodeId(static_cast<int>(node)));
    const std::vector<CurrentSource> pieces = placed_.of(cell.index, cut, nodes);
    const double scale = value(field_.scale, 30);
    FieldOnCell on{static_cast<std::uint32_t>(draft_.cell()),
                   static_cast<std::uint32_t>(number_),
                   0,
                   in_time(),
                   {}};
    std::vector<std::vector<double>> frames;  // [node]
    for (std::size_t node = 0; node < nodes.size(); ++node)
      frames.push_back(potentials_mV(pieces[node], nodes[node]));
    for (; on.frame < frames.front().size(); ++on.frame) {
      if (!field_.frames.empty()) {
        on.in_time.wave.kind = step::FieldWave::Kind::table;
        on.in_time.table = &field_.frames[on.frame];
      }
      on.potential_mV.clear();
      for (const auto& of_node : frames) on.potential_mV.push_back(scale * of_node[on.frame]);
      draft_.plan().fields.push_back(on);
    }
  }

 private:
  /// [frame] in the middle of a piece of the cell.
  std::vector<double> potentials_mV(const CurrentSource& piece, NodeId node) {
    const auto* nodes = std::get_if<std::shared_ptr<const models::FieldOfNodes>>(&field_.potential);
    if (!nodes) return {potential_mV(piece, node)};
    if (auto at = between(**nodes, piece.middle_um); !at.empty()) return at;
    const solver::Vector3& at_um = piece.middle_um;
    reject(stimulus_.place,
           fmt::format("the nodes of {} do not lie around {} at {}, at ({:.12g}, {:.12g}, {:.12g}) "
                       "um (outside: 0 mV says what is beyond them)",
                       (*nodes)->file, draft_.identity().name(), draft_.kind().cell->describe(node),
                       at_um[0], at_um[1], at_um[2]));
  }

  double potential_mV(const CurrentSource& piece, NodeId node) {
    const solver::Vector3& at_um = piece.middle_um;
    if (map_) {
      const std::vector<double> of_nA =
          map_->of({.begin_um = at_um, .end_um = at_um, .radius_um = piece.radius_um});
      const auto& current_nA = std::get<models::FieldOfPoints>(field_.potential).current_nA;
      return std::inner_product(of_nA.begin(), of_nA.end(), current_nA.begin(), 0.0);
    }
    const auto whose = [&] {
      return fmt::format("{} at {}", draft_.identity().name(), draft_.kind().cell->describe(node));
    };
    if (const auto* grid =
            std::get_if<std::shared_ptr<const models::FieldOnGrid>>(&field_.potential)) {
      if (const auto at = (*grid)->at(at_um)) return *at;
      reject(stimulus_.place,
             fmt::format("the grid of {} does not reach {}, at ({:.12g}, {:.12g}, {:.12g}) um",
                         (*grid)->file, whose(), at_um[0], at_um[1], at_um[2]));
    }
    const auto& value = std::get<models::Value>(field_.potential);
    if (value.has_places())
      return value.at(draft_.kind().cell->piece_at(node),
                      static_cast<double>(draft_.identity().index), whose);
    Bindings bindings;
    bindings.x_um = at_um[0];
    bindings.y_um = at_um[1];
    bindings.z_um = at_um[2];
    RandomStream nothing_is_drawn(0, Purpose::stimulus, {});
    return value.evaluate(bindings, nothing_is_drawn, whose);
  }

  /// [frame]; nothing outside of all nodes.
  std::vector<double> between(const models::FieldOfNodes& nodes, const solver::Vector3& at_um) {
    std::vector<double> at;
    if (nodes.is_nearest) {
      const std::size_t nearest = between_->nearest(at_um);
      for (const auto& frame : nodes.potential_mV) at.push_back(frame[nearest]);
    } else if (const auto around = between_->around(at_um)) {
      for (const auto& frame : nodes.potential_mV) {
        double& sum = at.emplace_back(0);
        for (std::size_t k = 0; k < around->nodes.size(); ++k)
          sum += around->of[k] * frame[around->nodes[k]];
      }
    } else if (nodes.outside_mV) {
      at.assign(nodes.potential_mV.size(), *nodes.outside_mV);
    }
    return at;
  }

  FieldInTime in_time() {
    using Kind = step::FieldWave::Kind;
    FieldInTime in_time;
    step::FieldWave& wave = in_time.wave;
    if (const auto* sine = std::get_if<models::SineWave>(&field_.waveform)) {
      wave.kind = Kind::sine;
      wave.pulses.amplitude = value(sine->amplitude, 0);
      wave.pulses.start_ms = value(sine->start_ms, 1);
      wave.pulses.duration_ms = value(sine->duration_ms, 2);
      wave.offset = value(sine->offset, 31);
      wave.phase_turns = value(sine->phase_turns, 32);
      wave.turns_per_ms = value(sine->frequency_Hz, 33) / 1000;
      return in_time;
    }
    const auto& clamp = std::get<models::CurrentClamp>(field_.waveform);
    if (clamp.kind == models::CurrentClamp::Kind::waveform) {
      wave.kind = Kind::table;
      in_time.table = &waveform_of(clamp);
      return in_time;
    }
    wave.pulses = pulses_of(clamp);
    return in_time;
  }

  const models::Field& field_;
  PlacedSources placed_;
  std::optional<solver::PotentialMap> map_;        ///< of points
  std::optional<solver::ScatteredNodes> between_;  ///< nodes
};

}  // namespace

std::unique_ptr<OneStimulus> make_field_stimulus(RangeDraft& draft, std::size_t number) {
  const auto* field =
      std::get_if<std::shared_ptr<const models::Field>>(&draft.network().stimuli[number].kind);
  return field ? std::make_unique<FieldOnCells>(draft, number, **field) : nullptr;
}

}  // namespace hillock::simulator
