#include "simulator/backends/host/host_stream.hpp"

#include <cstdlib>
#include <deque>
#include <utility>

namespace on_host {

namespace {

struct Stream {
  std::deque<std::function<void()>> waiting;
  std::uint64_t done = 0;
};
thread_local Stream stream;

bool does_at_once() {
  static const bool does = std::getenv("HILLOCK_HOST_AT_ONCE") != nullptr;
  return does;
}

}  // namespace

void start(std::function<void()> work) {
  stream.waiting.push_back(std::move(work));
  if (does_at_once()) do_all();
}

bool do_next() {
  if (stream.waiting.empty()) return false;
  const std::function<void()> work = std::move(stream.waiting.front());
  stream.waiting.pop_front();
  ++stream.done;
  work();
  return true;
}

void do_all() {
  while (do_next()) {
  }
}

void do_until(std::uint64_t started) {
  while (stream.done < started && do_next()) {
  }
}

std::uint64_t started() {
  return stream.done + stream.waiting.size();
}

}  // namespace on_host
