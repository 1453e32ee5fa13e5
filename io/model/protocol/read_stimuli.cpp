// Reads `stimuli:`: what drives cells from outside.

#include <fmt/format.h>

#include "io/model/context/read_context.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/mechanisms/read_played.hpp"
#include "io/model/protocol/read_current.hpp"
#include "io/model/protocol/read_field.hpp"
#include "io/model/protocol/read_spike_times.hpp"
#include "io/model/values/read_warnings.hpp"
#include "io/model/values/slices.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// The keys `start` and `stop`.
void read_period(ReadContext& context, ValueReader& read, const std::optional<Item>& start,
                 const std::optional<Item>& stop, models::Period& period) {
  const Slot time = Slot::of("ms").at_least(0).varying_by_cell();
  if (read.value(context, start, time, period.start_ms))
    warn_of_late_start(context, *start, lower_bound(period.start_ms));
  if (read.value(context, stop, time, period.stop_ms) && period.stop_ms.is_constant() &&
      period.start_ms.is_constant() && period.stop_ms.constant() <= period.start_ms.constant())
    read.error(*stop, "must be later than start");
}

std::optional<models::PoissonSource> read_poisson(ReadContext& context, const Item& item) {
  models::PoissonSource source;
  MapReader map(item, "a Poisson source");
  const auto rate = map.require("rate");
  const auto start = map.find("start");
  const auto stop = map.find("stop");
  ValueReader read(map.finish());
  read.value(context, rate,
             Slot::of("Hz").at_least(0).at_most(1e6).usually(Usual::rate).varying_by_cell(),
             source.rate_Hz);
  read_period(context, read, start, stop, source.period);
  return read.result(source);
}

/// unit: of the current that it adds to.
std::optional<models::GaussianInput> read_gaussian(ReadContext& context, const Item& item,
                                                   const std::string& unit) {
  models::GaussianInput input;
  MapReader map(item, "a gaussian input");
  const auto mean = map.find("mean");
  const auto sd = map.require("sd");
  const auto start = map.find("start");
  const auto stop = map.find("stop");
  ValueReader read(map.finish());
  read.value(context, mean, Slot::of(unit).varying_by_cell(), input.mean);
  read.value(context, sd, Slot::of(unit).at_least(0).varying_by_cell(), input.sd);
  read_period(context, read, start, stop, input.period);
  return read.result(input);
}

/// Reads one stimulus. Nothing after an error.
class StimulusReader {
 public:
  StimulusReader(ReadContext& context, const Item& item)
      : context_(context), map_(item, "a stimulus") {}

  std::optional<models::Stimulus> read() {
    if (!map_.is_map()) return std::nullopt;
    const auto name = map_.find("name");
    const auto chosen = map_.one_of(forms);
    const auto to = map_.require("to");
    stimulus_.place = map_.item().place();
    if (chosen) stimulus_.name = chosen->key;
    if (to && to->is_scalar()) stimulus_.name += "->" + to->node().scalar;
    if (name) read_.take(name->text("a name"), stimulus_.name);
    if (to && read_.take(read_slice(context_, *to), stimulus_.to)) {
      target_ = context_.cell_of(stimulus_.to.population);
      target_known_ = true;
    }
    if (!chosen) {
      for (const char* key : {"at", "synapse", "weight", "arguments", "delay"}) map_.allow(key);
      map_.finish();
      return std::nullopt;
    }
    const auto& [key, form, inner] = *chosen;
    check_target(key, form, inner);
    if (target_known_ && form.is_clamp && !is_of_point_neurons() &&
        !context_.replacing_files.contains(key))
      context_.populations[stimulus_.to.population.value].point_processes.insert(key);
    (this->*form.read)(inner);
    if (target_known_) check_columns(context_, context_.columns, stimulus_.to);
    return read_.result(stimulus_);
  }

 private:
  const CellShape& shape() const {
    static const CellShape unknown;
    return target_ ? target_->shape : unknown;
  }

  /// What drives which cells.
  enum class Onto { all, membranes, membranes_and_point_neurons, point_neurons };

  /// What a kind of stimulus is.
  struct Form {
    void (StimulusReader::*read)(const Item& inner);
    Onto onto;
    bool is_clamp = false;  ///< on a membrane an instance of the point process of its name
  };
  static const OneOf<Form> forms;

  void check_target(const std::string& key, const Form& form, const Item& inner) {
    if (!is_known()) return;
    if (form.onto == Onto::point_neurons && !is_of_point_neurons()) {
      read_.error(inner,
                  target_->artificial
                      ? "gaussian drives point neurons; artificial cells that live on events take"
                        " these alone (use poisson or spikes)"
                      : "gaussian drives point neurons; these cells have a morphology (use iclamp"
                        " or poisson)");
    } else if ((form.onto == Onto::membranes ||
                (form.onto == Onto::membranes_and_point_neurons && !is_of_point_neurons())) &&
               !target_->is_cable) {
      read_.error(inner, fmt::format("{} needs cells with a morphology; these are {}", key,
                                     is_of_point_neurons()
                                         ? "point neurons (use iclamp, gaussian, poisson or spikes)"
                                         : "artificial cells (use poisson or spikes)"));
    }
  }

  /// Whether it is known what kind of cells it is onto.
  bool is_known() const { return target_ && target_->kind_known; }
  bool is_of_point_neurons() const {
    return target_ && target_->artificial && target_->artificial->is_point_neuron;
  }

  /// Of the current that stimuli give to the target's neurons; "" where these are other cells.
  /// Nothing after an error.
  std::optional<std::string> unit_of_injected(const Item& inner) {
    if (!is_known()) {
      read_.note(false);
      return std::nullopt;
    }
    if (!is_of_point_neurons()) return "";
    const MechanismSignature& neuron = *target_->artificial;
    if (const auto* injected = neuron.find(neuron.injected)) return injected->unit_text;
    read_.error(inner, fmt::format("{} takes no current (its NEURON block has no "
                                   "ELECTRODE_CURRENT)",
                                   neuron.name));
    return std::nullopt;
  }

  template <class Read>
  void read_clamp(const Read& read) {
    const auto at = is_known() ? map_.require("at") : map_.find("at");
    read_.note(map_.finish());
    if (at) read(*at);
  }

  void read_current(const Item& inner) {
    if (is_of_point_neurons())
      read_injected(inner);
    else
      read_clamp([&](const Item& at) { return read_current_at(at, inner); });
  }
  void read_voltage(const Item& inner) {
    read_clamp([&](const Item& at) { return read_voltage_at(at, inner); });
  }
  void read_noise(const Item& inner) {
    read_.note(map_.finish());
    if (const auto unit = unit_of_injected(inner))
      read_.take(read_gaussian(context_, inner, *unit), stimulus_.kind);
  }

  void read_injected(const Item& inner) {
    if (const auto at = map_.find("at")) read_.error(*at, "point neurons have no places");
    read_.note(map_.finish());
    if (const auto unit = unit_of_injected(inner))
      read_.take(read_current_clamp(context_, inner, *unit), stimulus_.kind);
  }

  void read_current_at(const Item& at, const Item& inner) {
    auto clamp = read_current_clamp(context_, inner, "nA");
    models::Locations locations;
    read_.take(read_locations(at, shape(), LocationsFor::instances), locations);
    if (clamp) clamp->at = std::move(locations);
    read_.take(std::move(clamp), stimulus_.kind);
  }

  void read_voltage_at(const Item& at, const Item& inner) {
    auto clamp = read_voltage_clamp(context_, inner);
    models::Locations locations;
    read_.take(read_locations(at, shape(), LocationsFor::instances), locations);
    if (clamp) clamp->at = std::move(locations);
    read_.take(std::move(clamp), stimulus_.kind);
  }

  void read_point(const Item& inner) {
    read_.note(map_.finish());
    auto point = read_synapse(context_, inner, shape(), PointRole::no_events);
    if (!read_.note(point)) return;
    if (target_known_)
      context_.populations[stimulus_.to.population.value].point_processes.insert(
          point->mechanism.name);
    stimulus_.kind = models::PlacedPoint{std::move(*point)};
  }

  void read_field_of(const Item& inner) {
    read_.note(map_.finish());
    if (auto field = read_field(context_, inner, shape()); read_.note(field))
      stimulus_.kind = std::move(field);
  }

  /// `{to: exc, at: [soma(0.5)], play: {mechanism: hh, variable: gnabar, csv: file}}`
  void read_played_into(const Item& inner) {
    const auto at = map_.require("at");
    read_.note(map_.finish());
    MapReader map(inner, "a table that is played");
    const auto name_item = map.require("mechanism");
    const auto name = name_item ? name_item->text("a mechanism") : std::nullopt;
    if (!at || !read_.note(name)) return;
    const auto known = context_.signatures.find(*name);
    if (known == context_.signatures.end() || known->second.kind != MechanismKind::density)
      return read_.error(*name_item, fmt::format("there is no mechanism '{}' of membranes", *name));
    auto table = read_played(context_, map, known->second);
    if (!read_.note(table)) return;
    models::PlayedParameter played{*name, std::move(table->variable), std::move(table->table), {}};
    const auto add = [&](const Item& one) {
      models::Locations locations;
      if (read_.take(read_locations(one, shape(), LocationsFor::instances), locations))
        played.at.push_back(std::move(locations));
    };
    if (!at->is_list()) {
      add(*at);
    } else if (const auto all = at->list("a list of locations"); read_.note(all)) {
      for (const Item& one : *all) add(one);
    }
    stimulus_.kind = std::move(played);
  }

  void read_poisson_events(const Item& inner) {
    read_events([&](models::EventSource& events,
                    const Item& of) { read_.take(read_poisson(context_, of), events.source); },
                inner);
  }
  void read_given_events(const Item& inner) {
    read_events(
        [&](models::EventSource& events, const Item& of) {
          const bool size_known =
              target_known_ && context_.populations[stimulus_.to.population.value].size;
          read_.take(read_spike_times(context_, of, stimulus_.to, size_known), events.source);
        },
        inner);
  }

  template <class ReadSource>
  void read_events(const ReadSource& read_source, const Item& inner) {
    const bool known = is_known();
    const auto synapse =
        known && target_->is_cable ? map_.require("synapse") : map_.find("synapse");
    const auto weight = map_.require("weight");
    const auto delay = map_.find("delay");
    const auto arguments = map_.find("arguments");
    read_.note(map_.finish());
    models::EventSource events;
    read_source(events, inner);
    std::optional<Slot> slot;
    const MechanismSignature* receiver = nullptr;
    if (known && !target_->is_cable) {
      receiver = target_->artificial;
      slot = receiver ? weight_slot(*receiver) : Slot::of("");
      read_.note(takes_events(*target_, inner));
      if (synapse) read_.error(*synapse, no_synapses(*target_));
    } else if (synapse) {
      auto result = read_synapse(context_, *synapse, shape());
      if (read_.note(result)) {
        receiver = &context_.signatures.at(result->mechanism.name);
        slot = weight_slot(*receiver);
        if (target_known_)
          context_.populations[stimulus_.to.population.value].point_processes.insert(
              result->mechanism.name);
        events.synapse = std::move(*result);
      }
    }
    if (slot) read_.value(context_, weight, Slot(*slot).varying_by_cell(), events.weight);
    if (arguments && receiver)
      read_.take(read_arguments(context_, *arguments, *receiver, ArgumentsOf::stimuli),
                 events.arguments);
    read_.value(context_, delay, Slot::of("ms").at_least(0).at_most(1e8).varying_by_cell(),
                events.delay_ms);
    stimulus_.kind = std::move(events);
  }

  ReadContext& context_;
  MapReader map_;
  models::Stimulus stimulus_;
  const CellInfo* target_ = nullptr;
  bool target_known_ = false;
  ValueReader read_;
};

const OneOf<StimulusReader::Form> StimulusReader::forms{
    {"iclamp", {&StimulusReader::read_current, Onto::membranes_and_point_neurons, true}},
    {"seclamp", {&StimulusReader::read_voltage, Onto::membranes, true}},
    {"poisson", {&StimulusReader::read_poisson_events, Onto::all}},
    {"spikes", {&StimulusReader::read_given_events, Onto::all}},
    {"gaussian", {&StimulusReader::read_noise, Onto::point_neurons}},
    {"point", {&StimulusReader::read_point, Onto::membranes}},
    {"field", {&StimulusReader::read_field_of, Onto::membranes}},
    {"play", {&StimulusReader::read_played_into, Onto::membranes}}};

}  // namespace

void read_stimuli(ReadContext& context, const Item& item) {
  if (item.is_null()) return;
  const auto entries = item.list("a list of stimuli");
  if (!entries) return;
  for (const auto& entry : *entries) {
    context.columns.clear();
    if (auto stimulus = StimulusReader(context, entry).read())
      context.network.stimuli.push_back(std::move(*stimulus));
    else
      context.point_processes_known = false;
  }
}

}  // namespace hillock::io
