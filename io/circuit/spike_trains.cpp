#include "io/circuit/spike_trains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/program/whole_file.hpp"
#include "io/circuit/elements.hpp"
#include "io/circuit/synapses.hpp"
#include "io/columns/confined_file.hpp"
#include "io/encoding.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uint64_t most_spikes = 50'000'000;
constexpr std::uintmax_t largest_spike_file = 256u << 20;

/// How many milliseconds a unit of time is, which is one where none is named.
std::optional<double> milliseconds_of(const std::string& unit) {
  for (const char* name : {"", "ms", "msec", "millisecond", "milliseconds"})
    if (unit == name) return 1;
  for (const char* name : {"s", "sec", "second", "seconds"})
    if (unit == name) return 1000;
  return std::nullopt;
}

std::optional<SpikeTrains> read_hdf5(const Item& named, const std::filesystem::path& path,
                                     const std::string& population,
                                     const std::function<bool(const std::string&)>& is_of_circuit,
                                     const std::filesystem::path& column_reader) {
  ConfinedFile file(path, column_reader);
  SpikeTrains trains;
  std::string group = "/spikes";  // of the first form, which names no population
  const auto names = file.children(group);
  const auto has = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!has("timestamps")) {
    const bool is_only_one = names.size() == 1 && !is_of_circuit(names.front());
    if (!has(population) && !is_only_one) {
      trains.are_missing = true;
      return trains;
    }
    trains.population = has(population) ? population : names.front();
    group += "/" + trains.population;
  }
  Diagnostics& diagnostics = named.diagnostics();
  const std::size_t errors = diagnostics.error_count();
  auto times = file.column(group + "/timestamps", most_spikes);
  auto nodes = Elements::whole_numbers(file, group + "/node_ids", diagnostics);
  if (diagnostics.error_count() == errors && !nodes)
    nodes = Elements::whole_numbers(file, group + "/gids", diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  if (!times || !nodes || times->size() != nodes->size()) {
    named.error(fmt::format("{} has no timestamps and node_ids of like number in {}", path.string(),
                            group));
    return std::nullopt;
  }
  const std::string unit = file.text(group + "/timestamps", "units");
  const auto factor = milliseconds_of(unit);
  if (!factor) {
    named.error(
        fmt::format("{} has {}/timestamps in '{}': ms and s are read", path.string(), group, unit));
    return std::nullopt;
  }
  for (double& time : *times) time *= *factor;
  trains.times_ms = std::move(*times);
  trains.nodes = std::move(*nodes);
  return trains;
}

/// Columns timestamps, node_ids and perhaps population, between spaces or commas.
std::optional<SpikeTrains> read_csv_file(const Item& named, const std::filesystem::path& path,
                                         const std::string& population) {
  std::string text;
  if (const std::string problem = read_whole_file(path, largest_spike_file, text);
      !problem.empty()) {
    named.error(fmt::format("{}: {}", path.string(), problem));
    return std::nullopt;
  }
  SpikeTrains trains;
  std::vector<std::string> header;
  std::size_t time_at = 0, node_at = 0, population_at = 0;
  std::string_view left = without_byte_order_mark(text);
  for (int line = 1; !left.empty(); ++line) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string content(left.substr(0, end));
    left.remove_prefix(std::min(left.size(), end + 1));
    std::erase(content, '\r');
    const auto words = words_in(content);
    if (words.empty()) continue;
    const auto refuse = [&](const std::string& problem) {
      named.error_at({path.string(), line, 1}, problem);
      return std::nullopt;
    };
    if (header.empty()) {
      header = words;
      const auto find = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
      };
      time_at = find("timestamps");
      node_at = std::min(find("node_ids"), find("gids"));
      population_at = find("population");
      if (population_at == header.size()) population_at = find("populations");
      if (time_at == header.size() || node_at == header.size())
        return refuse("needs the columns timestamps and node_ids");
      continue;
    }
    if (words.size() != header.size())
      return refuse("has another number of fields than the header");
    if (population_at < header.size() && words[population_at] != population) continue;
    const auto time = number_in(words[time_at]), node = number_in(words[node_at]);
    if (!time || !node || *node < 0 || *node != std::floor(*node))
      return refuse("has no time and node");
    trains.times_ms.push_back(*time);
    trains.nodes.push_back(static_cast<std::uint64_t>(*node));
  }
  return trains;
}

}  // namespace

std::optional<SpikeTrains> read_spike_trains(
    const Item& named, const std::filesystem::path& path, bool is_csv,
    const std::string& population, const std::function<bool(const std::string&)>& is_of_circuit,
    const std::filesystem::path& column_reader) {
  return is_csv ? read_csv_file(named, path, population)
                : read_hdf5(named, path, population, is_of_circuit, column_reader);
}

}  // namespace hillock::io::circuit
