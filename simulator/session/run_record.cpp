#include "simulator/session/run_record.hpp"

#include <chrono>
#include <utility>

#include "simulator/output/recorded_spikes.hpp"
#include "simulator/session/recorded_shapes.hpp"
#include "simulator/session/run_summary.hpp"

namespace hillock::session {

RunRecord::RunRecord(const std::string& directory, io::RunSummary summary, io::ExistingRun existing,
                     RunWatch watch)
    : summary_(std::move(summary)),
      directory_(directory, summary_.outputs, existing),
      watch_(std::move(watch)) {}

void RunRecord::begin() {
  const std::lock_guard lock(mutex_);
  if (!closed_) directory_.write_summary(summary_);
}

void RunRecord::note(const std::function<void(io::RunSummary&)>& change) {
  const std::lock_guard lock(mutex_);
  change(summary_);
}

void RunRecord::keep(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& failure) {
    const EarlyEnd end = watch_.end_of(failure);
    if (close(end.status, end.error) && end.instead) std::rethrow_exception(end.instead);
    throw;
  }
}

OutputSink& RunRecord::open(const models::Network& network, const simulator::Simulation& simulation,
                            const io::Provenance& provenance, const io::OutputOptions& options,
                            const io::KeptOutput* kept) {
  JoinedReports reports(network, with_shapes(network, simulation.reports()));
  const simulator::RecordedSpikes spikes(network);
  std::vector<models::CellPlaces> places = places_of(network, spikes.populations());
  const std::lock_guard lock(mutex_);
  watch_.throw_if_stopped();  // the record may be closed already
  writer_.emplace(directory_.path(), spikes.populations(), reports.layouts(), provenance, options,
                  kept, std::move(places));
  return sink_.emplace(network, std::move(reports), *writer_, kept);
}

void RunRecord::note_done(const models::Network& network, const simulator::Simulation& simulation,
                          bool saves) {
  note([&](io::RunSummary& summary) {
    session::note_done(summary, network, simulation, saves);
    summary.spikes = sink_->count();
  });
}

std::optional<double> RunRecord::checkpoint_ms() const {
  const std::lock_guard lock(mutex_);
  return summary_.checkpoint_ms;
}

void RunRecord::complete() {
  {
    const std::lock_guard lock(mutex_);
    watch_.throw_if_stopped();
    finishing_ = true;
  }
  const auto start = std::chrono::steady_clock::now();
  writer_->finish();
  const std::lock_guard lock(mutex_);
  watch_.throw_if_stopped();
  summary_.timings_s["write"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  summary_.status = io::RunStatus::complete;
  summary_.end = io::now_iso8601();
  directory_.write_summary(summary_);
  closed_ = true;
  writer_->remove_partial();
  directory_.remove_checkpoint();
}

bool RunRecord::close(io::RunStatus status, const std::string& error) {
  const std::lock_guard lock(mutex_);
  if (closed_) return summary_.status != io::RunStatus::complete;
  closed_ = true;
  summary_.status = status;
  summary_.error = error;
  summary_.end = io::now_iso8601();
  try {
    // Files that are being finished have every row on the disk already, as after a kill.
    if (writer_ && !finishing_) writer_->abort();
  } catch (const std::exception& second) {
    if (second.what() != error) watch_.say(second.what());
  }
  try {
    directory_.write_summary(summary_);
  } catch (const std::exception& second) {
    watch_.say(second.what());
  }
  return true;
}

}  // namespace hillock::session
