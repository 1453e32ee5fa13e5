// Reads `projections:`: who connects to whom, by which rule, through what, how strongly, how late.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/model/context/read_context.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/network/read_connect.hpp"
#include "io/model/network/read_gap_junction.hpp"
#include "io/model/network/read_plasticity.hpp"
#include "io/model/values/slices.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// Reports a delay that is known to be shorter than spikes of the source may have it.
void check_delay(const ReadContext& context, const Item& item, const models::Value& value,
                 PopulationId source) {
  const auto smallest = lower_bound(value);
  if (!context.run_known || !smallest || is_long_enough(context, *smallest, source)) return;
  item.error(
      fmt::format("a delay of {} is shorter than the time step dt, {} (spikes cannot arrive"
                  " within the step they are fired in)",
                  show(*smallest, "ms"), show(context.network.run.dt_ms, "ms")));
}

std::optional<models::Delay> read_delay(ReadContext& context, const Item& item,
                                        PopulationId source) {
  const Slot slot = delay_slot().varying_by_connection();
  models::Delay delay;
  delay.place = item.place();
  if (item.is_map() && (item.node().find("base") || item.node().find("velocity"))) {
    MapReader map(item, "a delay");
    const auto base = map.find("base");
    const auto velocity = map.require("velocity");
    ValueReader read(map.finish());
    read.value(context, base, slot, delay.base_ms);
    if (velocity)
      read.take(read_constant(*velocity, Slot::of("um/ms").more_than(0)), delay.velocity_um_per_ms);
    return read.result(delay);
  }
  auto value = read_value(context, item, slot);
  if (!value) return std::nullopt;
  check_delay(context, item, *value, source);
  delay.base_ms = std::move(*value);
  return delay;
}

std::string slice_text(const std::optional<Item>& item) {
  return item && item->is_scalar() ? item->node().scalar : "?";
}

/// Reads one projection. Nothing after an error.
class ProjectionReader {
 public:
  ProjectionReader(ReadContext& context, const Item& item)
      : context_(context), map_(item, "a projection") {}

  std::optional<models::Projection> read() {
    if (!map_.is_map()) return std::nullopt;
    projection_.place = map_.item().place();
    const auto name = map_.find("name");
    const auto from = map_.require("from");
    const auto to = map_.require("to");
    const auto connect = map_.require("connect");
    const auto synapse = map_.find("synapse");
    const auto gap = map_.find("gap_junction");
    const auto weight = gap ? map_.find("weight") : map_.require("weight");
    const auto delay = gap ? map_.find("delay") : map_.require("delay");
    const auto arguments = map_.find("arguments");
    const auto plasticity = map_.find("plasticity");
    read_.note(map_.finish());
    projection_.name = slice_text(from) + "->" + slice_text(to);
    if (name) read_.take(name->text("a name"), projection_.name);
    read_ends(from, to);
    if (gap) {
      read_gap(*gap, synapse, weight, delay);
      if (arguments) read_.error(*arguments, "a gap junction takes no events");
    } else {
      read_link(synapse);
      read_weight(weight);
      if (arguments && receiver_)
        read_.take(read_arguments(context_, *arguments, *receiver_, ArgumentsOf::connections),
                   projection_.arguments);
    }
    if (connect && points_unknown_) {
      read_.note(false);
    } else if (connect) {
      const bool weighs = weight_slot_.has_value();
      const CellInfo* const placed = gap ? source_ : target_;
      std::span<const EventArgument> arguments_of_rows;
      if (receiver_) arguments_of_rows = receiver_->arguments;
      read_.take(read_connect(context_, *connect,
                              {projection_.from, projection_.to, sizes_known_ && ends_known_,
                               weighs ? &*weight_slot_ : nullptr, gap.has_value(),
                               placed && placed->kind_known ? &placed->shape : nullptr,
                               arguments_of_rows, points_}),
                 projection_.connect);
      if (points_ && read_.good() && projection_.connect.kind != models::ConnectionRule::Kind::list)
        read_.error(*connect, "points are connected by a list, whose targets they are");
      if (gap) check_rows(*connect);
      check_places(*connect);
    }
    if (delay && !gap)
      read_.take(read_delay(context_, *delay, projection_.from.population), projection_.delay);
    if (plasticity && gap)
      read_.error(*plasticity, "a gap junction has no plasticity");
    else if (plasticity)
      read_stdp(*plasticity, weight);
    return read_.result(projection_);
  }

 private:
  void read_ends(const std::optional<Item>& from, const std::optional<Item>& to) {
    const auto source = from ? read_slice(context_, *from) : std::nullopt;
    const auto target = to ? read_slice(context_, *to) : std::nullopt;
    if (source) {
      projection_.from = *source;
      source_ = context_.cell_of(source->population);
    }
    if (target) {
      projection_.to = *target;
      target_ = context_.cell_of(target->population);
    }
    ends_known_ = read_.note(source && target);
    if (ends_known_)
      sizes_known_ = context_.populations[source->population.value].size.has_value() &&
                     context_.populations[target->population.value].size.has_value();
    if (source && source_ && source_->kind_known && source_->is_cable && !source_->has_detector &&
        source_->is_sound && !map_.has("gap_junction")) {
      const auto cell = context_.populations[source->population.value].cell;
      read_.error(*from,
                  fmt::format("its cell '{}' has no detector, so it never fires a spike (write"
                              " detector: {{at: soma(0.5), threshold: 0 mV}} in the cell)",
                              context_.network.cells[*cell].name));
    }
  }

  void read_gap(const Item& gap, const std::optional<Item>& synapse,
                const std::optional<Item>& weight, const std::optional<Item>& delay) {
    const std::pair<const char*, const std::optional<Item>&> others[] = {
        {"synapse", synapse}, {"weight", weight}, {"delay", delay}};
    for (const auto& [key, other] : others)
      if (other)
        read_.error(*other,
                    fmt::format("a gap junction has no {} (it conducts all the time)", key));
    for (const CellInfo* cell : {source_, target_})
      if (cell && cell->kind_known && !cell->is_cable)
        return read_.error(gap, "a gap junction joins cells with a morphology");
    static const CellShape unknown;
    const GapEnds ends{source_ ? source_->shape : unknown, target_ ? target_->shape : unknown,
                       projection_.from, projection_.to, ends_known_};
    if (gap.is_map() && gap.node().find("points"))
      read_gap_onto_points(gap, ends);
    else
      read_.take(read_gap_junction(context_, gap, ends), projection_.link);
  }

  /// `gap_junction: {points: each, peer_at: soma(0.5)}`
  void read_gap_onto_points(const Item& gap, const GapEnds& ends) {
    MapReader map(gap, "a gap junction onto points");
    const auto points = map.require("points");
    const auto peer_at = map.require("peer_at");
    const auto reads = map.find("reads");
    points_unknown_ = true;
    if (!read_.note(map.finish())) return;
    const auto list = read_list_of(*points);
    if (!list) return;
    models::GapJunction junction;
    junction.place = gap.place();
    junction.points = *list;
    points_ = &context_.network.points[*list];
    junction.mechanism = points_->mechanism;
    if (const std::string problem = no_side(context_.signatures.at(junction.mechanism->name),
                                            reads ? GapReads::variable : GapReads::voltage);
        !problem.empty())
      return read_.error(*points, problem);
    junction.at = listed(points->place());
    if (reads) read_.take(read_pointer_target(context_, *reads), junction.reads);
    read_.take(read_end(*peer_at, ends.source, GapEndPlaces::listed), junction.peer_at);
    projection_.link = std::move(junction);
    points_unknown_ = false;
  }

  /// Rows of a list for a gap junction.
  void check_rows(const Item& connect) {
    const models::ConnectionRows& rows = projection_.connect.rows;
    if (rows.weights.empty() && rows.delays_ms.empty()) return;
    read_.error(connect, fmt::format("the list has a {0} for each row, and a gap junction has no "
                                     "{0}",
                                     rows.weights.empty() ? "delay" : "weight"));
  }

  /// Whether rows and synapse agree on who says where connections lead.
  void check_places(const Item& connect) {
    if (!read_.good()) return;
    const bool rows_say = !projection_.connect.rows.branches.empty();
    const auto* synapse = std::get_if<models::Synapse>(&projection_.link);
    const auto* junction = std::get_if<models::GapJunction>(&projection_.link);
    const models::Locations* const at = synapse                        ? &synapse->at
                                        : junction && junction->points ? &junction->peer_at
                                                                       : nullptr;
    const char* const key = synapse ? "at" : "peer_at";
    const bool is_listed = at && at->kind == models::Locations::Kind::listed;
    if (is_listed && !rows_say &&
        (projection_.connect.rows.listed == 0 || projection_.connect.rows.size() > 0))
      read_.error_at(
          connect, at->place,
          fmt::format("{}: list needs a list of connections whose rows have branch and position",
                      key));
    if (rows_say && !is_listed)
      read_.error(
          connect,
          fmt::format("the list has a branch and a position for each row{}",
                      at ? fmt::format("; then the {} needs {}: list",
                                       synapse ? "synapse" : "gap junction", key)
                         : ", and only synapses and gap junctions onto points have places"));
  }

  /// Where a list of connections says the places.
  static models::Locations listed(const Place& place) {
    models::Locations at;
    at.kind = models::Locations::Kind::listed;
    at.text = "list";
    at.place = place;
    return at;
  }

  /// The list of points that a projection leads to, as a whole.
  std::optional<std::size_t> read_list_of(const Item& points) {
    const auto slice = read_point_slice(context_, points);
    if (!read_.note(slice)) return std::nullopt;
    const models::PointList& list = context_.network.points[slice->list];
    const models::Population& cells = context_.network.populations[list.on.value];
    if (slice->end - slice->begin != list.size())
      read_.error(points, "a projection's rows count all points of a list");
    else if (ends_known_ &&
             (projection_.to.population != list.on || projection_.to.size() != cells.size))
      read_.error(points, fmt::format("the points of '{}' lie on {}, to which the projection leads "
                                      "then, as a whole",
                                      list.name, cells.name));
    else
      return slice->list;
    return std::nullopt;
  }

  /// `synapse: {points: exc}`
  void read_points_of(const Item& synapse) {
    MapReader map(synapse, "a synapse");
    const auto points = map.require("points");
    points_unknown_ = true;
    if (!read_.note(map.finish())) return;
    const auto number = read_list_of(*points);
    if (!number) return;
    const models::PointList& list = context_.network.points[*number];
    receiver_ = &context_.signatures.at(list.mechanism.name);
    if (!receiver_->receives_events)
      return read_.error(*points, fmt::format("{} receives no events", receiver_->name));
    weight_slot_ = weight_slot(*receiver_);
    models::Synapse synapse_there;
    synapse_there.mechanism = list.mechanism;
    synapse_there.at = listed(points->place());
    synapse_there.points = *number;
    projection_.link = std::move(synapse_there);
    points_ = &list;
    points_unknown_ = false;
  }

  void read_link(const std::optional<Item>& synapse) {
    static const CellShape unknown;
    const bool known = target_ && target_->kind_known;
    if (known && !target_->is_cable) {
      receiver_ = target_->artificial;
      weight_slot_ = receiver_ ? weight_slot(*receiver_) : Slot::of("");
      read_.note(takes_events(*target_, map_.item()));
      if (synapse) read_.error(*synapse, no_synapses(*target_));
      return;
    }
    if (!synapse) {
      if (known)
        read_.error(map_.item(),
                    "a projection to cells with a morphology needs the key 'synapse' (or"
                    " gap_junction)");
      return;
    }
    if (synapse->is_map() && synapse->node().find("points")) return read_points_of(*synapse);
    auto result = read_synapse(context_, *synapse, target_ ? target_->shape : unknown,
                               PointRole::synapse, LocationsFor::connections);
    if (!read_.note(result)) {
      context_.point_processes_known = false;
      return;
    }
    receiver_ = &context_.signatures.at(result->mechanism.name);
    weight_slot_ = weight_slot(*receiver_);
    if (ends_known_) check_columns(context_, context_.columns, projection_.to);
    if (ends_known_)
      context_.populations[projection_.to.population.value].point_processes.insert(
          result->mechanism.name);
    projection_.link = std::move(*result);
  }

  void read_weight(const std::optional<Item>& weight) {
    if (!weight_slot_) return;
    read_.value(context_, weight, Slot(*weight_slot_).varying_by_connection(), projection_.weight);
  }

  static bool has_own_step(const models::Population& population) {
    return population.step && population.step->run_steps != 1;
  }

  void read_stdp(const Item& item, const std::optional<Item>& weight) {
    const bool known = target_ && target_->kind_known;
    const bool is_point = known && target_->artificial && target_->artificial->is_point_neuron;
    if (known && !is_point)
      return read_.error(item, "only synapses onto point neurons have plasticity");
    for (const PopulationId end : {projection_.from.population, projection_.to.population})
      if (ends_known_ && has_own_step(context_.network.populations[end.value]))
        return read_.error(item,
                           fmt::format("'{}' has a step of its own: plasticity needs the run's",
                                       context_.network.populations[end.value].name));
    models::Stdp stdp;
    if (!known || !weight_slot_ || !read_.take(read_plasticity(item, *weight_slot_), stdp)) return;
    if (read_.good() && weight && projection_.weight.is_constant()) {
      const double number = projection_.weight.constant();
      if (number < std::min(0.0, stdp.w_max) || number > std::max(0.0, stdp.w_max))
        read_.error(*weight,
                    fmt::format("must lie between 0 and w_max, which is {:.6g}", stdp.w_max));
    }
    projection_.stdp = stdp;
  }

  ReadContext& context_;
  MapReader map_;
  models::Projection projection_;
  const CellInfo* source_ = nullptr;
  const CellInfo* target_ = nullptr;
  ValueReader read_;
  const models::PointList* points_ = nullptr;  ///< to which connections lead
  bool points_unknown_ = false;                ///< they lead to points, and to which is not known
  bool ends_known_ = false;
  bool sizes_known_ = false;
  const MechanismSignature* receiver_ = nullptr;  ///< of the events, if it is known
  std::optional<Slot> weight_slot_;               ///< nothing when the synapse is not known
};

}  // namespace

void read_projections(ReadContext& context, const Item& item) {
  if (item.is_null()) return;
  const auto entries = item.list("a list of projections");
  if (!entries) return;
  std::map<std::string, Place> names;
  for (const auto& entry : *entries) {
    context.columns.clear();
    auto projection = ProjectionReader(context, entry).read();
    if (const Node* name = entry.is_map() ? entry.node().find("name") : nullptr;
        name && name->kind == Node::Kind::scalar) {
      const auto [first, is_new] = names.try_emplace(name->scalar, name->place());
      if (!is_new)
        entry.error_at(name->place(), fmt::format("another projection is called '{}' (at {})",
                                                  name->scalar, to_string(first->second)));
    }
    if (projection) {
      context.network.projections.push_back(std::move(*projection));
    } else {
      context.point_processes_known = false;
    }
  }
}

}  // namespace hillock::io
