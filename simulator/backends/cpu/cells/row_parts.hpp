#pragma once
// The rows of a group of cells in parts, of which each of several threads does one in every step.

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "mechanisms/evaluator.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/threads/gang.hpp"

namespace hillock::simulator::cpu {

struct RowPart {
  std::size_t number = 0;
  std::size_t begin = 0, end = 0;  ///< of voltages
  /// [block] of density mechanisms; empty: all.
  std::vector<std::pair<std::size_t, std::size_t>> instances;
};

class RowParts {
 public:
  /// As many as GroupLayout::part_count(). voltages: of the group.
  RowParts(const GroupLayout& group, std::size_t voltages);

  bool are_several() const { return gang_.has_value(); }
  /// Where each part begins, and the last one ends.
  std::vector<std::size_t> borders() const;
  /// Of threads that share them; null where there is one part.
  Gang* gang() { return gang_ ? &*gang_ : nullptr; }
  /// All rows in one.
  const RowPart& whole() const { return whole_; }

  /// Calls body(RowPart) for each of the parts, on whichever threads are there; else for all rows.
  template <class Body>
  void each(const Body& body) {
    if (gang_)
      gang_->run([&](std::size_t part) { body(parts_[part]); });
    else
      body(whole_);
  }

  std::size_t bytes() const;

 private:
  RowPart whole_;
  std::vector<RowPart> parts_;
  std::optional<Gang> gang_;
};

/// Calls body with a part's instances of block b, if there are some. view: of all of them.
template <class Body>
void with_instances_of(const RowPart& part, std::size_t b, const mechanisms::InstanceBlock& view,
                       const Body& body) {
  if (part.instances.empty()) return body(view);
  mechanisms::InstanceBlock own = view;
  std::tie(own.first, own.end) = part.instances[b];
  if (own.first < own.end) body(own);
}

}  // namespace hillock::simulator::cpu
