#include "io/run/output_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "core/errors/errors.hpp"
#include "sonata_reading.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const OutputOptions hashed{.hashing = Hashing::yes};

/// Rows [begin, end) of two reports and three spikes a row.
void add_rows_and_spikes(OutputWriter& writer, std::uint64_t begin, std::uint64_t end,
                         std::size_t rows_at_once) {
  for (std::uint64_t row = begin; row < end; row += rows_at_once) {
    writer.add_rows(0, rows_of(5, row, row + rows_at_once));
    writer.add_rows(1, rows_of(300, row, row + rows_at_once));
    for (std::uint64_t i = row; i < row + rows_at_once; ++i) {
      const double time = 0.5 * static_cast<double>(i);
      writer.add_spikes({{1, {{time, 4}, {time, 2}}}, {0, {{time, 1}}}});
    }
  }
}

/// 200 rows of two reports and 600 spikes.
void add_everything(OutputWriter& writer, std::size_t rows_at_once) {
  add_rows_and_spikes(writer, 0, 200, rows_at_once);
}

std::vector<models::ReportLayout> two_reports() {
  return {one_cell("few", 5, 200), one_cell("many", 300, 200)};
}

TEST(OutputWriter, FinishCompletesAllFiles) {
  const ScratchFolder folder;
  OutputWriter writer(folder.path(), {"exc", "inh"}, two_reports(), {});
  EXPECT_THAT(writer.files(), ElementsAre("spikes.h5", "few.h5", "many.h5"));
  add_everything(writer, 1);
  writer.finish();
  EXPECT_TRUE(std::filesystem::exists(folder / "spikes.h5.partial"));  // tells the spikes' order
  writer.remove_partial();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, testing::UnorderedElementsAre("spikes.h5", "few.h5", "many.h5"));
  EXPECT_EQ(H5Reader(folder / "few.h5").doubles("report/exc/data"), rows_of(5, 0, 200));
  EXPECT_EQ(H5Reader(folder / "many.h5").doubles("report/exc/data"), rows_of(300, 0, 200));
  EXPECT_EQ(H5Reader(folder / "spikes.h5").extent("spikes/inh/node_ids")[0], 400U);
  EXPECT_EQ(H5Reader(folder / "spikes.h5").integers("spikes/inh/node_ids")[0], 2U);
}

TEST(OutputWriter, BytesDoNotDependOnFlushesAndTheQueue) {
  const ScratchFolder one;
  const ScratchFolder other;
  {
    OutputWriter writer(one.path(), {"exc", "inh"}, two_reports(), {});
    add_everything(writer, 1);
    writer.finish();
    OutputWriter flushing(other.path(), {"exc", "inh"}, two_reports(), {},
                          {.flush_interval_s = 0, .queue_bytes = 1});
    add_everything(flushing, 20);
    flushing.finish();
  }
  for (const std::string file : {"spikes.h5", "few.h5", "many.h5"})
    EXPECT_TRUE(read_bytes(one / file) == read_bytes(other / file)) << file;
}

TEST(OutputWriter, GivesRowsBackOnceTheyAreWritten) {
  const ScratchFolder folder;
  OutputWriter writer(folder.path(), {}, two_reports(), {});
  EXPECT_THAT(writer.written_rows(1), testing::IsEmpty());
  std::vector<double> rows = rows_of(300, 0, 20);
  const double* const memory = rows.data();
  writer.add_rows(1, std::move(rows));
  writer.sync();
  EXPECT_THAT(writer.written_rows(0), testing::IsEmpty());
  EXPECT_EQ(writer.written_rows(1).data(), memory);
  EXPECT_THAT(writer.written_rows(1), testing::IsEmpty());
  writer.abort();
}

TEST(OutputWriter, ResumesWithTheFirstRowsOfAnEarlierRun) {
  const ScratchFolder whole;
  {
    OutputWriter writer(whole.path(), {"exc", "inh"}, two_reports(), {});
    add_everything(writer, 1);
    writer.finish();
  }
  for (const bool earlier_is_complete : {false, true}) {
    const ScratchFolder folder;
    KeptOutput kept;
    {
      OutputWriter earlier(folder.path(), {"exc", "inh"}, two_reports(), {}, hashed);
      add_rows_and_spikes(earlier, 0, 70, 7);
      kept = earlier.sync();
      add_rows_and_spikes(earlier, 70, 200, 1);
      if (earlier_is_complete)
        earlier.finish();
      else
        earlier.abort();
    }
    EXPECT_EQ(kept.spikes[0].count, 70U);
    EXPECT_EQ(kept.spikes[1].count, 140U);
    OutputWriter writer(folder.path(), {"exc", "inh"}, two_reports(), {}, hashed, &kept);
    EXPECT_EQ(H5Reader(folder / "spikes.h5.partial").extent("spikes/inh/timestamps")[0], 140U);
    EXPECT_EQ(H5Reader(folder / "few.h5.partial").doubles("report/exc/data"), rows_of(5, 0, 70));
    const KeptOutput again = writer.sync();
    EXPECT_EQ(again.spikes, kept.spikes);
    EXPECT_EQ(again.reports, kept.reports);
    add_rows_and_spikes(writer, 70, 200, 10);
    writer.finish();
    for (const std::string file : {"spikes.h5", "few.h5", "many.h5"})
      EXPECT_TRUE(read_bytes(folder / file) == read_bytes(whole / file)) << file;
  }
}

TEST(OutputWriter, RefusesToResumeWhatIsNotThere) {
  const ScratchFolder folder;
  const auto message_of = [&](const KeptOutput& kept, const Provenance& provenance) -> std::string {
    try {
      const OutputWriter writer(folder.path(), {"exc", "inh"}, two_reports(), provenance, hashed,
                                &kept);
    } catch (const InputOutputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(message_of({{{1, ""}, {}}, {{}, {}}}, {}), HasSubstr("is not there"));
  KeptOutput kept;
  {
    OutputWriter earlier(folder.path(), {"exc", "inh"}, two_reports(), {}, hashed);
    add_everything(earlier, 1);
    kept = earlier.sync();
    earlier.abort();
  }
  EXPECT_EQ(message_of(kept, {}), "");
  Provenance other;
  other.model_sha256 = "another";
  EXPECT_THAT(message_of(kept, other), HasSubstr("is of another model"));
  KeptOutput more = kept;
  more.reports[0].count = 201;
  EXPECT_THAT(message_of(more, {}), HasSubstr("the checkpoint needs 201"));
  std::filesystem::remove(folder / "few.h5.partial");
  std::filesystem::create_directory(folder / "few.h5.partial");
  EXPECT_THAT(message_of(kept, {}), HasSubstr("is not a file"));
}

TEST(OutputWriter, RefusesToResumeWithOtherNumbers) {
  const ScratchFolder folder, other;
  KeptOutput kept, of_other;
  {
    OutputWriter earlier(folder.path(), {"exc", "inh"}, two_reports(), {}, hashed);
    add_everything(earlier, 1);
    kept = earlier.sync();
    earlier.abort();
    OutputWriter changed(other.path(), {"exc", "inh"}, two_reports(), {}, hashed);
    auto rows = rows_of(5, 0, 200);
    rows[777] = std::nextafter(static_cast<float>(rows[777]), 1e9F);
    changed.add_rows(0, rows);
    changed.add_rows(1, rows_of(300, 0, 200));
    changed.add_spikes({{0, {{1, 2}}}});
    of_other = changed.sync();
    changed.abort();
  }
  EXPECT_EQ(of_other.reports[1], kept.reports[1]);
  const auto message_of = [&](const std::string& file) -> std::string {
    const ScratchFolder mixed;
    for (const std::string name : {"spikes.h5.partial", "few.h5.partial", "many.h5.partial"})
      std::filesystem::copy((name == file ? other : folder) / name, mixed / name);
    const std::string before = read_bytes(mixed / file);
    try {
      const OutputWriter writer(mixed.path(), {"exc", "inh"}, two_reports(), {}, hashed, &kept);
    } catch (const InputOutputError& error) {
      EXPECT_TRUE(read_bytes(mixed / file) == before) << "it is replaced";
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message_of("many.h5.partial"), "");
  EXPECT_THAT(message_of("few.h5.partial"), HasSubstr("is damaged, or of another run"));
  EXPECT_THAT(message_of("spikes.h5.partial"), HasSubstr("so the run cannot be resumed"));
}

TEST(OutputWriter, FlushLogTellsOfRowsThatAreOnTheDisk) {
  const ScratchFolder folder;
  OutputWriter writer(folder.path(), {"exc"}, {one_cell("v", 5, 200)}, {},
                      {.flush_interval_s = 0.02});
  writer.add_rows(0, rows_of(5, 0, 100));
  writer.add_spikes({{0, {{1, 2}}}});
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (read_bytes(folder / "flush.log").find("v.h5.partial 100\n") == std::string::npos &&
         std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  writer.abort();
  EXPECT_THAT(read_bytes(folder / "flush.log"), HasSubstr("spikes.h5.partial 1\n"));
  EXPECT_THAT(read_bytes(folder / "flush.log"), HasSubstr("v.h5.partial 100\n"));
}

TEST(OutputWriter, AbortKeepsEverythingAddedInPartialFiles) {
  const ScratchFolder folder;
  OutputWriter writer(folder.path(), {"exc", "inh"}, two_reports(), {});
  add_everything(writer, 1);
  writer.abort();
  EXPECT_EQ(H5Reader(folder / "many.h5.partial").doubles("report/exc/data"), rows_of(300, 0, 200));
  EXPECT_EQ(H5Reader(folder / "spikes.h5.partial").extent("spikes/inh/node_ids")[0], 400U);
  EXPECT_EQ(H5Reader(folder / "spikes.h5.partial").enumeration("spikes/inh", "sorting"), "none");
  EXPECT_FALSE(std::filesystem::exists(folder / "spikes.h5"));
}

TEST(OutputWriter, WithoutAnEndIsAborted) {
  const ScratchFolder folder;
  {
    OutputWriter writer(folder.path(), {"exc"}, {one_cell("v", 5, 200)}, {});
    writer.add_rows(0, rows_of(5, 0, 3));
  }
  EXPECT_EQ(H5Reader(folder / "v.h5.partial").extent("report/exc/data")[0], 3U);
}

TEST(OutputWriter, FilesThatCannotBeCreatedThrowAtOnce) {
  const ScratchFolder folder;
  EXPECT_THROW(OutputWriter(folder / "none", {}, {}, {}), InputOutputError);
  EXPECT_THROW(OutputWriter(folder.path(), {}, {one_cell("v", 1, 1), one_cell("v", 1, 1)}, {}),
               InputOutputError);
}

TEST(OutputWriter, ErrorsOfTheThreadReachTheProducerEvenWhenItWaits) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "v.h5");  // in the way of the final name
  std::ofstream(folder / "v.h5/file") << "x";
  OutputWriter finishing(folder.path(), {"exc"}, {one_cell("v", 5, 200)}, {});
  finishing.add_rows(0, rows_of(5, 0, 200));
  EXPECT_THROW(finishing.finish(), InputOutputError);

  OutputWriter wrong(folder.path(), {"exc"}, {one_cell("v", 5, 200)}, {}, {.queue_bytes = 1});
  EXPECT_ANY_THROW({
    wrong.add_rows(0, {1, 2, 3});  // not a row
    for (int i = 0; i < 100; ++i) wrong.add_rows(0, rows_of(5, 0, 1));
  });
  EXPECT_ANY_THROW(wrong.finish());
}

}  // namespace
}  // namespace hillock::io
