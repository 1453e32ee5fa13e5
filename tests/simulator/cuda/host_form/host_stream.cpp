#include "tests/simulator/cuda/host_form/host_stream.hpp"

#include <deque>
#include <utility>

namespace host_form {

namespace {

struct Stream {
  std::deque<std::function<void()>> waiting;
  std::uint64_t done = 0;
};
thread_local Stream stream;

}  // namespace

void start(std::function<void()> work) {
  stream.waiting.push_back(std::move(work));
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

}  // namespace host_form
