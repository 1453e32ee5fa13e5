#include "simulator/command/process/stop_signal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/program/process.hpp"
#include "simulator/command/terminal/report.hpp"

namespace hillock::command {

namespace {

/// How long the main thread has to end the program itself, and to get to where it saves.
constexpr std::chrono::milliseconds grace{400};
constexpr std::chrono::milliseconds grace_to_save{1000};

std::atomic<int> savers = 0;   ///< of SavesWhenStopped
std::atomic<int> not_now = 0;  ///< of NotNow

std::atomic<int> received = 0;
std::atomic<bool> announced = false;
std::atomic<int> told_code = 0;   ///< of a failure, or 0
std::array<int, 2> wake{-1, -1};  ///< a pipe from the handler to the watching thread

/// Never destroyed: the watching thread may outlive main().
struct Words {
  std::mutex mutex;
  std::function<bool(int)> speak;
};
Words& words() {
  static Words& shared = *new Words;
  return shared;
}

extern "C" void note_signal(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) ::_exit(128 + signal);
  say_without_waiting();
  const int kept = errno;
  const char byte = 0;
  if (::write(wake[1], &byte, 1) != 1) ::_exit(128 + signal);
  errno = kept;
}

/// Ends the program when its main thread has not done so in time.
void watch() {
  char byte = 0;
  while (::read(wake[0], &byte, 1) < 0 && errno == EINTR) {
  }
  const int signal = received;
  end_programs(signal);
  std::this_thread::sleep_for(savers > 0 ? grace_to_save : grace);
  while (not_now > 0) {
    while (not_now > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(grace);
  }
  {
    const std::lock_guard lock(words().mutex);
    if (words().speak && !words().speak(signal)) return;
  }
  report_interruption(signal);
  ::_exit(told_code != 0 ? told_code.load() : 128 + signal);
}

void handle(int signal) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) return;
  now = {};
  now.sa_handler = note_signal;
  now.sa_flags = SA_RESTART;
  ::sigaction(signal, &now, nullptr);
}

}  // namespace

void watch_stop_signals() {
  // Where this is not to be had, signals end the program as by default.
  if (::pipe2(wake.data(), O_CLOEXEC) != 0) return;
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {
    return;
  }
  handle(SIGINT);
  handle(SIGTERM);
}

int stop_signal() {
  return received;
}

void throw_if_stopped() {
  if (const int signal = received) throw Interrupted(signal);
}

void report_interruption(int signal) {
  if (!announced.exchange(true)) report("hillock: {}\n", Interrupted(signal).what());
}

void end_as_told(int exit_code) {
  told_code = exit_code;
  announced = true;
}

SavesWhenStopped::SavesWhenStopped() {
  ++savers;
}
SavesWhenStopped::~SavesWhenStopped() {
  --savers;
}

NotNow::NotNow() {
  ++not_now;
}
NotNow::~NotNow() {
  --not_now;
}

LastWords::LastWords(std::function<bool(int)> speak) {
  const std::lock_guard lock(words().mutex);
  words().speak = std::move(speak);
}

LastWords::~LastWords() {
  const std::lock_guard lock(words().mutex);
  words().speak = nullptr;
}

}  // namespace hillock::command
