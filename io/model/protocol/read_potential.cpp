#include "io/model/protocol/read_potential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/model/values/places_in_space.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

namespace {

Slot place_slot() {
  return Slot::of("um").at_least(-farthest_um).at_most(farthest_um);
}

class PotentialReader {
 public:
  PotentialReader(ReadContext& context, const Item& item)
      : context_(context), map_(item, "a potential") {}

  std::shared_ptr<const models::Potential> read() {
    if (!map_.is_map()) return nullptr;
    const auto electrodes = map_.require("electrodes");
    const auto conductivity = map_.require("conductivity");
    const auto method = map_.find("method");
    const auto distance = map_.find("minimum_distance");
    const auto contacts = map_.find("contacts");
    const auto plane = map_.find("plane");
    read_.note(map_.finish());
    if (electrodes) read_electrodes(*electrodes);
    read_medium(read_, conductivity, distance, potential_);
    if (method) read_method(*method);
    if (contacts) read_contacts(*contacts);
    if (plane) read_plane(*plane);
    return read_.good() ? std::make_shared<const models::Potential>(std::move(potential_))
                        : nullptr;
  }

 private:
  void read_electrodes(const Item& item) {
    const auto places = read_places_or_table(context_, item, "contacts");
    if (!read_.note(places)) return;
    for (const auto& at_um : *places) potential_.contacts.push_back({at_um});
  }

  void read_method(const Item& item) {
    using Method = models::Potential::Method;
    constexpr Method methods[] = {Method::line, Method::soma_as_point, Method::point};
    if (const auto chosen = item.choice({"line", "soma_as_point", "point"}); read_.note(chosen))
      potential_.method = methods[*chosen];
  }

  void read_contacts(const Item& item) {
    MapReader map(item, "contacts");
    const auto radius = map.require("radius");
    const auto normal = map.require("normal");
    read_.note(map.finish());
    double radius_um = 0;
    read_.constant(radius, Slot::of("um").more_than(0).at_most(1e6), radius_um);
    if (!normal) return;
    const auto given = read_constants(*normal, Slot::of(""), 3);
    if (!read_.note(given)) return;
    const double length = std::hypot((*given)[0], (*given)[1], (*given)[2]);
    if (!(length > 1e-100 && length < 1e100))
      return read_.error(*normal, "has no direction: its length is that of no vector");
    for (models::Contact& contact : potential_.contacts) {
      contact.radius_um = radius_um;
      for (std::size_t axis = 0; axis < 3; ++axis) contact.normal[axis] = (*given)[axis] / length;
    }
  }

  /// How far a contact's disc goes along an axis, less what rounding makes of one that ends at a
  /// plane.
  static double reach_along(const models::Contact& contact, std::size_t axis) {
    const auto& normal = contact.normal;
    return (1 - 1e-9) * contact.radius_um *
           std::hypot(normal[(axis + 1) % 3], normal[(axis + 2) % 3]);
  }

  void read_plane(const Item& item) {
    MapReader map(item, "a plane");
    static const OneOf<int> axes{{"x", 0}, {"y", 1}, {"z", 2}};
    const auto axis = map.one_of(axes);
    const auto conductivity = map.require("conductivity");
    read_.note(map.finish());
    models::ConductivityPlane plane;
    if (read_.note(axis)) {
      plane.axis = axis->meaning;
      read_.constant(axis->item, place_slot(), plane.at_um);
    }
    read_.constant(conductivity, Slot::of("S/m").at_least(0).at_most(1e6),
                   plane.conductivity_S_per_m);
    const auto& sigma = potential_.conductivity_S_per_m;
    if (sigma[0] != sigma[1] || sigma[1] != sigma[2])
      read_.error(item, "needs a medium that conducts alike along all axes");
    if (!read_.good()) return;
    const auto at = [&](const models::Contact& c, double edge) {
      const auto axis_of_plane = static_cast<std::size_t>(plane.axis);
      return c.at_um[axis_of_plane] + edge * reach_along(c, axis_of_plane) - plane.at_um;
    };
    if (std::ranges::any_of(potential_.contacts, [&](const auto& c) { return at(c, 1) > 0; }) &&
        std::ranges::any_of(potential_.contacts, [&](const auto& c) { return at(c, -1) < 0; }))
      return read_.error(item, "has contacts on both sides: the medium is on one");
    potential_.plane = plane;
  }

  ReadContext& context_;
  MapReader map_;
  models::Potential potential_;
  ValueReader read_;
};

}  // namespace

void read_medium(ValueReader& read, const std::optional<Item>& conductivity,
                 const std::optional<Item>& minimum_distance, models::Potential& to) {
  const Slot slot = Slot::of("S/m").more_than(0).at_most(1e6);
  if (conductivity && conductivity->is_list()) {
    if (const auto three = read_constants(*conductivity, slot, 3); read.note(three))
      std::ranges::copy(*three, to.conductivity_S_per_m.begin());
  } else if (double one = 0; read.constant(conductivity, slot, one)) {
    to.conductivity_S_per_m = {one, one, one};
  }
  double distance_um = 0;
  if (read.constant(minimum_distance, Slot::of("um").at_least(0).at_most(farthest_um), distance_um))
    to.minimum_distance_um = distance_um;
}

std::shared_ptr<const models::Potential> read_potential(ReadContext& context, const Item& item) {
  return PotentialReader(context, item).read();
}

}  // namespace hillock::io
