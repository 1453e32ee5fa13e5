#include "io/model/network/read_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "core/text/counted.hpp"

namespace hillock::io {

namespace {

constexpr std::int64_t greatest_id = std::int64_t{1} << 53;
constexpr std::size_t most_ids = 100'000'000;

bool is_id(double id) {
  return id >= 0 && id <= static_cast<double>(greatest_id) && id == std::floor(id);
}

std::string id_problem(double id) {
  return fmt::format("the node id {:.12g} is not a whole number from 0", id);
}

/// `{hdf5: nodes.h5, dataset: /nodes/v1/node_id}`
std::optional<std::vector<std::uint64_t>> read_id_dataset(ReadContext& context, MapReader& map) {
  const auto hdf5 = map.require("hdf5");
  const auto dataset = map.require("dataset");
  if (!map.finish()) return std::nullopt;
  const auto path = dataset->text("the path of a dataset");
  const auto read = path ? read_file_columns(context, *hdf5, {*path}, most_ids, {}) : std::nullopt;
  if (!read) return std::nullopt;
  const std::vector<double>& values = read->columns.front().values;
  if (const auto wrong = std::ranges::find_if_not(values, is_id); wrong != values.end()) {
    dataset->error(fmt::format("row {}: {}", wrong - values.begin(), id_problem(*wrong)));
    return std::nullopt;
  }
  return std::vector<std::uint64_t>(values.begin(), values.end());
}

/// A column of a CSV file, or a dataset.
std::optional<std::vector<std::uint64_t>> read_id_column(ReadContext& context, const Item& item) {
  MapReader map(item, "node ids");
  if (map.is_map() && map.has("hdf5")) return read_id_dataset(context, map);
  const auto csv = map.require("csv");
  const auto column = map.find("column");
  if (!map.finish()) return std::nullopt;
  const auto file = read_named_file(context, *csv);
  const auto table = file ? read_csv_table(context, *file) : nullptr;
  if (!table) return std::nullopt;
  std::size_t which = 0;
  if (column) {
    const auto name = column->text("the name of a column");
    if (!name) return std::nullopt;
    const auto found = table->find(*name);
    if (!found) {
      column->error(fmt::format("{} has no column '{}'.{}", file->shown, *name,
                                did_you_mean(*name, table->header)));
      return std::nullopt;
    }
    which = *found;
  } else if (table->columns.size() != 1) {
    csv->error(fmt::format("{} has {} columns; say which one with column:", file->shown,
                           table->columns.size()));
    return std::nullopt;
  }
  std::vector<std::uint64_t> ids;
  ids.reserve(table->rows());
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const double id = table->columns[which][row];
    if (!is_id(id)) {
      csv->error_at(table->place(row, which), id_problem(id));
      return std::nullopt;
    }
    ids.push_back(static_cast<std::uint64_t>(id));
  }
  return ids;
}

std::optional<std::vector<std::uint64_t>> read_id_list(const Item& item) {
  const auto entries = item.list("a list of node ids");
  if (!entries) return std::nullopt;
  std::vector<std::uint64_t> ids;
  for (const Item& entry : *entries) {
    const auto id = entry.whole_number(0, greatest_id);
    if (!id) return std::nullopt;
    ids.push_back(static_cast<std::uint64_t>(*id));
  }
  return ids;
}

}  // namespace

std::optional<models::NodeIdentity> read_nodes(ReadContext& context, const Item& item,
                                               const std::optional<std::uint64_t>& size) {
  MapReader map(item, "nodes");
  const auto population = map.require("population");
  const auto ids = map.require("ids");
  if (!map.finish()) return std::nullopt;
  const auto name = population->text("the name of a population of nodes");
  if (!name) return std::nullopt;
  if (name->empty() || *name == "." || name->find('/') != std::string::npos) {
    population->error(fmt::format(
        "'{}' cannot name a population of nodes, which is a group in HDF5 (no /)", *name));
    return std::nullopt;
  }
  auto values = ids->is_list() ? read_id_list(*ids) : read_id_column(context, *ids);
  if (!values) return std::nullopt;
  if (size && values->size() != *size) {
    ids->error(
        fmt::format("gives {} for {}", counted(values->size(), "node id"), counted(*size, "cell")));
    return std::nullopt;
  }
  return models::NodeIdentity{*name, std::move(*values), item.place()};
}

void check_nodes(const ReadContext& context, const Item& populations) {
  std::map<std::string, std::vector<std::uint64_t>> ids;
  for (const models::Population& population : context.network.populations) {
    if (!population.nodes) continue;
    const std::string& name = population.nodes->population;
    const auto same = context.population_index.find(name);
    if (same != context.population_index.end() && !context.network.populations[same->second].nodes)
      populations.error_at(
          population.nodes->place,
          fmt::format("a population is called {}, too (at {}): their spikes would "
                      "have one name",
                      name, to_string(context.network.populations[same->second].place)));
    auto& all = ids[name];
    all.insert(all.end(), population.nodes->ids.begin(), population.nodes->ids.end());
  }
  for (auto& [name, all] : ids) {
    std::ranges::sort(all);
    const auto twice = std::ranges::adjacent_find(all);
    if (twice == all.end()) continue;
    // The last that has it: an earlier one has it first, or it has it twice.
    for (const models::Population& population : std::views::reverse(context.network.populations))
      if (population.nodes && population.nodes->population == name &&
          std::ranges::find(population.nodes->ids, *twice) != population.nodes->ids.end())
        return populations.error_at(population.nodes->place,
                                    fmt::format("node {} of {} is there twice", *twice, name));
  }
}

}  // namespace hillock::io
