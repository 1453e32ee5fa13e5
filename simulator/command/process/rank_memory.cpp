#include "simulator/command/process/rank_memory.hpp"

#include "io/sonata/sonata.hpp"
#include "simulator/command/process/memory_text.hpp"

namespace hillock::command {

namespace {

/// Of the files that rank 0 writes, with all columns of all ranks.
std::uint64_t output_bytes(const models::Network& network, const simulator::RankLoads& loads) {
  std::uint64_t bytes = 0;
  std::size_t report = 0;
  for (const models::Recording& recording : network.recordings) {
    if (!recording.variable) continue;
    models::ReportLayout layout;
    layout.float64 = recording.type == models::Recording::Type::float64;
    layout.samples = static_cast<std::uint64_t>(
        (recording.stop_ms - recording.start_ms) / recording.every_ms + 1);
    std::uint64_t columns = 0;
    for (const simulator::RankLoad& load : loads.ranks)
      if (report < load.columns.size()) columns += load.columns[report];
    layout.node_ids.resize(recording.of.size());
    layout.index_pointers.resize(recording.of.size() + 1);
    layout.element_ids.resize(columns);
    layout.element_pos.resize(columns);
    bytes += io::writing_bytes(layout);
    ++report;
  }
  return bytes + io::open_file_bytes(report);
}

/// Of lists, which this process has read whole.
std::size_t bytes_of_rows(const models::Network& network) {
  std::size_t bytes = 0;
  for (const models::Projection& projection : network.projections)
    bytes += projection.connect.rows.size() * projection.connect.rows.bytes_a_row();
  return bytes;
}

}  // namespace

std::vector<std::uint64_t> bytes_of_ranks(const models::Network& network,
                                          const simulator::RankLoads& loads,
                                          std::uint64_t program) {
  const std::uint64_t without_rows = program - bytes_of_rows(network);
  std::vector<std::uint64_t> bytes;
  for (const simulator::RankLoad& load : loads.ranks)
    bytes.push_back(load.bytes(without_rows, bytes.empty() ? output_bytes(network, loads) : 0));
  return bytes;
}

}  // namespace hillock::command
