#include "io/circuit/current_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/circuit/config.hpp"
#include "io/circuit/number_table.hpp"
#include "io/columns/confined_file.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uint64_t most_samples = 50'000'000;

/// What stands between the fields of a table, as spaces.
std::optional<char> separator_of(const Item& input) {
  const auto given = find(input, "separator");
  const std::string text = given ? given->node().scalar : " ";
  if (text.size() == 1) return text.front();
  if (text == "\\s+" || text == "\\t") return ' ';
  given->error(fmt::format("'{}' is no single character", text));
  return std::nullopt;
}

std::string name_in(const Item& input, const char* key, const char* otherwise) {
  const auto given = find(input, key);
  return given ? given->node().scalar : otherwise;
}

/// "Sweep_6" of 6 and "6", else the text itself.
std::string sweep_name(const Item& id) {
  const std::string& text = id.node().scalar;
  const auto number = number_in(text);
  return number ? fmt::format("Sweep_{:.0f}", std::trunc(*number)) : text;
}

/// Every so many-th sample; its interval becomes what is asked for.
bool thin_out(const Item& input, std::vector<double>& samples, double& interval_ms) {
  const auto given = find(input, "downsample");
  if (!given) return true;
  const auto wanted_ms = number_of(*given);
  if (!wanted_ms) return false;
  if (*wanted_ms <= interval_ms) return true;
  const auto stride = static_cast<std::size_t>(std::nearbyint(*wanted_ms / interval_ms));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); i += stride) samples[kept++] = samples[i];
  samples.resize(kept);
  interval_ms = *wanted_ms;
  return true;
}

/// What lies within `sweep_window`, from its beginning on.
bool cut_out(const Item& input, std::vector<double>& samples, double interval_ms) {
  const auto given = find(input, "sweep_window");
  if (!given) return true;
  const auto ends = each_of(*given);
  const auto from = number_of(ends.front()), to = number_of(ends.back());
  if (!from || !to) return false;
  std::size_t begin = 0, end = samples.size();
  while (begin < end && static_cast<double>(begin) * interval_ms < *from) ++begin;
  while (end > begin && static_cast<double>(end - 1) * interval_ms > *to) --end;
  if (ends.size() != 2 || *from < 0 || *from >= *to || begin == end) {
    given->error("must be the beginning and the end of a part of the sweep");
    return false;
  }
  samples = {samples.begin() + static_cast<std::ptrdiff_t>(begin),
             samples.begin() + static_cast<std::ptrdiff_t>(end)};
  return true;
}

}  // namespace

std::optional<CurrentSteps> read_table_of_currents(const Item& input) {
  const auto named = require(input, "file");
  const auto separator = separator_of(input);
  if (!named || !separator) return std::nullopt;
  const auto table = read_number_table(*named,
                                       {name_in(input, "timestamps_column", "timestamps"),
                                        name_in(input, "amplitudes_column", "amps")},
                                       *separator);
  if (!table) return std::nullopt;
  CurrentSteps steps{table->columns[0], table->columns[1], 0};
  const auto& times = steps.times_ms;
  const auto refuse = [&](int line, const char* problem) {
    named->error_at({table->file, line, 1}, problem);
    return std::nullopt;
  };
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] < 0 || (i > 0 && times[i] <= times[i - 1]))
      return refuse(table->lines[i], "has a time below 0, or one that does not rise");
  if (times.size() < 2)
    return refuse(times.empty() ? 1 : table->lines.back(), "needs two rows at least");
  steps.end_ms = times.back();
  if (steps.amplitudes.back() != 0) steps.end_ms += times.back() - times[times.size() - 2];
  return steps;
}

std::optional<CurrentSteps> read_sweep(const Item& input,
                                       const std::filesystem::path& column_reader) {
  const auto named = require(input, "file");
  const auto id = require(input, "sweep_id");
  if (!named || !id) return std::nullopt;
  if (const auto delay = find(input, "delay"); delay && number_of(*delay) != 0.0) {
    delay->error("is not read: bmtk does not move a sweep by it, but cuts off what comes before");
    return std::nullopt;
  }
  const std::string series = fmt::format("/epochs/{}/stimulus/timeseries", sweep_name(*id));
  ConfinedFile file(path_of(*named), column_reader);
  auto samples = file.column(series + "/data", most_samples);
  const auto rate_Hz = file.number(series + "/starting_time", "rate");
  if (!samples || samples->empty() || !rate_Hz || !(*rate_Hz > 0)) {
    id->error(fmt::format("{} has no data with a rate in {}", file.path().string(), series));
    return std::nullopt;
  }
  double interval_ms = 1000.0 / *rate_Hz;
  if (!thin_out(input, *samples, interval_ms) || !cut_out(input, *samples, interval_ms))
    return std::nullopt;
  CurrentSteps steps;
  for (std::size_t i = 0; i < samples->size(); ++i) {
    if (!std::isfinite((*samples)[i])) {
      id->error(fmt::format("{} has a current that is no number", file.path().string()));
      return std::nullopt;
    }
    steps.times_ms.push_back(static_cast<double>(i) * interval_ms);
    steps.amplitudes.push_back((*samples)[i] * 1e9);
  }
  steps.end_ms = std::numeric_limits<double>::infinity();
  return steps;
}

}  // namespace hillock::io::circuit
