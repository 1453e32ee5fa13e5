#include "simulator/backends/cpu/beginner.hpp"

#include <utility>

#include "simulator/backends/cpu/cells/cpu_cell_group.hpp"
#include "simulator/backends/cpu/layout/layout_builder.hpp"
#include "simulator/backends/cpu/points/point_group.hpp"

namespace hillock::simulator::cpu {

namespace {

/// A cell at a time, alone in its group.
class OneByOne final : public begin::CellBeginner {
 public:
  OneByOne(const RangePlan& plan, const RunConstants& run, solver::RowOrder order)
      : plan_(plan), run_(run), order_(order) {}

  begin::BegunCell begin(std::size_t cell, std::span<const double> gap_values,
                         std::vector<network::CellSpike>& spikes) override {
    const auto group = group_of(cell);
    group->take_gap_values(gap_values);
    begin::BegunCell begun = group->begin(spikes);
    begun.tree = tree_;
    add_numbers(plan_, cell, begun);
    return begun;
  }

  void publish_gap_values(std::size_t cell, std::span<double> gap_values) override {
    group_of(cell)->publish_gap_values(gap_values);
  }

 private:
  std::unique_ptr<CellGroup> group_of(std::size_t cell) {
    const GroupCells alone{cell, cell + 1, 1, 1};
    if (plan_.kinds[cell].get() != kind_) {
      kind_ = plan_.kinds[cell].get();
      lanes_ = tree_of(plan_, alone, order_);
      const std::span<const int> rows = lanes_->rows_of(0);
      tree_ = std::make_shared<const begin::CellTree>(
          begin::CellTree{lanes_->parent, lanes_->nodes, {rows.begin(), rows.end()}});
    }
    return make_cell_group(lay_out(plan_, alone, lanes_), run_);
  }

  const RangePlan& plan_;
  const RunConstants& run_;
  const solver::RowOrder order_;
  const CellKind* kind_ = nullptr;  ///< whose these are
  std::shared_ptr<const solver::LaneTree> lanes_;
  std::shared_ptr<const begin::CellTree> tree_;
};

class CpuBeginner final : public begin::Beginner {
 public:
  std::unique_ptr<begin::CellBeginner> of_cells(const RangePlan& plan, const RunConstants& run,
                                                solver::RowOrder order) const override {
    return std::make_unique<OneByOne>(plan, run, order);
  }

  begin::BegunPoints points(RangePlan& plan, const RunConstants& run) const override {
    constexpr int lanes = 8;
    begin::BegunPoints points{plan.population, plan.points.front().mechanism, plan.indices,
                              std::vector<OneOrMany>(plan.points.front().values.size()),
                              begin::recorded_of(plan)};
    for (const auto& group : make_point_groups(plan, lanes, run)) {
      group->initialise();
      const MechanismBlock& block = group->block();
      for (std::size_t c = 0; c < points.columns.size(); ++c)
        for (std::size_t n = 0; n < group->layout().indices.size(); ++n)
          points.columns[c].push_back(block.columns[block.index_of(lanes_of(*group), c, n)]);
    }
    return points;
  }

 private:
  static std::size_t lanes_of(const PointGroup& group) { return group.layout().width(); }
};

}  // namespace

const begin::Beginner& beginner() {
  static const CpuBeginner one;
  return one;
}

}  // namespace hillock::simulator::cpu
