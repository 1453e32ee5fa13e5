#include "core/program/asked_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

#include "core/errors/errors.hpp"
#include "core/program/process.hpp"

extern char** environ;

namespace hillock {

namespace {

/// What the child is started with: a process group of its own, and all signals as they are at
/// first, whatever this process ignores or blocks.
class Start {
 public:
  explicit Start(int socket) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_adddup2(&files_, socket, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, socket, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~Start() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  /// 0, or what errno would be.
  int operator()(const std::vector<std::string>& words, pid_t& child) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return ::posix_spawn(&child, words.front().c_str(), &files_, &attributes_, arguments.data(),
                         environ);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

AskedProgram::AskedProgram(const std::vector<std::string>& words, std::chrono::seconds limit)
    : deadline_(std::chrono::steady_clock::now() + limit) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw InputOutputError(words.front(), std::strerror(errno));
  const int problem = Start(ends[1])(words, child_);
  ::close(ends[1]);
  socket_ = ends[0];
  if (problem == 0) return;
  ::close(socket_);
  throw InputOutputError(words.front(), std::strerror(problem));
}

AskedProgram::~AskedProgram() {
  end();
  ::close(socket_);
}

bool AskedProgram::wait_until_ready(short event) {
  using std::chrono::milliseconds;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - std::chrono::steady_clock::now());
    pollfd ready{socket_, event, 0};
    const int count = ::poll(&ready, 1,
                             static_cast<int>(std::clamp<std::int64_t>(
                                 left.count(), 0, std::numeric_limits<int>::max())));
    if (count > 0) return true;
    if (count < 0 && errno == EINTR) continue;
    timed_out_ = count == 0;
    return false;
  }
}

bool AskedProgram::send(const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(socket_, from, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      from += sent;
      count -= static_cast<std::size_t>(sent);
    } else if (errno != EINTR && (errno != EAGAIN || !wait_until_ready(POLLOUT))) {
      return false;
    }
  }
  return true;
}

bool AskedProgram::receive(void* bytes, std::size_t count) {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = ::recv(socket_, to, count, MSG_DONTWAIT);
    if (got > 0) {
      to += got;
      count -= static_cast<std::size_t>(got);
    } else if (got == 0 || (errno != EINTR && (errno != EAGAIN || !wait_until_ready(POLLIN)))) {
      return false;
    }
  }
  return true;
}

int AskedProgram::end() {
  if (child_ > 0) {
    // One that is ending already keeps the status it ends with.
    ::kill(child_, SIGKILL);
    status_ = wait_for(child_);
    child_ = -1;
  }
  return status_;
}

}  // namespace hillock
