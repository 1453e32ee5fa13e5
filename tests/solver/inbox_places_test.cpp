// Where entries lie: what a task takes is what was given to it, whoever of a step runs first.

#include "solver/contraction/inbox_places.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "solver/contraction/early_pivots.hpp"
#include "solver/random_trees.hpp"
#include "some_late.hpp"

namespace hillock::solver::contraction {
namespace {

ContractionSchedule schedule_of(const std::vector<int>& tree, double late_share) {
  std::mt19937 random(5);
  return make_contraction_schedule(tree, some_late(tree.size(), late_share, random),
                                   std::numeric_limits<int>::max());
}

/// Walks a schedule as its tasks do, and keeps in mind who wrote each number when.
class Walk {
 public:
  explicit Walk(const ContractionSchedule& schedule)
      : schedule_(schedule), early_(early_counts(schedule)), places_(place_entries(schedule)) {}

  void run() {
    ASSERT_GE(places_.kept, 2);
    ASSERT_GE(places_.numbers, places_.kept);
    ASSERT_EQ(places_.numbers % 2, 0);
    for (int step = 0; step < schedule_.steps(); ++step) {
      std::map<int, int> reader;  // of this step: by number the task
      for (int t = schedule_.step_start[step]; t < schedule_.step_start[step + 1]; ++t)
        take(t, reader);
      std::map<int, int> writer;
      for (int t = schedule_.step_start[step]; t < schedule_.step_start[step + 1]; ++t)
        for (const int entry : {schedule_.give_a[t], schedule_.give_b[t]})
          if (entry >= 0) give(t, entry, reader, writer);
    }
  }

 private:
  void take(int task, std::map<int, int>& reader) {
    const bool is_late = task >= early_.tasks;
    const int begin = schedule_.inbox_start[task], end = schedule_.inbox_start[task + 1];
    for (int e = begin; e < end; ++e) {
      const int number = places_.place[e];
      if (e >= begin + free_entries) {
        EXPECT_EQ(number,
                  places_.extra_begin[task] + (e - begin - free_entries) * (is_late ? 2 : 1));
      }
      EXPECT_TRUE(!is_late || number % 2 == 0);
      for (int k = number; k < number + (is_late ? 2 : 1); ++k) {
        ASSERT_LT(k, places_.numbers);
        EXPECT_TRUE(reader.insert({k, task}).second) << "two tasks take " << k;
        const auto written = entry_at_.find(k);
        if (written == entry_at_.end()) {
          EXPECT_LT(k, places_.kept) << "nobody wrote " << k;
          EXPECT_EQ(k, number) << "only what comes off a diagonal is never written";
        } else {
          EXPECT_EQ(written->second, e);
        }
      }
    }
    EXPECT_EQ(places_.extra_end[task] - places_.extra_begin[task],
              std::max(0, end - begin - free_entries) * (is_late ? 2 : 1));
  }

  void give(int task, int entry, const std::map<int, int>& reader, std::map<int, int>& writer) {
    const int number = places_.place[entry];
    const bool to_late = entry >= early_.entries, is_late = task >= early_.tasks;
    for (int k = number + (to_late && !is_late ? 1 : 0); k < number + (to_late ? 2 : 1); ++k) {
      EXPECT_GE(k, 2) << "the entry of who is given nothing";
      EXPECT_TRUE(writer.insert({k, task}).second) << "two tasks give " << k;
      const auto read = reader.find(k);
      EXPECT_TRUE(read == reader.end() || read->second == task) << "another task takes " << k;
      EXPECT_TRUE(k >= places_.kept || !entry_at_.contains(k)) << "given twice: " << k;
      entry_at_[k] = entry;
    }
  }

  const ContractionSchedule& schedule_;
  const EarlyCounts early_;
  const InboxPlaces places_;
  std::map<int, int> entry_at_;  ///< by number
};

TEST(InboxPlaces, HoldWhatWasGivenUntilItIsTaken) {
  for (const auto& tree :
       {attachment_tree(50, 0.9, 1), attachment_tree(777, 0.8, 1), attachment_tree(300, 0, 2),
        star_tree(300, 7), star_tree(40, 1), cable_tree(1000), cable_tree(1)})
    for (const double late_share : {0.0, 0.02, 0.4, 1.0}) {
      const ContractionSchedule schedule = schedule_of(tree, late_share);
      Walk(schedule).run();
    }
}

TEST(InboxPlaces, AreFewerThanEntries) {
  const auto numbers_of_row = [](const std::vector<int>& tree, double late_share) {
    const InboxPlaces places = place_entries(schedule_of(tree, late_share));
    return places.numbers / static_cast<double>(tree.size());
  };
  EXPECT_LT(numbers_of_row(attachment_tree(400, 0.5, 1), 0), 1.1);
  EXPECT_LT(numbers_of_row(attachment_tree(400, 0.5, 1), 1), 2.2);
  EXPECT_LE(numbers_of_row(cable_tree(1000), 0), 2.0);
  EXPECT_LE(numbers_of_row(cable_tree(1000), 1), 4.0);
  EXPECT_LE(numbers_of_row(star_tree(500, 2), 1), 2.0);
}

}  // namespace
}  // namespace hillock::solver::contraction
