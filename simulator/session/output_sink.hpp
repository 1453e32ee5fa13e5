#pragma once
// Where the results of a run go: the output files.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "io/run/output_writer.hpp"
#include "models/network.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/output/recorded_spikes.hpp"
#include "simulator/session/joined_reports.hpp"

namespace hillock::session {

/// Hands a simulation's results to the output files: of all spikes those that the model records.
class OutputSink final : public simulator::RunSink {
 public:
  /// reports: of which the writer has the files. kept: what these have from an earlier run.
  OutputSink(const models::Network& network, JoinedReports reports, io::OutputWriter& writer,
             const io::KeptOutput* kept)
      : writer_(writer), recorded_(network), reports_(std::move(reports)) {
    if (!kept) return;
    for (const io::KeptRows& population : kept->spikes) count_ += population.count;
  }

  void spikes(std::span<const network::CellSpike> spikes) override {
    std::vector<io::PopulationSpikes> all;
    for (auto& some : recorded_.by_population(spikes)) {
      count_ += some.size();
      all.push_back({all.size(), std::move(some)});
    }
    writer_.add_spikes(std::move(all));
  }

  void rows(std::size_t part, std::vector<double> rows) override {
    for (JoinedReports::Rows& joined : reports_.add(part, std::move(rows)))
      if (!joined.rows.empty()) writer_.add_rows(joined.report, std::move(joined.rows));
  }
  std::vector<double> used_rows(std::size_t part) override {
    return reports_.is_whole(part) ? writer_.written_rows(reports_.report_of(part))
                                   : std::vector<double>();
  }

  /// Returns when the files have all of it, with what a run that is resumed from there keeps.
  io::KeptOutput sync() { return writer_.sync(); }

  std::uint64_t count() const { return count_; }

 private:
  io::OutputWriter& writer_;
  simulator::RecordedSpikes recorded_;
  JoinedReports reports_;
  std::uint64_t count_ = 0;
};

/// Of several ranks the first one's sink gets the results of all.
class NoSink final : public simulator::RunSink {
 public:
  void spikes(std::span<const network::CellSpike>) override {}
  void rows(std::size_t, std::vector<double>) override {}
};

}  // namespace hillock::session
