#include "io/model/values/read_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "io/model/values/slot.hpp"
#include "io/model/values/usual.hpp"

namespace hillock::io {

namespace {

/// Looks for values that use the position of cells, population by population.
class PositionWarnings {
 public:
  explicit PositionWarnings(const ReadContext& context)
      : context_(context), network_(context.network) {}

  void populations() const {
    for (std::uint32_t p = 0; p < network_.populations.size(); ++p) {
      const auto& kind = network_.cells[network_.populations[p].cell].kind;
      if (const auto* artificial = std::get_if<models::ArtificialCell>(&kind))
        check(artificial->mechanism, PopulationId(p));
    }
  }

  void projections() const {
    for (std::size_t i = 0; i < network_.projections.size(); ++i) {
      const models::Projection& projection = network_.projections[i];
      const PopulationId from = projection.from.population;
      const PopulationId to = projection.to.population;
      for (const models::Value* value :
           {&projection.connect.probability, &projection.weight, &projection.delay.base_ms})
        check(*value, from, to);
      for (const models::Value& argument : projection.arguments) check(argument, from, to);
      if (const auto* junction = std::get_if<models::GapJunction>(&projection.link)) {
        check(junction->g_uS, from, to);
        if (junction->mechanism) check(*junction->mechanism, to);
        if (junction->peer_mechanism) check(*junction->peer_mechanism, from);
      }
      if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
        check(synapse->mechanism, to);
      if (projection.delay.velocity_um_per_ms)
        warn(projection.delay.place, fmt::format("projections[{}].delay.velocity", i), "distance",
             from, to);
    }
  }

  void points() const {
    for (const models::PointList& points : network_.points) check(points.mechanism, points.on);
  }

  void stimuli() const {
    for (const models::Stimulus& stimulus : network_.stimuli) {
      const PopulationId to = stimulus.to.population;
      const auto check_all = [&](std::initializer_list<const models::Value*> values) {
        for (const models::Value* value : values) check(*value, to, to);
      };
      const auto check_clamp = [&](const models::CurrentClamp& clamp) {
        check_all({&clamp.amplitude, &clamp.start_ms, &clamp.duration_ms, &clamp.period_ms,
                   &clamp.count, &clamp.final_amplitude});
      };
      if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind))
        check_clamp(*clamp);
      if (const auto* given = std::get_if<std::shared_ptr<const models::Field>>(&stimulus.kind)) {
        const models::Field* const field = given->get();
        check(field->scale, to, to);
        if (const auto* clamp = std::get_if<models::CurrentClamp>(&field->waveform))
          check_clamp(*clamp);
        if (const auto* sine = std::get_if<models::SineWave>(&field->waveform))
          check_all({&sine->amplitude, &sine->frequency_Hz, &sine->phase_turns, &sine->offset,
                     &sine->start_ms, &sine->duration_ms});
      }
      if (const auto* clamp = std::get_if<models::VoltageClamp>(&stimulus.kind)) {
        check(clamp->rs_MOhm, to, to);
        for (const auto* values : {&clamp->levels_mV, &clamp->durations_ms})
          for (const models::Value& value : *values) check(value, to, to);
      }
      if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind)) {
        check_all({&events->weight, &events->delay_ms});
        for (const models::Value& argument : events->arguments) check(argument, to, to);
        if (const auto* poisson = std::get_if<models::PoissonSource>(&events->source))
          check_all({&poisson->rate_Hz, &poisson->period.start_ms, &poisson->period.stop_ms});
        check(events->synapse.mechanism, to);
      }
      if (const auto* gaussian = std::get_if<models::GaussianInput>(&stimulus.kind))
        check_all({&gaussian->mean, &gaussian->sd, &gaussian->period.start_ms,
                   &gaussian->period.stop_ms});
      if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
        check(placed->point.mechanism, to);
    }
  }

 private:
  void check(const models::MechanismUse& use, PopulationId population) const {
    for (const auto& [name, value] : use.parameters) check(value, population, population);
  }

  void check(const models::Value& value, PopulationId from, PopulationId to) const {
    for (const Variable variable : {Variable::distance, Variable::x, Variable::y, Variable::z}) {
      if (!value.uses(variable)) continue;
      return warn(value.place(), value.bounds() ? value.bounds()->path : "", name_of(variable),
                  from, to);
    }
  }

  void warn(const Place& place, const std::string& path, std::string_view variable,
            PopulationId from, PopulationId to) const {
    std::vector<std::string> names;
    for (const PopulationId id : {from, to}) {
      const models::Population& population = network_.populations[id.value];
      if (population.positions.kind == models::Positions::Kind::none &&
          (names.empty() || names[0] != population.name))
        names.push_back(population.name);
    }
    if (names.empty()) return;
    context_.diagnostics.warning(
        place, names.size() == 1
                   ? fmt::format("{}: depends on {}, but population '{}' has no positions (all its"
                                 " cells are at the origin)",
                                 path, variable, names[0])
                   : fmt::format("{}: depends on {}, but the populations '{}' and '{}' have no"
                                 " positions (all their cells are at the origin)",
                                 path, variable, names[0], names[1]));
  }

  const ReadContext& context_;
  const models::Network& network_;
};

/// Whether some branch lies in both; where branches are drawn, whether one of them is all, or both
/// are one.
bool share_branches(const models::Region& one, const models::Region& other,
                    const CellShape& shape) {
  if (shape.branches.empty()) return one.has_branch(other.name, other.name) || other.name == "all";
  return std::ranges::any_of(shape.branches, [&](const BranchShape& branch) {
    return one.has_branch(branch.region, branch.name) &&
           other.has_branch(branch.region, branch.name);
  });
}

/// The first mechanism there that reads or writes a concentration of the ion; empty for none.
std::string user_of_concentration(const ReadContext& context, const models::CableCell& cell,
                                  const models::Region& region, const CellShape& shape,
                                  const std::string& ion) {
  for (const models::RegionSettings& other : cell.regions) {
    if (!share_branches(region, other.region, shape)) continue;
    for (const models::MechanismUse& use : other.mechanisms) {
      const MechanismSignature& signature = context.signatures.at(use.name);
      if (std::ranges::any_of(signature.ions, [&](const IonUse& one) {
            return one.ion == ion && (one.reads_inside || one.reads_outside || one.writes_inside ||
                                      one.writes_outside);
          }))
        return use.name;
    }
  }
  return "";
}

}  // namespace

void warn_of_late_start(const ReadContext& context, const Item& item,
                        const std::optional<double>& first_ms) {
  const double end_ms = context.network.run.duration_ms;
  if (context.run_known && first_ms && *first_ms >= end_ms)
    item.warning(fmt::format("begins at {}, but the run ends at {}", show(*first_ms, "ms"),
                             show(end_ms, "ms")));
}

void warn_of_unused(const ReadContext& context) {
  const auto& network = context.network;
  for (std::size_t i = 0; i < context.cells.size(); ++i)
    if (!context.cells[i].used)
      context.diagnostics.warning(
          network.cells[i].place,
          fmt::format("cells.{}: no population uses this cell", network.cells[i].name));
  for (std::size_t i = 0; i < context.populations.size(); ++i)
    if (!context.populations[i].used)
      context.diagnostics.warning(
          network.populations[i].place,
          fmt::format("populations.{}: no projection, stimulus or record refers to it",
                      network.populations[i].name));
}

void warn_of_overwritten_reversals(const ReadContext& context) {
  for (std::size_t c = 0; c < context.cells.size(); ++c) {
    const models::Cell& model = context.network.cells[c];
    const auto* const cell = std::get_if<models::CableCell>(&model.kind);
    if (!cell) continue;
    for (const models::RegionSettings& settings : cell->regions)
      for (const models::IonSetting& ion : settings.ions) {
        if (!ion.reversal_mV) continue;
        const std::string user =
            user_of_concentration(context, *cell, settings.region, context.cells[c].shape, ion.ion);
        if (!user.empty())
          context.diagnostics.warning(
              ion.place, fmt::format("cells.{}: e of {} holds here; in NEURON it would not, as {} "
                                     "reads or writes a concentration of {}: there it becomes the "
                                     "Nernst potential (reversal: nernst)",
                                     model.name, ion.ion, user, ion.ion));
      }
  }
}

void warn_of_long_steps(const ReadContext& context) {
  const auto is_channel = [&](const models::MechanismUse& use) {
    return std::ranges::any_of(
        context.signatures.at(use.name).variables,
        [](const MechanismVariable& one) { return one.role == VariableRole::state; });
  };
  const auto has_channels = [&](const models::Cell& model) {
    const auto* const cell = std::get_if<models::CableCell>(&model.kind);
    return cell && std::ranges::any_of(cell->regions, [&](const models::RegionSettings& settings) {
             return std::ranges::any_of(settings.mechanisms, is_channel);
           });
  };
  if (context.dt && std::ranges::any_of(context.network.cells, has_channels))
    warn_of_unusual(*context.dt, Slot::of("ms").more_than(0).usually(Usual::step),
                    std::span(&context.network.run.dt_ms, 1));
}

void warn_of_missing_positions(const ReadContext& context) {
  const PositionWarnings warnings(context);
  warnings.populations();
  warnings.projections();
  warnings.points();
  warnings.stimuli();
}

}  // namespace hillock::io
