// Potentials outside: membrane currents of an epoch's samples times a map.

#include "simulator/backends/device/delivery/kernels.hpp"
#include "solver/cuda/bulk_copy.cuh"
#include "solver/cuda/memory.cuh"

namespace hillock::simulator::on_device {

namespace {

/// What a thread has, that shared memory is read no longer than multiplying takes.
constexpr unsigned own_contacts = solver::contacts_at_once, own_samples = 8;
/// And a block of them at most; of sources, one tile after the other.
constexpr unsigned most_contact_threads = 16, most_sample_threads = 8, tile_sources = 8;

constexpr unsigned pieces(unsigned count, unsigned of) {
  return (count + of - 1) / of;
}

/// Contacts and samples dealt out to blocks of threads, as few to each as so many blocks allow.
struct PotentialBlocks {
  unsigned contact_cuts, contact_threads;
  unsigned sample_cuts, sample_threads;

  explicit PotentialBlocks(const PotentialWork& work)
      : contact_cuts(pieces(work.blocks, most_contact_threads)),
        contact_threads(pieces(work.blocks, contact_cuts)),
        sample_cuts(pieces(work.samples, own_samples * most_sample_threads)),
        sample_threads(pieces(pieces(work.samples, own_samples), sample_cuts)) {}

  unsigned threads() const {
    constexpr unsigned of_warp = 32;
    return pieces(contact_threads * sample_threads, of_warp) * of_warp;
  }
};

/// Some sources: their currents, and their maps; 0 where there are none.
struct SourceTile {
  // What lies between rows keeps threads that put a column off each other's banks.
  double currents[tile_sources][most_sample_threads * own_samples + 2];
  double maps[tile_sources][most_contact_threads * own_contacts + 8];
};

/// The place, in a tile, of a number of a thread: two lie side by side, so that one access has
/// both, and the next thread's behind them.
__device__ __forceinline__ constexpr unsigned place_in_tile(unsigned thread, unsigned number,
                                                            unsigned threads) {
  return number / 2 * (2 * threads) + 2 * thread + number % 2;
}

template <unsigned count>
__device__ __forceinline__ void load_own(const double* row, unsigned thread, unsigned threads,
                                         double (&own)[count]) {
#pragma unroll
  for (unsigned k = 0; k < count; k += 2) {
    const auto two = *reinterpret_cast<const double2*>(row + place_in_tile(thread, k, threads));
    own[k] = two.x;
    own[k + 1] = two.y;
  }
}

/// What a block has: one cell at some contacts, which those next to it share with it, and some
/// samples; and a thread of them.
class PotentialProduct {
 public:
  __device__ __forceinline__ PotentialProduct(const PotentialWork& work,
                                              const PotentialBlocks& blocks)
      : work_(work),
        blocks_(blocks),
        cell_(work.cells[blockIdx.x / blocks.contact_cuts]),
        first_sample_(blockIdx.y * blocks.sample_threads * own_samples),
        first_block_(blockIdx.x % blocks.contact_cuts * blocks.contact_threads),
        contact_thread_(threadIdx.x % blocks.contact_threads),
        sample_thread_(threadIdx.x / blocks.contact_threads) {}

  __device__ __forceinline__ void run(SourceTile (&tiles)[2]) {
    const bool has_some = sample_thread_ < blocks_.sample_threads;
    bring(0, tiles[0]);
    for (unsigned begin = 0, t = 0; begin < cell_.columns; begin += tile_sources, t ^= 1) {
      solver::wait_for_single_loads();
      __syncthreads();  // the tile is there, and the other one done with
      if (begin + tile_sources < cell_.columns) bring(begin + tile_sources, tiles[t ^ 1]);
      if (has_some) multiply(tiles[t]);
    }
    if (has_some) add();
  }

 private:
  /// All of a block's threads bring a tile, which is on its way then.
  __device__ __forceinline__ void bring(unsigned begin, SourceTile& tile) const {
    const unsigned samples = blocks_.sample_threads * own_samples;
    for (unsigned k = threadIdx.x; k < samples * tile_sources; k += blockDim.x) {
      const unsigned s = k / tile_sources, source = k % tile_sources, sample = first_sample_ + s;
      double& to = tile.currents[source][s];
      if (sample < work_.samples && begin + source < cell_.columns)
        solver::load_single(
            &to, work_.currents + sample * work_.row_length + cell_.first_column + begin + source);
      else
        to = 0;
    }
    constexpr unsigned pairs = own_contacts / 2;
    for (unsigned k = threadIdx.x; k < blocks_.contact_threads * tile_sources * pairs;
         k += blockDim.x) {
      const unsigned b = k / (tile_sources * pairs), source = k / pairs % tile_sources;
      const unsigned long long block = first_block_ + b;
      auto* const to = reinterpret_cast<double2*>(&tile.maps[source][b * own_contacts]) + k % pairs;
      const double* const from =
          work_.maps + cell_.map + (block * cell_.columns + begin + source) * own_contacts;
      if (block < work_.blocks && begin + source < cell_.columns)
        solver::load_single(to, reinterpret_cast<const double2*>(from) + k % pairs);
      else
        *to = {0, 0};
    }
  }

  __device__ __forceinline__ void multiply(const SourceTile& tile) {
#pragma unroll 2
    for (unsigned source = 0; source < tile_sources; ++source) {
      double map[own_contacts], currents[own_samples];
      load_own(tile.maps[source], contact_thread_, blocks_.contact_threads, map);
      load_own(tile.currents[source], sample_thread_, blocks_.sample_threads, currents);
#pragma unroll
      for (unsigned s = 0; s < own_samples; ++s)
#pragma unroll
        for (unsigned k = 0; k < own_contacts; ++k)
          potentials_[s][k] = fma(map[k], currents[s], potentials_[s][k]);
    }
  }

  /// Adding multiples of one spacing is exact, in whatever order cells come.
  __device__ __forceinline__ void add() const {
    const unsigned contacts = work_.blocks * own_contacts;
#pragma unroll
    for (unsigned s = 0; s < own_samples; ++s) {
      const unsigned sample =
          first_sample_ + place_in_tile(sample_thread_, s, blocks_.sample_threads);
      if (sample >= work_.samples) continue;
      double* const to = work_.sums + sample * solver::sums_size(contacts);
#pragma unroll
      for (unsigned k = 0; k < own_contacts; ++k) {
        const unsigned contact = first_block_ * own_contacts +
                                 place_in_tile(contact_thread_, k, blocks_.contact_threads);
        if (contact >= contacts) continue;
        ExactSum::add(potentials_[s][k], [&](std::size_t part, double some) {
          if (some != 0) atomicAdd(to + solver::place_in_sums(part, contact), some);
        });
      }
    }
  }

  const PotentialWork& work_;
  const PotentialBlocks& blocks_;
  const MappedCell cell_;
  const unsigned first_sample_, first_block_;
  const unsigned contact_thread_, sample_thread_;
  double potentials_[own_samples][own_contacts] = {};
};

__global__ void __launch_bounds__(most_contact_threads* most_sample_threads, 2)
    add_potentials(const PotentialWork work, const PotentialBlocks blocks) {
  __shared__ __align__(16) SourceTile tiles[2];
  PotentialProduct(work, blocks).run(tiles);
}

}  // namespace

void start_potentials(const PotentialWork& work, device::Stream stream) {
  if (work.cell_count == 0) return;
  const PotentialBlocks blocks(work);
  add_potentials<<<dim3(work.cell_count * blocks.contact_cuts, blocks.sample_cuts),
                   blocks.threads(), 0, reinterpret_cast<cudaStream_t>(stream)>>>(work, blocks);
  HILLOCK_CUDA(cudaGetLastError());
}

}  // namespace hillock::simulator::on_device
