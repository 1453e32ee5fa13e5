#include "simulator/command/terminal/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>

#include "core/text/counted.hpp"
#include "core/text/folded_text.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/pace.hpp"

namespace hillock::command {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds tick{100};
constexpr milliseconds between_drawings{200};  // on a terminal
constexpr seconds until_first_line{1};         // elsewhere, of every phase
constexpr seconds longest_interval{60};

double seconds_of(simulator::Activity::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

void TimeLeft::reach(Clock::time_point when, double done) {
  seen_.emplace_back(when, done);
  // The first entry is the phase's beginning; of the others those of its second half are used.
  const auto middle = seen_.front().first + (when - seen_.front().first) / 2;
  while (seen_.size() > 2 && seen_[2].first <= middle) seen_.erase(seen_.begin() + 1);
}

double TimeLeft::rate() const {
  if (seen_.size() < 2) return -1;
  const auto& [from, before] = seen_[seen_.size() > 2 ? 1 : 0];
  const auto& [now, done] = seen_.back();
  return done > before && now > from ? (done - before) / seconds_of(now - from) : -1;
}

double TimeLeft::seconds(double total) const {
  const double a_second = rate();
  return a_second > 0 ? (total - seen_.back().second) / a_second : -1;
}

ProgressLine::ProgressLine(const simulator::Activity& activity, Shown shown)
    : activity_(activity), on_terminal_(isatty(STDERR_FILENO)) {
  if (shown == Shown::no) return;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // the program does its work without being watched
  }
}

void ProgressLine::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
  if (drawn_) redraw("");
}

void ProgressLine::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, tick, [&] { return end_; })) look(Clock::now());
}

void ProgressLine::look(Clock::time_point now) {
  const simulator::Activity::Look phase = activity_.look();
  if (phase.number == 0) return;
  if (phase.number != phase_) {
    phase_ = phase.number;
    left_ = {};
    left_.reach(phase.since, 0);
    interval_ = until_first_line;
    next_ = phase.since + (on_terminal_ ? Clock::duration{between_drawings} : interval_);
  }
  if (phase.done > 0) left_.reach(now, static_cast<double>(phase.done));
  if (now < next_) return;
  const std::string text = text_of(phase, now);
  if (on_terminal_) {
    redraw(text);
    drawn_ = true;
    next_ = now + between_drawings;
  } else {
    report("{}\n", text);
    interval_ = std::min<Clock::duration>(2 * interval_, longest_interval);
    next_ = now + interval_;
  }
}

std::string ProgressLine::text_of(const simulator::Activity::Look& phase,
                                  Clock::time_point now) const {
  const double total = static_cast<double>(phase.total);
  const double done = std::min(static_cast<double>(phase.done), total);
  std::vector<ProgressPart> parts{{phase.what, 9}};
  if (total > 0) parts.push_back({fmt::format("{:.0f} %", 100 * done / total), 8});
  if (phase.what == "running" && dt_ms_ > 0) {
    parts.push_back({fmt::format("{:.6g} of {:.6g} ms", done * dt_ms_, total * dt_ms_), 5});
    if (const double steps_a_second = left_.rate(); steps_a_second > 0)
      parts.push_back({speed_text(steps_a_second * dt_ms_), 6});
    parts.push_back({counted(spikes_.load(), "spike"), 4});
    if (cells_ > 0 && done > 0)
      parts.push_back({rate_text(session::mean_rate_hz(spikes_, cells_, done * dt_ms_)), 3});
  }
  parts.push_back({clock_text(seconds_of(now - phase.since)), 2});
  if (const double left_s = total > 0 ? left_.seconds(total) : -1; left_s >= 0)
    parts.push_back({clock_text(left_s) + " left", 7});
  const std::size_t columns = terminal_columns(STDERR_FILENO);
  return joined(std::move(parts), columns > 0 ? columns - 1 : 0);
}

std::string joined(std::vector<ProgressPart> parts, std::size_t columns) {
  while (true) {
    std::string line;
    for (const ProgressPart& part : parts) line += (line.empty() ? "" : "  ") + part.text;
    if (columns == 0 || parts.size() < 2 || columns_of(line) <= columns) return line;
    parts.erase(std::ranges::min_element(parts, {}, &ProgressPart::weight));
  }
}

std::string speed_text(double ms_per_s) {
  return ms_per_s >= 100 ? fmt::format("{:.0f} ms/s", ms_per_s)
                         : fmt::format("{:.3g} ms/s", ms_per_s);
}

std::string rate_text(double hz) {
  return hz >= 100 ? fmt::format("{:.0f} Hz", hz) : fmt::format("{:.3g} Hz", hz);
}

std::string clock_text(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace hillock::command
