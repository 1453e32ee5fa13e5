#include "simulator/command/threshold_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "core/text/folded_text.hpp"
#include "io/json/json.hpp"
#include "simulator/command/page/page_file.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/command/terminal/text_table.hpp"

namespace hillock::command {

namespace {

/// A key of the model, and of each variant the text of its value.
struct Variants {
  std::string key;
  std::vector<std::string> values;
};

/// At commas, but for those within brackets and braces.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::vector<Variants> read_variants(const std::vector<std::string>& given) {
  std::vector<Variants> all;
  for (const std::string& text : given) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--values " + text +
                       ": expected KEY=VALUE,VALUE, for example "
                       "stimuli.0.field.waveform.duration=0.1ms,0.2ms");
    all.push_back({text.substr(0, equals), split(text.substr(equals + 1))});
    if (std::ranges::any_of(all.back().values, &std::string::empty))
      throw UsageError("--values " + text + ": one of the values is empty");
    if (all.back().values.size() != all.front().values.size())
      throw UsageError(fmt::format("--values: {} has {}, {} has {}: what goes together has as many",
                                   all.front().key, all.front().values.size(), all.back().key,
                                   all.back().values.size()));
  }
  return all;
}

/// [variant], one where nothing varies.
struct Found {
  std::vector<Variants> variants;
  std::vector<session::Thresholds> thresholds;

  int runs() const {
    int all = 0;
    for (const session::Thresholds& one : thresholds) all += one.runs;
    return all;
  }
};

Found find(const ThresholdOptions& options) {
  Found found{read_variants(options.values), {}};
  for (const Variants& one : found.variants)
    if (one.key == options.wish.scale)
      throw UsageError("--values " + one.key + ": is what is looked for");
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  const session::ThresholdRuns runs{
      options.backend, options.threads, {current_activity(), announce}, throw_if_stopped};
  const std::size_t count = found.variants.empty() ? 1 : found.variants.front().values.size();
  for (std::size_t v = 0; v < count; ++v) {
    ModelOptions model = options.model;
    for (const Variants& one : found.variants)
      model.overrides.push_back(one.key + "=" + one.values[v]);
    found.thresholds.push_back(session::find_thresholds(source_of(model), options.wish, runs));
  }
  progress.finish();
  std::vector<std::string> told;
  for (const session::Thresholds& one : found.thresholds)
    for (const Diagnostic& warning : one.warnings)
      if (std::string text = to_string(warning); !std::ranges::count(told, text)) {
        report("{}\n", text);
        told.push_back(std::move(text));
      }
  return found;
}

std::string shown(double threshold) {
  return std::isnan(threshold) ? "none" : fmt::format("{:.6g}", threshold);
}

void print_lines(const Found& found, const session::ThresholdWish& wish) {
  constexpr std::size_t most_lines = 64;
  std::vector<std::vector<std::string>> rows(1);
  for (const Variants& one : found.variants) rows.front().push_back(one.key);
  for (const char* heading : {"cell", "threshold"}) rows.front().emplace_back(heading);
  std::size_t left_out = 0, none = 0;
  for (std::size_t v = 0; v < found.thresholds.size(); ++v)
    for (std::size_t cell = 0; cell < found.thresholds[v].of_cells.size(); ++cell) {
      const double threshold = found.thresholds[v].of_cells[cell];
      if (std::isnan(threshold)) ++none;
      if (rows.size() > most_lines) {
        ++left_out;
        continue;
      }
      std::vector<std::string>& row = rows.emplace_back();
      for (const Variants& one : found.variants) row.push_back(one.values[v]);
      row.push_back(fmt::format("{}", cell));
      row.push_back(shown(threshold));
    }
  print("{}", table_text(rows, std::vector<Align>(rows.front().size(), Align::right),
                         page_columns(STDOUT_FILENO)));
  if (left_out > 0) print("… and {} more (--json has all, and -o FILE.csv)\n", left_out);
  if (none > 0)
    print_folded("none: {} up to {}, of {}\n", wish.block ? "nothing blocks" : "nothing is enough",
                 wish.bounds.high, counted(none, "cell"));
}

io::Json to_json(const Found& found, const session::ThresholdWish& wish) {
  const simulator::BackendChoice& ran_on = found.thresholds.back().ran_on;
  io::Json told = io::Json::object({{"scale", wish.scale},
                                    {"population", wish.population},
                                    {"low", wish.bounds.low},
                                    {"high", wish.bounds.high},
                                    {"tolerance", wish.bounds.tolerance},
                                    {"block", wish.block},
                                    {"runs", found.runs()},
                                    {"backend", ran_on.device.empty() ? "cpu" : "cuda"}});
  if (found.variants.empty()) {
    told.add("thresholds", found.thresholds.front().of_cells);
    return told;
  }
  io::Json values = io::Json::object(), thresholds = io::Json::array();
  for (const Variants& one : found.variants) values.add(one.key, one.values);
  for (const session::Thresholds& one : found.thresholds) thresholds.add(one.of_cells);
  told.add("values", values);
  told.add("thresholds", thresholds);
  return told;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

std::string to_csv(const Found& found) {
  std::string text;
  for (const Variants& one : found.variants) text += quoted(one.key) + ",";
  text += "cell,threshold\n";
  for (std::size_t v = 0; v < found.thresholds.size(); ++v)
    for (std::size_t cell = 0; cell < found.thresholds[v].of_cells.size(); ++cell) {
      for (const Variants& one : found.variants) text += quoted(one.values[v]) + ",";
      text += fmt::format("{},{}\n", cell, found.thresholds[v].of_cells[cell]);
    }
  return text;
}

}  // namespace

void show_thresholds(const ThresholdOptions& options) {
  const Found found = find(options);
  if (!options.output.empty()) write_page(options.output, to_csv(found));
  if (options.as_json)
    print("{}", to_json(found, options.wish).lines());
  else
    print_lines(found, options.wish);
}

}  // namespace hillock::command
