#include "io/sonata/sonata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>
#include <random>

#include "core/errors/errors.hpp"
#include "sonata_reading.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Provenance provenance() {
  return {.model_text = std::string(200'000, 'm'),  // more than an HDF5 object header can hold
          .model_sha256 = "0123",
          .input_sha256 = {{"a.swc", "45"}, {"b.csv", "67"}},
          .version = "0.1.0",
          .seed = 42};
}

// HDF5 1.12 asks which parts are wanted, and has tokens in place of addresses.
#if H5_VERSION_GE(1, 12, 0)
H5O_info2_t object_info(const H5Reader& file, const std::string& name) {
  H5O_info2_t info{};
  H5Oget_info_by_name3(file.id(), name.c_str(), &info, H5O_INFO_BASIC | H5O_INFO_TIME, H5P_DEFAULT);
  return info;
}
bool is_one_object(const H5Reader& file, const std::string& one, const std::string& other) {
  const H5O_info2_t a = object_info(file, one), b = object_info(file, other);
  int order = 1;
  return H5Otoken_cmp(file.id(), &a.token, &b.token, &order) >= 0 && order == 0;
}
#else
H5O_info_t object_info(const H5Reader& file, const std::string& name) {
  H5O_info_t info{};
  H5Oget_info_by_name(file.id(), name.c_str(), &info, H5P_DEFAULT);
  return info;
}
bool is_one_object(const H5Reader& file, const std::string& one, const std::string& other) {
  return object_info(file, one).addr == object_info(file, other).addr;
}
#endif

/// Spikes in order of time, many at equal times, in an order of nodes that depends on `seed`.
std::vector<models::RecordedSpike> some_spikes(std::size_t n, unsigned seed) {
  std::vector<models::RecordedSpike> spikes;
  for (std::size_t i = 0; i < n; ++i)
    spikes.push_back({0.125 * static_cast<double>(i / 7), (i * 37) % 1009});
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < n; i += 7)
    std::shuffle(spikes.begin() + static_cast<std::ptrdiff_t>(i),
                 spikes.begin() + static_cast<std::ptrdiff_t>(std::min(n, i + 7)), random);
  return spikes;
}

void write_spikes(const std::filesystem::path& folder,
                  std::span<const models::RecordedSpike> spikes, std::size_t append_size,
                  std::size_t flush_every) {
  SpikeFile file(folder, {"exc", "silent"}, provenance());
  std::size_t appends = 0;
  for (std::size_t i = 0; i < spikes.size(); i += append_size) {
    file.append(0, spikes.subspan(i, std::min(append_size, spikes.size() - i)));
    if (++appends % flush_every == 0) {
      EXPECT_EQ(file.flush(), std::min(spikes.size(), i + append_size));
    }
  }
  file.finish();
}

void write_report(const std::filesystem::path& folder, const models::ReportLayout& layout,
                  std::size_t append_rows, std::size_t flush_every,
                  BetweenWrites between = BetweenWrites::open) {
  ReportFile file(folder, layout, provenance(), Hashing::no, {}, between);
  std::size_t appends = 0;
  for (std::uint64_t row = 0; row < layout.samples; row += append_rows) {
    const std::uint64_t end = std::min(layout.samples, row + append_rows);
    file.append(rows_of(layout.element_ids.size(), row, end));
    if (++appends % flush_every == 0) {
      EXPECT_EQ(file.flush(), end);
    }
  }
  file.finish();
}

/// Three cells, of which the second has no element, and a branch of two elements.
models::ReportLayout small_layout(bool float64) {
  models::ReportLayout layout;
  layout.name = "big";
  layout.population = "exc";
  layout.units = "mV";
  layout.float64 = float64;
  layout.start_ms = 1;
  layout.every_ms = 0.5;
  layout.samples = 3;
  layout.node_ids = {2, 5, 7};
  layout.index_pointers = {0, 1, 1, 3};
  layout.element_ids = {0, 4, 4};
  layout.element_pos = {0.5F, 0.25F, 0.75F};
  return layout;
}

TEST(ReportFile, RefusesNumbersThatFloat32CannotHoldAndSaysWhoseTheyAre) {
  const ScratchFolder folder;
  ReportFile file(folder.path(), small_layout(false), provenance());
  const double most = std::numeric_limits<float>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  file.append(std::vector<double>{1, most, -most});
  file.append(std::vector<double>{std::nan(""), infinity, -infinity});  // as they are
  try {
    file.append(std::vector<double>{infinity, 2, -1e300});
    FAIL() << "accepted";
  } catch (const NumericalFailure& failure) {
    EXPECT_STREQ(failure.what(),
                 "record 'big': -1e+300 mV does not fit into float32 (write type: float64) at 2 ms"
                 " in exc[7] at branch 4(0.75)");
  }
  EXPECT_THROW(file.append(std::vector<double>{most * 1.001, 0, 0}), NumericalFailure);
}

TEST(ReportFile, HoldsEveryNumberInFloat64) {
  const ScratchFolder folder;
  const std::vector<double> values{-1e300, 1e300, 1e-300, 0, 1, 2, 3, 4, 5};
  ReportFile file(folder.path(), small_layout(true), provenance());
  file.append(values);
  file.finish();
  EXPECT_EQ(H5Reader(folder / "big.h5").doubles("report/exc/data"), values);
}

TEST(SpikeFile, IsSortedByTimeAndThenByNode) {
  const ScratchFolder folder;
  const std::vector<models::RecordedSpike> spikes{{1, 9}, {1, 3}, {2.5, 4}, {2.5, 0}, {7, 1}};
  write_spikes(folder.path(), spikes, 2, 1);
  const H5Reader file(folder / "spikes.h5");
  EXPECT_THAT(file.doubles("spikes/exc/timestamps"), ElementsAre(1, 1, 2.5, 2.5, 7));
  EXPECT_THAT(file.integers("spikes/exc/node_ids"), ElementsAre(3, 9, 0, 4, 1));
  EXPECT_EQ(file.text("spikes/exc/timestamps", "units"), "ms");
  EXPECT_EQ(file.enumeration("spikes/exc", "sorting"), "by_time");
}

TEST(SpikeFile, SortsAcrossTheBlocksItReadsBack) {
  const ScratchFolder folder;
  auto spikes = some_spikes(600'000, 1);  // blocks of 262144, which 7 does not divide
  write_spikes(folder.path(), spikes, 100'000, 3);
  std::sort(spikes.begin(), spikes.end());
  const H5Reader file(folder / "spikes.h5");
  const auto times = file.doubles("spikes/exc/timestamps");
  const auto nodes = file.integers("spikes/exc/node_ids");
  ASSERT_EQ(times.size(), spikes.size());
  for (std::size_t i = 0; i < spikes.size(); ++i)
    ASSERT_TRUE(times[i] == spikes[i].time_ms && nodes[i] == spikes[i].node_id) << i;
}

TEST(SpikeFile, SortsSpikesThatCameOutOfOrder) {
  const ScratchFolder folder;
  write_spikes(folder.path(), std::vector<models::RecordedSpike>{{5, 1}, {3, 2}, {4, 0}}, 1, 1);
  const H5Reader file(folder / "spikes.h5");
  EXPECT_THAT(file.doubles("spikes/exc/timestamps"), ElementsAre(3, 4, 5));
  EXPECT_THAT(file.integers("spikes/exc/node_ids"), ElementsAre(2, 0, 1));
}

/// Half of them are known after a while, as those of point neurons of long steps: more of them wait
/// at the end of a block than are written of it, or few.
TEST(SpikeFile, SortsSpikesThatComeLate) {
  for (const double late_ms : {0.0, 5.0, 4000.0, 1e6}) {
    SCOPED_TRACE(late_ms);
    auto spikes = some_spikes(600'000, 1);
    for (std::size_t i = 0; i < spikes.size(); i += 2) spikes[i].time_ms -= late_ms;
    const ScratchFolder folder, sorted;
    write_spikes(folder.path(), spikes, 100'000, 3);
    std::ranges::sort(spikes);
    write_spikes(sorted.path(), spikes, 100'000, 3);
    EXPECT_TRUE(read_bytes(folder / "spikes.h5") == read_bytes(sorted / "spikes.h5"));
    EXPECT_EQ(H5Reader(folder / "spikes.h5").integers("spikes/exc/node_ids").back(),
              spikes.back().node_id);
  }
}

TEST(SpikeFile, SilentPopulationsHaveTheirGroup) {
  const ScratchFolder folder;
  write_spikes(folder.path(), {}, 1, 1);
  const H5Reader file(folder / "spikes.h5");
  for (const std::string population : {"spikes/exc", "spikes/silent"}) {
    EXPECT_THAT(file.doubles(population + "/timestamps"), IsEmpty());
    EXPECT_THAT(file.integers(population + "/node_ids"), IsEmpty());
    EXPECT_EQ(file.enumeration(population, "sorting"), "by_time");
  }
}

TEST(SpikeFile, BytesDoNotDependOnAppendsFlushesOrTheOrderOfEqualTimes) {
  const ScratchFolder one;
  const ScratchFolder other;
  write_spikes(one.path(), some_spikes(50'000, 1), 50'000, 1);
  write_spikes(other.path(), some_spikes(50'000, 2), 113, 5);
  EXPECT_TRUE(read_bytes(one / "spikes.h5") == read_bytes(other / "spikes.h5"));
}

TEST(SonataFile, RootHoldsMagicVersionAndProvenance) {
  const ScratchFolder folder;
  write_spikes(folder.path(), {}, 1, 1);
  const H5Reader file(folder / "spikes.h5");
  EXPECT_EQ(file.integer("/", "magic"), 0x0A7AU);
  EXPECT_EQ(file.integer("/", "seed"), 42U);
  EXPECT_EQ(file.text("/", "model_text"), std::string(200'000, 'm'));
  EXPECT_EQ(file.text("/", "model_sha256"), "0123");
  EXPECT_EQ(file.text("/", "hillock_version"), "0.1.0");
  EXPECT_EQ(object_info(file, "spikes/exc/timestamps").mtime, 0) << "object times are off";
}

TEST(ReportFile, HasTheFormThatBothReadersOpen) {
  const ScratchFolder folder;
  models::ReportLayout layout = one_cell("soma_v", 3, 5);
  layout.float64 = false;
  layout.start_ms = 10;
  layout.node_ids = {2, 7};
  layout.index_pointers = {0, 1, 3};
  layout.element_ids = {0, 0, 4};
  layout.element_pos = {0.5F, 0.25F, 0.75F};
  write_report(folder.path(), layout, 2, 1);
  const H5Reader file(folder / "soma_v.h5");
  const std::string mapping = "report/exc/mapping/";
  EXPECT_THAT(file.extent("report/exc/data"), ElementsAre(5, 3));
  EXPECT_EQ(file.text("report/exc/data", "units"), "mV");
  EXPECT_THAT(file.integers(mapping + "node_ids"), ElementsAre(2, 7));
  EXPECT_EQ(file.integer(mapping + "node_ids", "sorted"), 1U);
  EXPECT_THAT(file.integers(mapping + "index_pointers"), ElementsAre(0, 1, 3));
  EXPECT_THAT(file.integers(mapping + "element_ids"), ElementsAre(0, 0, 4));
  EXPECT_THAT(file.doubles(mapping + "element_pos"), ElementsAre(0.5, 0.25, 0.75));
  EXPECT_THAT(file.doubles(mapping + "time"), ElementsAre(10, 10 + 5 * 0.125, 0.125));
  EXPECT_EQ(file.text(mapping + "time", "units"), "ms");
  EXPECT_TRUE(is_one_object(file, mapping + "index_pointers", mapping + "index_pointer"))
      << "a hard link";
  const hdf5::Handle type(H5Dget_type(file.dataset("report/exc/data").id()), H5Tclose);
  EXPECT_GT(H5Tequal(type.id(), H5T_IEEE_F32LE), 0);
  const auto values = file.doubles("report/exc/data");
  for (std::size_t i = 0; i < 15; ++i)
    EXPECT_EQ(values[i], static_cast<double>(static_cast<float>(value_at(i / 3, i % 3))));
}

/// Sizes around one chunk: short rows, rows longer than a chunk, one row, one column.
TEST(ReportFile, HoldsEveryValueWhateverItsShape) {
  const std::vector<std::pair<std::size_t, std::uint64_t>> shapes{
      {1, 1}, {1, 140'000}, {700, 400}, {3, 50'000}, {5'000, 129}, {300'000, 3}};
  for (const auto& [columns, samples] : shapes) {
    for (const int gzip : {0, 1}) {
      SCOPED_TRACE(testing::Message()
                   << columns << " columns, " << samples << " rows, gzip " << gzip);
      const ScratchFolder folder;
      models::ReportLayout layout = one_cell("v", columns, samples);
      layout.gzip_level = gzip;
      write_report(folder.path(), layout, 1 + samples / 3, 2);
      const H5Reader file(folder / "v.h5");
      ASSERT_THAT(file.extent("report/exc/data"), ElementsAre(samples, columns));
      EXPECT_EQ(file.doubles("report/exc/data"), rows_of(columns, 0, samples));
      const auto data = file.dataset("report/exc/data");
      const hdf5::Handle properties(H5Dget_create_plist(data.id()), H5Pclose);
      hsize_t chunk[2];
      ASSERT_EQ(H5Pget_chunk(properties.id(), 2, chunk), 2);
      EXPECT_LE(chunk[0] * chunk[1] * sizeof(double), std::size_t{1} << 20);
      EXPECT_EQ(H5Pget_nfilters(properties.id()), gzip);
    }
  }
}

TEST(ReportFile, BytesDoNotDependOnAppendsAndFlushes) {
  for (const int gzip : {0, 3}) {
    const ScratchFolder one;
    const ScratchFolder other;
    models::ReportLayout layout = one_cell("v", 700, 900);
    layout.gzip_level = gzip;
    write_report(one.path(), layout, 900, 2);
    write_report(other.path(), layout, 13, 1);
    EXPECT_TRUE(read_bytes(one / "v.h5") == read_bytes(other / "v.h5")) << "gzip " << gzip;
  }
}

TEST(ReportFile, StopCountsTheSamplesAsItsReadersDo) {
  for (const double start : {0.0, 10.0})
    for (const std::uint64_t samples : {1, 43, 81, 100}) {
      const ScratchFolder folder;
      models::ReportLayout layout = one_cell("v", 1, samples);
      layout.start_ms = start;
      layout.every_ms = 0.1;
      write_report(folder.path(), layout, samples, 1);
      const auto time = H5Reader(folder / "v.h5").doubles("report/exc/mapping/time");
      const double n = static_cast<double>(samples);
      // round-off: n·every has been rounded, the sum as well; bmtk truncates the quotient
      EXPECT_NEAR(time[1], start + n * 0.1, 4 * 2.3e-16 * (start + n * 0.1));
      EXPECT_EQ(std::trunc((time[1] - time[0]) / time[2]), n);
    }
}

TEST(ReportFile, WhatAFlushChangesInAHeaderLiesWithinOnePage) {
  for (const bool has_inputs : {false, true}) {
    const ScratchFolder folder;
    const models::ReportLayout layout = one_cell("v", 3, 1'234'567);
    Provenance from = provenance();
    if (!has_inputs) from.input_sha256.clear();
    ReportFile file(folder.path(), layout, from);
    file.append(rows_of(3, 0, 77));
    file.flush();
    const std::string bytes = read_bytes(folder / "v.h5.partial");
    const double stop = 77 * layout.every_ms;
    const std::uint64_t rows = 77;
    for (const void* field : {static_cast<const void*>(&stop), static_cast<const void*>(&rows)}) {
      const std::size_t place = bytes.find(std::string(static_cast<const char*>(field), 8));
      ASSERT_NE(place, std::string::npos);
      EXPECT_LE(place % 4096, 4096U - 8U);
    }
  }
}

TEST(ReportFile, OneThatIsClosedBetweenWritesHasTheSameBytes) {
  const ScratchFolder folder;
  models::ReportLayout layout = one_cell("open", 300, 1400);
  layout.population = "exc";
  for (const std::size_t flush_every : {2, 1000}) {
    for (const int gzip_level : {0, 1}) {
      layout.gzip_level = gzip_level;
      layout.name = "open";
      write_report(folder.path(), layout, 23, flush_every);
      layout.name = "shut";
      write_report(folder.path(), layout, 23, flush_every, BetweenWrites::closed);
      EXPECT_TRUE(read_bytes(folder / "open.h5") == read_bytes(folder / "shut.h5"));
      EXPECT_FALSE(std::filesystem::exists(folder / "shut.h5.partial"));
    }
  }
}

TEST(ReportFile, OneThatIsClosedBetweenWritesIsThereOnceRowsAre) {
  const ScratchFolder folder;
  ReportFile file(folder.path(), one_cell("v", 3, 100), provenance(), Hashing::no, {},
                  BetweenWrites::closed);
  file.append(rows_of(3, 0, 5));
  EXPECT_FALSE(std::filesystem::exists(folder / "v.h5.partial"));
  EXPECT_EQ(file.flush(), 5U);
  EXPECT_THAT(H5Reader(folder / "v.h5.partial").extent("report/exc/data"), ElementsAre(5, 3));
}

TEST(ReportFile, WithoutElementsStillHasItsRows) {
  const ScratchFolder folder;
  models::ReportLayout layout = one_cell("v", 0, 8);
  layout.node_ids.clear();
  layout.index_pointers = {0};
  ReportFile file(folder.path(), layout, provenance());
  file.append({});
  file.finish();
  EXPECT_THAT(H5Reader(folder / "v.h5").extent("report/exc/data"), ElementsAre(8, 0));
}

template <typename Action>
InputOutputError error_of(Action&& action) {
  try {
    action();
  } catch (const InputOutputError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {"", ""};
}

TEST(SonataFile, SaysWhichFileCannotBeCreated) {
  const ScratchFolder folder;
  const auto missing = error_of([&] { SpikeFile(folder / "none", {"exc"}, provenance()); });
  EXPECT_THAT(missing.file(), HasSubstr("none/"));
  EXPECT_THAT(missing.what(), HasSubstr("No such file or directory"));
  std::ofstream(folder / "file") << "x";
  const auto file =
      error_of([&] { ReportFile(folder / "file", one_cell("v", 1, 1), provenance()); });
  EXPECT_THAT(file.what(), HasSubstr("Not a directory"));
  const auto name = error_of([&] { SpikeFile(folder.path(), {"a/b"}, provenance()); });
  EXPECT_THAT(name.what(), HasSubstr("'a/b' cannot name"));
  EXPECT_THROW(ReportFile(folder.path(), one_cell("spikes", 1, 1), provenance()), InputOutputError);
}

/// A limit on the size of files makes writes fail like a full disk does.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(ReportFile, AFullDiskIsAnErrorAndKeepsWhatWasFlushed) {
  const ScratchFolder folder;
  std::uint64_t flushed = 0;
  const auto error = error_of([&] {
    const FullDisk disk(3'000'000);
    ReportFile file(folder.path(), one_cell("v", 100, 100'000), provenance());
    for (std::uint64_t row = 0; row < 100'000; row += 10) {
      file.append(rows_of(100, row, row + 10));
      flushed = file.flush();
    }
  });
  EXPECT_THAT(error.file(), HasSubstr("v.h5.partial"));
  EXPECT_THAT(error.what(), HasSubstr("File too large"));
  EXPECT_GT(flushed, 2000U);
  const H5Reader file(folder / "v.h5.partial");
  EXPECT_THAT(file.extent("report/exc/data"), ElementsAre(flushed, 100));
  EXPECT_EQ(file.doubles("report/exc/data"), rows_of(100, 0, flushed));
}

TEST(SpikeFile, AFullDiskIsAnErrorAtTheEndToo) {
  const ScratchFolder folder;
  const auto spikes = some_spikes(100'000, 1);
  SpikeFile file(folder.path(), {"exc"}, provenance());
  file.append(0, spikes);
  file.flush();
  {
    const FullDisk disk(1'000'000);
    EXPECT_THAT(error_of([&] { file.finish(); }).file(), HasSubstr("spikes.h5"));
  }
  EXPECT_EQ(H5Reader(folder / "spikes.h5.partial").extent("spikes/exc/node_ids")[0], 100'000U);
  EXPECT_FALSE(std::filesystem::exists(folder / "spikes.h5"));
}

}  // namespace
}  // namespace hillock::io
