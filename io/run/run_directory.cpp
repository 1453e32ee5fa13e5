#include "io/run/run_directory.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <optional>
#include <system_error>

#include "core/errors/errors.hpp"
#include "core/program/option_words.hpp"
#include "core/program/whole_file.hpp"
#include "io/json/json.hpp"
#include "io/run/checkpoint.hpp"
#include "io/run/flush_log.hpp"

namespace hillock::io {

namespace {

constexpr std::array<std::pair<RunStatus, const char*>, 4> status_names{
    {{RunStatus::running, "running"},
     {RunStatus::complete, "complete"},
     {RunStatus::interrupted, "interrupted"},
     {RunStatus::failed, "failed"}}};

constexpr const char* summary_name = "run.json";
constexpr const char* next_summary_name = ".run.json.new";
constexpr std::size_t most_growth = 65536;  // bytes of a run.json at the end over that at the start
constexpr std::uintmax_t largest_summary = 64u << 20;

/// What is known of the run that has used a directory before.
struct Previous {
  bool complete = false;
  std::string model_sha256;
  std::string overrides;  ///< --set, as given
  std::vector<std::string> outputs;
};

/// Nothing when there is no run.json; throws when it is not one of ours.
std::optional<Previous> read_previous(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  std::string text;
  const std::string problem = read_whole_file(file, largest_summary, text);
  if (!problem.empty()) throw InputOutputError(file.string(), problem);
  try {
    const Json json = Json::parse(text);
    Previous previous;
    previous.complete = json["status"].text() == "complete";
    if (json.has("model_sha256")) previous.model_sha256 = json["model_sha256"].text();
    if (json.has("options") && json["options"].has("--set"))
      previous.overrides = json["options"]["--set"].text();
    if (json.has("outputs")) previous.outputs = json["outputs"].texts();
    return previous;
  } catch (const JsonError&) {
    throw InputOutputError(file.string(),
                           "is not the summary of a run (use another directory or remove it)");
  }
}

void remove_file(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error)
    throw InputOutputError(file.string(), "cannot be removed (" + error.message() + ")",
                           error.value());
}

bool is_leftover(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".h5.partial") || (name.starts_with('.') && name.ends_with(".h5.new")) ||
         name == FlushLog::name || name == next_summary_name || name == checkpoint_name ||
         name == next_checkpoint_name;
}

Json populations_in(const RunSummary& summary) {
  Json populations = Json::array();
  for (const RunPopulation& population : summary.populations) {
    Json recorded = Json::array();
    for (const auto& [begin, end] : population.spikes_of) {
      Json range = Json::array();
      range.add(begin);
      range.add(end);
      recorded.add(range);
    }
    populations.add(Json::object({{"name", population.name},
                                  {"cell", population.cell},
                                  {"size", population.size},
                                  {"spikes_of", recorded}}));
  }
  return populations;
}

}  // namespace

std::string to_json(const RunSummary& summary) {
  Json json = Json::object();
  for (const auto& [status, name] : status_names)
    if (status == summary.status) json.add("status", name);
  if (!summary.error.empty()) json.add("error", summary.error);
  json.add("hillock", summary.version);
  json.add("host", summary.host);
  json.add("start", summary.start);
  if (!summary.end.empty()) json.add("end", summary.end);
  json.add("ranks", summary.ranks);
  json.add("threads", summary.threads);
  json.add("backend", summary.backend);
  json.add("backend_reason", summary.backend_reason);
  if (!summary.precision.empty()) json.add("precision", summary.precision);
  if (!summary.propagation.empty()) {
    json.add("propagation", summary.propagation);
    json.add("propagation_reason", summary.propagation_reason);
    Json turns = Json::array();
    for (const PropagationTurn& turn : summary.propagation_turns)
      turns.add(Json::object({{"way", turn.way},
                              {"from_ms", turn.from_ms},
                              {"to_ms", turn.to_ms},
                              {"spikes", turn.spikes},
                              {"device_s", turn.device_s}}));
    json.add("propagation_turns", turns);
    json.add("refused_grids", summary.refused_grids);
  }
  json.add("instruction_set", summary.instruction_set);
  json.add("device", summary.device);
  json.add("hdf5", summary.hdf5_version);
  json.add("model", summary.model);
  json.add("model_sha256", summary.model_sha256);
  json.add("seed", summary.seed);
  json.add("dt_ms", summary.dt_ms);
  json.add("steps", summary.steps);
  json.add("epoch_steps", summary.epoch_steps);
  json.add("cells", summary.cells);
  json.add("compartments", summary.compartments);
  json.add("spikes", summary.spikes);
  if (summary.biological_ms_per_s) json.add("biological_ms_per_s", *summary.biological_ms_per_s);
  if (summary.mean_rate_hz) json.add("mean_rate_hz", *summary.mean_rate_hz);
  json.add("populations", populations_in(summary));
  if (!summary.warnings.empty()) json.add("warnings", summary.warnings);
  if (summary.resumed_ms) json.add("resumed_ms", *summary.resumed_ms);
  if (summary.checkpoint_ms) json.add("checkpoint_ms", *summary.checkpoint_ms);
  json.add("timings_s", summary.timings_s);
  json.add("outputs", summary.outputs);
  json.add("options", summary.options);
  // A path need not be valid UTF-8, and must not stop a run from being described.
  return json.lines();
}

bool holds_complete_run(const std::filesystem::path& directory, const std::string& model_sha256,
                        const std::string& overrides) {
  const auto previous = read_previous(directory / summary_name);
  return previous && previous->complete && previous->model_sha256 == model_sha256 &&
         previous->overrides == overrides;
}

RunDirectory::RunDirectory(std::filesystem::path path, const std::vector<std::string>& outputs,
                           ExistingRun existing)
    : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  std::error_code none;
  if (!std::filesystem::is_directory(path_, none)) {
    if (std::filesystem::exists(path_, none))
      throw InputOutputError(path_.string(), "is a file where the run's directory should be");
    throw InputOutputError(
        path_.string(),
        fmt::format("cannot be created ({}; {})", error.message(), option_words().elsewhere),
        error.value());
  }
  lock();
  try {
    clear(outputs, existing);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RunDirectory::~RunDirectory() {
  ::close(descriptor_);
}

void RunDirectory::lock() {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 || ::access(path_.c_str(), W_OK | X_OK) != 0) {
    const int why = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw InputOutputError(
        path_.string(),
        fmt::format("cannot be written to ({}; {})", std::generic_category().message(why),
                    option_words().elsewhere),
        why);
  }
  // Some network file systems have no locks; there the run goes on without one.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw InputOutputError(path_.string(), "is in use by a run that has not ended");
  }
}

void RunDirectory::clear(const std::vector<std::string>& outputs, ExistingRun existing) {
  const auto summary = path_ / summary_name;
  const auto previous = read_previous(summary);
  if (existing != ExistingRun::replace) {
    if (previous && previous->complete)
      throw InputOutputError(path_.string(),
                             fmt::format("holds a complete run ({}, {})", option_words().replaces,
                                         option_words().elsewhere));
    resumes_ = existing == ExistingRun::resume && has_checkpoint(path_);
    if (resumes_) return;
    if (has_checkpoint(path_))
      throw InputOutputError(
          path_.string(), fmt::format("holds a run that was saved ({})", option_words().goes_on));
    for (const auto& name : outputs)
      if (!previous && std::filesystem::exists(path_ / name))
        throw InputOutputError(
            (path_ / name).string(),
            fmt::format("exists, and is of no run known here ({})", option_words().replaces));
  }
  std::vector<std::filesystem::path> leftovers;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    if (is_leftover(entry.path())) leftovers.push_back(entry.path());
  for (const auto& name : outputs) leftovers.push_back(path_ / name);
  if (previous)
    for (const auto& name : previous->outputs)
      if (std::filesystem::path(name).filename() == name && name.ends_with(".h5"))
        leftovers.push_back(path_ / name);
  // The summary goes first: without it, what a kill leaves here is not taken for a complete run.
  remove_file(summary);
  for (const auto& file : leftovers) remove_file(file);
}

void RunDirectory::remove_checkpoint() const {
  for (const char* name : {checkpoint_name, next_checkpoint_name}) {
    std::error_code none;  // it harms nobody
    std::filesystem::remove(path_ / name, none);
  }
}

void RunDirectory::write_summary(const RunSummary& summary) const {
  const auto file = path_ / summary_name;
  const auto fresh = path_ / next_summary_name;
  const auto failed = [&] {
    const int why = errno;
    return InputOutputError(
        file.string(), fmt::format("cannot be written ({})", std::generic_category().message(why)),
        why);
  };
  const std::string text = to_json(summary);
  // Its bytes are overwritten where they were reserved, and cut off behind the text.
  const int opened =
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (opened < 0) throw failed();
  const bool written =
      write_all(opened, text) && ::ftruncate(opened, static_cast<off_t>(text.size())) == 0;
  const int why = errno;
  if (::close(opened) != 0 || !written) {
    if (!written) errno = why;
    throw failed();
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) throw failed();
  if (summary.status == RunStatus::running) reserve_next(text.size() + most_growth);
}

void RunDirectory::reserve_next(std::size_t bytes) const {
  const auto fresh = path_ / next_summary_name;
  const int opened =
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  const int problem = opened < 0 ? errno : ::posix_fallocate(opened, 0, static_cast<off_t>(bytes));
  if (opened >= 0) ::close(opened);
  // Where space cannot be reserved, the run goes on without; where there is none, it need not
  // begin.
  if (problem == ENOSPC || problem == EDQUOT)
    throw InputOutputError(path_.string(),
                           "cannot hold a run (" + std::generic_category().message(problem) + ")",
                           problem);
}

std::string now_iso8601() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace hillock::io
