#pragma once
// What brings events to the cells of a range, as the host knows it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "network/inbox.hpp"
#include "simulator/plan/range/plan.hpp"

namespace hillock::simulator::on_device {

/// Where a cell went: the number of its program, and its own there.
using CellAddress = std::pair<std::uint32_t, std::uint32_t>;

/// What brings events to the cells of a range.
class RangeEvents {
 public:
  /// where: [cell]
  RangeEvents(RangePlan&& plan, std::vector<CellAddress> where);

  const std::vector<CellAddress>& cells() const { return where_; }
  const std::string& population() const { return population_; }
  network::Trains& trains() { return incoming_.trains; }
  const network::Trains& trains() const { return incoming_.trains; }
  /// Of projections in the model's order, then of stimuli.
  const std::vector<network::FanInTable>& tables() const { return incoming_.tables; }
  std::size_t projections() const { return incoming_.projections; }
  /// When the connections are elsewhere.
  void forget_tables() { incoming_.tables = {}; }

  std::size_t point_count() const { return first_.size(); }
  std::uint32_t instance_count(std::size_t point) const { return first_[point].back(); }
  /// [cell + 1] the first of its instances.
  const std::vector<std::uint32_t>& first_instances(std::size_t point) const {
    return first_[point];
  }
  std::size_t cell_of(std::size_t point, std::uint32_t instance) const;
  unsigned block_of(std::size_t point) const {
    return static_cast<unsigned>(density_count_ + point);
  }

 private:
  std::string population_;
  std::size_t density_count_;
  std::vector<CellAddress> where_;                 ///< [cell]
  std::vector<std::vector<std::uint32_t>> first_;  ///< [point process][cell + 1] its instances
  network::Inbox::Parts incoming_;
};

}  // namespace hillock::simulator::on_device
