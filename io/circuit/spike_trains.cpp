#include "io/circuit/spike_trains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/whole_file.hpp"
#include "io/circuit/synapses.hpp"
#include "io/columns/confined_file.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uint64_t most_spikes = 50'000'000;
constexpr std::uintmax_t largest_spike_file = 256u << 20;

/// The group of a population's columns, "/spikes/lgn", or "/spikes" of the first form.
std::string group_of(ConfinedFile& file, const std::string& population, std::string& problem) {
  const auto names = file.children("/spikes");
  if (std::ranges::find(names, "timestamps") != names.end()) return "/spikes";
  if (std::ranges::find(names, population) != names.end()) return "/spikes/" + population;
  if (names.size() == 1) return "/spikes/" + names.front();
  problem = fmt::format("has no spikes of '{}'", population);
  return "";
}

std::optional<SpikeTrains> read_hdf5(const Item& named, const std::filesystem::path& path,
                                     const std::string& population,
                                     const std::filesystem::path& column_reader) {
  ConfinedFile file(path, column_reader);
  std::string problem;
  const std::string group = group_of(file, population, problem);
  auto times = group.empty() ? std::nullopt : file.column(group + "/timestamps", most_spikes);
  auto nodes = group.empty() ? std::nullopt : file.column(group + "/node_ids", most_spikes);
  if (!nodes && !group.empty()) nodes = file.column(group + "/gids", most_spikes);
  if (problem.empty() && (!times || !nodes || times->size() != nodes->size()))
    problem = fmt::format("has no timestamps and node_ids of like number in {}", group);
  if (!problem.empty()) {
    named.error(fmt::format("{} {}", path.string(), problem));
    return std::nullopt;
  }
  return SpikeTrains{std::move(*times), {nodes->begin(), nodes->end()}};
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
  std::string_view left = text;
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

std::optional<SpikeTrains> read_spike_trains(const Item& named, const std::filesystem::path& path,
                                             bool is_csv, const std::string& population,
                                             const std::filesystem::path& column_reader) {
  return is_csv ? read_csv_file(named, path, population)
                : read_hdf5(named, path, population, column_reader);
}

}  // namespace hillock::io::circuit
