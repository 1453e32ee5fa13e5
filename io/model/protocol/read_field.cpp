#include "io/model/protocol/read_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/units/quantity.hpp"
#include "io/model/protocol/read_current.hpp"
#include "io/model/protocol/read_potential.hpp"
#include "io/model/protocol/read_waveform.hpp"
#include "io/model/values/places_in_space.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// Of electrodes outside, which take far more than those in cells.
Slot electrode_current() {
  return Slot::of("nA").usually(Usual::any);
}

std::shared_ptr<const CsvTable> read_named_table(ReadContext& context, const Item& item) {
  const auto file = read_named_file(context, item);
  return file ? read_csv_table(context, *file) : nullptr;
}

/// A table of places and what is there: x, y and z come first, where its first line names them,
/// too.
std::shared_ptr<const CsvTable> read_table_of_places(ReadContext& context, const Item& item) {
  auto table = read_named_table(context, item);
  const std::array named{"x", "y", "z"};
  if (!table || std::ranges::any_of(named, [&](const char* name) { return !table->find(name); }))
    return table;
  CsvTable sorted = *table;
  for (std::size_t to = 0; to < named.size(); ++to) {
    const auto from = static_cast<std::ptrdiff_t>(*sorted.find(named[to]));
    const auto first = static_cast<std::ptrdiff_t>(to);
    const auto bring = [&](auto& all) {
      std::rotate(all.begin() + first, all.begin() + from, all.begin() + from + 1);
    };
    bring(sorted.header);
    bring(sorted.columns);
  }
  return std::make_shared<const CsvTable>(std::move(sorted));
}

/// Makes a grid of the rows of a table, which may be in any order.
class GridReader {
 public:
  GridReader(ReadContext& context, const Item& item) : context_(context), item_(item) {}

  std::shared_ptr<const models::FieldOnGrid> read() {
    table_ = read_table_of_places(context_, item_);
    if (!table_) return nullptr;
    grid_.file = table_->file;
    if (table_->columns.size() != 4) {
      item_.error(
          fmt::format("{} has {} columns (x, y and z in um and the potential in mV are"
                      " needed)",
                      table_->file, table_->columns.size()));
      return nullptr;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<double>& at = grid_.axes_um[axis];
      at = table_->columns[axis];
      std::ranges::sort(at);
      at.erase(std::unique(at.begin(), at.end()), at.end());
      if (at.size() < 2) {
        item_.error(fmt::format("{} has one {} (a grid has two or more along each axis)",
                                table_->file, "xyz"[axis]));
        return nullptr;
      }
    }
    return fill() ? std::make_shared<const models::FieldOnGrid>(std::move(grid_)) : nullptr;
  }

 private:
  bool fill() {
    const auto& axes = grid_.axes_um;
    const double corners = static_cast<double>(axes[0].size()) *
                           static_cast<double>(axes[1].size()) *
                           static_cast<double>(axes[2].size());
    std::vector<char> is_there;
    if (corners == static_cast<double>(table_->rows())) {
      is_there.resize(table_->rows());
      grid_.potential_mV.resize(table_->rows());
      for (std::size_t row = 0; row < table_->rows(); ++row) {
        std::size_t corner = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto at = std::ranges::lower_bound(axes[axis], table_->columns[axis][row]);
          corner = corner * axes[axis].size() + static_cast<std::size_t>(at - axes[axis].begin());
        }
        is_there[corner] = 1;
        grid_.potential_mV[corner] = table_->columns[3][row];
      }
    }
    if (!is_there.empty() && std::ranges::count(is_there, 0) == 0) return true;
    item_.error(
        fmt::format("{} is no grid: it has {} x, {} y and {} z, and needs one row for each"
                    " of their combinations, not {}",
                    table_->file, axes[0].size(), axes[1].size(), axes[2].size(), table_->rows()));
    return false;
  }

  ReadContext& context_;
  const Item& item_;
  std::shared_ptr<const CsvTable> table_;
  models::FieldOnGrid grid_;
};

/// The names of a table's columns from the fourth on: "t=0.5 ms". Nothing after an error.
std::optional<std::vector<double>> read_times_of(const Item& item, const CsvTable& table) {
  std::vector<double> times_ms;
  for (std::size_t c = 3; c < table.columns.size(); ++c) {
    const std::string_view name = c < table.header.size() ? table.header[c] : std::string_view();
    const auto time =
        name.starts_with("t=") ? read_quantity(name.substr(2)) : std::optional<Quantity>();
    const bool is_time = time && time->unit && time->unit->dimension == units::ms.dimension;
    const double time_ms = is_time ? convert(time->value, *time->unit, units::ms) : 0;
    if (!is_time || !std::isfinite(time_ms) || (c > 3 && time_ms <= times_ms.back())) {
      item.error(
          fmt::format("{} has several potentials, and the names of these columns have to be "
                      "rising times, 't=0 ms', 't=0.5 ms', not '{}'",
                      table.file, name));
      return std::nullopt;
    }
    times_ms.push_back(time_ms);
  }
  return times_ms;
}

/// Nodes that may lie anywhere, a row each. Null after an error.
std::shared_ptr<models::FieldOfNodes> read_nodes_of(const Item& item, const CsvTable* table) {
  if (!table) return nullptr;
  const auto fail = [&](const std::string& problem) {
    item.error(problem);
    return nullptr;
  };
  if (table->columns.size() < 4)
    return fail(
        fmt::format("{} has {} columns (x, y and z in um and the potential in mV are"
                    " needed)",
                    table->file, table->columns.size()));
  if (table->rows() == 0) return fail(table->file + " has no nodes");
  auto nodes = std::make_shared<models::FieldOfNodes>();
  nodes->file = table->file;
  nodes->potential_mV.assign(table->columns.begin() + 3, table->columns.end());
  for (std::size_t row = 0; row < table->rows(); ++row)
    nodes->places_um.push_back(
        {table->columns[0][row], table->columns[1][row], table->columns[2][row]});
  std::vector<std::array<double, 3>> sorted = nodes->places_um;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return fail(fmt::format("{} has two nodes at ({}, {}, {}) um", table->file, (*twice)[0],
                            (*twice)[1], (*twice)[2]));
  return nodes;
}

class FieldReader {
 public:
  FieldReader(ReadContext& context, const Item& item, const CellShape& shape)
      : context_(context), shape_(shape), map_(item, "a field") {}

  std::shared_ptr<const models::Field> read() {
    if (!map_.is_map()) return nullptr;
    const auto from = map_.one_of(forms);
    const auto scale = map_.find("scale");
    const auto waveform = map_.find("waveform");
    if (from)
      (this->*from->meaning)(from->item);
    else
      for (const char* key :
           {"current", "conductivity", "minimum_distance", "between", "outside", "clock"})
        map_.allow(key);
    read_.note(map_.finish());
    read_.value(context_, scale, Slot::of("").varying_by_cell(), field_.scale);
    if (waveform)
      read_waveform_of(*waveform);
    else
      field_.waveform = always();
    return read_.good() ? std::make_shared<const models::Field>(std::move(field_)) : nullptr;
  }

 private:
  static const OneOf<void (FieldReader::*)(const Item&)> forms;

  static models::CurrentClamp always() {
    models::CurrentClamp clamp;
    clamp.amplitude = 1.0;
    clamp.duration_ms = std::numeric_limits<double>::infinity();
    return clamp;
  }

  void read_points(const Item& item) {
    const bool has_own = item.is_scalar() && !map_.has("current");
    const auto current = has_own ? std::nullopt : map_.require("current");
    const auto conductivity = map_.require("conductivity");
    const auto distance = map_.find("minimum_distance");
    models::FieldOfPoints field;
    field.medium.method = models::Potential::Method::point;
    read_medium(read_, conductivity, distance, field.medium);
    const auto places = read_places_or_table(context_, item, "points");
    if (!read_.note(places)) return;
    for (const auto& at_um : *places) field.medium.contacts.push_back({at_um});
    const auto table = item.is_scalar() ? read_named_table(context_, item) : nullptr;
    const auto beside = table ? table->find("current") : std::nullopt;  // in nA
    if (has_own) {
      if (!beside)
        return read_.error(item, fmt::format("{} has no column 'current' (in nA), and there is no"
                                             " key of this name",
                                             table->file));
      field.current_nA = table->columns[*beside];
    } else if (!current) {
      return;
    } else if (beside) {
      return read_.error(*current, "the table of points has a column 'current', too");
    } else if (current->is_list()) {
      if (!read_.take(read_constants(*current, electrode_current(), places->size()),
                      field.current_nA))
        return;
    } else {
      double one = 0;
      if (!read_.constant(current, electrode_current(), one)) return;
      field.current_nA.assign(places->size(), one);
    }
    tell_what_is_left(current.value_or(item), field.current_nA);
    field_.potential = std::move(field);
  }

  /// Of several points, whose currents go from one to another unless they come from far away.
  static void tell_what_is_left(const Item& item, const std::vector<double>& current_nA) {
    double sum = 0, most = 0;
    for (const double nA : current_nA) {
      sum += nA;
      most = std::max(most, std::abs(nA));
    }
    if (current_nA.size() > 1 && std::abs(sum) > 1e-9 * most)
      item.warning(
          fmt::format("the currents add up to {}, which comes from far away", show(sum, "nA")));
  }

  void read_grid(const Item& item) {
    auto grid = GridReader(context_, item).read();
    if (read_.note(grid)) field_.potential = std::move(grid);
  }

  void read_nodes(const Item& item) {
    const auto between = map_.find("between");
    const auto outside = map_.find("outside");
    const auto clock = map_.find("clock");
    const auto table = read_table_of_places(context_, item);
    const auto nodes = read_nodes_of(item, table.get());
    if (!read_.note(nodes)) return;
    if (nodes->potential_mV.size() > 1)
      read_frames(item, *table, clock);
    else if (clock)
      read_.error(*clock, fmt::format("{} has one potential, which is of no time", nodes->file));
    if (between)
      if (const auto chosen = between->choice({"linear", "nearest"}); read_.note(chosen))
        nodes->is_nearest = *chosen == 1;
    if (double mV = 0; outside && read_.constant(outside, Slot::of("mV"), mV))
      nodes->outside_mV = mV;
    if (outside && nodes->is_nearest)
      read_.error(*outside, "nothing is outside where the nearest node's potential is taken");
    field_.potential = std::shared_ptr<const models::FieldOfNodes>(nodes);
  }

  /// Potentials of several times.
  void read_frames(const Item& item, const CsvTable& table, const std::optional<Item>& clock) {
    const auto times_ms = read_times_of(item, table);
    if (!read_.note(times_ms)) return;
    if (const auto waveform = map_.find("waveform"))
      read_.error(
          *waveform,
          fmt::format("{} has potentials of several times, which say how it goes", table.file));
    models::Waveform runs;
    if (clock) {
      const auto read = read_waveform(context_, *clock, "ms", "value");
      if (!read_.note(read)) return;
      runs = read->waveforms.front();
      if (read->waveforms.size() > 1) return read_.error(*clock, "all cells have one clock");
      for (const auto& [time_ms, value_ms] : runs)
        if (value_ms < times_ms->front() || value_ms > times_ms->back())
          return read_.error(
              *clock,
              fmt::format("{} is none of the times from {} to {} of {}", show(value_ms, "ms"),
                          show(times_ms->front(), "ms"), show(times_ms->back(), "ms"), table.file));
    }
    field_.frames = models::frames_in_time(*times_ms, runs);
  }

  void read_expression(const Item& item) {
    Slot slot = Slot::of("mV");
    slot.variables = {Variable::x, Variable::y, Variable::z};
    slot.takes_places = item.is_map();
    models::Value value;
    context_.shape = &shape_;
    if (read_.value(context_, item, slot, value)) field_.potential = std::move(value);
    context_.shape = nullptr;
  }

  void read_waveform_of(const Item& item) {
    MapReader map(item, "a waveform");
    if (!read_.note(map.is_map())) return;
    for (const char* key : {"csv", "times", "sine"}) map.allow(key);
    if (map.has("csv") || map.has("times")) {
      read_.take(read_waveform(context_, item, "", "value"), field_.waveform);
    } else if (const auto sine = map.find("sine")) {
      if (read_.note(map.finish())) read_sine(*sine);
    } else {
      read_.take(read_pulses(context_, map, ""), field_.waveform);
    }
  }

  void read_sine(const Item& item) {
    models::SineWave wave;
    wave.duration_ms = std::numeric_limits<double>::infinity();
    MapReader map(item, "a sine");
    const auto frequency = map.require("frequency");
    const auto amplitude = map.find("amplitude");
    const auto phase = map.find("phase");
    const auto offset = map.find("offset");
    const auto start = map.find("start");
    const auto duration = map.find("duration");
    read_.note(map.finish());
    const Slot number = Slot::of("").varying_by_cell();
    read_.value(context_, frequency, Slot::of("Hz").more_than(0).at_most(1e6).varying_by_cell(),
                wave.frequency_Hz);
    read_.value(context_, amplitude, number, wave.amplitude);
    read_.value(context_, phase, Slot::of("").at_least(-1e6).at_most(1e6).varying_by_cell(),
                wave.phase_turns);
    read_.value(context_, offset, number, wave.offset);
    read_.value(context_, start, Slot::of("ms").at_least(0).varying_by_cell(), wave.start_ms);
    read_.value(context_, duration, Slot::of("ms").more_than(0).varying_by_cell(),
                wave.duration_ms);
    field_.waveform = std::move(wave);
  }

  ReadContext& context_;
  const CellShape& shape_;
  MapReader map_;
  models::Field field_;
  ValueReader read_;
};

const OneOf<void (FieldReader::*)(const Item&)> FieldReader::forms{
    {"points", &FieldReader::read_points},
    {"grid", &FieldReader::read_grid},
    {"nodes", &FieldReader::read_nodes},
    {"potential", &FieldReader::read_expression}};

}  // namespace

std::shared_ptr<const models::Field> read_field(ReadContext& context, const Item& item,
                                                const CellShape& shape) {
  return FieldReader(context, item, shape).read();
}

}  // namespace hillock::io
