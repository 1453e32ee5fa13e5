#pragma once
// What a run makes, kept in memory as its files would have it.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/report.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/output/recorded_spikes.hpp"
#include "simulator/session/joined_reports.hpp"

namespace hillock::python {

/// Spikes and rows as they come. Rows lie at one address from the first to the last, so that arrays
/// of them are views.
class Results final : public simulator::RunSink {
 public:
  /// network: must outlive this. parts: the simulation's reports, those of one name one here.
  /// first_rows: [part] which row of the run comes first.
  Results(const models::Network& network, const std::vector<models::ReportLayout>& parts,
          const std::vector<std::uint64_t>& first_rows);

  void spikes(std::span<const network::CellSpike> spikes) override;
  void rows(std::size_t part, std::vector<double> rows) override;
  std::vector<double> used_rows(std::size_t part) override;

  std::uint64_t spike_count() const;

  /// {population: (times [n] in ms, node ids [n])}, by time and then by cell, of those behind a
  /// time.
  nanobind::dict spikes_by_population(
      double after_ms = -std::numeric_limits<double>::infinity()) const;
  /// [{name, population, units, start_ms, every_ms, data [rows, columns], …}]: data is a view.
  nanobind::list reports() const;

 private:
  struct Report {
    const models::ReportLayout* layout = nullptr;
    std::shared_ptr<std::byte[]> data;  ///< [samples × columns], floats or doubles
    std::uint64_t first_row = 0;        ///< of the run
    std::uint64_t rows = 0;
    std::vector<double> used;
  };

  static void add(Report& report, std::vector<double> rows);

  mutable std::mutex mutex_;
  simulator::RecordedSpikes recorded_;
  std::vector<std::vector<models::RecordedSpike>> spikes_;  ///< [population]
  session::JoinedReports joined_;
  std::vector<Report> reports_;
};

}  // namespace hillock::python
