#include "io/circuit/comsol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "core/program/whole_file.hpp"
#include "io/circuit/number_table.hpp"
#include "io/circuit/synapses.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_study = std::uintmax_t{1} << 30;

/// Of a value that is one thing or a list of them.
std::vector<Item> one_or_several(const Item& item, const char* what) {
  if (item.is_list()) return item.list(what).value_or(std::vector<Item>{});
  return {item};
}

/// A study's nodes as rows of a table. "" after an error, which is told of `named`.
class Study {
 public:
  Study(const Item& named, std::string file) : named_(named), file_(std::move(file)) {}

  std::string table() {
    std::string text;
    if (const std::string problem = read_whole_file(file_, largest_study, text); !problem.empty()) {
      named_.error(fmt::format("{}: {}", file_, problem));
      return "";
    }
    std::string rows;
    const bool is_read = each_line(text, [&](int line, const std::string& content) {
      line_ = line;
      if (content.starts_with('%')) {
        header_ = content;
        return true;
      }
      const auto words = words_in(content);
      return words.empty() || add(words, rows);
    });
    if (!is_read) return "";
    if (rows.empty()) return refuse("has no nodes"), "";
    return rows;
  }

 private:
  bool refuse(const std::string& problem) const {
    named_.error_at({file_, line_, 1}, problem);
    return false;
  }

  /// The line above the nodes names columns: "% x   y   z   V (V)".
  bool read_unit() {
    const auto open = header_.rfind('('), close = header_.rfind(')');
    const std::string unit = open == std::string::npos || close == std::string::npos || close < open
                                 ? ""
                                 : header_.substr(open + 1, close - open - 1);
    if (unit != "V" && unit != "mV")
      return refuse(
          fmt::format("the line above has no unit of the potential, (V) or (mV): '{}'", header_));
    to_mV_ = unit == "V" ? 1000 : 1;
    return true;
  }

  bool add(const std::vector<std::string>& words, std::string& rows) {
    if (words.size() > 4)
      return refuse(
          "has several potentials: studies in time are not read, stationary ones with a "
          "file of 'waveforms' are");
    std::array<double, 4> numbers{};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const auto number = k < words.size() ? number_in(words[k]) : std::nullopt;
      if (!number || !std::isfinite(*number)) return refuse("needs x, y, z and a potential");
      numbers[k] = *number;
    }
    if (to_mV_ == 0 && !read_unit()) return false;
    // Where domains meet, a study may have a node for each.
    if (!seen_.insert({numbers[0], numbers[1], numbers[2]}).second) return true;
    fmt::format_to(std::back_inserter(rows), "{},{},{},{}\n", numbers[0], numbers[1], numbers[2],
                   to_mV_ * numbers[3]);
    return true;
  }

  const Item& named_;
  std::string file_, header_;
  int line_ = 1;
  double to_mV_ = 0;
  std::set<std::array<double, 3>> seen_;
};

class Comsol {
 public:
  Comsol(const Wiring& wiring, const Item& input, const std::string& name, ModelParts& model)
      : wiring_(wiring), input_(input), name_(name), model_(model) {}

  void add_to(const NodeChoice& chosen) {
    const std::vector<std::string> slices = slices_with_shapes(wiring_, chosen);
    if (slices.empty())
      return input_.warning("no node of its node set has a shape; this input is left out");
    const auto files = require(input_, "comsol_files");
    const auto waveforms = find(input_, "waveforms");
    const auto tstop = wiring_.config.find("run", "tstop");
    const auto longest_ms = tstop ? number_of(*tstop) : std::nullopt;
    if (!files || !longest_ms) return;
    if (!waveforms)
      return files->error(
          "without 'waveforms' they are of studies in time, which are not read; stationary ones "
          "are, each with a file of 'waveforms'");
    const std::vector<Item> studies = one_or_several(*files, "files");
    const std::vector<Item> waves = one_or_several(*waveforms, "files");
    const auto amplitudes = read_amplitudes(studies.size());
    if (studies.empty() || !amplitudes) return;
    if (waves.size() != studies.size())
      return waveforms->error(fmt::format("there are {} of them, and {} of comsol_files",
                                          waves.size(), studies.size()));
    std::vector<double> periods;  // of the waveforms until now, in steps
    for (std::size_t i = 0; i < studies.size(); ++i) {
      const std::string nodes = Study(studies[i], path_of(studies[i]).string()).table();
      const std::string wave = nodes.empty() ? "" : wave_text(waves[i], *longest_ms, periods);
      if (wave.empty()) return;
      const std::string file = input_file(model_, wiring_, name_ + "_nodes");
      model_.files[file] = nodes;
      for (const std::string& to : slices)
        model_.stimuli += fmt::format(
            "  - {{name: {}, to: {}, field: {{nodes: {}, outside: 0 mV, scale: {}, waveform: {{csv:"
            " {}}}}}}}\n",
            quoted_text(studies.size() > 1 ? fmt::format("{}_{}", name_, i) : name_), to,
            quoted_text(file), number_text((*amplitudes)[i]), quoted_text(wave));
    }
  }

 private:
  /// [study]
  std::optional<std::vector<double>> read_amplitudes(std::size_t studies) const {
    const auto given = find(input_, "amplitudes");
    if (!given) return std::vector<double>(studies, 1.0);
    std::vector<double> all;
    for (const Item& one : one_or_several(*given, "numbers")) {
      const auto number = number_of(one);
      if (!number) return std::nullopt;
      all.push_back(*number);
    }
    if (all.size() == 1) all.resize(studies, all.front());
    if (all.size() == studies) return all;
    given->error(fmt::format("there are {} of them, and {} of comsol_files", all.size(), studies));
    return std::nullopt;
  }

  /// The name of a table of what BioNet multiplies by in each step, from the second one on: it
  /// begins anew behind the waveform's last time, counted in what the waveforms before have left of
  /// the step's number. "" after an error.
  std::string wave_text(const Item& named, double longest_ms, std::vector<double>& periods) {
    const auto table = read_amplitude_table(named);
    if (!table) return "";
    const double dt_ms = wiring_.config.step_ms();
    periods.push_back((table->times_ms.back() - table->times_ms.front()) / dt_ms + 1);
    const auto at = [&](std::int64_t step) {
      auto of = static_cast<double>(step);
      for (const double period : periods) of = std::fmod(of, period);
      return table->at(of * dt_ms);
    };
    // A step asks in its middle.
    std::string text = "time,value\n";
    const auto last = static_cast<std::int64_t>(std::ceil(longest_ms / dt_ms)) + 1;
    for (std::int64_t step = 1; step <= last; ++step)
      if (step == 1 || step == last || at(step) != at(step - 1) || at(step) != at(step + 1))
        fmt::format_to(std::back_inserter(text), "{},{}\n",
                       (static_cast<double>(step) + 0.5) * dt_ms, at(step));
    const std::string file = input_file(model_, wiring_, name_ + "_waveform");
    model_.files[file] = std::move(text);
    return file;
  }

  const Wiring& wiring_;
  const Item& input_;
  const std::string& name_;
  ModelParts& model_;
};

}  // namespace

void read_comsol(const Wiring& wiring, const Item& input, const std::string& name,
                 const NodeChoice& chosen, ModelParts& model) {
  Comsol(wiring, input, name, model).add_to(chosen);
}

}  // namespace hillock::io::circuit
