#pragma once
// What potentials outside add to the rows of a group at a time.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

class FieldStrengths {
 public:
  /// The group must outlive this.
  explicit FieldStrengths(const GroupLayout& group)
      : group_(group), strengths_(group.fields.empty() ? 0 : group.packs * group.width()) {}

  /// Calls body(field) for each that is there at a time: what add() then adds.
  template <class Body>
  void each(double time_ms, const Body& body) {
    for (const FieldOnRows& field : group_.fields) {
      const FieldInTime* last = nullptr;  // of a lane
      double strength = 0;
      std::ranges::transform(field.in_time, strengths_.begin(), [&](const FieldInTime& of) {
        if (!last || !of.table || of.table != last->table || of.factor != last->factor)
          strength = of.at(time_ms);
        last = &of;
        return strength;
      });
      are_alike_ = std::ranges::all_of(
          strengths_, [&](double strength) { return strength == strengths_.front(); });
      if (!are_alike_ || strengths_.front() != 0) body(field);
    }
  }

  /// From voltage `begin` to before `end`. Cells at a strength of 0 are left alone.
  void add(const LaneArray& of_rows, LaneArray& to, std::size_t begin, std::size_t end) const {
    const double* const nA = of_rows.data();
    if (are_alike_) {
      double* const sums = to.data();
      const double strength = strengths_.front();
      for (std::size_t i = begin; i < end; ++i) sums[i] += strength * nA[i];
      return;
    }
    std::size_t k = 0;  // a part of rows begins at none where there are several packs
    for (std::size_t i = begin; i < end; ++i) {
      if (strengths_[k] != 0) to[i] += strengths_[k] * nA[i];
      if (++k == strengths_.size()) k = 0;
    }
  }

  std::size_t bytes() const { return strengths_.capacity() * sizeof(double); }

 private:
  const GroupLayout& group_;
  std::vector<double> strengths_;  ///< [pack][lane] of the field at hand
  bool are_alike_ = false;
};

}  // namespace hillock::simulator::cpu
