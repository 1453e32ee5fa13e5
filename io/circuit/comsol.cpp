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
  enum class Kind { stationary, in_time };
  Study(const Item& named, std::string file, Kind kind)
      : named_(named), file_(std::move(file)), is_in_time_(kind == Kind::in_time) {}

  /// Of a study in time, rising.
  const std::vector<double>& times_ms() const { return times_ms_; }

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

  /// The line above the nodes names columns: "% x   y   z   V (V)", and of a study in time
  /// "V (V) @ t=0   V (V) @ t=0.005", in seconds.
  bool read_header(std::size_t potentials, std::string& rows) {
    if (!read_unit()) return false;
    if (!is_in_time_) return true;
    constexpr std::string_view before = "t=";
    for (std::size_t at = header_.find(before); at != std::string::npos;
         at = header_.find(before, at)) {
      at += before.size();
      const auto words = words_in(header_.substr(at));
      const auto time_s = words.empty() ? std::nullopt : number_in(words.front());
      if (!time_s || !std::isfinite(*time_s) ||
          (!times_ms_.empty() && 1000 * *time_s <= times_ms_.back()))
        return refuse(fmt::format("the times in the line above do not rise: '{}'", header_));
      times_ms_.push_back(1000 * *time_s);
    }
    if (times_ms_.size() != potentials)
      return refuse(fmt::format("has {} potentials, and the line above {} times (@ t=...)",
                                potentials, times_ms_.size()));
    rows = "x,y,z";
    for (const double time_ms : times_ms_)
      fmt::format_to(std::back_inserter(rows), ",t={} ms", time_ms);
    rows += '\n';
    return true;
  }

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
    if (words.size() > 4 && !is_in_time_)
      return refuse(
          "has several potentials, of a study in time; 'waveforms' are of stationary ones, which "
          "have one");
    if (words.size() == 4 && is_in_time_)
      return refuse("has one potential, of a stationary study, which needs a file of 'waveforms'");
    std::vector<double> numbers;
    for (const std::string& word : words)
      if (const auto number = number_in(word); number && std::isfinite(*number))
        numbers.push_back(*number);
    if (numbers.size() != words.size() || numbers.size() < 4)
      return refuse("needs x, y, z and a potential");
    if (to_mV_ == 0 && !read_header(numbers.size() - 3, rows)) return false;
    if (is_in_time_ && numbers.size() - 3 != times_ms_.size())
      return refuse(fmt::format("has {} potentials, where there are {} times", numbers.size() - 3,
                                times_ms_.size()));
    // Where domains meet, a study may have a node for each.
    if (!seen_.insert({numbers[0], numbers[1], numbers[2]}).second) return true;
    fmt::format_to(std::back_inserter(rows), "{},{},{}", numbers[0], numbers[1], numbers[2]);
    for (std::size_t k = 3; k < numbers.size(); ++k)
      fmt::format_to(std::back_inserter(rows), ",{}", to_mV_ * numbers[k]);
    rows += '\n';
    return true;
  }

  const Item& named_;
  std::string file_, header_;
  bool is_in_time_;
  std::vector<double> times_ms_;
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
    const std::vector<Item> studies = one_or_several(*files, "files");
    const auto amplitudes = read_amplitudes(studies.size());
    if (studies.empty() || !amplitudes) return;
    if (!waveforms) return add_in_time(studies, *amplitudes, slices, *longest_ms);
    const std::vector<Item> waves = one_or_several(*waveforms, "files");
    if (waves.size() != studies.size())
      return waveforms->error(fmt::format("there are {} of them, and {} of comsol_files",
                                          waves.size(), studies.size()));
    std::vector<double> periods;  // of the waveforms until now, in steps
    for (std::size_t i = 0; i < studies.size(); ++i) {
      const std::string nodes =
          Study(studies[i], path_of(studies[i]).string(), Study::Kind::stationary).table();
      const std::string wave = nodes.empty() ? "" : wave_text(waves[i], *longest_ms, periods);
      if (wave.empty()) return;
      const std::string file = input_file(model_, wiring_, name_ + "_nodes");
      model_.files[file] = nodes;
      for (const std::string& to : slices)
        model_.stimuli += fmt::format(
            "  - {{name: {}, to: {}, field: {{nodes: {}, outside: 0 mV, scale: {}, waveform: {{csv:"
            " {}}}}}}}\n",
            quoted_text(name_of(i, studies.size())), to, quoted_text(file),
            number_text((*amplitudes)[i]), quoted_text(wave));
    }
  }

 private:
  std::string name_of(std::size_t study, std::size_t studies) const {
    return studies > 1 ? fmt::format("{}_{}", name_, study) : name_;
  }

  /// Of each study, whose potentials go in time, those of the nearest node, as BioNet has it.
  void add_in_time(const std::vector<Item>& studies, const std::vector<double>& amplitudes,
                   const std::vector<std::string>& slices, double longest_ms) {
    for (std::size_t i = 0; i < studies.size(); ++i) {
      Study study(studies[i], path_of(studies[i]).string(), Study::Kind::in_time);
      const std::string nodes = study.table();
      if (nodes.empty()) return;
      const std::string file = input_file(model_, wiring_, name_ + "_nodes");
      model_.files[file] = nodes;
      const std::string clock = input_file(model_, wiring_, name_ + "_clock");
      model_.files[clock] = clock_text(study.times_ms(), longest_ms);
      for (const std::string& to : slices)
        model_.stimuli += fmt::format(
            "  - {{name: {}, to: {}, field: {{nodes: {}, between: nearest, scale: {}, clock: "
            "{{csv: {}}}}}}}\n",
            quoted_text(name_of(i, studies.size())), to, quoted_text(file),
            number_text(amplitudes[i]), quoted_text(clock));
    }
  }

  /// A table of which time of a study it is in the middle of each step, from the second one on:
  /// BioNet takes its times step by step, numpy.arange(first, last + dt, dt), and begins anew with
  /// the one before the last. Between steps it jumps.
  std::string clock_text(const std::vector<double>& times_ms, double longest_ms) const {
    const double dt_ms = wiring_.config.step_ms();
    const double first_ms = times_ms.front(), last_ms = times_ms.back();
    const double apart_ms = first_ms + dt_ms - first_ms;
    const double count = std::ceil((last_ms + dt_ms - first_ms) / dt_ms);
    const double duration_ms = first_ms + (count - 1) * apart_ms - first_ms;
    const auto period = std::max<std::int64_t>(static_cast<std::int64_t>(duration_ms / dt_ms), 1);
    std::string text = "time,value\n";
    const auto last = static_cast<std::int64_t>(std::ceil(longest_ms / dt_ms)) + 1;
    for (std::int64_t step = 1; step <= last; ++step) {
      const std::int64_t of = (step - 1) % period;
      const double now_ms =
          std::clamp(first_ms + static_cast<double>(of) * apart_ms, first_ms, last_ms);
      const auto put = [&](double at) {
        fmt::format_to(std::back_inserter(text), "{},{}\n",
                       (static_cast<double>(step) + at) * dt_ms, now_ms);
      };
      const bool begins = of == 0 && step > 1, ends = of == period - 1 && step < last;
      if (begins) put(0);
      if (begins || ends || step == 1 || step == last) put(0.5);
      if (ends) put(1);
    }
    return text;
  }

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

  // BioNet tells NEURON behind a step of number n what there is at n dt, which the step behind it
  // feels; of xstim it is what there is at the beginning of that one.

  /// The name of a table of what BioNet multiplies by in each step, from the second one on: it
  /// begins anew behind the waveform's last time, counted in what the waveforms before have left of
  /// the step's number. "" after an error.
  std::string wave_text(const Item& named, double longest_ms, std::vector<double>& periods) {
    const auto table = read_amplitude_table(named);
    if (!table) return "";
    const double dt_ms = wiring_.config.step_ms();
    periods.push_back((table->times_ms.back() - table->times_ms.front()) / dt_ms + 1);
    const auto at = [&](std::int64_t step) {
      auto of = static_cast<double>(step - 1);
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
