// The page of a run: what its numbers say of run.json and of the run's files.

#include "io/recorded/report_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "io/json/json.hpp"
#include "io/run/output_writer.hpp"
#include "sonata_reading.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two cells, of which the second has two elements; 40 rows from 10 ms on.
models::ReportLayout two_cells() {
  models::ReportLayout layout;
  layout.name = "v";
  layout.population = "exc";
  layout.units = "mV";
  layout.float64 = true;
  layout.start_ms = 10;
  layout.every_ms = 0.5;
  layout.samples = 40;
  layout.node_ids = {3, 5};
  layout.index_pointers = {0, 1, 3};
  layout.element_ids = {0, 1, 2};
  layout.element_pos = {0.5F, 0.25F, 0.75F};
  return layout;
}

const std::string facts = R"({"status": "complete", "start": "2026-01-02", "end": "2026-01-03",
  "model": "folder/ring.yaml", "model_sha256": "", "dt_ms": 0.5, "steps": 80, "cells": 10,
  "compartments": 30, "spikes": 4, "ranks": 3, "threads": 1, "seed": 7, "resumed_ms": 12.5,
  "options": {"run.dt": "0.5 ms"}, "warnings": ["mind the gap"], "timings_s": {"build": 1.5},
  "populations": [{"name": "exc", "cell": "c", "size": 10, "spikes_of": [[2, 4], [3, 8]]}],
  "outputs": ["v.h5", "../v.h5", "notes.txt"]})";

class RunPage : public testing::Test {
 protected:
  RunPage() {
    write_facts(facts);
    OutputWriter writer(folder_.path(), {"exc"}, {two_cells()}, {});
    std::vector<double> rows;
    for (int row = 0; row < 40; ++row)
      for (const double offset : {0.0, 100.0, 200.0}) rows.push_back(offset + row);
    writer.add_rows(0, rows);
    writer.add_spikes({{0, {{1, 2}, {5, 3}, {9, 3}, {30, 7}}}});
    writer.finish();
    writer.remove_partial();
  }
  void write_facts(const std::string& text) const { std::ofstream(folder_ / "run.json") << text; }
  ReportPage page(ReportLimits limits = {}) const {
    ReportRequest request;
    request.directory = folder_.path();
    request.limits = limits;
    request.reader = HILLOCK_COLUMN_READER;
    return report_page(request);
  }
  static Json data_of(const ReportPage& page) {
    const std::size_t begin = page.text.find(R"({"kind")");
    return Json::parse(page.text.substr(begin, page.text.find("</script", begin) - begin));
  }

  ScratchFolder folder_;
};

TEST_F(RunPage, HasWhatRunJsonSays) {
  const ReportPage whole = page();
  const Json data = data_of(whole);
  EXPECT_EQ(data["title"].text(), "ring");
  EXPECT_EQ(data["stop_ms"].number(), 40);
  const Json& summary = data["summary"];
  EXPECT_EQ(summary["status"].text(), "complete");
  EXPECT_EQ(summary["start"].text(), "2026-01-02");
  EXPECT_EQ(summary["end"].text(), "2026-01-03");
  EXPECT_EQ(summary["where"].text(), "3 ranks of 1 thread");
  EXPECT_EQ(summary["planned_ms"].number(), 40);
  for (const auto& [name, count] :
       {std::pair{"steps", 80u}, {"cells", 10u}, {"compartments", 30u}, {"spikes", 4u}})
    EXPECT_EQ(summary[name].count(), count) << name;
  std::vector<std::string> texts;
  for (const Json& pair : summary["texts"].items())
    texts.push_back(pair[0].text() + ": " + pair[1].text());
  EXPECT_THAT(texts, ElementsAre("Model: folder/ring.yaml", "Seed: 7", "Resumed at: 12.5 ms",
                                 "Option run.dt: 0.5 ms"));
  EXPECT_EQ(summary["timings"][0]["seconds"].number(), 1.5);
  EXPECT_THAT(summary["warnings"].texts(), ElementsAre("mind the gap"));
}

TEST_F(RunPage, HasSpikesOfTheCellsThatWereRecorded) {
  const Json exc = data_of(page())["populations"][0];
  EXPECT_EQ(exc["name"].text(), "exc");
  EXPECT_EQ(exc["cell"].text(), "c");
  EXPECT_EQ(exc["size"].count(), 10u);
  EXPECT_EQ(exc["recorded"].count(), 6u);  // 2 to 7, where ranges overlap once
  EXPECT_EQ(exc["silent"].count(), 3u);
  EXPECT_EQ(exc["spikes"].count(), 4u);
  EXPECT_NEAR(exc["mean_rate"].number(), 4 / 6.0 / 0.04, 1e-9);
  EXPECT_EQ(exc["rate_bin_ms"].number(), 0.5);  // the run's step, though a page has room for less
}

TEST_F(RunPage, HasTracesWithTheirPlaces) {
  const ReportPage whole = page();
  EXPECT_THAT(whole.problems, IsEmpty());
  const Json report = data_of(whole)["reports"][0];
  EXPECT_EQ(report["units"].text(), "mV");
  EXPECT_EQ(report["start_ms"].number(), 10);
  EXPECT_EQ(report["every_ms"].number(), 0.5);
  EXPECT_EQ(report["columns"].count(), 3u);
  EXPECT_EQ(report["cells"].count(), 2u);
  const Json& traces = report["traces"];
  EXPECT_THAT(traces["labels"].texts(), ElementsAre("exc[3]", "exc[5] 1(0.25)", "exc[5] 2(0.75)"));
  EXPECT_EQ(traces["rows"].count(), 40u);
  EXPECT_EQ(traces["bins"].count(), 40u);
  EXPECT_EQ(traces["samples_per_bin"].count(), 1u);
}

TEST_F(RunPage, SaysWhatItLeavesOut) {
  ReportLimits limits;
  limits.spikes = 2;
  limits.traces = 2;
  limits.trace_values = 20;
  const Json data = data_of(page(limits));
  EXPECT_THAT(data["left_out"].texts(),
              ElementsAre("v: 2 traces of 3 are shown, evenly spread.",
                          "v: of every 8 samples (4 ms) the least and the greatest are shown.",
                          HasSubstr("The raster has 2 of 4 spikes")));
  EXPECT_EQ(data["populations"][0]["kept"].count(), 2u);
  EXPECT_EQ(data["reports"][0]["traces"]["bins"].count(), 5u);
}

TEST_F(RunPage, OfARunThatStoppedEndsWithWhatWasRecorded) {
  std::string stopped = facts;
  stopped.replace(stopped.find("complete"), 8, "interrupted");
  write_facts(stopped);
  EXPECT_EQ(data_of(page())["stop_ms"].number(), 30);
}

TEST_F(RunPage, NamesFilesThatAreNotThere) {
  std::filesystem::remove(folder_ / "v.h5");
  const ReportPage without = page();
  EXPECT_THAT(without.problems, ElementsAre("v.h5 is not there"));
  EXPECT_THAT(data_of(without)["reports"].items(), IsEmpty());
}

TEST_F(RunPage, IsMadeOfTheFilesOfOtherProgramsToo) {
  const std::size_t populations = data_of(page())["populations"].items().size();
  std::filesystem::remove(folder_ / "run.json");
  const Json data = data_of(page());
  EXPECT_EQ(data["populations"].items().size(), populations);
  EXPECT_EQ(data["reports"].items().size(), 1U);
  EXPECT_EQ(data["summary"]["status"].text(), "unknown");
  for (const char* const name : {"v.h5", "spikes.h5"}) std::filesystem::remove(folder_ / name);
  EXPECT_THROW(page(), InputOutputError);
}

}  // namespace
}  // namespace hillock::io
