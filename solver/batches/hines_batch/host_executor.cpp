// The host's run of a schedule: slot after slot what a GPU thread does, in the same order.

#include <cstddef>
#include <vector>

#include "solver/batches/hines_batch/elimination.hpp"
#include "solver/batches/hines_batch/schedule.hpp"

namespace hillock::solver {
namespace {

using namespace hines;

template <class T>
void walk_parents(const HinesSchedule& schedule, std::size_t slot, HinesValues<T>& values) {
  const std::size_t width = static_cast<std::size_t>(schedule.width);
  const std::size_t base = schedule.at(slot, 0);
  const int size = schedule.size_of_slot[slot];
  const int rows = schedule.arrangement.padding == HinesArrangement::Padding::computed
                       ? schedule.rows(slot / width)
                       : size;
  const int* parents = schedule.parent_of_row.data() +
                       schedule.tree_first[static_cast<std::size_t>(schedule.tree_of_slot[slot])];
  const auto parent_of = [=](int row) { return row < size ? parents[row] : row - 1; };
  T* diagonal = values.diagonal.data() + base;
  const T* coupling = values.coupling.data() + base;
  T* rhs = values.rhs.data() + base;
  if (schedule.arrangement.walk == HinesArrangement::Walk::parents) {
    solve_by_parents(diagonal, coupling, width, rhs, width, rows, parent_of);
    return;
  }
  std::vector<T> shared(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = rhs[i * width];
  solve_by_parents(diagonal, coupling, width, shared.data(), 1, rows, parent_of);
  for (std::size_t i = 0; i < shared.size(); ++i) rhs[i * width] = shared[i];
}

template <class T>
struct HostStack {
  std::vector<Waiting<T>> entries;
  std::vector<T> values;
  void push(Waiting<T> entry) { entries.push_back(entry); }
  Waiting<T> pop() { return take_last(entries); }
  void push_value(T value) { values.push_back(value); }
  T pop_value() { return take_last(values); }

 private:
  template <class Entry>
  static Entry take_last(std::vector<Entry>& from) {
    const Entry last = from.back();
    from.pop_back();
    return last;
  }
};

template <class T>
void walk_stream(const HinesSchedule& schedule, std::size_t slot, HinesValues<T>& values) {
  const auto tree = static_cast<std::size_t>(schedule.tree_of_slot[slot]);
  const int words =
      schedule.size_of_slot[slot] == 0
          ? 0
          : static_cast<int>(schedule.word_first[tree + 1] - schedule.word_first[tree]);
  const std::uint32_t* steps = schedule.step_words.data() + schedule.word_first[tree];
  const auto step_of = [=](int row) {
    const int word = row / rows_per_word;
    return word < words ? step_in_word(steps[word], row % rows_per_word) : Step::follows;
  };
  HostStack<T> stack;
  Carry<T> carry;
  const int rows = schedule.rows(slot / static_cast<std::size_t>(schedule.width));
  for (int row = rows - 1; row >= 0; --row) {
    const std::size_t at = schedule.at(slot, row);
    climb(step_of(row), values.coupling[at], values.diagonal[at], values.rhs[at], carry, stack);
  }
  Descent<T> descent;
  for (int row = 0; row < rows; ++row) {
    const std::size_t at = schedule.at(slot, row);
    values.rhs[at] = descend(step_of(row), values.diagonal[at], values.rhs[at], descent, stack);
  }
}

}  // namespace

template <class T>
void solve_on_host(const HinesSchedule& schedule, HinesValues<T>& values) {
  for (std::size_t slot = 0; slot < schedule.n_slots(); ++slot) {
    if (schedule.arrangement.walk == HinesArrangement::Walk::stream)
      walk_stream(schedule, slot, values);
    else
      walk_parents(schedule, slot, values);
  }
}

template void solve_on_host(const HinesSchedule&, HinesValues<float>&);
template void solve_on_host(const HinesSchedule&, HinesValues<double>&);

}  // namespace hillock::solver
