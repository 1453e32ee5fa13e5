#pragma once
// Work that one thread leads and idle ones help with, thousands of times a second.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hillock::simulator {

/// The same parts are worked on again and again, turn by turn: each preferably by the same thread,
/// whose cache it stays in. Who helps comes and goes; without helpers the leader does it all, and
/// so it does for a while where that is faster: others may want the cores, and a helper that is
/// stopped amid a part holds up all.
class Gang {
 public:
  explicit Gang(std::size_t parts) : parts_(parts) {}
  std::size_t parts() const { return parts_.size(); }

  /// Calls body(part) for every part, on the calling thread and on those that help, and waits. The
  /// body must not throw. One caller at a time.
  template <class Body>
  void run(const Body& body) {
    if (pace_.is_alone()) {
      for (std::size_t part = 0; part < parts_.size(); ++part) body(part);
      return end_turn();
    }
    call_ = [](const void* what, std::size_t part) { (*static_cast<const Body*>(what))(part); };
    body_ = &body;
    take_turn();
  }

  /// From now on others may help this thread, which is of that number.
  void open(std::size_t leader);
  /// Those who help leave.
  void close();
  /// Helps as thread `number` until the leader is done.
  void help(std::size_t number);

 private:
  /// Whether turns are faster with help, measured now and again.
  class Pace {
   public:
    bool is_alone() const { return is_alone_; }
    void stop() { stopped_ = Clock::now(); }
    void go_on() { since_ += Clock::now() - stopped_; }
    /// A turn is over.
    void count() {
      if (++turns_ % 8 == 0) look();
    }
    /// The leader had no help: nothing to measure.
    void forget();

   private:
    using Clock = std::chrono::steady_clock;
    void look();
    void change(bool to_alone, Clock::duration how_long);

    bool is_alone_ = false;
    int turns_ = 0, trials_ = 0;
    double alone_s_ = 0;  ///< a turn; 0: not known
    Clock::time_point since_ = Clock::now(), stopped_ = since_;
    Clock::duration how_long_ = trial, rest_ = least_rest;

    static constexpr Clock::duration trial = std::chrono::milliseconds(4),
                                     least_rest = std::chrono::milliseconds(20),
                                     most_rest = std::chrono::milliseconds(400);
  };

  struct alignas(64) Part {
    std::atomic<std::uint64_t> state = 0;  ///< of turn t: 2t - 1 while it is worked on, then 2t
  };

  void take_turn();
  void end_turn();
  void set_resting(bool rests);
  void do_parts(std::uint64_t turn, std::size_t number);
  bool is_taken(std::uint64_t turn) const;

  std::vector<Part> parts_;
  Pace pace_;
  void (*call_)(const void*, std::size_t) = nullptr;
  const void* body_ = nullptr;
  std::size_t leader_ = 0;
  alignas(64) std::atomic<std::uint64_t> turn_ = 0;  ///< there was or is
  std::atomic<bool> is_open_ = false;
  std::atomic<std::uint32_t> rest_ = 0;  ///< odd: the leader goes on alone, and helpers sleep
  alignas(64) std::atomic<std::size_t> helpers_ = 0;
};

}  // namespace hillock::simulator
