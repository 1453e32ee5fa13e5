#pragma once
// Reports as they are written: those that populations of one record give are one, under the names
// that nodes have in the output. Potentials add up, in the record's order; where they are wanted by
// population, too, each population's are a report beside it.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/network.hpp"
#include "models/report.hpp"

namespace hillock::session {

class JoinedReports {
 public:
  /// parts: one for each recording of a variable. Those of one name are one report.
  JoinedReports(const models::Network& network, const std::vector<models::ReportLayout>& parts);

  const std::vector<models::ReportLayout>& layouts() const { return layouts_; }
  std::size_t report_of(std::size_t part) const { return parts_[part].front().report; }
  /// All that a part goes to.
  std::vector<std::size_t> reports_of(std::size_t part) const;
  /// Whether rows of a part are those of its report, and go nowhere else.
  bool is_whole(std::size_t part) const {
    const std::vector<Target>& targets = parts_[part];
    return targets.size() == 1 && members_[targets[0].report].feeds[targets[0].feed].to.empty();
  }

  struct Rows {
    std::size_t report = 0;
    std::vector<double> rows;
  };
  /// Takes rows of a part [n × columns], and gives rows of its reports, as many as all parts of
  /// them have by now.
  std::vector<Rows> add(std::size_t part, std::vector<double> rows);

 private:
  /// What a report has of a part.
  struct Feed {
    std::size_t part = 0;
    std::size_t columns = 0;
    std::vector<std::size_t> to;  ///< [column] that of the report; empty: the same
    std::vector<double> waiting;  ///< rows that other parts do not have yet
  };
  /// Of a report.
  struct Members {
    std::vector<Feed> feeds;
    std::size_t lacking = 0;  ///< feeds with columns of which no rows wait
  };
  /// Where rows of a part go: its report, and maybe its population's.
  struct Target {
    std::size_t report = 0, feed = 0;
  };
  using Known = std::unordered_map<std::string, std::size_t>;
  void add_feed(Known& known, const models::ReportLayout& layout, const std::string& population);
  void join(const std::vector<models::ReportLayout>& parts,
            const std::vector<std::vector<std::uint64_t>>& nodes, std::size_t report);
  std::vector<double> add_to(const Target& target, std::vector<double> rows);

  std::vector<models::ReportLayout> layouts_;
  std::vector<Members> members_;  ///< [report]
  std::vector<std::vector<Target>> parts_;
};

/// The names of all reports of a network, in their order.
std::vector<std::string> names_of_reports(const models::Network& network);

}  // namespace hillock::session
