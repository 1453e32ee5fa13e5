#pragma once
// What the tables of Hines batches share: rows of JSON and the judging of their figures.

#include <map>
#include <string>
#include <vector>

#include "bench/gpu/hines.hpp"
#include "bench/host_hines.hpp"
#include "bench/row.hpp"
#include "bench/session.hpp"
#include "solver/batches/hines_batch/schedule.hpp"

namespace hillock::bench {

/// One case of a table: writes its rows, judges its errors, and remembers its times.
class HinesCase {
 public:
  /// members: what the case's rows begin with (its class, its number of cells).
  HinesCase(Session& session, const char* table, std::string what, const char* precision,
            Row members, std::size_t compartments, std::size_t bytes_of_value);

  /// The CPU's columns first: the speed-ups of all rows are over them.
  void add(const std::vector<HostResult>& results);
  /// variants: those of measure_hines, in the same order.
  void add(const std::vector<HinesVariant>& variants, const std::vector<HinesResult>& results);

  /// Microseconds of a variant; not a number where it was not measured.
  double us(const std::string& variant) const;

 private:
  void write(const std::string& backend, const std::string& variant, const Timing& timing,
             double bytes, double error, const Row& more);
  Session& session_;
  const char* table_;
  std::string what_;
  const char* precision_;
  Row members_;
  std::size_t compartments_, bytes_of_value_;
  std::map<std::string, double> us_;
};

}  // namespace hillock::bench
