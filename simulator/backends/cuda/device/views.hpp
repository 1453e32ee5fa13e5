#pragma once
// What an epoch's kernel finds in device memory: plain structs of pointers, filled by the host and
// read by the device. Includes no standard header, so that NVRTC can compile it.
//
// Cells of one program lie one after the other. What cells of one shape and membrane have in common
// is an Image. Where cells have a thread each, 32 of them lie side by side: an array's element k of
// a cell is at first + k·stride of it (Program::stride).

#include "core/targets.hpp"

namespace hillock::simulator::cuda {

/// One row of a tree, whose rows come level by level from the root, children side by side.
struct RowLinks {
  int parent;
  int children_begin, children_end;
  int kind;  ///< solver::RowRun::Kind: whether its pivot is computed in every step
};

/// Where the rows that cells of one shape and membrane share begin, in the tables by row of
/// CellArrays.
struct Image {
  int rows;
  int levels;
  unsigned first_row;
  unsigned first_level;
};

struct CellEntry {
  unsigned image;
  int detector_row;  ///< -1: it never spikes
  unsigned long long id;
  unsigned long long first_row;
};

/// One variable of a mechanism: element k of it is data[k & mask]; a mask of 0 where it is one
/// number for all.
struct Column {
  double* data;
  unsigned long long mask;
};

struct Event {
  double time_ms;
  double weight;
  unsigned instance;  ///< of the block on the cell
  unsigned slot;      ///< of its connection's arguments, or no_slot
  unsigned block;
  unsigned step;  ///< of the epoch, before which it is applied
};
inline constexpr unsigned no_slot = ~0u;

/// In POINTERs, stands for the voltage of the instance's row.
inline constexpr unsigned long long voltage_address = 1;

/// An event that an instance sent to itself, or a spike that it announced.
struct AwaitedEvent {
  double time_ms;
  double weight;
  double flag;
  unsigned slot;
  unsigned number;  ///< of sending
  bool is_spike;
  bool is_movable;  ///< net_move finds it
};

/// What an instance awaits, in no order: the first `count` of its room.
struct AwaitedCount {
  unsigned count;
  unsigned sent;  ///< so far
};

/// The WATCHes of an instance, one bit each.
struct WatchBits {
  unsigned active;
  unsigned held;  ///< where the condition held when last tested
};

/// An ion of which something changes; null where it has no such value. By rows of cells.
struct IonArrays {
  double* current;
  double* reversal;
  double* inside;
  double* outside;
  const double* nernst_mV;  ///< RT/(zF) where the reversal potential follows, else 0
};

/// A parameter that follows a table in time: linear between points, 0 outside.
struct PlayedNumber {
  double* target;
  const double* times_ms;
  const double* values;
  int points;
};

struct SampledTerm {
  enum class Kind { constant, voltage, membrane_current, number };
  Kind kind;
  int row;           ///< voltage, membrane_current: of the cell
  double factor;     ///< constant: the value
  const double* at;  ///< number
};

struct SampledColumn {
  unsigned recording;
  unsigned first_term, terms;
  unsigned long long column;
};

/// Where and when the samples of a recording are written.
struct Recording {
  long long first, every, count;  ///< steps; samples
  double* rows;                   ///< of the epoch
  unsigned long long columns;
  long long first_sample;  ///< in row 0

  /// The sample taken at a step, or -1.
  HILLOCK_FUNCTION long long sample_at(long long step) const {
    if (step < first || (step - first) % every != 0) return -1;
    const long long sample = (step - first) / every;
    return sample < count ? sample : -1;
  }
};

struct Spike {
  double time_ms;
  unsigned long long cell;
};

/// The first thing that went wrong in an epoch: of the earliest step the first cell's.
struct Failure {
  enum class Kind : unsigned {
    none,
    not_finite,
    too_many_spikes,
    too_many_awaited,
    too_many_messages,
    too_many_events,
    not_in_future,
    moves_nothing,
  };
  Kind kind;
  unsigned program;
  unsigned cell;  ///< of the program
  unsigned block;
  int row;
  double time_ms;  ///< of an event
  long long step;
  unsigned lock;  ///< 1 while a thread writes
};

/// A run's numbers.
struct RunNumbers {
  double dt_ms, implicit_dt_ms, celsius;
  double threshold_mV;
  bool detects;
  bool interpolates;  ///< the time of a spike between steps
  bool extrapolates;  ///< crank_nicolson
};

/// Everything of a program's cells but the instances.
struct CellArrays {
  unsigned program;  ///< its number
  unsigned cells;
  const CellEntry* entries;
  const Image* images;
  // Tables by row of an image.
  const RowLinks* links;
  const int* level_begin;  ///< by level of an image: its first row; one more than there are levels
  const double *coupling_uS, *capacity_uS, *source_nA, *constant, *factor;
  const double* area_factors;  ///< um2 · 0.01
  // By row of a cell.
  double* v_mV;
  double* membrane_nA;  ///< or null
  double* scratch;      ///< where rows do not fit on the chip: work_arrays of them
  long long all_rows;   ///< of all cells
  int most_rows;        ///< of a cell
  char* above;          ///< [cell] the threshold
  // Events of the epoch: those of cell c are event_begin[c] … event_end[c] - 1; null: none.
  const unsigned *event_begin, *event_end;
  const unsigned* halted;  ///< not null and not 0: there are no right ones, and nothing is done
  const Event* events;
  const unsigned *played_begin, *sampled_begin;  ///< [cell + 1], or null
  const PlayedNumber* played;
  const SampledColumn* sampled;
  const SampledTerm* terms;
  const Recording* recordings;
  unsigned recording_count;
  Spike* spikes;
  unsigned* spike_count;
  unsigned most_spikes;
  Failure* failure;
};

/// Arrays of one number a row that a step works in: voltages, right-hand sides, pivots, factors.
inline constexpr int work_arrays = 4;

/// So many events may wait for one instance.
inline constexpr unsigned room_for_awaited = 16;

/// The instances of a mechanism on the cells of a program. E: its evaluator.
template <class E>
struct BlockArrays {
  static constexpr int variables = E::info.count() > 0 ? E::info.count() : 1;
  static constexpr int couplings = E::info.coupling_count > 0 ? E::info.coupling_count : 1;

  Column columns[variables];
  const unsigned long long* first;  ///< [cell] instance 0 of the cell
  const int* instance_of_row;       ///< density: by row of an image, -1 where there is none
  const unsigned* owned_begin;      ///< points: [cell · team + rank], one more than there are
  const unsigned* owned;            ///< points: instances by the thread that has their row
  const int* rows;                  ///< points: by instance
  const double* area_factors;       ///< points: 100/um2, by instance; null: no ion needs it
  double* shared[couplings];        ///< what lives with the row, by row of a cell; null: own
  /// POINTER: by instance, voltage_address for the voltage of its row; null: no pointer.
  double* const* pointed[couplings];
  /// Arguments of the connections, where they keep them: those of a connection from its slot on.
  double* arguments;
  /// Slots of the connections to an instance, for FOR_NETCONS; by instance, one more than there
  /// are.
  const unsigned* connections;
  const unsigned* connections_begin;
  /// Of mechanisms that send themselves events: by instance, room_for_awaited side by side.
  AwaitedEvent* awaited;
  AwaitedCount* awaited_count;
  /// Of mechanisms with WATCH: by instance, and by instance and number.
  WatchBits* watches;
  double* watch_flags;
};

}  // namespace hillock::simulator::cuda
