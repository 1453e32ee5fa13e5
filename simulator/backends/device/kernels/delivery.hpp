#pragma once
// Spikes become events of cells, in the contract's order. Plain functions of one arrival or cell,
// for host and device; what calls them for all is kernels.cu. In an epoch
//   arrive  every spike that may be on its way, and every event of a train, looks for its entries
//           that arrive now and puts their events where their cells lie
//   settle  every cell with few events puts these into order
// Only a cell with many events takes more: those that find no place at the cell are spilled, and
//   spread  goes on with them when the cell has got room elsewhere
//   order   sorts them.
// Which of a cell's events comes first to its place depends on chance; what the cell finds in the
// end does not.

#include "network/arrival.hpp"
#include "simulator/backends/device/kernels/views.hpp"

namespace hillock::simulator::on_device {

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

/// Entries of a run that are reached together.
struct Piece {
  double time_ms;  ///< of the arrival; where delays vary, of the spike
  unsigned long long source;
  unsigned long long run;  ///< where its run begins
  unsigned long long begin;
  unsigned count;
  unsigned table;
  unsigned arrival;  ///< the number of what it comes from
};
/// Pieces that wait for more threads than an arrival has are no larger than that.
inline constexpr unsigned most_in_piece = 64;

/// Where an event comes from: an entry of a piece.
struct EventOrigin {
  unsigned piece, entry;
};

/// So many events a cell has place for; with more it gets room elsewhere.
inline constexpr unsigned places_of_cell = 4;

/// An event that found no place at its cell.
struct SpilledEvent {
  Event event;
  EventOrigin origin;
  unsigned cell;
  unsigned number;  ///< among the cell's
};

/// What an epoch's delivery came to; `events` is only counted where nothing else is done.
struct DeliveryTotals {
  unsigned long long events;
  unsigned pieces;      ///< of arrivals that put their events into place by themselves
  unsigned large;       ///< other pieces
  unsigned spilled;     ///< events
  unsigned long_cells;  ///< cells with events that were spilled
  unsigned filled;      ///< events of these
};

/// What goes on from epoch to epoch.
struct DeliveryState {
  unsigned long long sent;  ///< spikes that were taken in so far
  /// Not 0: there was no room, and nothing has been done since.
  unsigned halted;
};

struct DeliveryArrays {
  Connections connections;
  unsigned long long most_entries, most_pieces;  ///< of one arrival
  network::Boundaries boundaries;
  DeliveryState* state;
  // Spikes that may be on their way: a ring of a power of two.
  Spike* spikes;
  unsigned long long spike_mask;
  Piece* pieces;  ///< large ones from the end on
  unsigned room_for_pieces;
  // Those of cell c are from c · places_of_cell on; behind them lies what cells with many have.
  Event* events;
  EventOrigin* origins;
  SpilledEvent* spilled;
  unsigned room_for_spilled;
  unsigned cells;  ///< of all programs
  unsigned* counts;
  unsigned *begin, *end;  ///< [cell] into events
  unsigned* long_cells;
  DeliveryTotals* totals;  ///< of epochs with even and with odd numbers
};

struct DeliveryWork {
  long long first, last;           ///< steps
  unsigned long long spikes_from;  ///< the first that is kept, of all that were taken in
  const Spike* new_spikes;         ///< not in the ring yet
  unsigned new_count;
  const unsigned* new_count_at;  ///< where it stands instead, or null
  const TrainEvent* train_events;
  unsigned train_count;
  bool is_counted;           ///< there is room
  unsigned parity;           ///< of the epoch's number
  double heard_ms = -1e300;  ///< what arrives no later was heard of before, whatever its step
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
  /// The number that the first of them has.
  HILLOCK_FUNCTION unsigned of_first(unsigned number) const { return number; }
};

class Delivery {
 public:
  HILLOCK_FUNCTION Delivery(const DeliveryArrays& arrays, const DeliveryWork& work)
      : a_(arrays),
        work_(work),
        totals_(arrays.totals[work.parity]),
        kept_(static_cast<unsigned>(arrays.state->sent - work.spikes_from)),
        new_(work.new_count_at ? *work.new_count_at : work.new_count) {}

  /// Whether there is room, if every arrival came to as much as one can.
  HILLOCK_FUNCTION bool fits() const {
    const unsigned long long all = arrivals();
    return kept_ + new_ <= a_.spike_mask + 1 &&
           (work_.is_counted || (all * a_.most_pieces <= a_.room_for_pieces &&
                                 all * a_.most_entries <= a_.room_for_spilled));
  }
  HILLOCK_FUNCTION unsigned arrivals() const { return kept_ + new_ + work_.train_count; }
  /// Of spikes that are new.
  HILLOCK_FUNCTION unsigned new_count() const { return new_; }
  HILLOCK_FUNCTION const DeliveryTotals& totals() const { return totals_; }

  /// Looks for an arrival's entries. Those of large runs are left for put_large().
  template <class Team>
  HILLOCK_FUNCTION void arrive(unsigned arrival, const Team& team) const {
    for_pieces(arrival, team, [&](const Piece& piece) {
      if (piece.count > most_turns * team.size()) {
        if (team.rank() == 0) cut(piece);
        return;
      }
      unsigned number = 0;
      if (team.rank() == 0) {
        number = add_to(totals_.pieces, 1);
        if (number < a_.room_for_pieces) a_.pieces[number] = piece;
      }
      put(piece, team.of_first(number), team);
    });
  }
  /// Only counts: what there would be room for.
  HILLOCK_FUNCTION void count(unsigned arrival) const {
    for_pieces(arrival, OneThread{}, [&](const Piece& piece) {
      add_to(totals_.events, piece.count);
      add_to(totals_.large, 1 + piece.count / most_in_piece);
    });
  }
  /// number: below totals().large, after all have arrived.
  template <class Team>
  HILLOCK_FUNCTION void put_large(unsigned number, const Team& team) const {
    const unsigned at = a_.room_for_pieces - 1 - number;
    put(Piece(a_.pieces[at]), at, team);
  }

  HILLOCK_FUNCTION void settle(unsigned cell) const {
    const unsigned count = a_.counts[cell];
    unsigned begin = cell * places_of_cell;
    if (count > places_of_cell) {
      begin = a_.cells * places_of_cell + add_to(totals_.filled, count);
      a_.long_cells[add_to(totals_.long_cells, 1)] = cell;
      for (unsigned i = 0; i < places_of_cell; ++i) {
        a_.events[begin + i] = a_.events[cell * places_of_cell + i];
        a_.origins[begin + i] = a_.origins[cell * places_of_cell + i];
      }
    }
    a_.begin[cell] = begin;
    a_.end[cell] = begin + count;
    if (count == 0) return;
    a_.counts[cell] = 0;
    if (count > 1 && count <= places_of_cell) order(cell, OneThread{});
  }
  /// number: below totals().spilled, after all cells have settled.
  HILLOCK_FUNCTION void spread(unsigned number) const {
    const SpilledEvent& one = a_.spilled[number];
    const unsigned at = a_.begin[one.cell] + one.number;
    a_.events[at] = one.event;
    a_.origins[at] = one.origin;
  }

  /// Sorts a cell's events in place: bitonic, every exchange upward, so that no power of two is
  /// needed.
  template <class Team>
  HILLOCK_FUNCTION void order(unsigned cell, const Team& team) const {
    const unsigned begin = a_.begin[cell], count = a_.end[cell] - begin;
    unsigned size = 1;
    while (size < count) size *= 2;
    for (unsigned merged = 2; merged <= size; merged *= 2) {
      for (unsigned t = team.rank(); t < size / 2; t += team.size()) {
        const unsigned half = merged / 2, first = t / half * merged, from = t % half;
        exchange(begin, first + from, first + merged - 1 - from, count);
      }
      team.sync();
      for (unsigned half = merged / 4; half > 0; half /= 2) {
        for (unsigned t = team.rank(); t < size / 2; t += team.size()) {
          const unsigned i = t / half * 2 * half + t % half;
          exchange(begin, i, i + half, count);
        }
        team.sync();
      }
    }
  }

 private:
  /// Up to so many entries a thread of an arrival's team puts into place by itself.
  static constexpr unsigned most_turns = 4;

  /// Calls body(piece) for what arrives now of an arrival. All of a team call it.
  template <class Team, class Body>
  HILLOCK_FUNCTION void for_pieces(unsigned arrival, const Team& team, const Body& body) const {
    const Connections& all = a_.connections;
    if (arrival >= kept_ + new_) {
      const TrainEvent event = work_.train_events[arrival - kept_ - new_];
      const Run run = all.runs[event.run];
      if (run.count > 0 && !was_heard(event.time_ms))
        body(Piece{event.time_ms, event.source, run.begin, run.begin, run.count, run.table,
                   arrival});
      return;
    }
    Spike& kept = a_.spikes[(work_.spikes_from + arrival) & a_.spike_mask];
    const Spike spike = arrival < kept_ ? kept : work_.new_spikes[arrival - kept_];
    if (arrival >= kept_ && team.rank() == 0) kept = spike;
    const unsigned end = all.run_begin[spike.cell + 1];
    for (unsigned r = all.run_begin[spike.cell]; r < end; ++r) {
      const Run run = all.runs[r];
      const ConnectionTable& table = all.tables[run.table];
      Piece piece{spike.time_ms, spike.cell, run.begin, run.begin, run.count, run.table, arrival};
      if (table.delays_ms) {
        const double* const delays_ms = table.delays_ms + run.begin;
        const unsigned from = entries_heard(spike.time_ms, delays_ms, run.count);
        piece.begin += from;
        piece.count = entries_before(work_.last, spike.time_ms, delays_ms, run.count) - from;
        if (piece.count == 0) continue;
      } else {
        piece.time_ms = arrival_ms(spike.time_ms, table.delay_ms);
        if (!arrives_now(piece.time_ms)) continue;
      }
      body(piece);
    }
  }

  HILLOCK_FUNCTION bool arrives_before(long long step, double time_ms) const {
    return a_.boundaries.arrives_by(step - 1, time_ms);
  }
  HILLOCK_FUNCTION bool arrives_now(double time_ms) const {
    return arrives_before(work_.last, time_ms) && !was_heard(time_ms);
  }
  HILLOCK_FUNCTION bool was_heard(double time_ms) const {
    return arrives_before(work_.first, time_ms) || time_ms <= work_.heard_ms;
  }
  HILLOCK_FUNCTION double arrival_ms(double sent_ms, double delay_ms) const {
    return a_.boundaries.arrival_ms(sent_ms, delay_ms);
  }
  /// How many of rising delays end before a step.
  HILLOCK_FUNCTION unsigned entries_before(long long step, double sent_ms, const double* delays_ms,
                                           unsigned count) const {
    return first_entry(delays_ms, count, [&](double delay_ms) {
      return !arrives_before(step, arrival_ms(sent_ms, delay_ms));
    });
  }
  HILLOCK_FUNCTION unsigned entries_heard(double sent_ms, const double* delays_ms,
                                          unsigned count) const {
    return first_entry(delays_ms, count,
                       [&](double delay_ms) { return !was_heard(arrival_ms(sent_ms, delay_ms)); });
  }
  /// Of rising delays the first for which it holds, and then for all behind it.
  template <class Holds>
  HILLOCK_FUNCTION static unsigned first_entry(const double* delays_ms, unsigned count,
                                               const Holds& holds) {
    unsigned begin = 0, end = count;
    while (begin < end) {
      const unsigned middle = begin + (end - begin) / 2;
      if (holds(delays_ms[middle]))
        end = middle;
      else
        begin = middle + 1;
    }
    return begin;
  }

  HILLOCK_FUNCTION void cut(Piece all) const {
    const unsigned count = (all.count + most_in_piece - 1) / most_in_piece;
    const unsigned first = add_to(totals_.large, count);
    for (unsigned k = 0; k < count && first + k < a_.room_for_pieces; ++k) {
      Piece& piece = a_.pieces[a_.room_for_pieces - 1 - (first + k)];
      piece = all;
      if (k + 1 < count) piece.count = most_in_piece;
      all.begin += most_in_piece;
      all.count -= most_in_piece;
    }
  }

  /// Puts a piece's events where their cells lie.
  template <class Team>
  HILLOCK_FUNCTION void put(const Piece& piece, unsigned number, const Team& team) const {
    const ConnectionTable& table = a_.connections.tables[piece.table];
    for (unsigned i = team.rank(); i < piece.count; i += team.size()) {
      const unsigned long long entry = piece.begin + i;
      const InstanceAddress at = a_.connections.instances[table.targets[entry]];
      const unsigned place = add_to(a_.counts[at.cell], 1);
      const double time_ms =
          table.delays_ms ? arrival_ms(piece.time_ms, table.delays_ms[entry]) : piece.time_ms;
      const long long step = a_.boundaries.step_of(time_ms);
      const Event event{time_ms,     table.weights ? table.weights[entry] : table.weight,
                        at.instance, table.slots ? table.slots[entry] : no_slot,
                        at.block,    static_cast<unsigned>(step - work_.first)};
      if (place < places_of_cell) {
        a_.events[at.cell * places_of_cell + place] = event;
        a_.origins[at.cell * places_of_cell + place] = {number, i};
      } else {
        const unsigned spilled = add_to(totals_.spilled, 1);
        if (spilled < a_.room_for_spilled)
          a_.spilled[spilled] = {event, {number, i}, at.cell, place};
      }
    }
  }

  /// The contract's order: by time, source, table; there by arrival and entry or, where delays
  /// vary, by entry and arrival. Arrivals that only their numbers tell apart are alike.
  HILLOCK_FUNCTION bool comes_before(unsigned one, unsigned other) const {
    const double time_ms = a_.events[one].time_ms, other_ms = a_.events[other].time_ms;
    if (time_ms != other_ms) return time_ms < other_ms;
    const EventOrigin from = a_.origins[one], other_from = a_.origins[other];
    const Piece &a = a_.pieces[from.piece], &b = a_.pieces[other_from.piece];
    if (a.source != b.source) return a.source < b.source;
    if (a.table != b.table) return a.table < b.table;
    if (a.run != b.run) return a.run < b.run;
    const unsigned long long entry = a.begin + from.entry, other_entry = b.begin + other_from.entry;
    const unsigned* const ranks = a_.connections.tables[a.table].ranks;
    if (!ranks) return a.arrival != b.arrival ? a.arrival < b.arrival : entry < other_entry;
    const unsigned rank = ranks[entry], other_rank = ranks[other_entry];
    return rank != other_rank ? rank < other_rank : a.arrival < b.arrival;
  }

  HILLOCK_FUNCTION void exchange(unsigned begin, unsigned i, unsigned k, unsigned count) const {
    if (k >= count || !comes_before(begin + k, begin + i)) return;
    const Event event = a_.events[begin + i];
    a_.events[begin + i] = a_.events[begin + k];
    a_.events[begin + k] = event;
    const EventOrigin origin = a_.origins[begin + i];
    a_.origins[begin + i] = a_.origins[begin + k];
    a_.origins[begin + k] = origin;
  }

  const DeliveryArrays& a_;
  const DeliveryWork& work_;
  DeliveryTotals& totals_;
  const unsigned kept_, new_;  ///< spikes
};

}  // namespace hillock::simulator::on_device
