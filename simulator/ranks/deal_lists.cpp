#include "simulator/ranks/deal_lists.hpp"

#include <optional>

#include "network/deal_rows.hpp"
#include "simulator/plan/network/cell_costs.hpp"

namespace hillock::simulator {

void deal_lists(network::Ranks& ranks, const network::TellFailure& tell,
                const mechanisms::Registry& mechanisms, models::Network& network) {
  std::optional<network::Placement> placement;
  network::agree_after(ranks, tell, [&] {
    placement = place_cells(network, mechanisms, ranks.number(), ranks.count());
  });
  network::deal_rows(ranks, *placement, network);
}

}  // namespace hillock::simulator
