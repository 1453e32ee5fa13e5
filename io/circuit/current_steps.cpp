#include "io/circuit/current_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/program/whole_file.hpp"
#include "io/circuit/config.hpp"
#include "io/circuit/synapses.hpp"
#include "io/columns/confined_file.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_table = 256u << 20;
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

/// A table that is read line by line.
class TableOfCurrents {
 public:
  TableOfCurrents(const Item& input, const Item& named)
      : named_(named),
        file_(path_of(named).string()),
        time_(name_in(input, "timestamps_column", "timestamps")),
        amplitude_(name_in(input, "amplitudes_column", "amps")) {}

  std::optional<CurrentSteps> read(char separator) {
    std::string text;
    if (const std::string problem = read_whole_file(file_, largest_table, text); !problem.empty()) {
      named_.error(fmt::format("{}: {}", file_, problem));
      return std::nullopt;
    }
    std::ranges::replace(text, separator, ' ');
    std::string_view left = text;
    for (line_ = 1; !left.empty(); ++line_) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      std::string content(left.substr(0, end));
      left.remove_prefix(std::min(left.size(), end + 1));
      std::erase(content, '\r');
      const auto words = words_in(content);
      if (!words.empty() && !(header_.empty() ? begin(words) : add(words))) return std::nullopt;
    }
    const auto& times = steps_.times_ms;
    if (times.size() < 2) return refuse("needs two rows at least");
    const double last = times.back();
    steps_.end_ms = steps_.amplitudes.back() == 0 ? last : last + (last - times[times.size() - 2]);
    return std::move(steps_);
  }

 private:
  std::nullopt_t refuse(const std::string& problem) const {
    named_.error_at({file_, line_, 1}, problem);
    return std::nullopt;
  }

  bool begin(const std::vector<std::string>& words) {
    header_ = words;
    const auto find = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(header_, name) - header_.begin());
    };
    time_at_ = find(time_);
    amplitude_at_ = find(amplitude_);
    if (time_at_ < header_.size() && amplitude_at_ < header_.size()) return true;
    refuse(fmt::format("needs the columns {} and {}", time_, amplitude_));
    return false;
  }

  bool add(const std::vector<std::string>& words) {
    if (words.size() != header_.size()) {
      refuse("has another number of fields than the header");
      return false;
    }
    const auto time = number_in(words[time_at_]), amplitude = number_in(words[amplitude_at_]);
    if (!time || !amplitude) {
      refuse("has no time and amplitude");
      return false;
    }
    if (*time < 0 || (!steps_.times_ms.empty() && *time <= steps_.times_ms.back())) {
      refuse("has a time below 0, or one that does not rise");
      return false;
    }
    steps_.times_ms.push_back(*time);
    steps_.amplitudes.push_back(*amplitude);
    return true;
  }

  const Item& named_;
  std::string file_, time_, amplitude_;
  int line_ = 0;
  std::vector<std::string> header_;
  std::size_t time_at_ = 0, amplitude_at_ = 0;
  CurrentSteps steps_;
};

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
  return TableOfCurrents(input, *named).read(*separator);
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
