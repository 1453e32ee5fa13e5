#include <utility>

#include "solver/contraction/contraction_device.hpp"

namespace hillock::solver {

ContractionBatch batch_of_one_template(ContractionSchedule schedule, std::size_t cells) {
  ContractionBatch batch;
  batch.templates.push_back(std::move(schedule));
  batch.template_of.assign(cells, 0);
  return batch;
}

}  // namespace hillock::solver
