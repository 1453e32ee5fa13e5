#pragma once
// Where the results of a run go: the output files.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "io/run/output_writer.hpp"
#include "models/network.hpp"
#include "simulator/simulation.hpp"

namespace hillock::command {

/// Hands a simulation's results to the output files: of all spikes those that the model records.
class OutputSink final : public simulator::RunSink {
 public:
  /// kept: what the files have from an earlier run.
  OutputSink(const models::Network& network, const std::vector<models::ReportLayout>& reports,
             io::OutputWriter& writer, const io::KeptRows* kept)
      : writer_(writer) {
    for (const auto& report : reports) columns_.push_back(report.element_ids.size());
    kept_.rows.resize(reports.size());
    kept_.spikes.resize(recorded_populations(network).size());
    if (kept) kept_ = *kept;
    count_ = std::accumulate(kept_.spikes.begin(), kept_.spikes.end(), std::uint64_t{0});
    for (const auto& recording : network.recordings) {
      if (recording.variable) continue;
      const auto& name = network.populations[recording.of.population.value].name;
      std::size_t p = 0;
      while (p < populations_.size() && populations_[p] != name) ++p;
      if (p == populations_.size()) populations_.push_back(name);
      const std::uint64_t first = network.first_cell(recording.of.population).value;
      slices_.push_back({p, first, first + recording.of.begin, first + recording.of.end});
    }
  }

  static std::vector<std::string> recorded_populations(const models::Network& network) {
    std::vector<std::string> names;
    for (const auto& recording : network.recordings) {
      if (recording.variable) continue;
      const auto& name = network.populations[recording.of.population.value].name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  void spikes(std::span<const network::CellSpike> spikes) override {
    std::vector<io::PopulationSpikes> by_population(populations_.size());
    for (std::size_t p = 0; p < populations_.size(); ++p) by_population[p].population = p;
    for (const auto& spike : spikes) {
      for (const Slice& slice : slices_) {
        if (spike.cell.value < slice.begin || spike.cell.value >= slice.end) continue;
        by_population[slice.population].spikes.push_back(
            {spike.time_ms, spike.cell.value - slice.first});
        ++count_;
        break;  // once, however many recordings name the cell
      }
    }
    for (const auto& some : by_population) kept_.spikes[some.population] += some.spikes.size();
    writer_.add_spikes(std::move(by_population));
  }

  void rows(std::size_t report, std::vector<double> rows) override {
    kept_.rows[report] += rows.size() / columns_[report];
    writer_.add_rows(report, std::move(rows));
  }
  std::vector<double> used_rows(std::size_t report) override {
    return writer_.written_rows(report);
  }

  /// What the files have, and what was there before.
  const io::KeptRows& kept() const { return kept_; }

  /// Returns when the files have all of it.
  void sync() { writer_.sync(); }

  std::uint64_t count() const { return count_; }

 private:
  struct Slice {
    std::size_t population = 0;
    std::uint64_t first = 0;  ///< the population's first cell
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  io::OutputWriter& writer_;
  std::vector<std::string> populations_;
  std::vector<Slice> slices_;
  std::vector<std::size_t> columns_;  ///< [report]
  io::KeptRows kept_;
  std::uint64_t count_ = 0;
};

/// Of several ranks the first one's sink gets the results of all.
class NoSink final : public simulator::RunSink {
 public:
  void spikes(std::span<const network::CellSpike>) override {}
  void rows(std::size_t, std::vector<double>) override {}
};

}  // namespace hillock::command
