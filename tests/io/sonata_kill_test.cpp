// What a kill leaves: every state of the disk between two system calls is opened and read, and a
// writing process is killed at random moments.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "io/hdf5/hdf5_disk_file.hpp"
#include "io/run/output_writer.hpp"
#include "sonata_reading.hpp"

namespace hillock::io {
namespace {

models::RecordedSpike spike_at(std::uint64_t i) {
  return {0.25 * static_cast<double>(i / 3), i % 3 + 5};
}

/// Checks a report that may be partial; returns its rows.
std::uint64_t check_report(const std::filesystem::path& path, std::uint64_t promised) {
  const H5Reader file(path);
  const auto extent = file.extent("report/exc/data");
  EXPECT_GE(extent[0], promised) << path;
  EXPECT_TRUE(file.doubles("report/exc/data") == rows_of(extent[1], 0, extent[0])) << path;
  const auto time = file.doubles("report/exc/mapping/time");
  EXPECT_GE((time[1] - time[0]) / time[2], static_cast<double>(promised)) << path;
  EXPECT_LE((time[1] - time[0]) / time[2], static_cast<double>(extent[0])) << path;
  return extent[0];
}

/// Checks a spike file that may be partial; returns the rows of its shorter column.
std::uint64_t check_spikes(const std::filesystem::path& path, std::uint64_t promised) {
  const H5Reader file(path);
  const auto times = file.doubles("spikes/exc/timestamps");
  const auto nodes = file.integers("spikes/exc/node_ids");
  EXPECT_GE(std::min(times.size(), nodes.size()), promised) << path;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] != spike_at(i).time_ms) {
      ADD_FAILURE() << path << ": timestamp " << i;
      break;
    }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] != spike_at(i).node_id) {
      ADD_FAILURE() << path << ": node " << i;
      break;
    }
  return std::min(times.size(), nodes.size());
}

/// Copies a published file after every system call that changes it, with the rows promised then.
/// Data appended behind the end that the file speaks of changes nothing that can be read, so a
/// state that has only grown may be left out.
enum class Grown { kept, left_out };

class StateKeeper {
 public:
  explicit StateKeeper(const std::filesystem::path& folder, Grown grown = Grown::kept)
      : folder_(folder) {
    hdf5::DiskFile::observer = [this, grown](const hdf5::DiskFile& file) {
      if (file.path().extension() == ".new") return;
      if (grown == Grown::left_out && file.size() > std::exchange(size_, file.size())) return;
      const auto copy = folder_ / fmt::format("state{}.h5", states_.size());
      std::filesystem::copy_file(file.path(), copy);
      states_.emplace_back(copy, promised);
    };
  }
  ~StateKeeper() { hdf5::DiskFile::observer = nullptr; }
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  const auto& states() const { return states_; }
  std::uint64_t promised = 0;

 private:
  std::filesystem::path folder_;
  std::uint64_t size_ = 0;
  std::vector<std::pair<std::filesystem::path, std::uint64_t>> states_;
};

void check_report_states(const models::ReportLayout& layout, std::uint64_t rows,
                         std::uint64_t flush_every, Grown grown = Grown::kept,
                         BetweenWrites between = BetweenWrites::open) {
  const ScratchFolder folder;
  const ScratchFolder states;
  StateKeeper keeper(states.path(), grown);
  {
    ReportFile file(folder.path(), layout, {}, Hashing::no, {}, between);
    for (std::uint64_t row = 0; row < rows; ++row) {
      file.append(rows_of(layout.element_ids.size(), row, row + 1));
      if ((row + 1) % flush_every == 0) keeper.promised = file.flush();
    }
    file.finish();
  }
  EXPECT_GE(keeper.states().size(), 2 * (rows / flush_every));  // a chunk, a page
  for (const auto& [state, promised] : keeper.states()) {
    check_report(state, promised);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(check_report(folder / (layout.name + ".h5"), rows), rows);
}

TEST(KilledReport, EveryStateOfTheDiskHoldsTheRowsFlushed) {
  check_report_states(one_cell("v", 300, 1400), 1400, 37);  // four chunks of 436 rows
}

TEST(KilledReport, EveryStateOfTheDiskHoldsTheRowsFlushedWithWideRows) {
  check_report_states(one_cell("v", 9'000, 80), 80, 9);  // five chunks side by side
}

TEST(KilledReport, EveryStateOfTheDiskHoldsTheRowsFlushedOfAFileThatIsOpenedForThem) {
  check_report_states(one_cell("v", 300, 1400), 1400, 37, Grown::kept, BetweenWrites::closed);
  check_report_states(one_cell("v", 3, 1), 400, 3, Grown::kept, BetweenWrites::closed);
}

TEST(KilledReport, EveryStateOfTheDiskHoldsTheRowsFlushedWhileTheIndexSplits) {
  // One sample is announced, so a chunk is one row and a node of the index holds 64 of them.
  check_report_states(one_cell("v", 3, 1), 400, 3);
  check_report_states(one_cell("v", 3, 1), 5000, 100, Grown::left_out);  // a third level of nodes
}

TEST(KilledSpikes, EveryStateOfTheDiskHoldsTheSpikesFlushed) {
  const ScratchFolder folder;
  const ScratchFolder states;
  StateKeeper keeper(states.path());
  constexpr std::uint64_t spikes = 40'000;
  {
    SpikeFile file(folder.path(), {"exc", "inh"}, {});
    for (std::uint64_t i = 0; i < spikes; ++i) {
      file.append(0, std::vector{spike_at(i)});
      if (i % 1777 == 0) {
        file.flush();
        keeper.promised = i + 1;
      }
    }
  }
  EXPECT_GE(keeper.states().size(), 3 * (spikes / 1777));
  for (const auto& [state, promised] : keeper.states()) check_spikes(state, promised);
}

/// Writes without end; the parent kills it.
[[noreturn]] void write_until_killed(const std::filesystem::path& folder) {
  models::ReportLayout narrow = one_cell("narrow", 7, 1'000'000);
  models::ReportLayout wide = one_cell("wide", 4'000, 100'000);
  OutputWriter writer(folder, {"exc"}, {narrow, wide}, {},
                      {.flush_interval_s = 0.01, .queue_bytes = std::size_t{1} << 20});
  std::uint64_t spikes = 0;
  for (std::uint64_t row = 0;; ++row) {
    writer.add_rows(0, rows_of(7, row, row + 1));
    if (row % 10 == 0) writer.add_rows(1, rows_of(4'000, row / 10, row / 10 + 1));
    std::vector<models::RecordedSpike> some;
    for (int i = 0; i < 20; ++i) some.push_back(spike_at(spikes++));
    writer.add_spikes({{0, std::move(some)}});
  }
}

/// The last number that flush.log promises for each file; a line without an end does not count.
std::map<std::string, std::uint64_t> promises(const std::filesystem::path& log) {
  std::map<std::string, std::uint64_t> rows;
  const std::string text = read_bytes(log);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    const std::size_t space = line.rfind(' ');
    rows[line.substr(0, space)] = std::stoull(line.substr(space + 1));
    begin = end + 1;
  }
  return rows;
}

TEST(KilledWriter, LeavesPartialFilesThatHoldAllRowsFlushed) {
  const char* asked = std::getenv("HILLOCK_KILLS");
  const int kills = asked == nullptr ? 20 : std::atoi(asked);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> moment_ms(0, 250);
  std::uint64_t rows_promised = 0;
  for (int number = 0; number < kills && !HasFailure(); ++number) {
    const ScratchFolder folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(folder.path());
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment_ms(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    auto promised = promises(folder / "flush.log");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".partial")) continue;
      rows_promised += promised[name];
      if (name == "spikes.h5.partial")
        check_spikes(entry.path(), promised[name]);
      else
        check_report(entry.path(), promised[name]);
      promised.erase(name);
    }
    EXPECT_TRUE(promised.empty()) << promised.begin()->first << " is missing";
  }
  if (kills > 5) {
    EXPECT_GT(rows_promised, 1000U);  // else nothing has been tested
  }
  RecordProperty("rows_promised", std::to_string(rows_promised));
}

}  // namespace
}  // namespace hillock::io
