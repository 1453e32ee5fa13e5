#include "simulator/backends/device/cells/common_text.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

struct Kind {
  const Signature* signature;
  const Cells* cells;
  LaunchShape shape;
};
using Family = std::vector<Kind*>;

/// Whether two kinds may have one text. Its teams are as large as the largest kind's, and as many
/// cells share a block as of the fewest: not where that is far from what one would have alone.
bool go_together(const Kind& one, const Kind& other) {
  const LaunchShape &a = one.shape, &b = other.shape;
  const auto is_near = [](int x, int y, int times) { return x <= times * y && y <= times * x; };
  return a.shares_block && b.shares_block && one.signature->blocks == other.signature->blocks &&
         one.signature->ions == other.signature->ions && a.is_quick == b.is_quick &&
         a.has_all_pivots == b.has_all_pivots && a.most_change == b.most_change &&
         a.none_constant == b.none_constant && a.begins == b.begins &&
         a.keeps_assigned == b.keeps_assigned && a.records_moved == b.records_moved &&
         is_near(a.team, b.team, 3) && is_near(a.stride, b.stride, 2);
}

/// What a family's kinds have in common, but for what depends on their sizes.
class CommonText {
 public:
  explicit CommonText(const Family& family) : shape_(family.front()->shape) {
    for (const Kind* kind : family) {
      const LaunchShape& own = kind->shape;
      shape_.team = std::max(shape_.team, own.team);
      shape_.stride = std::min(shape_.stride, own.stride);
      for (std::size_t t = 0; t < own.tables.size(); ++t)
        if (own.tables[t] >= 0 && shape_.tables[t] < 0) shape_.tables[t] = shape_.table_count++;
      for (std::size_t b = 0; b < own.blocks.size(); ++b) take_in(shape_.blocks[b], own.blocks[b]);
    }
    shape_.solver_team = shape_.team;
    shape_.block_threads = shape_.team * shape_.stride;
    shape_.tables_on_chip = false;
    std::vector<const Cells*> kinds;
    for (const Kind* kind : family) kinds.push_back(kind->cells);
    number_lists(shape_, *family.front()->signature, kinds);
    mark_leading(shape_, *family.front()->signature);
  }

  const LaunchShape& shape() const { return shape_; }

 private:
  static void take_in(BlockShape& all, const BlockShape& own) {
    for (std::size_t c = 0; c < own.homes.size(); ++c) {
      if (own.homes[c] != one_for_all) all.homes[c] = in_memory;
      all.stored[c] = all.stored[c] || own.stored[c];
    }
    all.is_everywhere = all.is_everywhere && own.is_everywhere;
    all.most = std::max(all.most, own.most);
    all.squad = -1;
  }
  LaunchShape shape_;
};

/// Leaves the family as it is where its cells cannot lie side by side as a common text has them.
void share_text(const Family& family, const DeviceLimits& limits) {
  const CommonText text(family);
  const auto count = static_cast<std::size_t>(text.shape().stride);
  if (!std::ranges::all_of(family,
                           [&](const Kind* kind) { return may_lie_beside(*kind->cells, count); }))
    return;
  int at_once = 1;
  for (Kind* kind : family) {
    kind->shape =
        with_common_text(kind->shape, text.shape(), *kind->signature, *kind->cells, limits);
    at_once = std::max(at_once, kind->shape.blocks_at_once);
  }
  for (Kind* kind : family) kind->shape.blocks_at_once = at_once;
}

}  // namespace

std::vector<LaunchShape> shapes_of(const std::map<Signature, Cells>& kinds, DeviceLimits limits,
                                   models::Precision precision, bool sets_assigned) {
  limits.cells = 0;
  for (const auto& [signature, cells] : kinds) limits.cells += cells.entries.size();
  std::vector<Kind> all;
  for (const auto& [signature, cells] : kinds)
    all.push_back(
        {&signature, &cells, shape_of(signature, cells, limits, precision, sets_assigned)});
  std::vector<Family> families;
  for (Kind& kind : all) {
    const auto family = std::ranges::find_if(families, [&](const Family& some) {
      return std::ranges::all_of(some, [&](const Kind* one) { return go_together(*one, kind); });
    });
    if (family == families.end())
      families.push_back({&kind});
    else
      family->push_back(&kind);
  }
  for (const Family& family : families)
    if (family.size() > 1) share_text(family, limits);
  std::vector<LaunchShape> shapes;
  for (Kind& kind : all) shapes.push_back(std::move(kind.shape));
  return shapes;
}

}  // namespace hillock::simulator::on_device
