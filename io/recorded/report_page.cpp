#include "io/recorded/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/text/utf8.hpp"
#include "io/columns/confined_file.hpp"
#include "io/page/page_text.hpp"
#include "io/recorded/reading.hpp"
#include "io/recorded/run_facts.hpp"
#include "io/recorded/spikes.hpp"
#include "io/recorded/traces.hpp"

namespace hillock::io {

namespace recorded {

double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= value * (1 - 1e-9)) return step * power;
  return 10 * power;
}

}  // namespace recorded

namespace {

using recorded::Reading;

/// In the order in which they run.
constexpr std::array<const char*, 12> scripts{
    "base.js",    "plot.js",   "parts.js", "raster.js",   "rates.js",    "histogram.js",
    "rhythms.js", "traces.js", "tree.js",  "activity.js", "contacts.js", "report.js"};

Json pairs(const std::vector<std::pair<std::string, std::string>>& texts) {
  Json all = Json::array();
  for (const auto& [name, value] : texts) {
    Json pair = Json::array();
    pair.add(printable(name));
    pair.add(printable(value));
    all.add(pair);
  }
  return all;
}

std::vector<std::string> printable_all(std::vector<std::string> texts) {
  for (std::string& text : texts) text = printable(text);
  return texts;
}

/// Opens a run's files and does not stop at one that cannot be read.
class RunFiles {
 public:
  explicit RunFiles(Reading& reading) : reading_(reading) {
    std::vector<std::string> names = reading.facts.outputs;
    if (reading.facts.is_hillocks && std::ranges::find(names, "spikes.h5") == names.end())
      names.push_back("spikes.h5");
    for (const std::string& name : names) {
      const auto path = reading.request.directory / name;
      auto partial = path;
      partial += ".partial";
      std::error_code none;
      const bool is_there = std::filesystem::exists(path, none);
      if (!is_there && !std::filesystem::exists(partial, none)) {
        reading.problems.push_back(fmt::format("{} is not there", name));
        continue;
      }
      guarded([&] {
        File file{name.substr(0, name.size() - 3), false,
                  ConfinedFile(is_there ? path : partial, reading.request.reader)};
        const std::vector<std::string> groups = file.file.children("/");
        const auto has = [&](const char* group) {
          return std::ranges::find(groups, group) != groups.end();
        };
        file.is_spikes = name == "spikes.h5" || has("spikes");
        if (file.is_spikes || reading.facts.is_hillocks || has("report") || has("ecp") ||
            has("dipole"))
          files_.push_back(std::move(file));
        else
          reading.left_out.push_back(
              fmt::format("{} has neither spikes nor a report in SONATA's form.", printable(name)));
      });
    }
  }

  struct File {
    std::string name;  ///< without .h5
    bool is_spikes = false;
    ConfinedFile file;
  };

  std::vector<File>& all() { return files_; }
  std::size_t reports() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(files_, [](const File& file) { return !file.is_spikes; }));
  }

  template <class Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const InputOutputError& error) {
      reading_.problems.emplace_back(error.what());
    }
  }

 private:
  Reading& reading_;
  std::vector<File> files_;
};

constexpr double longest_ms = 1e15;  // that an axis can tell apart

/// The whole run, or until the last thing that was recorded.
page::TimeSpan time_of(RunFiles& files, const Reading& reading) {
  double last = 0;
  if (!reading.facts.is_complete() || reading.facts.duration_ms() <= 0)
    for (RunFiles::File& file : files.all())
      files.guarded([&] {
        last = std::max(last, file.is_spikes ? recorded::last_spike_ms(file.file, reading)
                                             : recorded::last_sample_ms(file.file));
      });
  const double planned = reading.facts.duration_ms();
  if (planned > 0) last = last > 0 ? std::min(last, planned) : planned;
  return {0, last > 0 ? std::min(last, longest_ms) : 1};
}

/// What all files of a run say alike, from the first that can be read.
Json provenance_in(RunFiles& files, Reading& reading) {
  Json provenance = Json::object();
  for (RunFiles::File& file : files.all()) {
    bool is_told = false;
    if (!reading.facts.is_hillocks) break;
    files.guarded([&] {
      const std::string hash = file.file.text("/", "model_sha256");
      if (hash != reading.facts.model_sha256)
        reading.problems.push_back(
            fmt::format("{}.h5 is not of the model that run.json names", file.name));
      std::vector<std::pair<std::string, std::string>> inputs;
      const auto names = file.file.texts("/", "input_names");
      const auto hashes = file.file.texts("/", "input_sha256");
      for (std::size_t i = 0; i < std::min(names.size(), hashes.size()); ++i)
        inputs.emplace_back(names[i], hashes[i]);
      provenance.add("model_text", page::shown_lines(file.file.text("/", "model_text")));
      provenance.add("inputs", pairs(inputs));
      is_told = true;
    });
    if (is_told) return provenance;
  }
  return provenance;
}

Json summary_of(const RunFacts& facts) {
  Json timings = Json::array();
  for (const auto& [name, seconds] : facts.timings_s)
    timings.add(Json::object({{"name", printable(name)}, {"seconds", seconds}}));
  return Json::object({{"status", printable(facts.status)},
                       {"error", printable_lines(facts.error)},
                       {"start", printable(facts.start)},
                       {"end", printable(facts.end)},
                       {"where", printable(facts.where)},
                       {"dt_ms", facts.dt_ms},
                       {"planned_ms", facts.duration_ms()},
                       {"steps", facts.steps},
                       {"cells", facts.cells},
                       {"compartments", facts.compartments},
                       {"spikes", facts.spikes},
                       {"texts", pairs(facts.texts)},
                       {"timings", timings},
                       {"warnings", printable_all(facts.warnings)}});
}

std::string title_of(const RunFacts& facts, const std::filesystem::path& directory) {
  const std::string stem = std::filesystem::path(facts.model).stem().string();
  return stem.empty() ? directory.filename().string() : stem;
}

}  // namespace

ReportPage report_page(const ReportRequest& request) {
  const RunFacts facts = read_run_facts(request.directory);
  Reading reading{request, facts, {}, {}, {}, {}};
  RunFiles files(reading);
  reading.time = time_of(files, reading);
  const Json provenance = provenance_in(files, reading);
  Json populations = Json::array(), reports = Json::array();
  std::size_t shown = 0;
  for (RunFiles::File& file : files.all())
    files.guarded([&] {
      if (file.is_spikes) {
        const Json spikes = recorded::read_spikes(file.file, reading);
        for (const Json& population : spikes.items()) populations.add(population);
      } else if (shown++ < request.limits.reports) {
        const std::size_t share = std::min(files.reports(), request.limits.reports);
        for (Json& report : recorded::read_report(file.file, file.name, share, reading))
          reports.add(std::move(report));
      }
    });
  if (shown > request.limits.reports)
    reading.left_out.push_back(
        fmt::format("Of {} reports the first {} are shown.", shown, request.limits.reports));
  const std::string title = title_of(facts, request.directory);
  const Json data = Json::object({{"kind", "report"},
                                  {"title", printable(title)},
                                  {"summary", summary_of(facts)},
                                  {"start_ms", reading.time.start_ms},
                                  {"stop_ms", reading.time.stop_ms},
                                  {"provenance", provenance},
                                  {"populations", populations},
                                  {"reports", reports},
                                  {"left_out", printable_all(reading.left_out)},
                                  {"problems", printable_all(reading.problems)}});
  return {page::page_text(title, scripts, data, reading.blobs), std::move(reading.problems)};
}

}  // namespace hillock::io
