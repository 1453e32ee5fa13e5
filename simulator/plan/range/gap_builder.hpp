#pragma once
// Puts the ends of gap junctions on the cells of a range.

#include <vector>

#include "simulator/plan/range/points_builder.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/plan/range/range_draft.hpp"

namespace hillock::simulator {

/// Whether a mechanism integrates what depends on the other side of a gap junction: it does so once
/// that side's step has ended, too.
bool follows_gaps(const mechanisms::Mechanism& mechanism);

/// Whether some gap junction of a network has such a mechanism.
bool has_states_that_follow_gaps(const models::Network& network,
                                 const mechanisms::Registry& mechanisms);

/// Where an end of a junction is on its cell. row: GapPair::row. stream: for a place that is drawn.
NodeId node_of_end(const models::Network& network, const models::Projection& projection,
                   std::uint32_t row, network::GapSide side, const solver::Template& cell,
                   RandomStream stream);

class GapBuilder {
 public:
  /// Everything given must outlive the builder. points: of the range's population.
  GapBuilder(RangeDraft& draft, const RangeSources& sources, const PointsBuilder& points)
      : draft_(draft), sources_(sources), points_(points) {}

  /// Takes the place of a projection's mechanisms among those of the range.
  void add_projection(const models::Projection& projection);
  /// Puts all ends on the draft's current cell, in the order of projections, pairs and sides.
  /// Throws InvalidModel.
  void add_to_cell();

 private:
  GapEndPlan place(const network::GapEnd& end) const;
  void check_stability(const models::Locations& at, NodeId node) const;
  void check_layers(const models::Locations& at, NodeId node,
                    const mechanisms::Mechanism& mechanism) const;
  void add_instance(const network::GapEnd& end, GapEndPlan& planned);

  RangeDraft& draft_;
  const RangeSources& sources_;
  const PointsBuilder& points_;
};

}  // namespace hillock::simulator
