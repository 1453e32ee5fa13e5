#include "simulator/plan/range/points_builder.hpp"

#include <algorithm>

namespace hillock::simulator {

PointsBuilder::PointsBuilder(RangeDraft& draft, std::span<const std::uint32_t> numbers)
    : draft_(draft) {
  for (const std::uint32_t number : numbers) {
    const models::PointList& model = draft.network().points[number];
    const mechanisms::Mechanism& mechanism = mechanism_of(model.mechanism, draft.mechanisms());
    List& list =
        lists_.emplace_back(List{number, &model, &mechanism, draft.set_of(mechanism), {}, {}, {}});
    for (const models::PointList::Column& column : model.columns)
      list.variables.push_back(static_cast<std::size_t>(mechanism.column(column.variable)));
  }
}

void PointsBuilder::add_to_cell() {
  for (List& list : lists_) {
    list.points = list.model->on_cell(draft_.identity().index);
    list.instances.clear();
    for (const std::uint32_t point : list.points) {
      const NodeId node =
          solver::node_at(*draft_.kind().cell, static_cast<int>(list.model->branches[point]),
                          list.model->positions[point]);
      std::vector<double> values = draft_.values_of(list.model->mechanism, *list.mechanism, node,
                                                    {":points", {list.number, point}, 2});
      for (std::size_t c = 0; c < list.variables.size(); ++c)
        values[list.variables[c]] = list.model->columns[c].values[point];
      list.instances.push_back(draft_.add_point(list.set, node, values, MergedInstances::none));
      for (const models::PointList::Played& played : std::ranges::equal_range(
               list.model->played, point, {}, &models::PointList::Played::point))
        draft_.plan().playbacks.push_back(
            {list.set, static_cast<std::size_t>(list.mechanism->column(played.variable)),
             list.instances.back(), &played.table});
    }
  }
}

std::uint32_t PointsBuilder::instance_of(std::size_t number, std::uint32_t point) const {
  const List& list = *std::ranges::find(lists_, number, &List::number);
  return list.instances[static_cast<std::size_t>(std::ranges::lower_bound(list.points, point) -
                                                 list.points.begin())];
}

}  // namespace hillock::simulator
