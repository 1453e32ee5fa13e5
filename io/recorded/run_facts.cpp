#include "io/recorded/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/errors/errors.hpp"
#include "core/program/whole_file.hpp"
#include "core/text/counted.hpp"
#include "io/json/json.hpp"

namespace hillock::io {

namespace {

constexpr std::uintmax_t largest_facts = 64u << 20;
/// Larger numbers are no counts of anything that a run can have.
constexpr std::uint64_t most_counted = std::uint64_t{1} << 53;

std::string text_in(const Json& json, std::string_view name) {
  return json.has(name) ? json[name].text() : "";
}

std::uint64_t count_in(const Json& json, std::string_view name) {
  return json.has(name) ? std::min(json[name].count(), most_counted) : 0;
}

double number_in(const Json& json, std::string_view name) {
  const double number = json.has(name) ? json[name].number() : 0;
  return std::isfinite(number) && number > 0 ? number : 0;
}

RunFacts::Population population_in(const Json& json) {
  RunFacts::Population population{
      text_in(json, "name"), text_in(json, "cell"), count_in(json, "size"), {}};
  if (!json.has("spikes_of")) return population;
  std::uint64_t last = 0;
  for (const Json& range : json["spikes_of"].items()) {
    const std::uint64_t begin = std::clamp(range[0].count(), last, population.size);
    const std::uint64_t end = std::clamp(range[1].count(), begin, population.size);
    if (begin < end) population.spikes_of.emplace_back(begin, end);
    last = end;
  }
  return population;
}

std::string where_in(const Json& json) {
  const std::uint64_t ranks = count_in(json, "ranks"), threads = count_in(json, "threads");
  const std::string of = ranks > 1 ? fmt::format("{} ranks of ", ranks) : "";
  const std::string device = text_in(json, "device");
  if (!device.empty()) return of + device.substr(0, device.find(','));
  return of + counted(threads, "thread");
}

RunFacts facts_in(const Json& json) {
  RunFacts facts;
  facts.status = json["status"].text();
  facts.error = text_in(json, "error");
  facts.start = text_in(json, "start");
  facts.end = text_in(json, "end");
  facts.model = text_in(json, "model");
  facts.model_sha256 = text_in(json, "model_sha256");
  facts.dt_ms = number_in(json, "dt_ms");
  facts.steps = count_in(json, "steps");
  facts.cells = count_in(json, "cells");
  facts.compartments = count_in(json, "compartments");
  facts.spikes = count_in(json, "spikes");
  facts.where = where_in(json);
  constexpr std::array<std::pair<const char*, const char*>, 11> labels{
      {{"model", "Model"},
       {"model_sha256", "SHA-256 of the model"},
       {"hillock", "Hillock"},
       {"hdf5", "HDF5"},
       {"host", "Host"},
       {"backend", "Backend"},
       {"backend_reason", "Why that backend"},
       {"device", "Device"},
       {"instruction_set", "Instruction set"},
       {"precision", "Precision"},
       {"propagation", "Propagation of spikes"}}};
  for (const auto& [name, label] : labels)
    if (std::string text = text_in(json, name); !text.empty())
      facts.texts.emplace_back(label, std::move(text));
  if (json.has("seed")) facts.texts.emplace_back("Seed", fmt::format("{}", json["seed"].count()));
  if (json.has("resumed_ms"))
    facts.texts.emplace_back("Resumed at", fmt::format("{:.10g} ms", json["resumed_ms"].number()));
  if (json.has("options"))
    for (const auto& [name, value] : json["options"].members())
      facts.texts.emplace_back("Option " + name, value.text());
  if (json.has("populations"))
    for (const Json& population : json["populations"].items())
      facts.populations.push_back(population_in(population));
  if (json.has("warnings")) facts.warnings = json["warnings"].texts();
  if (json.has("timings_s"))
    for (const auto& [name, value] : json["timings_s"].members())
      facts.timings_s.emplace_back(name, std::max(0.0, value.number()));
  if (json.has("outputs"))
    for (std::string& name : json["outputs"].texts())
      if (std::filesystem::path(name).filename() == name && name.ends_with(".h5"))
        facts.outputs.push_back(std::move(name));
  return facts;
}

/// Of the files of another program; no outputs where there are none.
RunFacts facts_of_files(const std::filesystem::path& directory) {
  RunFacts facts;
  facts.status = "unknown";
  facts.is_hillocks = false;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".h5" && entry->is_regular_file(error))
      facts.outputs.push_back(entry->path().filename().string());
  std::ranges::sort(facts.outputs);
  return facts;
}

}  // namespace

RunFacts read_run_facts(const std::filesystem::path& directory) {
  const auto file = directory / "run.json";
  std::error_code error;
  if (std::filesystem::is_regular_file(directory, error)) {
    const auto folder = directory.parent_path();
    throw InputOutputError(directory.string(),
                           fmt::format("is a file; give the folder of the run, {}",
                                       folder.empty() ? "." : folder.string()));
  }
  if (!std::filesystem::exists(file, error))
    if (RunFacts facts = facts_of_files(directory); !facts.outputs.empty()) return facts;
  std::string text;
  const std::string problem = read_whole_file(file, largest_facts, text);
  if (!problem.empty()) throw InputOutputError(file.string(), problem);
  try {
    return facts_in(Json::parse(text));
  } catch (const JsonError&) {
    throw InputOutputError(
        file.string(),
        "is not the summary of a run. Without it the page is made of the .h5 files alone: "
        "move it elsewhere");
  }
}

}  // namespace hillock::io
