#include "io/run/output_writer.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/errors/errors.hpp"
#include "core/program/trace.hpp"
#include "io/run/flush_log.hpp"

namespace hillock::io {

namespace {

/// What one call adds: spikes, or rows of one report.
struct Block {
  std::vector<PopulationSpikes> spikes;
  std::size_t report = 0;
  std::vector<double> rows;

  std::size_t bytes() const {
    std::size_t bytes = sizeof(Block) + rows.size() * sizeof(double);
    for (const auto& part : spikes)
      bytes += sizeof(PopulationSpikes) + part.spikes.size() * sizeof(models::RecordedSpike);
    return bytes;
  }
};

/// Of more text than this in all reports together, spikes.h5 alone has the model's.
constexpr std::size_t most_repeated_text = std::size_t{64} << 20;

SharedProvenance provenance_of_reports(Provenance provenance, std::size_t reports) {
  if (provenance.model_text.size() * reports > most_repeated_text) provenance.model_text.clear();
  return provenance;
}

/// The files of a run. Lives on the writing thread.
class Files {
 public:
  Files(const std::filesystem::path& directory, const std::vector<std::string>& populations,
        std::vector<models::ReportLayout> layouts, const Provenance& provenance, Hashing hashing,
        const KeptOutput& kept, std::vector<models::CellPlaces> places)
      : log_(directory),
        hashing_(hashing),
        spikes_(directory, populations, provenance, hashing, kept.spikes, std::move(places)) {
    const BetweenWrites between =
        layouts.size() > most_open_reports ? BetweenWrites::closed : BetweenWrites::open;
    const SharedProvenance of_reports = provenance_of_reports(provenance, layouts.size());
    reports_.reserve(layouts.size());
    for (auto& layout : layouts) {
      names_.push_back(layout.name + ".h5.partial");
      const KeptRows rows = kept.reports.empty() ? KeptRows() : kept.reports.at(reports_.size());
      reports_.emplace_back(directory, std::move(layout), of_reports, hashing, rows, between);
    }
  }

  void write(const Block& block) {
    for (const auto& [population, spikes] : block.spikes) spikes_.append(population, spikes);
    if (!block.rows.empty()) reports_.at(block.report).append(block.rows);
  }

  void flush() {
    log_.append("spikes.h5.partial", spikes_.flush());
    for (std::size_t i = 0; i < reports_.size(); ++i) log_.append(names_[i], reports_[i].flush());
  }

  KeptOutput sync() {
    flush();
    spikes_.sync();
    for (auto& report : reports_) report.sync();
    KeptOutput all;
    if (hashing_ == Hashing::no) return all;
    all.spikes = spikes_.rows();
    for (const auto& report : reports_) all.reports.push_back(report.rows());
    return all;
  }

  /// Flushes what can be flushed after one file has failed.
  void rescue() noexcept {
    const auto attempt = [](auto&& action) {
      try {
        action();
      } catch (...) {  // the first failure is the one that is reported
      }
    };
    attempt([&] { log_.append("spikes.h5.partial", spikes_.flush()); });
    for (std::size_t i = 0; i < reports_.size(); ++i)
      attempt([&] { log_.append(names_[i], reports_[i].flush()); });
  }

  void finish() {
    log_.append("spikes.h5.partial", spikes_.flush());
    for (auto& report : reports_) report.finish();
    spikes_.finish();
    log_.remove();
  }

 private:
  FlushLog log_;
  Hashing hashing_;
  SpikeFile spikes_;
  std::vector<ReportFile> reports_;
  std::vector<std::string> names_;
};

/// HDF5 crashes when memory ends while it opens a file, so what that takes is asked for first.
/// Throws std::bad_alloc.
void see_that_memory_is_left(std::size_t files) {
  constexpr std::size_t bytes_of_a_file = std::size_t{4} << 20;
  const std::size_t open = std::min(files, most_open_reports) + 1;
  ::operator delete(::operator new(bytes_of_a_file* open));
}

enum class End { none, finish, abort };

}  // namespace

struct OutputWriter::Impl {
  OutputOptions options;
  std::vector<std::string> names;
  std::filesystem::path directory;

  std::mutex mutex;
  std::condition_variable to_writer;
  std::condition_variable to_producer;
  std::deque<Block> queue;
  std::vector<std::vector<double>> written;  ///< [report] the last rows, for their memory
  std::size_t queued_bytes = 0;
  std::vector<std::size_t> queued_rows;  ///< [report] blocks of them
  bool wants_sync = false;
  KeptOutput synced;  ///< what the last sync() found
  End end = End::none;
  bool opened = false;
  std::exception_ptr error;

  std::thread thread;

  using Clock = std::chrono::steady_clock;

  /// The next block; nothing when it is time to flush or to end.
  std::optional<Block> take(Clock::time_point until) {
    std::unique_lock lock(mutex);
    to_writer.wait_until(lock, until,
                         [&] { return !queue.empty() || wants_sync || end != End::none; });
    if (queue.empty()) return {};
    Block block = std::move(queue.front());
    queue.pop_front();
    return block;
  }

  /// A block was written.
  void release(Block block) {
    {
      const std::lock_guard lock(mutex);
      queued_bytes -= block.bytes();
      if (!block.rows.empty()) {
        --queued_rows[block.report];
        written[block.report] = std::move(block.rows);
      }
    }
    to_producer.notify_all();
  }

  /// Once it is asked for, and all that was queued has been written.
  End asked_end() {
    const std::lock_guard lock(mutex);
    return queue.empty() ? end : End::none;
  }

  /// It is asked for, and all that was queued has been written.
  bool is_sync_due() {
    const std::lock_guard lock(mutex);
    return wants_sync && queue.empty();
  }

  void end_sync(KeptOutput all) {
    {
      const std::lock_guard lock(mutex);
      wants_sync = false;
      synced = std::move(all);
    }
    to_producer.notify_all();
  }

  void serve(Files& files) {
    name_this_thread("writer");
    const auto interval = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(options.flush_interval_s));
    auto next_flush = Clock::now() + interval;
    while (true) {
      if (auto block = take(next_flush)) {
        const TracedWork traced("write");
        files.write(*block);
        release(std::move(*block));
      }
      if (const End asked = asked_end(); asked != End::none) {
        asked == End::finish ? files.finish() : files.flush();
        return;
      }
      if (is_sync_due()) end_sync(files.sync());
      if (Clock::now() >= next_flush) {
        files.flush();
        next_flush = Clock::now() + interval;
      }
    }
  }

  void fail() {
    {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      queue.clear();
      queued_bytes = 0;
    }
    to_producer.notify_all();
  }

  void run(const std::vector<std::string>& populations, std::vector<models::ReportLayout> layouts,
           const Provenance& provenance, const KeptOutput& kept,
           std::vector<models::CellPlaces> places) {
    try {
      see_that_memory_is_left(1 + layouts.size());
      Files files(directory, populations, std::move(layouts), provenance, options.hashing, kept,
                  std::move(places));
      {
        const std::lock_guard lock(mutex);
        opened = true;
      }
      to_producer.notify_all();
      try {
        serve(files);
      } catch (...) {
        fail();
        files.rescue();
      }
    } catch (...) {
      fail();
    }
  }

  void add(Block block) {
    const std::size_t bytes = block.bytes();
    std::unique_lock lock(mutex);
    // A block larger than the whole queue may enter when the queue is empty, rows when there are
    // none of their report.
    to_producer.wait(lock, [&] {
      const bool is_first =
          block.rows.empty() ? queued_bytes == 0 : queued_rows.at(block.report) == 0;
      return error || is_first || queued_bytes + bytes <= options.queue_bytes;
    });
    if (error) std::rethrow_exception(error);
    if (end != End::none) throw std::logic_error("the output is already closed");
    queued_bytes += bytes;
    if (!block.rows.empty()) ++queued_rows[block.report];
    queue.push_back(std::move(block));
    lock.unlock();
    to_writer.notify_one();
  }

  KeptOutput sync() {
    std::unique_lock lock(mutex);
    wants_sync = true;
    to_writer.notify_one();
    to_producer.wait(lock, [&] { return error || !wants_sync; });
    if (error) std::rethrow_exception(error);
    return synced;
  }

  void stop(End how) {
    {
      const std::lock_guard lock(mutex);
      if (end == End::none) end = how;
    }
    to_writer.notify_one();
    if (thread.joinable()) thread.join();
    if (error) std::rethrow_exception(error);
  }
};

OutputWriter::OutputWriter(const std::filesystem::path& directory,
                           std::vector<std::string> populations,
                           std::vector<models::ReportLayout> reports, Provenance provenance,
                           OutputOptions options, const KeptOutput* kept,
                           std::vector<models::CellPlaces> places)
    : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  impl_->directory = directory;
  impl_->names.emplace_back("spikes.h5");
  for (const auto& report : reports) impl_->names.push_back(report.name + ".h5");
  impl_->written.resize(reports.size());
  impl_->queued_rows.resize(reports.size());
  if (std::set(impl_->names.begin(), impl_->names.end()).size() != impl_->names.size())
    throw InputOutputError(directory.string(), "two reports have the same name");

  impl_->thread =
      std::thread([impl = impl_.get(), populations = std::move(populations),
                   reports = std::move(reports), provenance = std::move(provenance),
                   kept = kept ? *kept : KeptOutput{}, places = std::move(places)]() mutable {
        impl->run(populations, std::move(reports), provenance, kept, std::move(places));
      });
  std::unique_lock lock(impl_->mutex);
  impl_->to_producer.wait(lock, [&] { return impl_->opened || impl_->error; });
  if (impl_->error) {
    lock.unlock();
    impl_->thread.join();
    std::rethrow_exception(impl_->error);
  }
}

OutputWriter::~OutputWriter() {
  if (!impl_->thread.joinable()) return;
  try {
    abort();
  } catch (...) {  // a destructor has nobody to tell
  }
}

void OutputWriter::add_spikes(std::vector<PopulationSpikes> spikes) {
  Block block;
  block.spikes = std::move(spikes);
  impl_->add(std::move(block));
}

void OutputWriter::add_rows(std::size_t report, std::vector<double> rows) {
  Block block;
  block.report = report;
  block.rows = std::move(rows);
  impl_->add(std::move(block));
}

std::vector<double> OutputWriter::written_rows(std::size_t report) {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->written[report], {});
}

KeptOutput OutputWriter::sync() {
  return impl_->sync();
}
void OutputWriter::finish() {
  impl_->stop(End::finish);
}
void OutputWriter::remove_partial() {
  std::filesystem::remove(impl_->directory / "spikes.h5.partial");
}
void OutputWriter::abort() {
  impl_->stop(End::abort);
}

const std::vector<std::string>& OutputWriter::files() const {
  return impl_->names;
}

}  // namespace hillock::io
