// Stone's segment method and the branch method on the GPU. Time of a solve inside one kernel that
// solves 100 times, each from the inputs anew, and of single launches; medians between CUDA events
// after warm-up.

#include "bench/gpu/stone.hpp"

#include "bench/gpu/clock.cuh"
#include "solver/batches/stone/stone_device.hpp"

namespace hillock::bench {

using namespace solver;

template <class T>
StoneMeasured<T> measure_stone(const Forest& forest, int traces, const BatchValues<T>& values) {
  const auto device = stone_on_device<T>(forest, traces);
  device->upload(values);
  const auto stream = device->stream();
  StoneMeasured<T> measured;
  for (const int team : {32, 256})
    for (const auto back : {BackSubstitution::segment, BackSubstitution::branch}) {
      StoneOptions options{back, team, 100};
      StoneResult r{back, team};
      r.us = median_us(
                 1, 3, [&] { device->solve(options); }, stream) /
             options.repeats;
      options.repeats = 1;
      r.single_launch_us = median_us(
          1, 9, [&] { device->solve(options); }, stream);
      measured.results.push_back(r);
      measured.solutions.push_back(device->solution());
    }
  return measured;
}

template StoneMeasured<float> measure_stone(const Forest&, int, const BatchValues<float>&);
template StoneMeasured<double> measure_stone(const Forest&, int, const BatchValues<double>&);

}  // namespace hillock::bench
