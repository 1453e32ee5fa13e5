#pragma once
// Parts of a group's layout that need its blocks: ions, POINTERs, what is recorded and played.

#include <cstddef>
#include <vector>

#include "simulator/backends/cpu/group_layout.hpp"

namespace hillock::simulator::cpu {

// begin: the group's first cell of the range.

void lay_out_ions(const RangePlan& plan, std::size_t begin,
                  const std::vector<CellIdentity>& identities, GroupLayout& group);
void lay_out_pointers(const RangePlan& plan, std::size_t begin, GroupLayout& group);
void lay_out_probes(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group);

/// Where the k-th of a block's instances on a cell is: instance·lanes + lane.
std::size_t place_of_instance(const RangePlan& plan, std::size_t begin, const GroupLayout& group,
                              std::size_t block, std::size_t cell, std::size_t k);

}  // namespace hillock::simulator::cpu
