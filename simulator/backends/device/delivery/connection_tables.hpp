#pragma once
// The connections of the whole network as a device keeps them: of each projection one table, sorted
// by source and, where delays vary, by delay; made piece by piece of the tables of ranges. Needs no
// CUDA.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/backends/device/delivery/range_events.hpp"
#include "simulator/backends/device/kernels/delivery.hpp"

namespace hillock::simulator::on_device {

/// Consecutive entries of a table; a column that is one number for all of it is empty.
struct TablePart {
  std::uint64_t begin = 0;
  std::vector<std::uint32_t> targets, slots, ranks;
  std::vector<double> weights, delays_ms;
};

class ConnectionTables {
 public:
  /// Where the arguments of a connection lie: its number in the range's block, of a cell.
  using SlotOf = std::function<unsigned(CellAddress, unsigned block, std::uint32_t connection)>;

  /// first_cells: [program] the number of its first cell among those of all. cells: of the
  /// network. Throws std::length_error beyond 2^32 instances.
  ConnectionTables(std::span<const std::unique_ptr<RangeEvents>> ranges,
                   std::span<const std::uint32_t> first_cells, std::uint64_t cells, int threads);

  struct Shape {
    std::uint64_t size = 0;
    bool has_slots = false, has_weights = false, has_delays = false;
    double weight = 0, delay_ms = 0;  ///< of all, where it has no such column
  };
  std::size_t size() const { return tables_.size(); }
  const Shape& shape(std::size_t table) const { return tables_[table].shape; }
  /// Calls take(TablePart) for a table's entries, in order, some millions at a time.
  void read(std::size_t table, const SlotOf& slot_of,
            const std::function<void(const TablePart&)>& take) const;

  const std::vector<Run>& runs() const { return runs_; }
  /// [cell of the network + 1] its first run.
  const std::vector<std::uint32_t>& run_begin() const { return run_begin_; }
  /// [range] the run of its first train; the others' follow.
  const std::vector<std::uint64_t>& train_runs() const { return train_runs_; }
  std::uint64_t instance_count() const { return instance_count_; }
  /// Calls take(first, addresses) for all instances, range by range.
  void read_instances(
      const std::function<void(std::uint64_t, const std::vector<InstanceAddress>&)>& take) const;

  /// What one cell's spike, and one event of a train, come to at most.
  std::uint64_t most_entries() const { return most_entries_; }
  std::uint32_t most_pieces() const { return most_pieces_; }
  double longest_delay_ms() const { return longest_delay_ms_; }

 private:
  /// A range's connections of a table.
  struct Source {
    std::size_t range = 0;
    const network::FanInTable* table = nullptr;
    std::uint64_t first = 0;           ///< its source 0 among the table's
    std::uint32_t first_instance = 0;  ///< of its mechanism

    network::FanIn::Entries of(std::uint64_t source) const;
  };
  struct Table {
    std::vector<Source> from;
    bool is_of_stimulus = false;
    std::uint64_t first_source = 0;    ///< the cell that is source 0; of a stimulus: nothing
    std::vector<std::uint64_t> first;  ///< [source + 1]
    Shape shape;
  };

  void number_instances();
  void find_tables();
  void count(Table& table) const;
  void make_runs(std::uint64_t cells);
  void read_sources(const Table& table, std::uint64_t begin, std::uint64_t end,
                    const SlotOf& slot_of, TablePart& part) const;

  std::span<const std::unique_ptr<RangeEvents>> ranges_;
  std::span<const std::uint32_t> first_cells_;
  int threads_;
  std::vector<std::vector<std::uint32_t>> first_instances_;  ///< [range][point process]
  std::uint64_t instance_count_ = 0;
  std::vector<Table> tables_;
  /// [range][table of it] the table, and its source 0 among that one's.
  std::vector<std::vector<std::pair<std::size_t, std::uint64_t>>> of_range_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> run_begin_;
  std::vector<std::uint64_t> train_runs_;
  std::uint64_t most_entries_ = 0;
  std::uint32_t most_pieces_ = 0;
  double longest_delay_ms_ = 0;
};

}  // namespace hillock::simulator::on_device
