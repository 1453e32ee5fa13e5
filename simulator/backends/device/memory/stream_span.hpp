#pragma once
// How long a device takes for what lies between two points of a stream.

#include <utility>

#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

class StreamSpan {
 public:
  StreamSpan()
      : begin_(device::make_mark(device::Clock::kept)),
        end_(device::make_mark(device::Clock::kept)) {}
  StreamSpan(StreamSpan&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), end_(std::exchange(other.end_, nullptr)) {}
  StreamSpan& operator=(StreamSpan&&) = delete;
  ~StreamSpan() {
    device::drop(begin_);
    device::drop(end_);
  }

  void begin(device::Stream stream) { device::record(begin_, stream); }
  void end(device::Stream stream) { device::record(end_, stream); }
  /// When both have been reached.
  double seconds() const { return device::seconds_between(begin_, end_); }

 private:
  device::Mark begin_ = nullptr, end_ = nullptr;
};

}  // namespace hillock::simulator::on_device
