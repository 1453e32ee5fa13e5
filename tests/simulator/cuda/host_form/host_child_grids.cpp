// In place of libhillock-child-grids.so. HILLOCK_HOST_GRIDS: so many grids may wait, instead of
// what the engine asks for.

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "simulator/backends/cuda/child_grids/child_grids.hpp"
#include "tests/simulator/cuda/host_form/child_grids.hpp"
#include "tests/simulator/cuda/host_form/host_stream.hpp"
#include "tests/simulator/cuda/host_form/point_child_grids.hpp"

namespace host_form {

namespace {

std::atomic<unsigned> most_grids = 0;
std::mutex adding;  // of ranks that are threads
GridCounts all_counts;

}  // namespace

GridCounts grid_counts() {
  const std::lock_guard lock(adding);
  return all_counts;
}

}  // namespace host_form

namespace hillock::simulator::cuda {

namespace {

cudaError_t set_limit(unsigned pending) {
  const char* const fewer = std::getenv("HILLOCK_HOST_GRIDS");
  return host_form::most_grids = fewer ? std::atoi(fewer) : pending, cudaSuccess;
}

cudaError_t propagate(const PointNetwork& network, long long step, long long first, unsigned,
                      bool by_block, ChildGridCounts* counts, cudaStream_t) {
  if (network.most_pieces == 0) return cudaSuccess;
  host_form::start([=] {
    host_form::ChildGridQueue grids(host_form::most_grids);
    host_form::pass_by_grids(network, step, first, by_block, grids);
    counts->started += grids.counts().started;
    counts->refused += grids.counts().refused;
    const std::lock_guard lock(host_form::adding);
    host_form::all_counts.started += grids.counts().started;
    host_form::all_counts.refused += grids.counts().refused;
  });
  return cudaSuccess;
}

constexpr ChildGrids grids = {sizeof(PointNetwork), set_limit, propagate};

}  // namespace

const ChildGrids& load_child_grids() {
  return grids;
}

}  // namespace hillock::simulator::cuda
