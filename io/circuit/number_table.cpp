#include "io/circuit/number_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
    std::string_view left = text;
    for (line_ = 1; !left.empty(); ++line_) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      std::string content(left.substr(0, end));
      left.remove_prefix(std::min(left.size(), end + 1));
      std::erase(content, '\r');
      const auto words = words_in(content);
      if (!words.empty() && !(places_.empty() ? begin(words) : add(words))) return std::nullopt;
    }
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

}  // namespace hillock::io::circuit
