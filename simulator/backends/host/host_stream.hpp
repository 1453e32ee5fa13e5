#pragma once
// What is started on streams of a device, done by the host as late as anybody who waits for it
// allows: so whoever changes what is still to be read, or reads what is still to be written, is
// found. All streams of a thread are one. HILLOCK_HOST_AT_ONCE: done as early as a device could, so
// that whoever writes what is still to be read is found too.

#include <cstdint>
#include <functional>

namespace on_host {

/// What a caller hands over is copied.
void start(std::function<void()> work);

/// Does the next; false when there is none.
bool do_next();
/// Does all that was started, or so much of it.
void do_all();
void do_until(std::uint64_t started);
/// How much this thread has started so far.
std::uint64_t started();

}  // namespace on_host
