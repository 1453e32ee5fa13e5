#pragma once
// What the kernels of taped cells find in device memory: plain structs, filled by the host.
// Includes no standard header, so that NVRTC can compile it.
//
// Cells that are alike, in rows and instances, lie in groups of `lanes` side by side: number k of a
// group's cell is at first + k·lanes + lane. A group has a block of threads, `parts` a cell.

#include "simulator/step/samples.hpp"

namespace hillock::simulator::on_device {

/// Where a variable of an instance is; slot: which one there.
struct TapedHome {
  enum Kind {
    one,     ///< one number for all cells
    placed,  ///< [slot][instance], the same for all cells
    own,     ///< [group][slot][instance][lane]
    kept,    ///< in records: states
    back,    ///< an adjoint's own: [group][slot][instance][lane]
    none,    ///< an adjoint's, and always 0 before a call
  } kind;
  int slot;
};

/// A row among others.
struct alignas(16) TapedRow {
  int parent;
  int child;                         ///< of those below the last, or -1
  int children_begin, children_end;  ///< the others, into a list, from the last to the first
};

struct alignas(8) TapedInstance {
  int instance, row;  ///< instance -1: none
};

/// Numbers by row or instance.
struct TapedNumbers {
  const double* data;
  bool by_cell;  ///< [group][·][lane], else [·]
};

struct TapedBlock {
  int count;  ///< instances of a cell
  int own_slots, back_slots;
  int states_at;  ///< in a record
  int turns;
  const TapedInstance* instances;  ///< [turn][part], on rows of the part
  const double *ones, *placed;
  double *own, *back;
  TapedNumbers areas;  ///< of density mechanisms, by instance
};

struct TapedTerm {
  step::Summand kind;
  double factor;
  int block, slot, index;  ///< index: of the row, or the instance
};
struct TapedSample {
  int recording;
  unsigned column, first_term, terms;
};
/// A term of a sample, on its way back; slot: of the derivative by the variable.
struct TapedShare {
  TapedTerm term;
  int recording;
  unsigned column;
};
struct TapedRecording {
  step::SampleTimes times;
  unsigned long long columns;
  long long first_sample;  ///< in the first of the rows
  double* rows;
  const double* by;  ///< [sample][column]; null: nothing is derived by them
};

struct TapedSpike {
  double time_ms;
  unsigned cell;
};

/// Where something was no finite number.
struct TapedFailure {
  long long boundary;  ///< where its step ends; 0: nowhere
  int block;           ///< of a derivative
};

struct TapedHead {
  // The run.
  double dt_ms, celsius, threshold_mV;
  const double *boundary_ms, *middle_ms;  ///< [step]
  long long steps, every;                 ///< so many steps lie between those that are kept
  bool interpolates;
  // The cells.
  unsigned cells, groups;
  int rows, turns, detector_row;
  const TapedRow* tree;       ///< [row]
  const int* first_rows;      ///< [turn + 1] of a solve: rows are above those of later turns
  const int* other_children;  ///< TapedRow::children_begin
  TapedNumbers capacity_uS, coupling_uS, constant_uS;
  TapedNumbers child_uS;  ///< [row] coupling of TapedRow::child
  int* above;             ///< [cell] the threshold
  // What lasts from step to step, voltages and states, are `lasting` numbers of a cell: as they
  // are, [group][·][lane], and every so many steps, [group][k][·][lane]; steps that are gone back
  // over have those and diagonals behind, [block of threads][step][·][lane]. Of a block of threads,
  // [2 rows][lane]: what a step works in where the chip has no room, and what is put aside.
  int lasting;
  double *live, *kept, *stretch, *work, *aside;
  // What is recorded.
  const TapedRecording* recordings;
  int recording_count;
  const unsigned* first_samples;  ///< [cell + 1]
  const TapedSample* samples;
  const TapedTerm* terms;
  const unsigned* first_shares;  ///< [cell · parts + part + 1]
  const TapedShare* shares;
  TapedSpike* spikes;
  unsigned* spike_count;
  TapedFailure* failures;  ///< [cell]
  // Derivatives by row.
  double *by_v, *by_coupling, *by_capacity;
};

/// What a kernel is given.
template <int blocks>
struct TapedArrays {
  TapedHead head;
  TapedBlock of[blocks > 0 ? blocks : 1];
};

}  // namespace hillock::simulator::on_device
