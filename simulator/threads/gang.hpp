#pragma once
// Work that one thread leads and idle ones help with, thousands of times a second.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hillock::simulator {

/// The same parts are worked on again and again, turn by turn: each preferably by the same thread,
/// whose cache it stays in. Who helps comes and goes; without helpers the leader does it all.
class Gang {
 public:
  explicit Gang(std::size_t parts) : parts_(parts) {}
  std::size_t parts() const { return parts_.size(); }

  /// Calls body(part) for every part, on the calling thread and on those that help, and waits. The
  /// body must not throw. One caller at a time.
  template <class Body>
  void run(const Body& body) {
    call_ = [](const void* what, std::size_t part) { (*static_cast<const Body*>(what))(part); };
    body_ = &body;
    take_turn();
  }

  /// From now on others may help this thread, which is of that number.
  void open(std::size_t leader);
  /// Those who help leave.
  void close() { is_open_.store(false, std::memory_order_relaxed); }
  /// Helps as thread `number` until the leader is done.
  void help(std::size_t number);

 private:
  struct alignas(64) Part {
    std::atomic<std::uint64_t> state = 0;  ///< of turn t: 2t - 1 while it is worked on, then 2t
  };

  void take_turn();
  void do_parts(std::uint64_t turn, std::size_t number);
  bool is_taken(std::uint64_t turn) const;

  std::vector<Part> parts_;
  void (*call_)(const void*, std::size_t) = nullptr;
  const void* body_ = nullptr;
  std::size_t leader_ = 0;
  alignas(64) std::atomic<std::uint64_t> turn_ = 0;  ///< there was or is
  std::atomic<bool> is_open_ = false;
  alignas(64) std::atomic<std::size_t> helpers_ = 0;
};

}  // namespace hillock::simulator
