#pragma once
// What the kernels of taped cells find in device memory: plain structs, filled by the host.
// Includes no standard header, so that NVRTC can compile it.
//
// Cells that are alike, in rows and instances, lie in groups of `lanes` side by side: number k of a
// group's cell is at first + k·lanes + lane. A group has a block of threads, `parts` a cell.

#include "network/arrival.hpp"
#include "simulator/step/samples.hpp"

namespace hillock::simulator::on_device {

/// Where a variable of an instance is; slot: which one there.
struct TapedHome {
  enum Kind {
    one,     ///< one number for all, TapedArrays::ones
    placed,  ///< [slot][instance], the same for all cells
    own,     ///< [group][slot][instance][lane]
    kept,    ///< in records: states
    back,    ///< an adjoint's own: [group][slot][instance][lane]
    none,    ///< an adjoint's, and always 0 before a call
  } kind;
  int slot;
};

/// A row's turn in a solve.
struct alignas(16) TapedTurn {
  int row;  ///< -1: none
  int parent;
  int child;   ///< of those below the last, or none
  int second;  ///< the one before it, or none; or behind list: where a list has how many, and them
  static constexpr int none = -1, list = -2;
};
/// So many turns without a row lie before and behind the others, which are a multiple of it.
constexpr int empty_turns = 4;

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
  const double* placed;
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

struct TapedHead : network::Boundaries {
  // The run.
  double celsius, threshold_mV;
  long long steps, every;  ///< so many steps lie between those that are kept
  bool interpolates;
  // The cells.
  unsigned cells, groups;
  int rows, turns, detector_row;
  const int* parents;         ///< [row]
  const TapedTurn* solve;     ///< [turn][solver]: rows below others come before them
  const int* other_children;  ///< TapedTurn::list
  TapedNumbers child_uS, second_uS, turn_uS;  ///< [turn][solver] couplings of these and of the row
  TapedNumbers capacity_uS, coupling_uS, constant_uS;
  int* above;  ///< [cell] the threshold
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

/// What a kernel is given. What is one number for all is among a kernel's constants, which are
/// operands of its instructions.
template <int blocks, int count_of_ones>
struct TapedArrays {
  TapedHead head;
  TapedBlock of[blocks > 0 ? blocks : 1];
  double ones[count_of_ones > 0 ? count_of_ones : 1];
};

}  // namespace hillock::simulator::on_device
