#include "core/program/trace.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hillock {
namespace {

TEST(Trace, KeepsWhatThreadsDoInTheirOrder) {
  { const TracedWork before("before"); }
  std::vector<Trace::Thread> threads;
  {
    const Trace trace(100);
    {
      const TracedWork outer("outer");
      const TracedWork inner(work_named("inner"));
    }
    std::thread([] {
      name_this_thread("other");
      const TracedWork theirs("theirs");
    }).join();
    threads = trace.threads();
    EXPECT_FALSE(trace.is_full());
  }
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].name, "main");
  ASSERT_EQ(threads[0].spans.size(), 2U);  // and nothing of before
  const Trace::Span inner = threads[0].spans[0], outer = threads[0].spans[1];
  EXPECT_EQ(*inner.work, "inner");
  EXPECT_EQ(*outer.work, "outer");
  EXPECT_LE(0, outer.begin_ns);
  EXPECT_LE(outer.begin_ns, inner.begin_ns);
  EXPECT_LE(inner.begin_ns, inner.end_ns);
  EXPECT_LE(inner.end_ns, outer.end_ns);
  EXPECT_EQ(threads[1].name, "other");
  ASSERT_EQ(threads[1].spans.size(), 1U);
  EXPECT_EQ(*threads[1].spans[0].work, "theirs");
}

TEST(Trace, AnotherOneInItsPlaceKeepsItsOwn) {
  std::optional<Trace> trace;
  for (const char* work : {"first", "second"}) {
    trace.emplace(100);
    { const TracedWork one(work); }
    { const TracedWork nobody_asks(Work{}); }
    const auto threads = trace->threads();
    ASSERT_EQ(threads.size(), 1U) << work;
    ASSERT_EQ(threads[0].spans.size(), 1U);
    EXPECT_EQ(*threads[0].spans[0].work, work);
    trace.reset();
  }
}

TEST(Trace, KeepsNoMoreThanItWasToldTo) {
  const Trace trace(3);
  for (int k = 0; k < 5; ++k) const TracedWork one(std::to_string(k));
  EXPECT_TRUE(trace.is_full());
  const auto threads = trace.threads();
  ASSERT_EQ(threads.size(), 1U);
  ASSERT_EQ(threads[0].spans.size(), 3U);
  EXPECT_EQ(*threads[0].spans[2].work, "2");
  EXPECT_THROW(Trace(1), std::logic_error);
}

}  // namespace
}  // namespace hillock
