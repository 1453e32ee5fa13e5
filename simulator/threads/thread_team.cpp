#include "simulator/threads/thread_team.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/program/trace.hpp"
#include "simulator/threads/core_binding.hpp"
#include "simulator/threads/pause.hpp"

namespace hillock::simulator {

namespace {

/// How long a thread that has a core looks before it sleeps: what comes between two epochs is
/// shorter, and to be woken takes tens of microseconds.
constexpr auto look_for = std::chrono::milliseconds(1);

/// Waits until `word` is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old, bool looks) {
  if (looks) {
    const auto end = std::chrono::steady_clock::now() + look_for;
    do {
      for (int k = 0; k < 64; ++k) {
        if (word.load(std::memory_order_acquire) != old) return;
        pause_a_moment();
      }
    } while (std::chrono::steady_clock::now() < end);
  }
  word.wait(old, std::memory_order_acquire);
}

/// How often this process has come out of a fork: a child has the memory of its parent's threads,
/// but not the threads.
std::atomic<int> forks = 0;

class Team {
 public:
  Team() {
    static const int watched = pthread_atfork(nullptr, nullptr, [] { ++forks; });
    static_cast<void>(watched);
  }
  ~Team() { end(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void run(std::size_t threads, const std::function<void(std::size_t)>& body);
  bool is_running() const { return body_ != nullptr; }

 private:
  /// In a line of the cache that none but its thread and the caller pass to and fro: lines of all
  /// are fetched at once, where one that all write goes from core to core.
  struct alignas(64) Member {
    std::atomic<std::uint32_t> calls = 0;  ///< it has been given
    std::atomic<std::uint32_t> done = 0;   ///< of these
    std::thread thread;

    /// Behind it a fence and calls.notify_one(): who sleeps is then seen, or sees that it is
    /// called.
    void call() {
      calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
  };

  void grow(std::size_t members);
  void serve(Member& member, std::size_t number);
  void end();

  int made_in_ = forks;
  std::vector<std::unique_ptr<Member>> members_;
  const std::function<void(std::size_t)>* body_ = nullptr;  ///< null in a call: the threads end
  std::atomic<bool> looks_ = true;                          ///< they have a core each
};

/// Whether the calling thread is of another's team.
thread_local bool is_member = false;

void Team::serve(Member& member, std::size_t number) {
  is_member = true;
  name_this_thread("thread " + std::to_string(number));
  for (std::uint32_t done = 0;;) {
    wait_for_change(member.calls, done, looks_.load(std::memory_order_relaxed));
    if (!body_) return;
    (*body_)(number);
    member.done.store(++done);
    member.done.notify_one();
  }
}

void Team::grow(std::size_t members) {
  if (made_in_ != forks) end();
  while (members_.size() < members) {
    auto member = std::make_unique<Member>();
    const std::size_t number = members_.size() + 1;
    member->thread = std::thread([this, number, self = member.get()] { serve(*self, number); });
    members_.push_back(std::move(member));
  }
}

void Team::run(std::size_t threads, const std::function<void(std::size_t)>& body) {
  grow(threads - 1);
  const int cores = cores_to_run_on();
  const bool looks = cores == 0 || threads <= static_cast<std::size_t>(cores);
  looks_.store(looks, std::memory_order_relaxed);
  body_ = &body;
  const std::span called(members_.data(), threads - 1);
  for (const auto& member : called) member->call();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (const auto& member : called) member->calls.notify_one();
  body(0);
  for (const auto& member : called) {
    const std::uint32_t calls = member->calls.load(std::memory_order_relaxed);
    for (std::uint32_t done = member->done.load(std::memory_order_acquire); done != calls;
         done = member->done.load(std::memory_order_acquire))
      wait_for_change(member->done, done, looks);
  }
  body_ = nullptr;
}

void Team::end() {
  const bool has_threads = made_in_ == forks;
  for (auto& member : members_) {
    if (has_threads) {
      member->call();
      std::atomic_thread_fence(std::memory_order_seq_cst);
      member->calls.notify_one();
      member->thread.join();
    } else {
      static_cast<void>(member.release());  // its thread was the parent's
    }
  }
  members_.clear();
  made_in_ = forks;
}

}  // namespace

void run_on_team(int threads, const std::function<void(std::size_t)>& body) {
  thread_local Team team;
  if (threads < 2 || is_member || team.is_running()) return body(0);
  team.run(static_cast<std::size_t>(threads), body);
}

}  // namespace hillock::simulator
