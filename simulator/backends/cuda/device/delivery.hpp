#pragma once
// Spikes become events of cells, in the contract's order. Plain functions of one spike, piece or
// cell, for host and device; what calls them for all is delivery.cu. In an epoch
//   find    every spike that may be on its way looks for its entries that arrive now: pieces
//   count   every entry of a piece takes a number among the events of its cell
//   (scan)  every cell gets room for its events
//   fill    every entry goes to that room
//   order   every cell's events are put into order and written out
// Which piece is the first depends on chance, and so does where a cell's events lie; what a cell
// finds there does not.

#include "network/arrival.hpp"
#include "simulator/backends/cuda/device/views.hpp"

namespace hillock::simulator::cuda {

/// An instance of a point process, wherever it is.
struct InstanceAddress {
  unsigned cell;      ///< among those of all programs
  unsigned instance;  ///< of the block on the cell
  unsigned block;
};

/// The connections of a projection, or those that a stimulus's trains drive.
struct ConnectionTable {
  const unsigned* targets;  ///< numbers of instances
  const unsigned* slots;    ///< or null
  const double* weights;    ///< null: `weight`
  const double* delays_ms;  ///< null: `delay_ms`. Of one source they rise
  /// Where delays vary: which of its source's entries it was before.
  const unsigned* ranks;
  double weight, delay_ms;
};

/// The entries that one source has in a table, side by side.
struct Run {
  unsigned long long begin;
  unsigned count;
  unsigned table;
};

struct Connections {
  const ConnectionTable* tables;
  const InstanceAddress* instances;
  const Run* runs;            ///< of cells, then of trains
  const unsigned* run_begin;  ///< [cell of the network + 1]
};

/// An event of a train.
struct TrainEvent {
  double time_ms;
  unsigned long long source;  ///< orders events
  unsigned long long run;
};

/// Entries of a run that are reached together, `most_in_piece` at most.
struct Piece {
  double time_ms;  ///< of the arrival; where delays vary, of the spike
  unsigned long long source;
  unsigned long long run;  ///< where its run begins
  unsigned long long begin;
  unsigned count;
  unsigned table;
  unsigned first;    ///< of its events among the epoch's
  unsigned arrival;  ///< the number of what it comes from
};
inline constexpr unsigned most_in_piece = 64;

/// An event before it is written out: an entry of a piece.
struct PieceEntry {
  double time_ms;
  unsigned piece;
  unsigned number;
};

/// Where an entry goes: the cell and the place among its events.
struct EventPlace {
  unsigned cell, number;
};

struct DeliveryTotals {
  unsigned long long events;
  unsigned pieces;
  unsigned filled;      ///< events that cells got room for
  unsigned long_cells;  ///< cells with many events
};

struct DeliveryArrays {
  Connections connections;
  double dt_ms;
  // Spikes that may be on their way: a ring of a power of two.
  Spike* spikes;
  unsigned long long spike_mask;
  Piece* pieces;
  EventPlace* places;
  PieceEntry* entries;
  Event* events;
  unsigned room_for_pieces, room_for_events;
  unsigned cells;  ///< of all programs
  unsigned* counts;
  unsigned *begin, *end;  ///< [cell] into events
  unsigned* long_cells;
  DeliveryTotals* totals;  ///< of epochs with even and with odd numbers
};

struct DeliveryWork {
  long long first, last;           ///< steps
  unsigned long long spikes_from;  ///< into the ring, modulo its size
  unsigned spike_count;
  unsigned new_count;  ///< of them, the last: not in the ring yet
  unsigned train_count;
  const Spike* new_spikes;
  const TrainEvent* train_events;
  unsigned parity;  ///< of the epoch's number
};

HILLOCK_FUNCTION unsigned add_to(unsigned& number, unsigned more) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&number, more);
#else
  const unsigned before = number;
  number += more;
  return before;
#endif
}
HILLOCK_FUNCTION unsigned long long add_to(unsigned long long& number, unsigned long long more) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&number, more);
#else
  const unsigned long long before = number;
  number += more;
  return before;
#endif
}

/// Threads that do something together; alone on a host.
struct OneThread {
  HILLOCK_FUNCTION unsigned rank() const { return 0; }
  HILLOCK_FUNCTION unsigned size() const { return 1; }
  HILLOCK_FUNCTION void sync() const {}
};

class Delivery {
 public:
  HILLOCK_FUNCTION Delivery(const DeliveryArrays& arrays, const DeliveryWork& work)
      : a_(arrays), work_(work), totals_(arrays.totals[work.parity]) {}

  /// Number of arrivals that find() is called for.
  HILLOCK_FUNCTION unsigned arrivals() const { return work_.spike_count + work_.train_count; }
  HILLOCK_FUNCTION unsigned pieces() const { return totals_.pieces; }
  /// Whether everything fits: known once all were found.
  HILLOCK_FUNCTION bool fits() const {
    return totals_.pieces <= a_.room_for_pieces && totals_.events <= a_.room_for_events;
  }

  HILLOCK_FUNCTION void find(unsigned arrival) const {
    if (arrival < work_.spike_count)
      find_of_spike(arrival);
    else
      find_of_train(arrival, work_.train_events[arrival - work_.spike_count]);
  }

  template <class Team>
  HILLOCK_FUNCTION void count(unsigned number, const Team& team) const {
    const Piece& piece = a_.pieces[number];
    const unsigned* const targets = table_of(piece).targets + piece.begin;
    for (unsigned i = team.rank(); i < piece.count; i += team.size()) {
      const unsigned cell = a_.connections.instances[targets[i]].cell;
      a_.places[piece.first + i] = {cell, add_to(a_.counts[cell], 1)};
    }
  }

  template <class Team>
  HILLOCK_FUNCTION void fill(unsigned number, const Team& team) const {
    const Piece piece = a_.pieces[number];
    const double* const delays_ms = table_of(piece).delays_ms;
    for (unsigned i = team.rank(); i < piece.count; i += team.size()) {
      const EventPlace place = a_.places[piece.first + i];
      const double time_ms = delays_ms ? piece.time_ms + delays_ms[piece.begin + i] : piece.time_ms;
      a_.entries[a_.begin[place.cell] + place.number] = {time_ms, number, i};
    }
  }

  /// Finds every event's place by comparing it with all others of its cell.
  template <class Team>
  HILLOCK_FUNCTION void order_few(unsigned cell, const Team& team) const {
    const unsigned begin = a_.begin[cell], end = a_.end[cell];
    for (unsigned i = begin + team.rank(); i < end; i += team.size()) {
      const PieceEntry own = a_.entries[i];
      unsigned place = begin;
      for (unsigned k = begin; k < end; ++k)
        if (k != i && comes_before(a_.entries[k], own)) ++place;
      write(own, place);
    }
  }

  /// Sorts in place: bitonic, every exchange upward, so that no power of two is needed.
  template <class Team>
  HILLOCK_FUNCTION void order_many(unsigned cell, const Team& team) const {
    const unsigned begin = a_.begin[cell], count = a_.end[cell] - begin;
    PieceEntry* const entries = a_.entries + begin;
    unsigned size = 1;
    while (size < count) size *= 2;
    for (unsigned merged = 2; merged <= size; merged *= 2) {
      for (unsigned t = team.rank(); t < size / 2; t += team.size()) {
        const unsigned half = merged / 2, first = t / half * merged, from = t % half;
        exchange(entries, first + from, first + merged - 1 - from, count);
      }
      team.sync();
      for (unsigned half = merged / 4; half > 0; half /= 2) {
        for (unsigned t = team.rank(); t < size / 2; t += team.size()) {
          const unsigned i = t / half * 2 * half + t % half;
          exchange(entries, i, i + half, count);
        }
        team.sync();
      }
    }
    for (unsigned i = team.rank(); i < count; i += team.size()) write(entries[i], begin + i);
  }

 private:
  HILLOCK_FUNCTION const ConnectionTable& table_of(const Piece& piece) const {
    return a_.connections.tables[piece.table];
  }

  HILLOCK_FUNCTION void find_of_spike(unsigned arrival) const {
    const unsigned old = work_.spike_count - work_.new_count;
    Spike& kept = a_.spikes[(work_.spikes_from + arrival) & a_.spike_mask];
    if (arrival >= old) kept = work_.new_spikes[arrival - old];
    const Spike spike = kept;
    const unsigned end = a_.connections.run_begin[spike.cell + 1];
    for (unsigned r = a_.connections.run_begin[spike.cell]; r < end; ++r) {
      const Run run = a_.connections.runs[r];
      const ConnectionTable& table = a_.connections.tables[run.table];
      Piece piece{spike.time_ms, spike.cell, run.begin, run.begin,
                  run.count,     run.table,  0,         arrival};
      if (table.delays_ms) {
        const double* const delays_ms = table.delays_ms + run.begin;
        const unsigned from = entries_before(work_.first, spike.time_ms, delays_ms, run.count);
        piece.begin += from;
        piece.count = entries_before(work_.last, spike.time_ms, delays_ms, run.count) - from;
      } else {
        piece.time_ms += table.delay_ms;
        if (!arrives_now(piece.time_ms)) continue;
      }
      add(piece);
    }
  }

  HILLOCK_FUNCTION void find_of_train(unsigned arrival, const TrainEvent& event) const {
    const Run run = a_.connections.runs[event.run];
    add({event.time_ms, event.source, run.begin, run.begin, run.count, run.table, 0, arrival});
  }

  HILLOCK_FUNCTION bool arrives_before(long long step, double time_ms) const {
    return network::arrives_by(step - 1, time_ms, a_.dt_ms);
  }
  HILLOCK_FUNCTION bool arrives_now(double time_ms) const {
    return arrives_before(work_.last, time_ms) && !arrives_before(work_.first, time_ms);
  }
  /// How many of rising delays end before a step.
  HILLOCK_FUNCTION unsigned entries_before(long long step, double sent_ms, const double* delays_ms,
                                           unsigned count) const {
    unsigned begin = 0, end = count;
    while (begin < end) {
      const unsigned middle = begin + (end - begin) / 2;
      if (arrives_before(step, sent_ms + delays_ms[middle]))
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  /// Cuts it into pieces of the size that they have at most.
  HILLOCK_FUNCTION void add(Piece all) const {
    if (all.count == 0) return;
    const unsigned count = (all.count + most_in_piece - 1) / most_in_piece;
    const unsigned long long first = add_to(totals_.events, all.count);
    const unsigned number = add_to(totals_.pieces, count);
    if (first + all.count > a_.room_for_events || number + count > a_.room_for_pieces ||
        number + count < number)
      return;  // it will not fit, which is seen afterwards
    all.first = static_cast<unsigned>(first);
    for (unsigned k = 0; k < count; ++k) {
      Piece& piece = a_.pieces[number + k];
      piece = all;
      if (k + 1 < count) piece.count = most_in_piece;
      all.begin += most_in_piece;
      all.first += most_in_piece;
      all.count -= most_in_piece;
    }
  }

  /// The contract's order: by time, source, table; there by arrival and entry or, where delays
  /// vary, by entry and arrival. Arrivals that only their numbers tell apart are alike.
  HILLOCK_FUNCTION bool comes_before(const PieceEntry& one, const PieceEntry& other) const {
    if (one.time_ms != other.time_ms) return one.time_ms < other.time_ms;
    const Piece &a = a_.pieces[one.piece], &b = a_.pieces[other.piece];
    if (a.source != b.source) return a.source < b.source;
    if (a.table != b.table) return a.table < b.table;
    if (a.run != b.run) return a.run < b.run;
    const unsigned long long entry = a.begin + one.number, other_entry = b.begin + other.number;
    const unsigned* const ranks = table_of(a).ranks;
    if (!ranks) return a.arrival != b.arrival ? a.arrival < b.arrival : entry < other_entry;
    const unsigned rank = ranks[entry], other_rank = ranks[other_entry];
    return rank != other_rank ? rank < other_rank : a.arrival < b.arrival;
  }

  HILLOCK_FUNCTION void exchange(PieceEntry* entries, unsigned i, unsigned k,
                                 unsigned count) const {
    if (k >= count || !comes_before(entries[k], entries[i])) return;
    const PieceEntry first = entries[i];
    entries[i] = entries[k];
    entries[k] = first;
  }

  HILLOCK_FUNCTION void write(const PieceEntry& from, unsigned place) const {
    const Piece& piece = a_.pieces[from.piece];
    const ConnectionTable& table = table_of(piece);
    const unsigned long long entry = piece.begin + from.number;
    const InstanceAddress at = a_.connections.instances[table.targets[entry]];
    const auto step = static_cast<long long>(network::boundary_of(from.time_ms, a_.dt_ms));
    a_.events[place] = {from.time_ms, table.weights ? table.weights[entry] : table.weight,
                        at.instance,  table.slots ? table.slots[entry] : no_slot,
                        at.block,     static_cast<unsigned>(step - work_.first)};
  }

  const DeliveryArrays& a_;
  const DeliveryWork& work_;
  DeliveryTotals& totals_;
};

}  // namespace hillock::simulator::cuda
