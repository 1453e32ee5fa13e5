#include "simulator/backends/cpu/cells/guest_points.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace hillock::simulator::cpu {

GuestPoints::GuestPoints(GroupLayout& group, const Guests* guests)
    : group_(group), guests_(guests) {
  if (!guests) return;
  std::vector<std::string> answers = {"guest_b", "guest_g"};
  for (const char* const what : {"guest_j_", "guest_i_", "guest_o_"})
    for (const std::string& ion : guests->ions) answers.push_back(what + ion);
  for (const std::string& ion : guests->ions) {
    const auto found = std::ranges::find(group.ions, ion, &IonBlock::ion);
    ions_.push_back(found == group.ions.end() ? nullptr : &*found);
  }
  const std::size_t lanes = group.width();
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    const MechanismBlock& block = group.blocks[b];
    const auto& variables = block.mechanism->signature.variables;
    const auto number_of = [&](const std::string& name) {
      const auto found = std::ranges::find(variables, name, &MechanismVariable::name);
      return static_cast<std::size_t>(found - variables.begin());
    };
    const std::size_t row = number_of("guest_row");
    if (row == variables.size()) continue;
    for (std::size_t slot = 0; slot < block.count * lanes; ++slot) {
      if (!block.is_there[slot]) continue;
      Point point;
      point.row = block.columns[block.index_of(lanes, row, slot)];
      point.at = static_cast<std::size_t>(block.nodes[slot]) * lanes + slot % lanes;
      point.block = b;
      for (std::size_t k = 0; k < answers.size(); ++k)
        if (const std::size_t variable = number_of(answers[k]); variable < variables.size())
          point.columns.emplace_back(guests->told() + k, block.index_of(lanes, variable, slot));
      points_.push_back(std::move(point));
    }
  }
}

void GuestPoints::tell(const LaneArray& v) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = ions_.size();
  for (const Point& point : points_) {
    const std::span<double> numbers = guests_->row(point.row);
    numbers[0] = v[point.at];
    for (std::size_t k = 0; k < count; ++k) {
      const IonBlock* const ion = ions_[k];
      numbers[1 + k] = ion ? ion->current_mA_per_cm2[point.at] : none;
      numbers[1 + count + k] = ion ? ion->inside_mM[point.at] : none;
      numbers[1 + 2 * count + k] = ion ? ion->outside_mM[point.at] : none;
    }
  }
}

void GuestPoints::hear() {
  for (const Point& point : points_) {
    const std::span<const double> numbers = guests_->row(point.row);
    for (const auto& [from, to] : point.columns)
      group_.blocks[point.block].columns[to] = numbers[from];
  }
}

}  // namespace hillock::simulator::cpu
