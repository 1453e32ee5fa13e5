// Reads `record:`: which variables of which cells or points are written, where and how often.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/program/file_name.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/protocol/read_potential.hpp"
#include "io/model/protocol/recorded_variable.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/slices.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/time_grid.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

constexpr double most_columns = 1e8;

/// At least how many columns a cell gives.
double columns_of(const models::Locations& at, const CellShape& shape) {
  using Kind = models::Locations::Kind;
  if (at.kind == Kind::position || at.kind == Kind::uniform || shape.drawn) return 1;
  return static_cast<double>(std::ranges::count_if(shape.branches, [&](const BranchShape& branch) {
    return at.region.has_branch(branch.region, branch.name) &&
           (at.kind != Kind::tips || !branch.has_child);
  }));
}

/// Reads one recording. Nothing after an error.
class RecordingReader {
 public:
  RecordingReader(ReadContext& context, const Item& item)
      : context_(context), map_(item, "a record entry") {}

  /// of: the slice, where `of` names several; else it is what `of` has.
  std::optional<models::Recording> read(const std::optional<Item>& one = std::nullopt) {
    if (!map_.is_map()) return std::nullopt;
    recording_.place = map_.item().place();
    const auto name = map_.require("name");
    if (map_.has("weights")) return read_weights(name);
    if (map_.has("points")) return read_points(name);
    const auto given = map_.require("of");
    const auto of = one ? one : given;
    const auto variable = map_.find("variable");
    if (name) read_name(*name, variable.has_value());
    of_known_ = of && read_.take(read_slice(context_, *of), recording_.of);
    if (of_known_) {
      cell_ = context_.cell_of(recording_.of.population);
      if (cell_ && !cell_->kind_known) cell_ = nullptr;
    }
    if (variable)
      read_variable(*variable);
    else
      read_spikes(of);
    return read_.result(recording_);
  }

  /// Of a slice what its currents come to outside.
  std::optional<models::Recording> read_potential(
      const models::PopulationSlice& of, std::shared_ptr<const models::Potential> potential) {
    recording_.place = map_.item().place();
    const auto name = map_.require("name");
    for (const char* key : {potential && potential->is_dipole() ? "variable" : "potential", "of"})
      map_.allow(key);
    const Sampling sampling = sampling_in_map();
    const auto by = map_.find("by");
    const auto mean = map_.find("mean");
    read_.note(map_.finish());
    if (name) read_name(*name, true);
    if (by) read_.take(by->choice({"all", "population", "cell"}), recording_.by);
    if (mean) read_.take(mean->boolean(), recording_.is_mean);
    recording_.of = of;
    recording_.at.kind = models::Locations::Kind::all;
    auto& variable = recording_.variable.emplace();
    variable.kind = models::RecordedVariable::Kind::membrane_current;
    variable.unit_text = "nA";
    recording_.potential = std::move(potential);
    read_sampling(sampling);
    if (recording_.by == models::Recording::By::population && read_.good())
      check_part_name(*name, of.population);
    const CellInfo* const cell = context_.cell_of(of.population);
    const double columns =
        cell ? columns_of(recording_.at, cell->shape) * static_cast<double>(of.size()) : 0;
    if (columns > most_columns)
      read_.error(map_.item(), fmt::format("is of {:.3g} compartments; it may be of 1e8", columns));
    if (recording_.by == models::Recording::By::cell && recording_.potential)
      check_cell_columns(*by, of);
    return read_.result(recording_);
  }

 private:
  void check_part_name(const Item& name, PopulationId population) {
    const std::string part =
        models::name_of_part(recording_.name, context_.network.populations[population.value].name);
    if (!is_file_name(part))
      read_.error(name, fmt::format("'{}', the part of it that a population makes, cannot name a "
                                    "file (no /, no control characters, at most 100 bytes)",
                                    part));
  }

  void check_cell_columns(const Item& by, const models::PopulationSlice& of) {
    const double columns =
        static_cast<double>(of.size()) * static_cast<double>(recording_.potential->size());
    if (columns > most_columns)
      read_.error(by, fmt::format("{:.3g} columns; a report has at most 1e8", columns));
  }

  void read_name(const Item& item, bool has_variable) {
    const auto text = item.text("a name");
    if (!read_.note(text)) return;
    if (!is_file_name(*text)) {
      read_.error(item, fmt::format("'{}' cannot name a file (no /, no control characters, no . or "
                                    "- at its beginning, at most 100 bytes)",
                                    *text));
    } else if (has_variable && *text == "spikes") {
      read_.error(item, "the name 'spikes' belongs to the spike file, spikes.h5");
    } else {
      recording_.name = *text;
    }
  }

  std::optional<models::Recording> read_weights(const std::optional<Item>& name) {
    if (name) read_name(*name, true);
    const auto weights = map_.require("weights");
    const auto every = map_.require("every");
    const Sampling sampling{every, map_.find("start"), map_.find("stop"), map_.find("type"),
                            map_.find("gzip")};
    read_.note(map_.finish());
    const auto text = weights->text("the name of a projection");
    if (read_.note(text)) find_projection(*weights, *text);
    read_sampling(sampling);
    return read_.result(recording_);
  }

  std::optional<models::Recording> read_points(const std::optional<Item>& name) {
    if (name) read_name(*name, true);
    const auto points = map_.require("points");
    const auto variable = map_.require("variable");
    const Sampling sampling = sampling_in_map();
    read_.note(map_.finish());
    if (points && read_.take(read_point_slice(context_, *points), recording_.points) && variable)
      read_variable_of(*variable, context_.network.points[recording_.points->list]);
    read_sampling(sampling);
    return read_.result(recording_);
  }

  /// Of points: "g" and "exp2syn.g" are the same.
  void read_variable_of(const Item& item, const models::PointList& list) {
    const std::span cells =
        std::span(list.cells)
            .subspan(recording_.points->begin, recording_.points->end - recording_.points->begin);
    recording_.of.population = list.on;
    recording_.of.place = item.place();
    recording_.of.begin = cells.empty() ? 0 : *std::ranges::min_element(cells);
    recording_.of.end = cells.empty() ? 0 : *std::ranges::max_element(cells) + 1;
    recording_.at.kind = models::Locations::Kind::listed;
    read_.take(read_variable_of_points(context_, item, list), recording_.variable);
  }

  void find_projection(const Item& item, const std::string& name) {
    const auto& projections = context_.network.projections;
    const auto named = std::ranges::find(projections, name, &models::Projection::name);
    if (named == projections.end()) {
      if (context_.point_processes_known)  // all projections could be read
        read_.error(item, fmt::format("no projection is called '{}'", name));
      read_.note(false);
    } else if (std::ranges::count(projections, name, &models::Projection::name) > 1) {
      read_.error(item, fmt::format("several projections are called '{}' (give it a name)", name));
    } else if (const CellInfo* const onto = context_.cell_of(named->to.population);
               !onto || !onto->kind_known) {
      read_.note(false);
    } else if (!named->stdp) {
      read_.error(item,
                  fmt::format("the weights of '{}' do not change: it has no plasticity", name));
    } else {
      auto& variable = recording_.variable.emplace();
      variable.kind = models::RecordedVariable::Kind::weight;
      variable.projection = static_cast<std::size_t>(named - projections.begin());
      recording_.of = named->to;
      const CellInfo* const cell = context_.cell_of(named->to.population);
      if (cell && cell->artificial) variable.unit_text = cell->artificial->weight_unit_text;
    }
  }

  void read_spikes(const std::optional<Item>& of) {
    for (const char* key : {"at", "every", "start", "stop", "type", "gzip"})
      if (const auto item = map_.find(key))
        read_.error(*item,
                    "a record of spikes has only name and of (a variable: is missing otherwise)");
    read_.note(map_.finish());
    if (of && cell_ && cell_->is_cable && !cell_->has_detector && cell_->is_sound)
      read_.error(*of, fmt::format("its cell '{}' has no detector, so it never fires a spike (write"
                                   " detector: {{at: soma(0.5), threshold: 0 mV}} in the cell)",
                                   cell_name()));
  }

  const std::string& cell_name() const {
    return context_.network.cells[*context_.populations[recording_.of.population.value].cell].name;
  }

  void read_variable(const Item& item) {
    const bool is_point = cell_ && !cell_->is_cable;
    const auto at = is_point || !cell_ ? map_.find("at") : map_.require("at");
    const Sampling sampling = sampling_in_map();
    read_.note(map_.finish());
    if (of_known_)
      read_.take(read_recorded_variable(context_, item, recording_.of.population),
                 recording_.variable);
    if (at && is_point)
      read_.error(*at, cell_->artificial && cell_->artificial->is_point_neuron
                           ? "point neurons have no places"
                           : "artificial cells have no places");
    if (at && !is_point) read_at(*at);
    read_sampling(sampling);
  }

  /// When samples are taken, and how they are written.
  struct Sampling {
    std::optional<Item> every, start, stop, type, gzip;
  };
  Sampling sampling_in_map() {
    return {map_.find("every"), map_.find("start"), map_.find("stop"), map_.find("type"),
            map_.find("gzip")};
  }
  void read_sampling(const Sampling& sampling) {
    read_times(sampling.every, sampling.start, sampling.stop);
    if (sampling.type) read_.take(sampling.type->choice({"float32", "float64"}), recording_.type);
    read_.whole_number(sampling.gzip, 0, 9, recording_.gzip_level);
  }

  void read_at(const Item& at) {
    static const CellShape unknown;
    const CellShape& shape = cell_ ? cell_->shape : unknown;
    if (!read_.take(read_locations(at, shape, LocationsFor::samples), recording_.at)) return;
    const double columns =
        columns_of(recording_.at, shape) * static_cast<double>(recording_.of.size());
    if (columns > most_columns)
      read_.error(at, fmt::format("{:.3g} columns; a report has at most 1e8", columns));
  }

  void read_times(const std::optional<Item>& every, const std::optional<Item>& start,
                  const std::optional<Item>& stop) {
    const models::Run& run = context_.network.run;
    recording_.every_ms = run.dt_ms;
    recording_.stop_ms = run.duration_ms;
    const auto read = [&](const std::optional<Item>& item, const Slot& slot, double& into) {
      if (!read_.constant(item, slot, into) || !context_.run_known) return;
      const std::string problem = whole_steps_problem(into, run.dt_ms);
      if (!problem.empty()) read_.error(*item, problem);
    };
    read(every, Slot::of("ms").more_than(0), recording_.every_ms);
    read(start, Slot::of("ms").at_least(0), recording_.start_ms);
    read(stop, Slot::of("ms").more_than(0), recording_.stop_ms);
    if (!context_.run_known || !read_.good()) return;
    if (start && recording_.start_ms >= run.duration_ms) {
      read_.error(*start, fmt::format("begins after the run, which ends at {}",
                                      show(run.duration_ms, "ms")));
    } else if (stop && recording_.stop_ms <= recording_.start_ms) {
      read_.error(*stop, "must be later than start");
    } else if (stop && recording_.stop_ms > run.duration_ms) {
      stop->warning(fmt::format("the run ends before, at {}", show(run.duration_ms, "ms")));
      recording_.stop_ms = run.duration_ms;
    }
  }

  ReadContext& context_;
  MapReader map_;
  models::Recording recording_;
  const CellInfo* cell_ = nullptr;
  bool of_known_ = false;
  ValueReader read_;
};

/// A record over several slices is a recording of each; all go to one file, in which cells are
/// known by their nodes.
void read_several(ReadContext& context, const Item& entry, const Item& of) {
  const auto slices = of.list("a population or several");
  if (!slices) return;
  if (slices->empty()) return of.error("names no population");
  std::string output;
  const std::size_t first = context.network.recordings.size();
  for (const Item& one : *slices) {
    const std::size_t errors = context.diagnostics.error_count();
    auto recording = RecordingReader(context, entry).read(one);
    if (!recording) {
      if (context.diagnostics.error_count() == errors) of.error("cannot be recorded");
      return;
    }
    const std::string& name =
        context.network.populations[recording->of.population.value].output_name();
    if (recording->variable && !output.empty() && name != output)
      return one.error(fmt::format(
          "its cells come out under {}, those before under {}: one report "
          "has cells of one population of nodes (make it a record entry for each, or give "
          "them the same population under nodes)",
          name, output));
    output = name;
    for (std::size_t r = first; r < context.network.recordings.size(); ++r) {
      const models::PopulationSlice& other = context.network.recordings[r].of;
      if (other.population == recording->of.population && other.begin < recording->of.end &&
          recording->of.begin < other.end)
        return one.error("has cells that are named before");
    }
    context.network.recordings.push_back(std::move(*recording));
  }
}

/// Whose currents make a potential: those of the slices that are named, or of all cells with a
/// cable. Nothing after an error.
std::optional<std::vector<models::PopulationSlice>> slices_with_cables(ReadContext& context,
                                                                       const Item& entry) {
  const auto has_cable = [&](PopulationId population) {
    const CellInfo* const cell = context.cell_of(population);
    return !cell || cell->is_cable;
  };
  std::vector<models::PopulationSlice> slices;
  MapReader map(entry, "a record entry");
  const auto of = map.find("of");
  if (!of) {
    for (std::uint32_t p = 0; p < context.network.populations.size(); ++p)
      if (has_cable(PopulationId(p)))
        slices.push_back({PopulationId(p), 0, context.network.populations[p].size, entry.place()});
    if (slices.empty()) entry.error("there are no cells with a membrane along a cable");
    return slices.empty() ? std::nullopt : std::optional(slices);
  }
  const auto named = of->node().kind == Node::Kind::list ? of->list("a population or several")
                                                         : std::optional(std::vector<Item>{*of});
  if (!named) return std::nullopt;
  for (const Item& one : *named) {
    const auto slice = read_slice(context, one);
    if (!slice) return std::nullopt;
    if (!has_cable(slice->population)) {
      one.error("its cells are points, through which no current flows along a cable");
      return std::nullopt;
    }
    if (std::ranges::any_of(slices, [&](const auto& other) { return overlap(*slice, other); })) {
      one.error("has cells that are named before");
      return std::nullopt;
    }
    slices.push_back(*slice);
  }
  if (slices.empty()) of->error("names no population");
  return slices.empty() ? std::nullopt : std::optional(slices);
}

constexpr const char* dipole = "dipole";

bool is_of_dipole(const Item& entry) {
  const Node* const variable = entry.node().find("variable");
  return variable && variable->kind == Node::Kind::scalar && variable->scalar == dipole;
}

std::shared_ptr<const models::Potential> dipole_moment() {
  models::Potential moment;
  moment.quantity = models::Potential::Quantity::dipole_moment;
  return std::make_shared<const models::Potential>(std::move(moment));
}

/// What currents of all compartments come to outside.
void read_potential_record(ReadContext& context, const Item& entry) {
  MapReader map(entry, "a record entry");
  const auto item = map.find("potential");
  const auto potential = item ? read_potential(context, *item) : dipole_moment();
  const auto slices = slices_with_cables(context, entry);
  if (!slices) return;
  for (const models::PopulationSlice& slice : *slices) {
    const models::Population& population = context.network.populations[slice.population.value];
    if (item && population.positions.kind == models::Positions::Kind::none && slice.size() > 1)
      entry.warning(
          fmt::format("'{}' has no positions: all its cells are in one place", population.name));
    auto recording = RecordingReader(context, entry).read_potential(slice, potential);
    if (!recording) return;
    if (recording->by == models::Recording::By::cell &&
        population.output_name() !=
            context.network.populations[slices->front().population.value].output_name())
      return entry.error_at(
          slice.place,
          fmt::format("its cells come out under {}, those before under {}: by cell a report "
                      "has cells of one population of nodes (make it a record entry for "
                      "each)",
                      population.output_name(),
                      context.network.populations[slices->front().population.value].output_name()));
    if (potential) context.network.recordings.push_back(std::move(*recording));
  }
}

/// Of the last entry the names that its populations' parts have.
std::vector<std::string> names_of_parts(const models::Network& network, std::size_t first) {
  std::vector<std::string> names;
  for (std::size_t r = first; r < network.recordings.size(); ++r) {
    const models::Recording& recording = network.recordings[r];
    if (recording.by != models::Recording::By::population) continue;
    const std::string& population = network.populations[recording.of.population.value].name;
    std::string name = models::name_of_part(recording.name, population);
    if (!std::ranges::count(names, name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void read_recordings(ReadContext& context, const Item& item) {
  if (item.is_null()) return;
  const auto entries = item.list("a list of record entries");
  if (!entries) return;
  std::map<std::string, Place> names;
  for (const auto& entry : *entries) {
    const std::size_t before = context.network.recordings.size();
    if (entry.is_map() && (entry.node().find("potential") || is_of_dipole(entry))) {
      read_potential_record(context, entry);
    } else if (const Node* of = entry.is_map() ? entry.node().find("of") : nullptr;
               of && of->kind == Node::Kind::list) {
      read_several(context, entry, Item(*of, entry.path() + ".of", context.diagnostics));
    } else if (auto recording = RecordingReader(context, entry).read()) {
      context.network.recordings.push_back(std::move(*recording));
    }
    if (const Node* name = entry.is_map() ? entry.node().find("name") : nullptr;
        name && name->kind == Node::Kind::scalar) {
      std::vector<std::string> all = names_of_parts(context.network, before);
      all.insert(all.begin(), name->scalar);
      for (const std::string& one : all) {
        const auto [first, is_new] = names.try_emplace(one, name->place());
        if (!is_new)
          entry.error_at(name->place(), fmt::format("another record entry is called '{}' (at {})",
                                                    one, to_string(first->second)));
      }
    }
  }
}

}  // namespace hillock::io
