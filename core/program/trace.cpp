#include "core/program/trace.hpp"

#include <set>
#include <stdexcept>
#include <utility>

namespace hillock {

namespace {

std::string& own_name() {
  static thread_local std::string name = "main";
  return name;
}

std::int64_t ns(Trace::Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

}  // namespace

/// What one thread has done, read by another one.
struct Trace::Own {
  std::uint64_t trace = 0;  ///< its number
  std::mutex mutex;
  Thread kept;
};

Work work_named(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> names;
  const std::lock_guard lock(mutex);
  return &*names.emplace(text).first;
}

void name_this_thread(std::string name) {
  own_name() = std::move(name);
}

Trace::Trace(std::size_t most_spans) : left_(static_cast<std::int64_t>(most_spans)) {
  Trace* none = nullptr;
  if (!now_.compare_exchange_strong(none, this)) throw std::logic_error("there is a trace already");
}

Trace::~Trace() {
  now_.store(nullptr, std::memory_order_release);
}

void Trace::add(Work work, Clock::time_point begin, Clock::time_point end) {
  static thread_local std::shared_ptr<Own> own;
  if (!own || own->trace != number_) {
    own = std::make_shared<Own>();
    own->trace = number_;
    own->kept.name = own_name();
    const std::lock_guard lock(mutex_);
    all_.push_back(own);
  }
  constexpr std::int64_t soon_ns = 1000;
  const Span span{work, ns(begin - begin_), ns(end - begin_)};
  const std::lock_guard lock(own->mutex);
  std::vector<Span>& spans = own->kept.spans;
  if (!spans.empty() && spans.back().work == work && span.begin_ns >= spans.back().end_ns &&
      span.begin_ns < spans.back().end_ns + soon_ns) {
    spans.back().end_ns = span.end_ns;
    return;
  }
  if (left_.load(std::memory_order_relaxed) < 0) return;
  if (left_.fetch_sub(1, std::memory_order_relaxed) > 0) spans.push_back(span);
}

std::vector<Trace::Thread> Trace::threads() const {
  std::vector<Thread> result;
  const std::lock_guard lock(mutex_);
  for (const auto& one : all_) {
    const std::lock_guard of_thread(one->mutex);
    result.push_back(one->kept);
  }
  return result;
}

}  // namespace hillock
