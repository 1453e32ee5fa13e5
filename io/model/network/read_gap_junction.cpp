#include "io/model/network/read_gap_junction.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

std::string no_side(const MechanismSignature& signature, GapReads reads) {
  const std::string& name = signature.name;
  if (signature.kind != MechanismKind::point_process)
    return fmt::format("{} is a density mechanism; one side of a gap junction is a point process",
                       name);
  if (signature.is_artificial)
    return fmt::format("{} is a cell by itself, not one side of a gap junction", name);
  const MechanismVariable* const peer = signature.find(peer_voltage_name);
  if (!signature.reads_peer())
    return fmt::format(
        "{0} has no RANGE variable {1} of its own{2} (a side of a gap junction reads the peer's "
        "voltage there: NEURON {{ RANGE {1} }} ASSIGNED {{ {1} (mV) }}; or a POINTER "
        "that mechanisms: names as its peer:)",
        name, peer_voltage_name, peer && peer->is_pointer ? ", but a POINTER" : "");
  if (reads == GapReads::voltage && peer->unit != units::mV && peer->unit != units::number)
    return fmt::format("{} of {} is declared in '{}', and the peer's voltage is in mV",
                       peer_voltage_name, name, peer->unit_text);
  return "";
}

namespace {

/// `{rectifying: {g: 1 nS}}`: a mechanism that reads vgap.
std::optional<models::MechanismUse> read_side(ReadContext& context, const Item& item,
                                              GapReads reads) {
  constexpr const char* what = "a side of a gap junction";
  MapReader map(item, what);
  if (!map.is_map()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, signature] : context.signatures)
    if (signature.reads_peer()) names.push_back(name);
  ValueReader read;
  std::optional<models::MechanismUse> use;
  for (const auto& entry : item.node().entries) {
    map.allow(entry.key);
    const auto found = context.signatures.find(entry.key);
    if (context.broken_mechanisms.use(entry.key)) {
      read.note(false);
    } else if (found == context.signatures.end()) {
      read.error_at(item, entry.place(),
                    fmt::format("unknown mechanism '{}' in {}.{}", entry.key, what,
                                did_you_mean(entry.key, names)));
    } else if (const std::string problem = no_side(found->second, reads); !problem.empty()) {
      read.error_at(item, entry.place(), problem);
    } else if (use) {
      read.error_at(
          item, entry.place(),
          fmt::format("{} has one mechanism, not both {} and {}", what, use->name, entry.key));
    } else {
      read.take(read_mechanism(context, map.child(entry), found->second, ParameterScope::cell),
                use);
    }
  }
  read.note(map.finish());
  if (read.good() && !use) read.error(item, fmt::format("{} needs a mechanism", what));
  return read.good() ? use : std::nullopt;
}

/// Reads the mechanism on the cells of one side.
bool read_side_on(ReadContext& context, const Item& item, const models::PopulationSlice& cells,
                  bool are_known, GapReads reads, std::optional<models::MechanismUse>& side) {
  context.columns.clear();
  side = read_side(context, item, reads);
  if (!side) {
    context.point_processes_known = false;
    return false;
  }
  if (!are_known) return true;
  check_columns(context, context.columns, cells);
  context.populations[cells.population.value].point_processes.insert(side->name);
  return true;
}

}  // namespace

std::optional<models::Locations> read_end(const Item& item, const CellShape& shape,
                                          GapEndPlaces places) {
  auto at = read_locations(
      item, shape,
      places == GapEndPlaces::listed ? LocationsFor::connections : LocationsFor::instances);
  if (!at) return std::nullopt;
  using Kind = models::Locations::Kind;
  if (at->kind == Kind::position || at->kind == Kind::uniform || at->kind == Kind::listed)
    return at;
  item.error(fmt::format(
      "a gap junction has one end on a cell, and {} may be several places (write a place as "
      "soma(0.5), or uniform(dend) for one that each junction draws)",
      at->text));
  return std::nullopt;
}

std::optional<models::GapJunction> read_gap_junction(ReadContext& context, const Item& item,
                                                     const GapEnds& ends) {
  MapReader map(item, "a gap junction");
  if (!map.is_map()) return std::nullopt;
  const auto which = map.one_of({"g", "mechanism"});
  const auto g = map.find("g");
  const auto mechanism = map.find("mechanism");
  const auto reads = map.find("reads");
  const auto peer_mechanism = map.find("peer_mechanism");
  const auto at = map.require("at");
  const auto peer_at = map.require("peer_at");
  ValueReader read(map.finish());
  read.note(which);
  models::GapJunction junction;
  junction.place = item.place();
  read.value(context, g, Slot::of("uS").at_least(0).varying_by_connection(), junction.g_uS);
  if (reads && !mechanism)
    read.error(*reads, "a gap junction that is a conductance reads the voltage (write mechanism)");
  else if (reads)
    read.take(read_pointer_target(context, *reads), junction.reads);
  if (mechanism)
    read.note(read_side_on(context, *mechanism, ends.to, ends.are_known,
                           reads ? GapReads::variable : GapReads::voltage, junction.mechanism));
  if (peer_mechanism && !mechanism)
    read.error(*peer_mechanism,
               "a gap junction with a mechanism on the source has one on the target, too (write"
               " mechanism)");
  else if (peer_mechanism)
    read.note(read_side_on(context, *peer_mechanism, ends.from, ends.are_known, GapReads::voltage,
                           junction.peer_mechanism));
  if (g && ends.are_known && !context.replacing_files.contains(models::GapJunction::ohmic))
    for (const models::PopulationSlice* cells : {&ends.from, &ends.to})
      context.populations[cells->population.value].point_processes.insert(
          models::GapJunction::ohmic);
  if (at) read.take(read_end(*at, ends.target, GapEndPlaces::one), junction.at);
  if (peer_at) read.take(read_end(*peer_at, ends.source, GapEndPlaces::one), junction.peer_at);
  return read.result(junction);
}

}  // namespace hillock::io
