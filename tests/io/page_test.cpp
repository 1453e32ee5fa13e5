// What pages are made of: texts that stay texts, arrays in few bytes, spikes and traces thinned
// out, shapes cut into pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "io/page/blobs.hpp"
#include "io/page/page_text.hpp"
#include "io/page/sixteen_bits.hpp"
#include "io/page/spike_panel.hpp"
#include "io/page/trace_panel.hpp"
#include "io/page/tree_panel.hpp"
#include "io/recorded/reading.hpp"

namespace hillock::io::page {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string base64_of(std::string_view text) {
  return base64(std::as_bytes(std::span(text)));
}

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of("\xff\xfe\x00"), "//4=");
}

TEST(PageText, KeepsNamesApartFromItself) {
  const std::string harm = "</script><script>x()</script>&\"{{data}}";
  const std::array<const char*, 1> scripts{"base.js"};
  Blobs blobs;
  blobs.add(std::vector<std::uint16_t>{1, 2});
  const std::string page = page_text(harm, scripts, Json::object({{"name", harm}}), blobs);
  EXPECT_THAT(page, Not(HasSubstr("</script><script>x")));
  EXPECT_THAT(page, AllOf(HasSubstr("<title>&lt;/script&gt;"), HasSubstr("\\u003c/script>"),
                          HasSubstr(R"(id="blob-0">AQACAA==</script>)"),
                          HasSubstr("default-src 'none'; script-src 'sha256-")));
}

TEST(PageText, ShowsTheBeginningOfALongText) {
  EXPECT_EQ(shown_lines("a\nb"), "a\nb");
  std::string lines;
  while (lines.size() < 400'000) lines += "0123456789\n";
  const std::string shown = shown_lines(lines);
  EXPECT_LT(shown.size(), 300'100U);
  EXPECT_THAT(shown, HasSubstr("9\n... and 100"));
}

TEST(PageText, HasTheHashOfItsScript) {
  const std::array<const char*, 1> scripts{"rates.js"};
  const auto policy = [](const std::string& page) { return page.substr(page.find("sha256-"), 50); };
  const std::string one = policy(page_text("a", scripts, Json::object(), {}));
  EXPECT_EQ(policy(page_text("b", scripts, Json::object({{"c", 1}}), {})), one);
  const std::array<const char*, 1> others{"plot.js"};
  EXPECT_NE(policy(page_text("a", others, Json::object(), {})), one);
}

TEST(SixteenBits, SpanWhatIsFinite) {
  SixteenBits bits;
  quantise(std::vector<float>{-1, 3, 1, static_cast<float>(nan), static_cast<float>(infinity)},
           bits);
  EXPECT_EQ(bits.low, -1);
  EXPECT_EQ(bits.high, 3);
  EXPECT_THAT(bits.values, ElementsAre(0, 65534, 32767, 65535, 65535));
}

TEST(SixteenBits, TakeTheLargestFloatsAndEqualOnes) {
  const float most = std::numeric_limits<float>::max();
  SixteenBits bits;
  quantise(std::vector<float>{-most, most, 0}, bits);
  EXPECT_THAT(bits.values, ElementsAre(0, 65534, 32767));
  SixteenBits equal;
  quantise(std::vector<float>{2, 2}, equal);
  EXPECT_THAT(equal.values, ElementsAre(0, 0));
  SixteenBits none;
  quantise(std::vector<float>{static_cast<float>(nan)}, none);
  EXPECT_EQ(none.low, 0);
  EXPECT_THAT(none.values, ElementsAre(65535));
}

/// A thousand cells with as many spikes each.
SpikeCounts even(std::size_t spikes_a_cell) {
  SpikeCounts counts;
  std::vector<double> ids;
  for (int cell = 0; cell < 1000; ++cell) ids.push_back(cell);
  for (std::size_t i = 0; i < spikes_a_cell; ++i) counts.add(ids);
  return counts;
}

TEST(Thinning, LeavesOutCellsBeforeSpikes) {
  const std::vector<SpikeCounts> counts{even(10)};
  EXPECT_EQ(thin_to(counts, 10'000).every_cell, 1U);
  const Thinning half = thin_to(counts, 9'999);
  EXPECT_EQ(half.every_cell, 2U);
  EXPECT_EQ(half.every_spike, 1U);
  const Thinning hard = thin_to(counts, 100);
  EXPECT_EQ(hard.every_cell, 16U);  // of the cells some fifty stay
  EXPECT_EQ(hard.every_spike, 7U);  // of 630
}

TEST(SpikeCounts, TakeNoIdForWhatItIsNot) {
  SpikeCounts counts;
  counts.add(std::vector<double>{1, 1, -1, nan, infinity, 1e300, 2e7});
  EXPECT_EQ(counts.all(), 7U);
  EXPECT_EQ(counts.beyond(), 5U);
  EXPECT_THAT(counts.by_cell(), ElementsAre(0, 2));
}

/// The page's numbers of spikes of a population of ten cells within 100 ms.
Json shown(const std::vector<double>& times, const std::vector<double>& ids, Thinning thinning = {},
           std::vector<std::pair<std::uint64_t, std::uint64_t>> recorded = {}) {
  SpikeCounts counts;
  counts.add(ids);
  SpikePanel panel({"p", "c", 10, std::move(recorded)}, counts, thinning, {0, 100}, 10);
  panel.add(times, ids);
  Blobs blobs;
  Json json = panel.to_json(blobs, 10);
  json.add("passed_over", panel.passed_over());
  return json;
}

TEST(SpikePanel, CountsCellsThatAreRecorded) {
  const Json json = shown({1, 2, 3, 4}, {0, 2, 3, 9}, {}, {{2, 4}, {6, 7}});
  EXPECT_EQ(json["spikes"].count(), 2U);
  EXPECT_EQ(json["passed_over"].count(), 2U);
  EXPECT_EQ(json["recorded"].count(), 3U);
  EXPECT_EQ(json["silent"].count(), 1U);
  EXPECT_DOUBLE_EQ(json["mean_rate"].number(), 2 / 3.0 / 0.1);
  EXPECT_THAT(json["rates"]["counts"].counts(), ElementsAre(1, 2));
}

TEST(SpikePanel, PassesOverWhatIsOfNoTime) {
  const Json json = shown({-1, nan, infinity, 101, 100, 0}, {1, 1, 1, 1, 1, 1});
  EXPECT_EQ(json["spikes"].count(), 2U);
  EXPECT_EQ(json["passed_over"].count(), 4U);
}

TEST(SpikePanel, CountsSpikesOfEachBinAndThoseAtTheEndInTheLast) {
  SpikePanel panel({"p", "c", 10, {}}, {}, {}, {0, 100}, 10);
  panel.add(std::vector<double>{0, 9.99, 10, 55, 100, 100}, std::vector<double>{1, 2, 3, 4, 5, 6});
  Blobs blobs, expected;
  const Json json = panel.to_json(blobs, 10);
  expected.add(std::vector<std::uint32_t>{2, 1, 0, 0, 0, 1, 0, 0, 0, 2});
  EXPECT_EQ(blobs.texts()[json["rate_counts"].count()], expected.texts()[0]);
}

TEST(SpikePanel, HasIntervalsAndTheirVariation) {
  // Intervals of 10 and 20 ms in turn: mean 15, standard deviation 5.7735.
  const Json json = shown({0, 10, 30, 40, 60}, {1, 1, 1, 1, 1});
  const auto intervals = json["intervals"]["counts"].counts();
  EXPECT_EQ(intervals[20], 2U);  // 10 ms is two decades above 0.1 ms
  EXPECT_EQ(intervals[23], 2U);  // 20 ms
  const auto variations = json["variations"]["counts"].counts();
  EXPECT_EQ(variations[7], 1U);  // 0.385 in steps of 0.05
  EXPECT_EQ(shown({5, 4, 6}, {1, 1, 1})["backward"].count(), 1U);
}

TEST(SpikePanel, ThinsOutWhatItKeepsAlone) {
  const Json json = shown({1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 4}, {2, 2});
  EXPECT_EQ(json["spikes"].count(), 6U);
  EXPECT_EQ(json["kept"].count(), 2U);  // cells 0, 2, 4, 4, and of these every other
}

TEST(TracePanel, HasAllSamplesOrTheLeastAndTheGreatest) {
  EXPECT_THAT(spread_columns(3, 10), ElementsAre(0, 1, 2));
  EXPECT_THAT(spread_columns(10, 4), ElementsAre(0, 2, 5, 7));
  const std::vector<double> rows{0, 9, 5, 9, 2, 9, 7, 9};  // of two columns
  TracePanel whole({0}, 4, 4);
  whole.add(rows, 2);
  Blobs of_whole;
  EXPECT_EQ(whole.to_json(of_whole, {"a"})["samples_per_bin"].count(), 1U);
  EXPECT_THAT(of_whole.texts(), SizeIs(3));
  TracePanel thin({0}, 4, 3);  // one pair: of four samples the least and the greatest
  thin.add(std::span(rows).first(6), 2);
  thin.add(std::span(rows).last(2), 2);
  Blobs of_thin;
  const Json json = thin.to_json(of_thin, {"a"});
  EXPECT_EQ(json["samples_per_bin"].count(), 4U);
  EXPECT_EQ(json["bins"].count(), 1U);
  const std::vector<std::uint16_t> pair{0, 65534};
  EXPECT_EQ(of_thin.texts()[0], base64(std::as_bytes(std::span(pair))));
}

TEST(TracePanel, TakesMoreRowsThanAnyRunHas) {
  TracePanel panel({0, 1}, std::numeric_limits<std::uint64_t>::max() / 2, 100);
  panel.add(std::vector<double>{nan, 1, 2, infinity}, 2);
  EXPECT_EQ(panel.not_finite(), 2U);
  Blobs blobs;
  EXPECT_LE(panel.to_json(blobs, {"a", "b"})["bins"].count(), 25U);
}

/// A stem of 100 um upwards with a branch of 40 um that leaves it in the middle.
models::Morphology fork() {
  models::Morphology shape;
  shape.branches.resize(2);
  shape.branches[0] = {"stem", "soma", -1, 1, {{0, 0, 0, 4}, {0, 60, 0, 4}, {0, 100, 0, 2}}, 0};
  shape.branches[1] = {"twig", "dend", 0, 0.5, {{0, 50, 0, 1}, {0, 50, 40, 1}}, 0};
  return shape;
}

double length_of(const Pieces& pieces, std::size_t i) {
  const float* end = &pieces.ends[8 * i];
  return std::hypot(end[4] - end[0], end[5] - end[1], end[6] - end[2]);
}

TEST(Shape, IsCutHalfwayBetweenWhatWasRecorded) {
  const std::vector<Element> elements{{0, 0.75F}, {0, 0.25F}, {7, 0.5F}};
  const Pieces pieces = cut(fork(), elements, 100);
  EXPECT_FALSE(pieces.is_drawn_up);
  EXPECT_THAT(pieces.elements, ElementsAre(1, 0, 0, -1));
  EXPECT_THAT(pieces.branches, ElementsAre(0, 0, 0, 1));
  EXPECT_NEAR(length_of(pieces, 0), 50, 1e-4);
  EXPECT_NEAR(length_of(pieces, 1), 10, 1e-4);  // up to the bend
  EXPECT_NEAR(length_of(pieces, 2), 40, 1e-4);
  EXPECT_NEAR(length_of(pieces, 3), 40, 1e-4);
}

TEST(Shape, LosesBendsWhereThereIsNoRoom) {
  const std::vector<Element> elements{{0, 0.25F}, {0, 0.75F}};
  const Pieces pieces = cut(fork(), elements, 3);
  EXPECT_THAT(pieces.elements, ElementsAre(0, 1, -1));
  EXPECT_NEAR(length_of(pieces, 1), 50, 1e-4);
}

TEST(Shape, OfLengthsAloneIsSpreadOut) {
  models::Morphology line = fork();
  line.branches[0].points = {{0, 0, 0, 4}, {100, 0, 0, 4}};
  line.branches[1].points = {{50, 0, 0, 1}, {90, 0, 0, 1}};
  line.branches.push_back(line.branches[1]);
  const Pieces pieces = cut(line, {}, 100);
  EXPECT_TRUE(pieces.is_drawn_up);
  ASSERT_THAT(pieces.elements, SizeIs(3));
  EXPECT_NEAR(length_of(pieces, 1), 40, 1e-3);
  EXPECT_NEAR(length_of(pieces, 2), 40, 1e-3);
  EXPECT_NE(pieces.ends[8 + 5], pieces.ends[16 + 5]);  // two that lay in one place
  EXPECT_THAT(cut({}, {}, 10).elements, SizeIs(0));
}

TEST(RoundUp, GivesTheNextOfOneTwoAndFive) {
  for (const auto& [value, next] : {std::pair{1.0, 1.0},
                                    {1.1, 2.0},
                                    {2.0, 2.0},
                                    {3.0, 5.0},
                                    {5.1, 10.0},
                                    {12.0, 20.0},
                                    {400.0, 500.0}})
    EXPECT_DOUBLE_EQ(recorded::round_up(value), next) << value;
  EXPECT_DOUBLE_EQ(recorded::round_up(0.07), 0.1);
  for (const double nothing : {0.0, -3.0, nan, infinity}) EXPECT_EQ(recorded::round_up(nothing), 1);
}

TEST(TreePanel, HasMomentsThatAreEvenlySpread) {
  TreePanel panel("p[0]", 1, {{0, 0.25F}, {0, 0.75F}}, 5, 6);  // three moments of five
  for (int row = 0; row < 5; ++row)
    panel.add(std::vector<double>{99, 1.0 * row, 10.0 * row, 99}, 4);
  Blobs blobs;
  const Json json = panel.to_json(blobs, fork(), 100);
  EXPECT_EQ(json["low"].number(), 0);
  EXPECT_EQ(json["high"].number(), 40);
  const std::vector<std::uint32_t> rows{0, 2, 4};
  EXPECT_EQ(blobs.texts()[json["frame_rows"].count()], base64(std::as_bytes(std::span(rows))));
  const std::vector<std::uint16_t> values{0, 0, 3277, 32767, 6553, 65534};
  EXPECT_EQ(blobs.texts()[json["values"].count()], base64(std::as_bytes(std::span(values))));
}

}  // namespace
}  // namespace hillock::io::page
