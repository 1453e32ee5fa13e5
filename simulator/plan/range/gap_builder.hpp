#pragma once
// Puts the ends of gap junctions on the cells of a range.

#include <vector>

#include "simulator/plan/range/range_builder.hpp"
#include "simulator/plan/range/range_draft.hpp"

namespace hillock::simulator {

/// Whether a mechanism integrates what depends on the other side of a gap junction: it does so once
/// that side's step has ended, too.
bool follows_gaps(const mechanisms::Mechanism& mechanism);

/// Whether some gap junction of a network has such a mechanism.
bool has_states_that_follow_gaps(const models::Network& network,
                                 const mechanisms::Registry& mechanisms);

class GapBuilder {
 public:
  /// Everything given must outlive the builder.
  GapBuilder(RangeDraft& draft, const RangeSources& sources) : draft_(draft), sources_(sources) {}

  /// Takes the place of a projection's mechanisms among those of the range.
  void add_projection(const models::Projection& projection);
  /// Puts all ends on the draft's current cell, in the order of projections, pairs and sides.
  /// Throws InvalidModel.
  void add_to_cell();

 private:
  GapEndPlan place(const network::GapEnd& end) const;
  void check_stability(const models::Locations& at, NodeId node) const;
  void add_instance(const network::GapEnd& end, GapEndPlan& planned);

  RangeDraft& draft_;
  const RangeSources& sources_;
};

}  // namespace hillock::simulator
