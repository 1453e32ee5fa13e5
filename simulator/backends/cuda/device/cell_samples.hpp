#pragma once
// What goes by a clock of its own: tables that are played into parameters, and recordings.

#include "mechanisms/runtime/electrode.hpp"
#include "simulator/backends/cuda/device/cell_events.hpp"

namespace hillock::simulator::cuda {

template <class Program>
class CellSamples : public CellEvents<Program> {
  using Context = CellContext<Program>;

 protected:
  using Context::a_;
  using Context::cell_;
  using Context::row_of;
  using Context::team_;
  using Context::team_size;

 public:
  using CellEvents<Program>::CellEvents;

 protected:
  static constexpr long long never = 1ll << 62;

  __device__ __forceinline__ void play(unsigned begin, unsigned end, double time_ms) {
    team_.sync();  // some may still be reading what is played
    if (team_.rank() == 0)
      for (unsigned k = begin; k < end; ++k) {
        const PlayedNumber& played = a_.played[k];
        this->set_number(played.target, value_at(played, time_ms));
      }
    team_.sync();
  }

  __device__ static double value_at(const PlayedNumber& played, double time_ms) {
    return mechanisms::table_current(
        played.points, [&](int row) { return played.times_ms[row]; },
        [&](int row) { return played.values[row]; }, time_ms);
  }

  /// The first step from `step` on at which something is sampled.
  __device__ __forceinline__ long long sampled_from(long long step) const {
    long long next = never;
#pragma unroll 1
    for (unsigned k = 0; k < a_.recording_count; ++k) {
      const Recording& recording = a_.recordings[k];
      const long long late = step - recording.first;
      const long long sample = late <= 0 ? 0 : (late + recording.every - 1) / recording.every;
      const long long at = recording.first + sample * recording.every;
      if (sample < recording.count && at < next) next = at;
    }
    return next;
  }

  __device__ __forceinline__ void sample(long long step) {
    team_.sync();
    const unsigned end = a_.sampled_begin[cell_ + 1];
#pragma unroll 1
    for (unsigned k = a_.sampled_begin[cell_] + team_.rank(); k < end; k += team_size) {
      const SampledColumn& column = a_.sampled[k];
      const Recording& recording = a_.recordings[column.recording];
      const long long sample = recording.sample_at(step);
      if (sample < 0) continue;
      double sum = 0;
      for (unsigned t = 0; t < column.terms; ++t) sum += value_of(a_.terms[column.first_term + t]);
      recording.rows[static_cast<unsigned long long>(sample - recording.first_sample) *
                         recording.columns +
                     column.column] = sum;
    }
    team_.sync();
  }
  __device__ __forceinline__ double value_of(const SampledTerm& term) const {
    switch (term.kind) {
      case SampledTerm::Kind::constant:
        return term.factor;
      case SampledTerm::Kind::voltage:
        return this->v(term.row);
      case SampledTerm::Kind::membrane_current:
        return a_.membrane_nA[row_of(term.row)];
      default:
        return term.factor * this->number(term.at);
    }
  }
};

}  // namespace hillock::simulator::cuda
