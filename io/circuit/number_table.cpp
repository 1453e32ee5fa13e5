#include "io/circuit/number_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/program/whole_file.hpp"
#include "io/circuit/config.hpp"
#include "io/circuit/synapses.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_table = 256u << 20;

/// Read line by line.
class NumberTableReader {
 public:
  NumberTableReader(const Item& named, const std::filesystem::path& file,
                    const std::vector<std::string>& columns, const std::string& words)
      : named_(named), asked_(columns), words_(words) {
    table_.file = file.string();
    table_.columns.resize(columns.size());
  }

  std::optional<NumberTable> read(char separator) {
    std::string text;
    if (const std::string problem = read_whole_file(table_.file, largest_table, text);
        !problem.empty()) {
      named_.error(fmt::format("{}: {}", table_.file, problem));
      return std::nullopt;
    }
    std::ranges::replace(text, separator, ' ');
    const bool is_read = each_line(text, [&](int line, const std::string& content) {
      line_ = line;
      const auto words = words_in(content);
      return words.empty() || (places_.empty() ? begin(words) : add(words));
    });
    if (!is_read) return std::nullopt;
    return std::move(table_);
  }

 private:
  bool refuse(const std::string& problem) const {
    named_.error_at({table_.file, line_, 1}, problem);
    return false;
  }

  bool begin(const std::vector<std::string>& words) {
    fields_ = words.size();
    for (const std::string& name : asked_) {
      const auto found = std::ranges::find(words, name);
      if (found == words.end())
        return refuse(fmt::format("needs the columns {}", fmt::join(asked_, " and ")));
      places_.push_back(static_cast<std::size_t>(found - words.begin()));
    }
    const auto found = std::ranges::find(words, words_);
    if (found != words.end()) place_of_words_ = static_cast<std::size_t>(found - words.begin());
    return true;
  }

  bool add(const std::vector<std::string>& words) {
    if (words.size() != fields_) return refuse("has another number of fields than the header");
    for (std::size_t c = 0; c < asked_.size(); ++c) {
      const auto number = number_in(words[places_[c]]);
      if (!number) return refuse(fmt::format("has no number in the column {}", asked_[c]));
      table_.columns[c].push_back(*number);
    }
    if (place_of_words_) table_.words.push_back(words[*place_of_words_]);
    table_.lines.push_back(line_);
    return true;
  }

  const Item& named_;
  const std::vector<std::string>& asked_;
  const std::string& words_;
  NumberTable table_;
  int line_ = 0;
  std::size_t fields_ = 0;
  std::vector<std::size_t> places_;  ///< [asked for] in the header
  std::optional<std::size_t> place_of_words_;
};

}  // namespace

std::optional<NumberTable> read_number_table(const Item& named, const std::filesystem::path& file,
                                             const std::vector<std::string>& columns,
                                             char separator, const std::string& words) {
  return NumberTableReader(named, file, columns, words).read(separator);
}

std::optional<NumberTable> read_number_table(const Item& named,
                                             const std::vector<std::string>& columns,
                                             char separator, const std::string& words) {
  return read_number_table(named, path_of(named), columns, separator, words);
}

double AmplitudeTable::at(double time_ms) const {
  const auto after = std::ranges::upper_bound(times_ms, time_ms) - times_ms.begin();
  if (after == 0) return amplitudes.front();
  if (after == std::ssize(times_ms)) return amplitudes.back();
  const auto k = static_cast<std::size_t>(after);
  return std::lerp(amplitudes[k - 1], amplitudes[k],
                   (time_ms - times_ms[k - 1]) / (times_ms[k] - times_ms[k - 1]));
}

std::optional<AmplitudeTable> read_amplitude_table(const Item& named) {
  auto table = read_number_table(named, {"time", "amplitude"});
  if (!table) return std::nullopt;
  auto &times = table->columns[0], &amplitudes = table->columns[1];
  if (times.empty() || !std::ranges::is_sorted(times)) {
    named.error(table->file + ": has no times, or some that fall");
    return std::nullopt;
  }
  return AmplitudeTable{std::move(times), std::move(amplitudes)};
}

}  // namespace hillock::io::circuit
