#pragma once
// What an epoch's kernel finds in device memory: plain structs of pointers, filled by the host and
// read by the device. Includes no standard header, so that NVRTC can compile it.
//
// Cells of one program lie one after the other. What cells of one shape and membrane have in common
// is an Image. Where cells have a thread each, 32 of them lie side by side: an array's element k of
// a cell is at first + k·stride of it (Program::stride).
//
// What changes during an epoch lies in shared memory where it fits ("on the chip"): a cell's rows
// and columns are copied there before its first step and back after its last. Numbers in memory are
// doubles; on the chip those of the cable are Program::Real, those of a mechanism Block::Value.

#include "core/simd/targets.hpp"
#include "network/arrival.hpp"
#include "simulator/step/field_wave.hpp"
#include "simulator/step/refusal.hpp"
#include "simulator/step/samples.hpp"
#include "simulator/step/watches.hpp"
#include "solver/diffusion.hpp"

namespace hillock::simulator::on_device {

/// Rows that follow one another without a fork, from the one at its parent on.
struct Branch {
  int first, last;
  int constant_from;  ///< the first row whose pivot, as of those after it, never changes
  int parent;         ///< the row above `first`; -1 of the root's branch
  int children_begin, children_end;  ///< of `last`, in the image's list of them
};

/// A row's neighbours along the cable, -1: none. Children behind the first one are in the image's
/// list of them.
struct alignas(8) RowLinks {
  int parent, child;
  int more_begin, more_end;
};

/// A row and what has the instance there.
struct OwnedInstance {
  int instance;
  int row;
};

/// Numbers by row that are constants of an image.
enum class RowTable {
  capacity_uS,
  source_nA,
  constant,
  area_factor,
  // Of cells with extracellular layers (solver/layer_block.hpp):
  has_layers,
  inside_uS,
  along_0,
  diagonal_0,
  across_0,
  charge_0,
  along_1,
  diagonal_1,
  across_1,
  charge_1,
  coupling_uS
};
inline constexpr int row_tables = static_cast<int>(RowTable::coupling_uS) + 1;

/// What cells of one shape and membrane share: rows come branch by branch or, where cells contract,
/// in the order of tasks. Its tables are numbers by row, one table after the other (those that are
/// not one number for all of a program's), then integers. The first `words` are those that every
/// step needs.
struct Image {
  int rows;
  int levels;                  ///< of branches: how many lie between a tip and the root
  int words;                   ///< 8 bytes each
  int first_integer;           ///< where integers begin, in words
  unsigned long long tables;   ///< where they begin, in words
  unsigned long long factors;  ///< where its rows begin in CellArrays::factor
  int coupling;                ///< where the table of couplings begins, in words
  // Where cells contract (solver/contraction/late_solve.hpp):
  int steps, early_steps, tasks, early_tasks;
  int pivots;  ///< where factors to a, then to b of early tasks begin, in words
  int edges;   ///< where edges of late tasks begin, in words
  // Where these begin, in integers.
  int branches, level_begin, children, owned_begin, owned, task;
  int places;  ///< by row where cells share a block: its pivot's place, -1 where it never changes
  int links, more_children;  ///< RowLinks by row, and their list; not in every step's need
};

struct CellEntry {
  unsigned image;
  int detector_row;  ///< -1: it never spikes
  unsigned long long id;
  unsigned long long first_row;
};

/// One variable of a mechanism: an array of it, or one number for all instances, `single` where the
/// mechanism computes in single precision (Block::Value).
union Column {
  double* data;
  double one;
  float single;
};

/// Where a variable is (Block::homes): a number from 0 on is its place among those on the chip.
inline constexpr int one_for_all = -1, in_memory = -2;

struct Event {
  double time_ms;
  double weight;
  unsigned instance;  ///< of the block on the cell
  unsigned slot;      ///< of its connection's arguments, or no_slot
  unsigned block;
  unsigned step;  ///< of the epoch, before which it is applied
};
inline constexpr unsigned no_slot = ~0u;

/// Those of an epoch: of cell c from begin[c] to before end[c]; none where begin is null. Where
/// *halted is not 0 there are no right ones, and nothing is done.
struct EpochEvents {
  const unsigned *begin, *end;
  const Event* events;
  const unsigned* halted;
};

/// In POINTERs, stands for the voltage of the instance's row.
inline constexpr unsigned long long voltage_address = 1;

/// An event that an instance sent to itself, or a spike that it announced.
struct AwaitedEvent {
  double time_ms;
  double weight;
  double flag;
  unsigned slot;
  unsigned long long number;  ///< of sending, among those of the thread that has the instance
  bool is_spike;
  bool is_movable;  ///< net_move finds it
};

/// An ion of which something changes; null where it has no such value. By rows of cells.
struct IonArrays {
  double* current;
  double* reversal;
  double* inside;
  double* outside;
  const double* nernst_mV;  ///< RT/(zF) where the reversal potential follows, else 0
};

/// A number of a cell: in memory or, where `memory` is null, on the chip.
struct NumberAddress {
  double* memory;
  unsigned chip;   ///< so many numbers of its kind lie before it
  bool is_single;  ///< which are floats
};

/// A parameter that follows a table in time: linear between points, 0 outside.
struct PlayedNumber {
  NumberAddress target;
  const double* times_ms;
  const double* values;
  int points;
};

/// How a potential outside one cell goes in time; of pulses and sines there is no table.
struct FieldInTime {
  step::FieldWave wave;
  PlayedNumber table;  ///< all but its target
  double factor;
};

/// Of a row whose membrane current no recording takes where it is made.
inline constexpr unsigned no_column = ~0u;

struct SampledTerm {
  step::Summand kind;
  int row;           ///< voltage, membrane_current: of the cell
  double factor;     ///< constant: the value
  NumberAddress at;  ///< variable, ion
};

struct SampledColumn {
  unsigned recording;
  step::Summand one;   ///< voltage, membrane_current: it is that of one row; else a sum of terms
  unsigned at, terms;  ///< the row, or the first term and how many
  unsigned long long column;
};

/// Where and when the samples of a recording are written.
struct Recording : step::SampleTimes {
  double* rows;  ///< of the epoch
  unsigned long long columns;
  long long first_sample;  ///< in row 0
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
    refused,  ///< what an instance asks for
  };
  Kind kind;
  unsigned program;
  unsigned cell;  ///< of the program
  unsigned block;
  int row;
  double time_ms;  ///< of an event
  long long step;
  simulator::step::Refusal refusal;
  unsigned lock;  ///< 1 while a thread writes
};

/// A run's numbers.
struct RunNumbers : network::Boundaries {
  double implicit_dt_ms, celsius;
  double threshold_mV;
  bool detects;
  bool interpolates;  ///< the time of a spike between steps
};

/// Everything of a program's cells but the instances.
struct CellArrays {
  unsigned program;  ///< its number
  unsigned cells;
  const CellEntry* entries;
  const Image* images;
  const double* tables;     ///< of images
  double ones[row_tables];  ///< tables that are one number for all rows of all images
  const double* factor;     ///< by row of an image: coupling over pivot where it never changes
  // By row of a cell.
  double* v_mV;
  double* layers_mV[2];  ///< potentials of extracellular layers, where there are some
  double* membrane_nA;   ///< or null
  /// Its column in one recording, where it goes at once, or no_column; null: no such recording.
  const unsigned* membrane_columns;
  unsigned membrane_recording;
  double* scratch;  ///< where what cells work in does not fit on the chip
  int most_rows;    ///< of a cell, an even number
  int most_late;    ///< late tasks of a contraction
  int most_inbox;   ///< numbers of its inbox
  int work_words;   ///< of 8 bytes that a cell works in
  int first_ion;    ///< where ions begin on the chip, in words of a cell
  int first_owned;  ///< where lists of points begin there
  int first_table;  ///< where the image's tables begin there
  char* above;      ///< [cell] the threshold
  const unsigned *played_begin, *sampled_begin;  ///< [cell + 1], or null
  const PlayedNumber* played;
  const unsigned* fields_begin;  ///< [cell + 1], or null
  const FieldInTime* fields;
  /// By field of a cell, the first of each first, and row of a cell; so many numbers of each.
  const double* field_nA;
  const double* field_ground_nA;  ///< into outermost layers, where there are some
  unsigned long long field_numbers;
  const SampledColumn* sampled;
  const unsigned* sampled_later;  ///< [cell] where those begin that membrane_columns has
  const SampledTerm* terms;
  const Recording* recordings;
  unsigned recording_count;
  Spike* spikes;
  unsigned* spike_count;
  unsigned most_spikes;
  Failure* failure;
};

/// Arrays of one number a row that a step works in: voltages, right-hand sides, diagonals, and
/// where branches are swept factors. A contraction has pairs for tasks and entries instead. With
/// extracellular layers, behind these: of each layer its potential and what that becomes; what
/// electrodes conduct and give, what flows into the outermost layer; what is kept of rows that are
/// eliminated, as far as it does not lie where what they were made of did.
inline constexpr int row_arrays(bool contracts, int layers = 0) {
  if (layers == 0) return contracts ? 3 : 4;
  return 4 + 2 * layers + 3 + (layers + 1) * (layers + 1) - 3;
}
/// The first array of a layer.
inline constexpr int array_of_layer(int layer) {
  return 4 + 2 * layer;
}

/// So many events may wait for one instance.
inline constexpr unsigned room_for_awaited = 16;

/// The instances of a mechanism on the cells of a program. E: its evaluator.
template <class E>
struct BlockArrays {
  static constexpr int variables = E::info.count() > 0 ? E::info.count() : 1;
  static constexpr int couplings = E::info.coupling_count > 0 ? E::info.coupling_count : 1;

  Column columns[variables];
  unsigned chip;                    ///< where its variables begin on the chip, in words
  unsigned most;                    ///< instances of a cell
  const unsigned long long* first;  ///< [cell] instance 0 of the cell
  const unsigned* owned_begin;      ///< points: [cell · team + rank], one more than there are
  const OwnedInstance* owned;       ///< points: by the thread that has their row
  const int* rows;                  ///< points: by instance
  const double* area_factors;       ///< points: 100/um2, by instance; null: no ion needs it
  /// What lives with the row, by row of a cell, in memory or one more than how many numbers (Real)
  /// of the chip lie before it; 0: the instance's own.
  unsigned long long shared[couplings];
  /// POINTER: by instance, voltage_address for the voltage of its row; null: no pointer.
  double* const* pointed[couplings];
  /// Arguments of the connections, where they keep them: those of a connection from its slot on.
  double* arguments;
  /// Slots of the connections to an instance, for FOR_NETCONS; by instance, one more than there
  /// are.
  const unsigned* connections;
  const unsigned* connections_begin;
  /// Of mechanisms that send themselves events: by instance, room_for_awaited side by side, of
  /// which the first `awaited_count` are there, in no order.
  AwaitedEvent* awaited;
  unsigned* awaited_count;
  /// Of mechanisms with WATCH: by instance, and by instance and number.
  step::WatchBits* watch_bits;
  step::ActiveWatch* watches;
  /// Of mechanisms with states that diffuse: cell c has links links_begin[c] …
  /// links_begin[c + 1] - 1.
  const unsigned* links_begin;
  const solver::DiffusionLink* links;
};

}  // namespace hillock::simulator::on_device
