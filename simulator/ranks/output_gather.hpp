#pragma once
// Brings what ranks have made to rank 0, which alone has a sink.

#include <cstddef>
#include <span>
#include <vector>

#include "models/report.hpp"
#include "network/ranks.hpp"
#include "simulator/output/hand_over.hpp"

namespace hillock::simulator {

/// All ranks call its functions together.
class OutputGather {
 public:
  /// own: the columns that this rank has of every report; all ranks have equally many reports.
  OutputGather(network::Ranks& ranks, std::vector<models::ReportLayout> own);

  /// On rank 0 with the columns of all ranks, elsewhere with the rank's own.
  const std::vector<models::ReportLayout>& reports() const { return reports_; }

  /// What ranks made until a time, which is earlier on a rank that failed: what others made after
  /// it is left out, but rows of reports of which that rank has no columns. On rank 0 all of it,
  /// elsewhere nothing. rows_of(report): memory for joined rows, which are resized.
  template <class RowsOf>
  Output join(Output own, double until_ms, const RowsOf& rows_of) {
    own.rows.resize(reports_.size());
    Output joined;
    if (is_first()) {
      joined.spikes = std::move(own.spikes);
      const std::vector<network::Bytes> messages = receive(joined.spikes, until_ms);
      joined.rows.resize(reports_.size());
      for (std::size_t r = 0; r < reports_.size(); ++r) {
        joined.rows[r] = rows_of(r);
        join_rows(r, own.rows[r], messages, joined.rows[r]);
      }
    } else {
      send(own, until_ms);
    }
    spare_ = std::move(own.rows);
    return joined;
  }

  /// Rows that were joined or sent, whose memory may serve again; or none.
  std::vector<double> spare_rows(std::size_t report) { return std::move(spare_[report]); }

 private:
  /// Columns that stand side by side both in a rank's rows and in those of all.
  struct Run {
    std::size_t from = 0;  ///< of the rank's
    std::size_t to = 0;    ///< of all
    std::size_t count = 0;
  };
  /// Where the columns of a report come from.
  struct Columns {
    std::vector<std::size_t> counts;     ///< [rank]
    std::vector<std::vector<Run>> runs;  ///< [rank]
    std::size_t all = 0;                 ///< of the joined rows
    bool adds = false;                   ///< rows of sums, as PotentialSums gives them
  };

  bool is_first() const { return ranks_.number() == 0; }
  static Columns columns_of_sums(const models::ReportLayout& layout, std::size_t ranks);
  static void add_up(const std::vector<network::BytesView>& parts, std::vector<double>& sums);
  Columns join_layout(std::span<const models::ReportLayout> parts, models::ReportLayout& joined);
  void send(const Output& own, double until_ms);
  void send();
  std::vector<network::Bytes> receive(std::vector<network::CellSpike>& spikes, double until_ms);
  void join_rows(std::size_t report, std::span<const double> own,
                 const std::vector<network::Bytes>& messages, std::vector<double>& joined) const;

  network::Ranks& ranks_;
  std::vector<models::ReportLayout> reports_;
  std::vector<Columns> columns_;            ///< [report], on rank 0
  std::vector<std::vector<double>> spare_;  ///< [report]
  network::Bytes message_;                  ///< its room is kept
};

}  // namespace hillock::simulator
