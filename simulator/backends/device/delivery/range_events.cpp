#include "simulator/backends/device/delivery/range_events.hpp"

#include <algorithm>

#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::on_device {

RangeEvents::RangeEvents(RangePlan&& plan, std::vector<CellAddress> where)
    : population_(plan.population->name),
      density_count_(plan.density_count()),
      where_(std::move(where)),
      incoming_(take_inbox(plan).take_apart()) {
  for (PointSet& set : plan.points) first_.push_back(std::move(set.first));
}

std::size_t RangeEvents::cell_of(std::size_t point, std::uint32_t instance) const {
  const std::vector<std::uint32_t>& first = first_[point];
  return static_cast<std::size_t>(std::ranges::upper_bound(first, instance) - first.begin()) - 1;
}

}  // namespace hillock::simulator::on_device
