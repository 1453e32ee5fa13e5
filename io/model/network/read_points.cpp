// Reads `points:`, point processes that are given one by one.

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/mechanisms/read_played.hpp"
#include "io/model/values/number_table.hpp"
#include "io/model/values/row_places.hpp"
#include "io/model/values/slices.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/usual.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

const std::vector<std::string> columns_of_places{"cell", "branch", "position"};

/// Reads one list. Nothing after an error.
class PointsReader {
 public:
  PointsReader(ReadContext& context, Item item, std::string name)
      : context_(context), map_(std::move(item), "a list of points") {
    list_.name = std::move(name);
    list_.place = map_.item().place();
  }

  std::optional<models::PointList> read() {
    if (!map_.is_map()) return std::nullopt;
    const auto on = map_.require("on");
    const auto list = map_.require("list");
    const auto play = map_.find("play");
    if (on) read_population(*on);
    const std::vector<std::string> known = read_mechanism_of();
    read_.note(map_.finish());
    if (!signature_ && read_.good())
      read_.error(map_.item(),
                  fmt::format("points need a mechanism (one of {})", fmt::join(known, ", ")));
    if (list && signature_ && cell_ && read_.good()) read_list(*list);
    if (play && read_.good()) read_tables(*play);
    return read_.result(list_);
  }

 private:
  void read_population(const Item& on) {
    const auto slice = read_slice(context_, on);
    if (!read_.note(slice)) return;
    list_.on = slice->population;
    const models::Population& population = context_.network.populations[list_.on.value];
    if (!context_.populations[list_.on.value].size) return void(read_.note(false));
    if (slice->size() != population.size)
      return read_.error(on, "points lie on a whole population, whose cells their list counts");
    cell_ = context_.cell_of(list_.on);
    if (!cell_ || !cell_->kind_known) return void(read_.note(false));
    if (!cell_->is_cable) read_.error(on, no_synapses(*cell_));
  }

  /// Which it might be.
  std::vector<std::string> read_mechanism_of() {
    std::vector<std::string> known;
    for (const auto& [name, signature] : context_.signatures) {
      if (signature.kind != MechanismKind::point_process || signature.is_artificial) continue;
      known.push_back(name);
      const auto entry = map_.find(name);
      if (!entry) continue;
      if (signature_) {
        read_.error(*entry, fmt::format("points have one mechanism, not both {} and {}",
                                        signature_->name, name));
        continue;
      }
      signature_ = &signature;
      read_.take(read_mechanism(context_, *entry, signature, ParameterScope::cell),
                 list_.mechanism);
    }
    for (const std::string& name : context_.broken_mechanisms.names()) {
      if (map_.has(name)) read_.note(!context_.broken_mechanisms.use(name));
      map_.allow(name);
    }
    return known;
  }

  void read_list(const Item& item) {
    auto table = read_number_table(context_, item, "a list of points");
    if (read_.note(table)) take_columns(*table, table->item);
  }

  void take_columns(NumberTable& table, const Item& file) {
    for (const std::string& name : columns_of_places)
      if (!table.find(name))
        return read_.error(file, fmt::format("{} needs the columns cell, branch and position, and "
                                             "has no '{}'",
                                             table.shown, name));
    const std::size_t rows = table.find("cell")->size();
    if (rows > most_table_rows)
      return read_.error(file,
                         fmt::format("{} has more than {} points", table.shown, most_table_rows));
    for (std::size_t c = 0; c < table.names.size(); ++c)
      if (table.columns[c].size() != rows)
        return read_.error(file, fmt::format("{}: {} has {} rows where cell has {}", table.shown,
                                             table.names[c], table.columns[c].size(), rows));
    take_places(table, file);
    for (std::size_t c = 0; c < table.names.size() && read_.good(); ++c)
      if (std::ranges::find(columns_of_places, table.names[c]) == columns_of_places.end())
        take_parameter(table.names[c], std::move(table.columns[c]), table, file);
    if (!read_.good()) return;
    list_.sort_by_cell(context_.network.populations[list_.on.value].size);
    context_.populations[list_.on.value].point_processes.insert(signature_->name);
  }

  void take_places(NumberTable& table, const Item& file) {
    const std::vector<double>&cells = *table.find("cell"), &branches = *table.find("branch");
    list_.positions = std::move(*table.find("position"));
    const auto size = static_cast<double>(context_.network.populations[list_.on.value].size);
    for (std::size_t row = 0; row < cells.size(); ++row) {
      std::string problem;
      if (!(cells[row] >= 0 && cells[row] < size && cells[row] == std::floor(cells[row])))
        problem = fmt::format("the cell {:.12g} is none of the population's {:.0f}, counted from 0",
                              cells[row], size);
      if (problem.empty()) problem = branch_problem(branches[row], &cell_->shape);
      if (problem.empty()) problem = position_problem(list_.positions[row]);
      if (!problem.empty())
        return read_.error(file, fmt::format("{}, row {}: {}", table.shown, row, problem));
      list_.cells.push_back(static_cast<std::uint32_t>(cells[row]));
      list_.branches.push_back(static_cast<std::uint32_t>(branches[row]));
    }
  }

  void take_parameter(const std::string& name, std::vector<double> values, const NumberTable& table,
                      const Item& file) {
    std::vector<std::string> known = columns_of_places;
    const MechanismVariable* variable = nullptr;
    for (const MechanismVariable& one : signature_->variables) {
      if (one.role != VariableRole::parameter || one.is_pointer) continue;
      known.push_back(one.name);
      if (one.name == name) variable = &one;
    }
    if (!variable)
      return read_.error(
          file, fmt::format("{} has an unknown column '{}' ({} are known).{}", table.shown, name,
                            fmt::join(known, ", "), did_you_mean(name, known)));
    if (list_.mechanism.parameters.contains(name))
      return read_.error(file, fmt::format("{} has a column {}, which {} has for all points",
                                           table.shown, name, signature_->name));
    const Slot slot = Slot::of(*variable);
    for (std::size_t row = 0; row < values.size(); ++row)
      if (!slot.contain(values[row]))
        return read_.error(
            file, fmt::format("{}, row {}: {}", table.shown, row,
                              limit_problem(slot, values[row],
                                            name + " = " + show(values[row], slot.unit_text))));
    warn_of_unusual(file, slot, values, name + " of point");
    list_.columns.push_back({name, std::move(values)});
  }

  /// `play: [{point: 3, variable: amplitude, times: [0 ms, 5 ms], values: [0 nA, 1 nA]}]`
  void read_tables(const Item& item) {
    const auto entries = item.list("a list of tables");
    if (!read_.note(entries)) return;
    for (const Item& entry : *entries) read_table(entry);
    std::ranges::stable_sort(list_.played, {}, &models::PointList::Played::point);
  }

  void read_table(const Item& item) {
    MapReader map(item, "a table that is played");
    const auto point = map.require("point");
    auto table = read_played(context_, map, *signature_);
    if (!read_.note(table)) return;
    const auto number = point->whole_number(0, static_cast<std::int64_t>(most_table_rows));
    if (!read_.note(number)) return;
    if (static_cast<std::size_t>(*number) >= list_.size())
      return read_.error(
          *point, fmt::format("there is no point {} (the list has {}, counted from 0)", *number,
                              list_.size()));
    list_.played.push_back(
        {static_cast<std::uint32_t>(*number), std::move(table->variable), std::move(table->table)});
  }

  ReadContext& context_;
  MapReader map_;
  models::PointList list_;
  ValueReader read_;
  const CellInfo* cell_ = nullptr;
  const MechanismSignature* signature_ = nullptr;
};

}  // namespace

void read_points(ReadContext& context, const Item& item) {
  if (item.is_null()) return;
  if (!item.is_map()) return item.wrong_form("a map of lists of points");
  for (const auto& entry : item.node().entries) {
    context.columns.clear();
    const Item list_item(*entry.value, "points." + entry.key, context.diagnostics);
    auto list = PointsReader(context, list_item, entry.key).read();
    auto& number = context.point_index[entry.key];
    if (list) {
      check_columns(context, context.columns,
                    {list->on, 0, context.network.populations[list->on.value].size, {}});
      number = context.network.points.size();
      context.network.points.push_back(std::move(*list));
    } else {
      context.point_processes_known = false;
    }
  }
}

void check_junctions_of_points(ReadContext& context) {
  if (context.diagnostics.has_errors()) return;
  const models::Network& network = context.network;
  std::vector<std::vector<std::uint32_t>> junctions(network.points.size());  // [list][point]
  for (std::size_t list = 0; list < junctions.size(); ++list)
    if (context.signatures.at(network.points[list].mechanism.name).reads_peer())
      junctions[list].resize(network.points[list].size());
  for (const models::Projection& projection : network.projections)
    if (const auto* junction = std::get_if<models::GapJunction>(&projection.link))
      if (junction->points)
        for (const std::uint32_t point : projection.connect.rows.points)
          ++junctions[*junction->points][point];
  for (std::size_t list = 0; list < junctions.size(); ++list) {
    const auto wrong = std::ranges::find_if(junctions[list], [](auto count) { return count != 1; });
    if (wrong == junctions[list].end()) continue;
    const models::PointList& points = network.points[list];
    context.diagnostics.error(
        points.place,
        fmt::format("point {} of {} has {} gap junctions that set its {}; one is needed "
                    "(a projection with gap_junction: {{points: {}, peer_at: soma(0.5)}})",
                    wrong - junctions[list].begin(), points.name, *wrong, peer_voltage_name,
                    points.name));
  }
}

}  // namespace hillock::io
