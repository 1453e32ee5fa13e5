#pragma once
// Reports as they are written: those that populations of one record give are one, under the names
// that nodes have in the output. Potentials add up, in the record's order.

#include <cstdint>
#include <vector>

#include "models/network.hpp"
#include "models/report.hpp"

namespace hillock::session {

class JoinedReports {
 public:
  /// parts: one for each recording of a variable. Those of one name are one report.
  JoinedReports(const models::Network& network, const std::vector<models::ReportLayout>& parts);

  const std::vector<models::ReportLayout>& layouts() const { return layouts_; }
  std::size_t report_of(std::size_t part) const { return parts_[part].report; }
  /// Whether rows of a part are those of its report.
  bool is_whole(std::size_t part) const { return parts_[part].to.empty(); }
  /// Takes rows of a part [n × columns], and gives rows of its report, as many as all parts of it
  /// have by now.
  std::vector<double> add(std::size_t part, std::vector<double> rows);

 private:
  struct Part {
    std::size_t report = 0;
    std::size_t columns = 0;
    std::vector<std::size_t> to;  ///< [column] that of the report; empty: the same
    std::vector<double> waiting;  ///< rows that other parts do not have yet
  };
  void join(const std::vector<models::ReportLayout>& parts,
            const std::vector<std::vector<std::uint64_t>>& nodes,
            const std::vector<std::size_t>& members);

  std::vector<models::ReportLayout> layouts_;
  /// Of a report.
  struct Members {
    std::vector<std::size_t> parts;
    std::size_t lacking = 0;  ///< parts with columns of which no rows wait
  };
  std::vector<Members> members_;  ///< [report]
  std::vector<Part> parts_;
};

}  // namespace hillock::session
