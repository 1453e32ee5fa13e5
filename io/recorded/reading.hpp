#pragma once
// Private: what the parts of a page share while a run's files are read.

#include <cstdint>
#include <string>
#include <vector>

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"
#include "io/page/spike_panel.hpp"
#include "io/recorded/report_page.hpp"
#include "io/recorded/run_facts.hpp"

namespace hillock::io::recorded {

struct Reading {
  const ReportRequest& request;
  const RunFacts& facts;
  page::TimeSpan time;  ///< of the page
  page::Blobs blobs;
  std::vector<std::string> left_out;  ///< what was thinned out, a sentence each
  std::vector<std::string> problems;  ///< what is wrong with the run's files
};

/// Numbers of one read, 64 MB of doubles.
constexpr std::uint64_t numbers_at_once = std::uint64_t{8} << 20;

/// The least of 1, 2 and 5 times a power of ten that is at least this; of nothing above 0, 1.
double round_up(double value);

}  // namespace hillock::io::recorded
