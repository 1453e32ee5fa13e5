#pragma once
// What a backend calls on the CPU: the loops over one mechanism's instances in a group of cells.
// The loops themselves are in cpu_kernels.hpp, compiled once for each instruction set.

#include <cstddef>
#include <cstdint>

#include "mechanisms/evaluator.hpp"

namespace hillock::mechanisms {

/// One mechanism's instances in one group of cells, lane-interleaved.
struct InstanceBlock {
  std::size_t lanes = 1;
  std::size_t count = 0;  ///< instances in each lane
  /// First the states, state s of instance i in lane l at [(s·count + i)·lanes + l]; then the other
  /// variables in the same way.
  double* columns = nullptr;
  /// The node of instance i: nodes[i] for density mechanisms (the same in every lane),
  /// nodes[i·lanes + l] for point processes.
  const int* nodes = nullptr;
  /// Density mechanisms: um2 · 0.01, which turns mA/cm2 into nA, of instance i, or of instance i in
  /// lane l at [i·lanes + l] where lanes have their own areas; 0 where the mechanism is not. Point
  /// processes: 100/um2, which turns nA into mA/cm2, at [i·lanes + l], where `shared` holds an
  /// ion's current, else null.
  const double* area_factors = nullptr;
  bool own_areas = false;
  /// Point processes: instance i sits on the same node in every lane.
  bool aligned = false;
  /// Everything but the states is one number for all instances of a lane, and in the columns once a
  /// lane, as if there were one instance.
  bool uniform = false;
  /// Then: whether some of these numbers differ between lanes.
  bool lanes_differ = false;
  /// Where a variable lives that the instances share with their location: an array [row][lane], or
  /// null where the instance's own column holds it. [coupling]; null when all are null.
  double* const* shared = nullptr;
  /// The variable that a POINTER stands for in instance i and lane l, at [coupling][i·lanes + l];
  /// null for couplings that are no pointers.
  double* const* const* pointers = nullptr;
  /// Loops turn for instances from `first` on, up to `end` where there are so many.
  std::size_t first = 0;
  std::size_t end = ~std::size_t{0};

  std::size_t last() const { return end < count ? end : count; }
};

/// The time a kernel runs at.
struct KernelTime {
  double time_ms = 0;
  double dt_ms = 0;
  double celsius = 0;
  double implicit_dt_ms = dt_ms;      ///< as in Instant
  const GivenDraws* given = nullptr;  ///< likewise
};

/// An event that adds to the states of one instance of a linear mechanism.
struct Addition {
  double time_ms = 0;
  double weight = 0;
  std::uint32_t instance = 0;
  std::uint16_t lane = 0;
  std::uint16_t step = 0;  ///< for whoever keeps them: which of an epoch it comes before
};

/// What a step of a block of point neurons begins with. Neuron n is instance n / lanes, lane
/// n % lanes.
struct PointStepWork {
  std::size_t neurons = 0;  ///< further lanes only fill
  /// What arrives in the step, in multiples of `spacing`: sums of MechanismInfo's `input` and
  /// `negative_input`, of all lanes. The step leaves 0 in their place.
  long long* sums[2] = {nullptr, nullptr};
  double spacing = 1;
  /// The variables before those that a step changes that are not the same number in all neurons.
  const int* differing = nullptr;
  std::size_t differing_count = 0;
  bool settles = false;     ///< what is negligible becomes 0 (settling.hpp)
  bool is_checked = false;  ///< whether numbers are finite
};
struct PointStepOutcome {
  std::size_t spikes = 0;
  bool is_finite = true;  ///< where it was asked
};

/// What may be asked of a loop over instances: it is done with each in this order.
namespace asks {
enum : unsigned {
  advance = 1,  ///< integrate states over dt with the new v
  flow = 2,     ///< add to the matrix row of its node: diagonal += g, rhs += g·v - i
  store = 4     ///< store assigned variables so that they can be recorded
};
}

/// A mechanism's loops for one number of lanes. Node arrays are [node][lane].
struct CpuKernels {
  int lanes = 0;  ///< 0 where there are none
  /// Sets states and assigned variables from v and the parameters.
  void (*initialise)(const InstanceBlock&, const KernelTime&, const double* v) = nullptr;
  /// All of `asks`; null of point neurons. end: what states are integrated to; now: when the
  /// current flows.
  void (*turn)(const InstanceBlock&, unsigned asked, const KernelTime& end, const KernelTime& now,
               const double* v, double* diagonal, double* rhs) = nullptr;
  bool advances = false;  ///< whether there is something to integrate
  void advance(const InstanceBlock& block, const KernelTime& end, const double* v) const {
    turn(block, asks::advance, end, end, v, nullptr, nullptr);
  }
  void current(const InstanceBlock& block, const KernelTime& now, const double* v, double* diagonal,
               double* rhs, bool stores = false) const {
    turn(block, asks::flow | (stores ? asks::store : 0u), now, now, v, diagonal, rhs);
  }
  /// A whole step of point neurons; null for others. spiked: [neuron] room for the numbers of those
  /// that spike, which come rising.
  PointStepOutcome (*step)(const InstanceBlock&, const KernelTime&, const PointStepWork&,
                           std::uint32_t* spiked) = nullptr;
  /// Applies one event; null when the mechanism takes none.
  void (*receive)(const InstanceBlock&, std::size_t instance, int lane, const KernelTime&,
                  const double* v, Delivery&) = nullptr;
  /// Applies events to a linear mechanism, one after the other; null where it is not linear.
  void (*receive_all)(const InstanceBlock&, const Addition* events, std::size_t count,
                      const KernelTime&, const double* v) = nullptr;
  /// Sets one instance at the run's beginning, and may send events; null when `initialise` does.
  void (*start)(const InstanceBlock&, std::size_t instance, int lane, const KernelTime&,
                const double* v, Delivery&) = nullptr;
  /// Sets a connection's arguments before the run; null when they begin as 0.
  void (*connect)(const InstanceBlock&, std::size_t instance, int lane, const KernelTime&,
                  const double* v, Delivery&) = nullptr;
  /// Condition `number` of WATCH, above 0 while it holds; null when there is none.
  double (*watch)(const InstanceBlock&, std::size_t instance, int lane, const KernelTime&,
                  const double* v, int number) = nullptr;
};

/// A mechanism's loops for every number of lanes, or for some.
struct KernelSet {
  CpuKernels scalar, pack4, pack8;

  constexpr CpuKernels& of(int lanes) { return lanes == 1 ? scalar : lanes == 4 ? pack4 : pack8; }
  constexpr const CpuKernels& of(int lanes) const {
    return lanes == 1 ? scalar : lanes == 4 ? pack4 : pack8;
  }
};

}  // namespace hillock::mechanisms
