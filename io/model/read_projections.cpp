// Reads `projections:`: who connects to whom, by which rule, through what, how strongly, how late.

#include <fmt/format.h>

#include <map>

#include "io/model/read_connect.hpp"
#include "io/model/read_context.hpp"
#include "io/model/read_mechanism.hpp"
#include "io/model/slices.hpp"

namespace hillock::io {

namespace {

/// Reports a delay that is known to be shorter than dt. `value` is the smallest possible one.
void check_delay(const ReadContext& context, const Item& item, const models::Value& value) {
  const auto smallest = lower_bound(value);
  const double dt = context.network.run.dt_ms;
  if (!context.run_known || !smallest || *smallest >= dt * (1 - 1e-9)) return;
  item.error(
      fmt::format("a delay of {} is shorter than the time step dt, {} (spikes cannot arrive"
                  " within the step they are fired in)",
                  show(*smallest, "ms"), show(dt, "ms")));
}

std::optional<models::Delay> read_delay(ReadContext& context, const Item& item) {
  const Slot slot = delay_slot().varying_by_connection();
  models::Delay delay;
  delay.place = item.place();
  if (item.is_map() && (item.node().find("base") || item.node().find("velocity"))) {
    MapReader map(item, "a delay");
    const auto base = map.find("base");
    const auto velocity = map.require("velocity");
    bool good = map.finish();
    if (base) {
      auto value = read_value(context, *base, slot);
      good = good && value;
      if (value) delay.base_ms = std::move(*value);
    }
    if (velocity) {
      const auto value = read_constant(*velocity, Slot::of("um/ms").more_than(0));
      good = good && value;
      delay.velocity_um_per_ms = value;
    }
    if (!good) return std::nullopt;
    return delay;
  }
  auto value = read_value(context, item, slot);
  if (!value) return std::nullopt;
  check_delay(context, item, *value);
  delay.base_ms = std::move(*value);
  return delay;
}

/// `at` is on the target, as a synapse's is; `peer_at` on the source.
std::optional<models::GapJunction> read_gap_junction(ReadContext& context, const Item& item,
                                                     const CellShape& source,
                                                     const CellShape& target) {
  MapReader map(item, "a gap junction");
  const auto g = map.require("g");
  const auto at = map.require("at");
  const auto peer_at = map.require("peer_at");
  bool good = map.finish();
  models::GapJunction junction;
  junction.place = item.place();
  if (g) {
    auto value = read_value(context, *g, Slot::of("uS").at_least(0).varying_by_connection());
    good = good && value;
    if (value) junction.g_uS = std::move(*value);
  }
  const auto place = [&](const std::optional<Item>& from, const CellShape& shape,
                         models::Locations& into) {
    if (!from) return;
    auto places = read_locations(*from, shape, PlacesFor::instances);
    good = good && places;
    if (places) into = std::move(*places);
  };
  place(at, target, junction.at);
  place(peer_at, source, junction.peer_at);
  if (!good) return std::nullopt;
  return junction;
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
    good_ = map_.finish();
    projection_.name = slice_text(from) + "->" + slice_text(to);
    if (name) {
      const auto text = name->text("a name");
      good_ = good_ && text;
      if (text) projection_.name = *text;
    }
    read_ends(from, to);
    if (gap) {
      read_gap(*gap, synapse, weight, delay);
    } else {
      read_link(synapse);
      read_weight(weight);
    }
    if (connect) {
      const bool weighs = weight_slot_.has_value();
      auto rule = read_connect(context_, *connect,
                               {projection_.from, projection_.to, sizes_known_ && ends_known_,
                                weighs ? &*weight_slot_ : nullptr});
      good_ = good_ && rule;
      if (rule) projection_.connect = std::move(*rule);
    }
    if (delay && !gap) {
      auto value = read_delay(context_, *delay);
      good_ = good_ && value;
      if (value) projection_.delay = std::move(*value);
    }
    if (!good_) return std::nullopt;
    return std::move(projection_);
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
    ends_known_ = source && target;
    good_ = good_ && ends_known_;
    if (ends_known_)
      sizes_known_ = context_.populations[source->population.value].size.has_value() &&
                     context_.populations[target->population.value].size.has_value();
    if (source && source_ && source_->kind_known && source_->is_cable && !source_->has_detector &&
        !map_.has("gap_junction")) {
      const auto cell = context_.populations[source->population.value].cell;
      from->error(
          fmt::format("its cell '{}' has no detector, so it never fires a spike (write"
                      " detector: {{at: soma(0.5), threshold: 0 mV}} in the cell)",
                      context_.network.cells[*cell].name));
      good_ = false;
    }
  }

  void read_gap(const Item& gap, const std::optional<Item>& synapse,
                const std::optional<Item>& weight, const std::optional<Item>& delay) {
    const std::pair<const char*, const std::optional<Item>&> others[] = {
        {"synapse", synapse}, {"weight", weight}, {"delay", delay}};
    for (const auto& [key, other] : others)
      if (other) {
        other->error(fmt::format("a gap junction has no {} (it conducts all the time)", key));
        good_ = false;
      }
    for (const CellInfo* cell : {source_, target_})
      if (cell && cell->kind_known && !cell->is_cable) {
        gap.error("a gap junction joins cells with a morphology");
        good_ = false;
        return;
      }
    static const CellShape unknown;
    auto junction = read_gap_junction(context_, gap, source_ ? source_->shape : unknown,
                                      target_ ? target_->shape : unknown);
    good_ = good_ && junction;
    if (junction) projection_.link = std::move(*junction);
  }

  void read_link(const std::optional<Item>& synapse) {
    static const CellShape unknown;
    const bool known = target_ && target_->kind_known;
    if (known && !target_->is_cable) {
      weight_slot_ = target_->artificial ? weight_slot(*target_->artificial) : Slot::of("");
      good_ = takes_events(*target_, map_.item()) && good_;
      if (!synapse) return;
      synapse->error(no_synapses(*target_));
      good_ = false;
      return;
    }
    if (!synapse) {
      if (known) {
        map_.item().error(
            "a projection to cells with a morphology needs the key 'synapse' (or"
            " gap_junction)");
        good_ = false;
      }
      return;
    }
    auto result = read_synapse(context_, *synapse, target_ ? target_->shape : unknown);
    if (!result) {
      good_ = false;
      context_.point_processes_known = false;
      return;
    }
    weight_slot_ = weight_slot(context_.signatures.at(result->mechanism.name));
    if (ends_known_) check_columns(context_, context_.columns, projection_.to.population);
    if (ends_known_)
      context_.populations[projection_.to.population.value].point_processes.insert(
          result->mechanism.name);
    projection_.link = std::move(*result);
  }

  void read_weight(const std::optional<Item>& weight) {
    if (!weight || !weight_slot_) return;
    auto value = read_value(context_, *weight, Slot(*weight_slot_).varying_by_connection());
    good_ = good_ && value;
    if (value) projection_.weight = std::move(*value);
  }

  ReadContext& context_;
  MapReader map_;
  models::Projection projection_;
  const CellInfo* source_ = nullptr;
  const CellInfo* target_ = nullptr;
  bool good_ = true;
  bool ends_known_ = false;
  bool sizes_known_ = false;
  std::optional<Slot> weight_slot_;  ///< nothing when the synapse is not known
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
