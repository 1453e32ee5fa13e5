// Reads `wiring:`, linear elements between places on cells.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text/counted.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/values/number_table.hpp"
#include "io/model/values/row_places.hpp"
#include "io/model/values/slices.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

using models::Wiring;

constexpr std::size_t most_layers = 2;

/// Nothing after an error.
class WiringReader {
 public:
  WiringReader(ReadContext& context, const Item& item) : context_(context), map_(item, "a wiring") {
    wiring_.place = item.place();
  }

  std::optional<Wiring> read() {
    if (!map_.is_map()) return std::nullopt;
    const auto on = map_.require("on");
    const auto spots = map_.require("spots");
    const auto terms = map_.require("terms");
    const auto play = map_.find("play");
    read_.note(map_.finish());
    if (on) read_populations(*on);
    if (spots && read_.good()) read_spots(*spots);
    if (terms && read_.good()) read_terms(*terms);
    if (play && read_.good()) read_played(*play);
    return read_.result(wiring_);
  }

 private:
  void read_populations(const Item& item) {
    const auto names = item.list("a list of populations");
    if (!read_.note(names)) return;
    for (const Item& name : *names) {
      const auto slice = read_slice(context_, name);
      if (!read_.note(slice)) continue;
      const CellInfo* const cell = context_.cell_of(slice->population);
      if (!cell || !cell->kind_known || !context_.populations[slice->population.value].size) {
        read_.note(false);
      } else if (slice->size() != context_.network.populations[slice->population.value].size) {
        read_.error(name, "a wiring is on whole populations, whose cells its spots count");
      } else if (!cell->is_cable) {
        read_.error(name, "a wiring needs cells with compartments");
      } else {
        on_.push_back(slice->population);
      }
    }
  }

  /// Its columns, all there and of one size: nothing after an error.
  std::optional<NumberTable> read_table(const Item& item, const std::vector<std::string>& needed,
                                        const std::vector<std::string>& others, const char* what) {
    auto table = read_number_table(context_, item, what);
    if (!read_.note(table)) return std::nullopt;
    for (const std::string& name : needed)
      if (!table->find(name))
        read_.error(table->item, fmt::format("{} has no column '{}' ({} are needed)", table->shown,
                                             name, fmt::join(needed, ", ")));
    for (const std::string& name : table->names)
      if (std::ranges::find(needed, name) == needed.end() &&
          std::ranges::find(others, name) == others.end())
        read_.error(table->item, fmt::format("{} has an unknown column '{}'", table->shown, name));
    for (const auto& column : table->columns)
      if (column.size() != table->columns.front().size() || column.size() > most_table_rows)
        read_.error(table->item, fmt::format("columns of {} differ in size", table->shown));
    return read_.good() ? std::move(table) : std::nullopt;
  }

  /// Reports a number that is none from 0 to size - 1. In row `row` of column `name`.
  bool counts(const NumberTable& table, const char* name, std::size_t row, double number,
              std::size_t size) {
    if (number >= 0 && number < static_cast<double>(size) && number == std::floor(number))
      return true;
    read_.error(table.item, fmt::format("{}, row {}: the {} {:.12g} is none of {}, counted from 0",
                                        table.shown, row, name, number, size));
    return false;
  }

  void read_spots(const Item& item) {
    auto table = read_table(item, {"population", "cell", "branch", "position"},
                            {"free", "source", "layer"}, "the spots of a wiring");
    if (!table) return;
    const auto& populations = *table->find("population");
    const auto &cells = *table->find("cell"), &branches = *table->find("branch");
    const auto& positions = *table->find("position");
    const auto *const free = table->find("free"), *const sources = table->find("source");
    const auto* const layers = table->find("layer");
    for (std::size_t row = 0; row < cells.size() && read_.good(); ++row) {
      if (!counts(*table, "population", row, populations[row], on_.size())) return;
      Wiring::Spot spot{on_[static_cast<std::size_t>(populations[row])]};
      const std::uint64_t size = context_.network.populations[spot.population.value].size;
      if (!counts(*table, "cell", row, cells[row], size)) return;
      if (layers && !counts(*table, "layer", row, (*layers)[row], most_layers + 1)) return;
      std::string problem =
          branch_problem(branches[row], &context_.cell_of(spot.population)->shape);
      if (problem.empty()) problem = position_problem(positions[row]);
      const double source = sources ? (*sources)[row] : 0;
      if (problem.empty() && !std::isfinite(source)) problem = "its source is no number";
      if (!problem.empty())
        return read_.error(table->item, fmt::format("{}, row {}: {}", table->shown, row, problem));
      spot.cell = static_cast<std::uint64_t>(cells[row]);
      spot.branch = static_cast<std::uint32_t>(branches[row]);
      spot.position = positions[row];
      spot.layer = layers ? static_cast<std::uint32_t>((*layers)[row]) : 0;
      spot.is_free = free && (*free)[row] != 0;
      spot.source = source;
      if (spot.layer > 0)
        std::get<models::CableCell>(
            context_.network.cells[context_.network.populations[spot.population.value].cell].kind)
            .layers_are_tied = true;
      wiring_.spots.push_back(spot);
    }
    if (wiring_.spots.empty()) read_.error(item, "a wiring needs spots");
  }

  void read_terms(const Item& item) {
    auto table = read_table(item, {"equation", "unknown", "c", "g"}, {}, "its terms");
    if (!table) return;
    NumberTable& of = *table;
    const auto &equations = *of.find("equation"), &unknowns = *of.find("unknown");
    const auto &c = *of.find("c"), &g = *of.find("g");
    for (std::size_t row = 0; row < c.size() && read_.good(); ++row) {
      if (!counts(of, "equation", row, equations[row], wiring_.spots.size()) ||
          !counts(of, "unknown", row, unknowns[row], wiring_.spots.size()))
        return;
      if (!std::isfinite(c[row]) || !std::isfinite(g[row]))
        return read_.error(of.item,
                           fmt::format("{}, row {}: c and g must be numbers", of.shown, row));
      wiring_.terms.push_back({static_cast<std::uint32_t>(equations[row]),
                               static_cast<std::uint32_t>(unknowns[row]), c[row], g[row]});
    }
  }

  /// `play: [{spot: 3, csv: current.csv}]`
  void read_played(const Item& item) {
    const auto entries = item.list("a list of tables");
    if (!read_.note(entries)) return;
    for (const Item& entry : *entries) {
      MapReader map(entry, "a table that is played");
      const auto spot = map.require("spot");
      const auto file = map.require("csv");
      if (!read_.note(map.finish()) || !spot || !file) continue;
      const auto number =
          spot->whole_number(0, static_cast<std::int64_t>(wiring_.spots.size()) - 1);
      auto table = read_csv_numbers(context_, *file);
      if (read_.note(number) && read_.note(table))
        take_table(static_cast<std::uint32_t>(*number), *table);
    }
  }

  void take_table(std::uint32_t spot, NumberTable& table) {
    constexpr double beyond_ms = 1e15;
    const auto *const times = table.find("time"), *const values = table.find("value");
    if (!times || !values || times->empty() || times->size() != values->size())
      return read_.error(table.item,
                         fmt::format("{} needs the columns time, in ms, and value", table.shown));
    Wiring::Played played{spot, {{-beyond_ms, values->front()}}};
    for (std::size_t row = 0; row < times->size(); ++row) {
      if (!std::isfinite((*values)[row]) || !((*times)[row] >= played.table.back().first))
        return read_.error(table.item, fmt::format("{}, row {}: a number is needed, and times must "
                                                   "not fall",
                                                   table.shown, row));
      played.table.emplace_back((*times)[row], (*values)[row]);
    }
    played.table.emplace_back(beyond_ms, values->back());
    wiring_.played.push_back(std::move(played));
  }

  ReadContext& context_;
  MapReader map_;
  Wiring wiring_;
  ValueReader read_;
  std::vector<PopulationId> on_;
};

}  // namespace

void read_wiring(ReadContext& context, const Item& item) {
  if (item.is_null()) return;
  context.network.wiring = WiringReader(context, item).read();
  context.network.goes_by_number = true;
}

}  // namespace hillock::io
