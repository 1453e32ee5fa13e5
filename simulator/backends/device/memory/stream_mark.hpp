#pragma once
// A point in a stream that another one waits for.

#include <utility>

#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

class StreamMark {
 public:
  StreamMark() : mark_(device::make_mark(device::Clock::none)) {}
  StreamMark(StreamMark&& other) noexcept : mark_(std::exchange(other.mark_, nullptr)) {}
  StreamMark& operator=(StreamMark&&) = delete;
  ~StreamMark() { device::drop(mark_); }

  /// Here, behind all that is in the stream.
  void record(device::Stream stream) { device::record(mark_, stream); }
  /// What comes into a stream from now on waits for the mark.
  void hold(device::Stream stream) const { device::hold(stream, mark_); }
  /// The host waits for it.
  void wait() const { device::wait(mark_); }

 private:
  device::Mark mark_ = nullptr;
};

}  // namespace hillock::simulator::on_device
