// In place of libhillock-child-grids.so. HILLOCK_HOST_GRIDS: so many grids may wait, instead of
// what the engine asks for.

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "simulator/backends/device/points/child_grids.hpp"
#include "simulator/backends/host/child_grids.hpp"
#include "simulator/backends/host/host_stream.hpp"
#include "simulator/backends/host/point_child_grids.hpp"

namespace on_host {

namespace {

std::atomic<unsigned> most_grids = 0;
std::mutex adding;  // of ranks that are threads
GridCounts all_counts;

}  // namespace

GridCounts grid_counts() {
  const std::lock_guard lock(adding);
  return all_counts;
}

}  // namespace on_host

namespace hillock::simulator::on_device {

namespace {

int set_limit(unsigned pending) {
  const char* const fewer = std::getenv("HILLOCK_HOST_GRIDS");
  return on_host::most_grids = fewer ? std::atoi(fewer) : pending, 0;
}

int propagate(const PointNetwork& network, long long step, long long first, unsigned, bool by_block,
              ChildGridCounts* counts, device::Stream) {
  if (network.most_pieces == 0) return 0;
  on_host::start([=] {
    on_host::ChildGridQueue grids(on_host::most_grids);
    on_host::pass_by_grids(network, step, first, by_block, grids);
    counts->started += grids.counts().started;
    counts->refused += grids.counts().refused;
    const std::lock_guard lock(on_host::adding);
    on_host::all_counts.started += grids.counts().started;
    on_host::all_counts.refused += grids.counts().refused;
  });
  return 0;
}

constexpr ChildGrids grids = {sizeof(PointNetwork), set_limit, propagate};

}  // namespace

const ChildGrids& load_child_grids() {
  return grids;
}

}  // namespace hillock::simulator::on_device
