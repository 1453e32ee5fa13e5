#include "solver/contraction/inbox_places.hpp"

#include <algorithm>
#include <utility>

#include "solver/contraction/early_pivots.hpp"

namespace hillock::solver::contraction {

namespace {

std::size_t index_of(int i) {
  return static_cast<std::size_t>(i);
}

/// Entries that lie one behind the other, from the step in which the first of them is given to the
/// one in which their task takes them.
struct Piece {
  int task = 0, first = 0, count = 0;  ///< entries
  int given = 0, taken = 0;            ///< steps
  int giver = 0;                       ///< task; of what is one entry
};

/// Units of memory: which are in use, and until when.
class Pool {
 public:
  /// The first of `count` units in a row that are free when step `given` begins; in use until
  /// `taken` is over. Steps ascend.
  int take(int count, int given, int taken) {
    if (given != std::exchange(step_, given)) lowest_ = 0;
    int first = lowest_;
    for (int run = 0, unit = first; run < count; ++unit) {
      if (index_of(unit) == busy_until_.size()) busy_until_.push_back(-1);
      if (busy_until_[index_of(unit)] < given) {
        ++run;
      } else {
        run = 0;
        first = unit + 1;
      }
    }
    std::fill_n(busy_until_.begin() + first, count, taken);
    if (count == 1 || first == lowest_) lowest_ = first + count;
    return first;
  }
  /// A unit for who takes what it holds in step `given`. Whether it still may be given.
  bool take_over(int unit, int given, int taken) {
    if (busy_until_[index_of(unit)] != given) return false;
    busy_until_[index_of(unit)] = taken;
    return true;
  }
  int size() const { return static_cast<int>(busy_until_.size()); }

 private:
  std::vector<int> busy_until_;  ///< step
  int step_ = -1;
  int lowest_ = 0;  ///< all below are in use in step_
};

class Placer {
 public:
  explicit Placer(const ContractionSchedule& schedule)
      : schedule_(schedule), early_(early_counts(schedule)) {
    places_.place.resize(index_of(schedule.entry_count));
    places_.extra_begin.assign(index_of(schedule.task_count()), 0);
    places_.extra_end = places_.extra_begin;
    giver_.resize(index_of(schedule.entry_count));
    for (int t = 0; t < schedule.task_count(); ++t)
      for (const int entry : {schedule.give_a[index_of(t)], schedule.give_b[index_of(t)]})
        if (entry >= 0) giver_[index_of(entry)] = t;
  }

  InboxPlaces run() {
    places_.kept = 2;
    for (int step = 0; step < schedule_.steps(); ++step)
      for (int t = schedule_.step_start[index_of(step)];
           t < schedule_.step_start[index_of(step + 1)]; ++t)
        add_task(t, step);
    // Early pieces are free again before the first late one is given.
    places_.numbers = std::max(place(singles_, 1), place(pairs_, 2));
    places_.numbers += places_.numbers % 2;
    return std::move(places_);
  }

 private:
  void add_task(int task, int step) {
    const int begin = schedule_.inbox_start[index_of(task)],
              end = schedule_.inbox_start[index_of(task + 1)];
    const int extra = std::min(begin + free_entries, end);
    for (int e = begin; e < extra; ++e) add({task, e, 1, given(e), step, giver_[index_of(e)]});
    if (extra == end) return;
    Piece extras{task, extra, end - extra, step, step, -1};
    for (int e = extra; e < end; ++e) extras.given = std::min(extras.given, given(e));
    add(extras);
  }
  int given(int entry) const { return schedule_.arrival[index_of(entry)] - 1; }

  void add(const Piece& piece) {
    if (piece.task < early_.tasks)
      singles_.push_back(piece);
    else if (piece.given >= schedule_.early_steps)
      pairs_.push_back(piece);
    else
      put(piece, std::exchange(places_.kept, places_.kept + 2 * piece.count), 2);
  }
  void put(const Piece& piece, int first, int width) {
    for (int k = 0; k < piece.count; ++k)
      places_.place[index_of(piece.first + k)] = first + width * k;
    if (piece.first < schedule_.inbox_start[index_of(piece.task)] + free_entries) return;
    places_.extra_begin[index_of(piece.task)] = first;
    places_.extra_end[index_of(piece.task)] = first + width * piece.count;
  }

  /// How many numbers there are then.
  int place(std::vector<Piece>& pieces, int width) {
    std::ranges::stable_sort(pieces, {}, &Piece::given);
    Pool pool;
    for (const Piece& piece : pieces) {
      int unit = own_unit(piece, width, pool);
      if (unit < 0) unit = pool.take(piece.count, piece.given, piece.taken);
      put(piece, places_.kept + width * unit, width);
    }
    return places_.kept + width * pool.size();
  }
  /// A unit of those that the giver takes from, -1 for none.
  int own_unit(const Piece& piece, int width, Pool& pool) const {
    if (piece.giver < 0) return -1;
    const int end = schedule_.inbox_start[index_of(piece.giver + 1)];
    for (int e = schedule_.inbox_start[index_of(piece.giver)]; e < end; ++e) {
      const int number = places_.place[index_of(e)] - places_.kept;
      if (number >= 0 && pool.take_over(number / width, piece.given, piece.taken))
        return number / width;
    }
    return -1;
  }

  const ContractionSchedule& schedule_;
  const EarlyCounts early_;
  InboxPlaces places_;
  std::vector<int> giver_;  ///< [entry] task
  std::vector<Piece> singles_, pairs_;
};

}  // namespace

InboxPlaces place_entries(const ContractionSchedule& schedule) {
  return Placer(schedule).run();
}

}  // namespace hillock::solver::contraction
