#pragma once
// Parts of a group's layout that need its rows or blocks: layers, ions, POINTERs, what is recorded
// and played, gap junctions, wiring.

#include <cstddef>
#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

// begin: the group's first cell of the range.

void lay_out_layers(const RangePlan& plan, std::size_t begin, GroupLayout& group);
void lay_out_ions(const RangePlan& plan, std::size_t begin,
                  const std::vector<CellIdentity>& identities, GroupLayout& group);
void lay_out_pointers(const RangePlan& plan, std::size_t begin, GroupLayout& group);
void lay_out_probes(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group);

void lay_out_fields(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group);

void lay_out_gaps(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group);
void lay_out_wiring(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group);

}  // namespace hillock::simulator::cpu
