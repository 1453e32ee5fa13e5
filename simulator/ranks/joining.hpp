#pragma once
// How a process joins the other ranks that MPI started, and what of its machine is then its own.

#include <memory>
#include <string>
#include <vector>

#include "network/ranks.hpp"

namespace hillock::simulator {

struct Joined {
  std::unique_ptr<network::Ranks> ranks;
  int threads = 1;             ///< that this rank may keep busy
  bool have_own_gpus = false;  ///< each rank has one for itself, as far as that is seen
};

/// Joins the others, of whom there are so many, by whichever MPI has begun in this process, or else
/// the one that has likely started it. Ranks that may use the same cores of a machine share them,
/// and each has one GPU of its machine's, in turn (CUDA_VISIBLE_DEVICES); what the launcher has
/// dealt out already stays. To be called before there are other threads of this program's. Throws
/// UsageError.
Joined join_mpi(int count);

/// Our libraries that are here, each for a kind of MPI.
std::vector<std::string> mpi_libraries();

}  // namespace hillock::simulator
