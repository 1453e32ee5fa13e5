#include "simulator/command/progress_line.hpp"
#include "simulator/command/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace hillock::command {

ProgressLine::ProgressLine(double dt_ms)
    : dt_ms_(dt_ms), on_terminal_(isatty(STDERR_FILENO)), start_(clock::now()) {
  next_ = start_ + (on_terminal_ ? clock::duration{} : clock::duration{std::chrono::minutes(1)});
}

void ProgressLine::update(const simulator::Progress& progress) {
  const auto now = clock::now();
  if (now < next_) return;
  next_ = now + (on_terminal_ ? clock::duration{std::chrono::milliseconds(200)}
                              : clock::duration{std::chrono::minutes(1)});
  const double spent_s = std::chrono::duration<double>(now - start_).count();
  const double done = static_cast<double>(progress.step) / static_cast<double>(progress.steps);
  const std::string text = fmt::format("{:3.0f} %  {:.6g} of {:.6g} ms  {} spikes  {} left",
                                       100 * done, static_cast<double>(progress.step) * dt_ms_,
                                       static_cast<double>(progress.steps) * dt_ms_,
                                       progress.spikes, clock_text(spent_s * (1 - done) / done));
  if (on_terminal_)
    redraw(text);
  else
    report("{}\n", text);
  std::fflush(stderr);
  drawn_ = on_terminal_;
}

void ProgressLine::finish() {
  if (drawn_) redraw("");
  drawn_ = false;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace hillock::command
