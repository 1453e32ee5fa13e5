#pragma once
// What goes by a clock of its own: tables that are played into parameters, potentials outside, and
// recordings.

#include "mechanisms/runtime/electrode.hpp"
#include "simulator/backends/device/kernels/cell_events.hpp"
#include "simulator/step/samples.hpp"

namespace hillock::simulator::on_device {

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

  // As step/cell_step.hpp and step/samples.hpp ask for.
  __device__ __forceinline__ void play(double time_ms) const {
    if (!plays_) return;
    team_.sync();  // some may still be reading what is played
    if (team_.rank() == 0)
      for (unsigned k = played_begin_; k < played_end_; ++k) {
        const PlayedNumber& played = a_.played[k];
        this->set_number(played.target, value_at(played, time_ms));
      }
    team_.sync();
  }
  /// Calls add(row, nA) for each row of this thread and each potential outside. numbers: field_nA,
  /// or field_ground_nA.
  template <class Add>
  __device__ __forceinline__ void each_field(double time_ms, const double* numbers,
                                             const Add& add) const {
    if (!a_.fields_begin) return;
    const unsigned first = a_.fields_begin[cell_], end = a_.fields_begin[cell_ + 1];
#pragma unroll 1
    for (unsigned k = first; k < end; ++k) {
      const FieldInTime& field = a_.fields[k];
      const double strength = field.factor * (field.wave.kind == step::FieldWave::Kind::table
                                                  ? value_at(field.table, time_ms)
                                                  : step::wave_at(field.wave, time_ms));
      if (strength == 0) continue;
      const double* const nA = numbers + (k - first) * a_.field_numbers;
      this->for_rows([&](int r) { add(r, strength * nA[row_of(r)]); });
    }
  }
  __device__ __forceinline__ bool is_sampled(long long step) {
    if (next_sample_ < step) next_sample_ = sampled_from(step);
    return next_sample_ == step;
  }
  /// All but membrane currents that went there as they were made.
  __device__ __forceinline__ void sample(long long step) const {
    if (samples_later_) take_columns(step, a_.sampled_later[cell_]);
  }
  __device__ __forceinline__ double voltage(const SampledTerm& term) const {
    return this->v(term.row);
  }
  __device__ __forceinline__ double membrane_nA(const SampledTerm& term) const {
    return a_.membrane_nA[row_of(term.row)];
  }
  /// As step::sum_of.
  __device__ __forceinline__ double value_of(const SampledColumn& column) const {
    const int row = static_cast<int>(column.at);
    if (column.one == step::Summand::membrane_current) return 0.0 + a_.membrane_nA[row_of(row)];
    if (column.one == step::Summand::voltage) return 0.0 + this->v(row);
    return step::sum_of(*this, a_.terms + column.at, column.terms);
  }
  __device__ __forceinline__ double number(const SampledTerm& term) const {
    return this->number_at(term.at);
  }

 protected:
  __device__ __forceinline__ void sample_all(long long step) const {
    take_columns(step, a_.sampled_begin[cell_ + 1]);
  }
  /// Where membrane currents of the sample that is_sampled() spoke of go at once, or null.
  __device__ __forceinline__ double* membrane_sample() const {
    return a_.membrane_columns ? sample_of(a_.recordings[a_.membrane_recording], next_sample_)
                               : nullptr;
  }
  /// Before steps from `first` on.
  __device__ __forceinline__ void begin_clock(long long first) {
    if (a_.played_begin) {
      played_begin_ = a_.played_begin[cell_];
      played_end_ = a_.played_begin[cell_ + 1];
      plays_ = team_.any(played_begin_ < played_end_);
    }
    if (!has_samples()) return;
    next_sample_ = sampled_from(first + 1);
    samples_later_ = team_.any(a_.sampled_begin[cell_] < a_.sampled_later[cell_]);
  }
  /// Whether this cell, or one that is in step with it, has some.
  __device__ __forceinline__ bool has_samples() const {
    return a_.sampled_begin && team_.any(a_.sampled_begin[cell_] < a_.sampled_begin[cell_ + 1]);
  }

 private:
  static constexpr long long never = 1ll << 62;

  /// Those of this cell that lie before `end`.
  __device__ __forceinline__ void take_columns(long long step, unsigned end) const {
    team_.sync();
    unsigned number = ~0u;  // of a recording, and its row: they take divisions
    double* row = nullptr;
    constexpr unsigned at_once = 4;  // what each asks for is far away
#pragma unroll 1
    for (unsigned k = a_.sampled_begin[cell_] + team_.rank(); k < end; k += at_once * team_size) {
      SampledColumn columns[at_once];
      double* to[at_once];
      double values[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i)
        columns[i] = a_.sampled[k + i * team_size < end ? k + i * team_size : k];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        if (columns[i].recording != number) {
          number = columns[i].recording;
          row = sample_of(a_.recordings[number], step);
        }
        to[i] = row && k + i * team_size < end ? row + columns[i].column : nullptr;
      }
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i)
        if (to[i]) values[i] = value_of(columns[i]);
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i)
        if (to[i]) *to[i] = values[i];
    }
    team_.sync();
  }

  /// Where the numbers of a recording's sample at a step go, or null.
  __device__ static double* sample_of(const Recording& recording, long long step) {
    const long long sample = recording.sample_at(step);
    return sample < 0
               ? nullptr
               : recording.rows + static_cast<unsigned long long>(sample - recording.first_sample) *
                                      recording.columns;
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
      const long long sample = recording.up_to(step - 1);
      const long long at = recording.first + sample * recording.every;
      if (sample < recording.count && at < next) next = at;
    }
    return next;
  }

  unsigned played_begin_ = 0, played_end_ = 0;
  bool plays_ = false;  ///< this cell, or one that is in step with it
  long long next_sample_ = never;
  bool samples_later_ = false;  ///< as plays_
};

}  // namespace hillock::simulator::on_device
