#include "core/program/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "core/errors/errors.hpp"

extern char** environ;

namespace hillock {

namespace {

/// A pipe that only the child's standard output and error inherit.
class OutputPipe {
 public:
  explicit OutputPipe(const std::string& program) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw InputOutputError(program, std::strerror(errno));
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, ends_[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, ends_[1], STDERR_FILENO);
  }
  ~OutputPipe() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::close(ends_[0]);
    close_writing();
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  const posix_spawn_file_actions_t& actions() const { return actions_; }

  /// Everything until the last writer closes its end.
  std::string read_all() {
    close_writing();
    std::string text;
    std::array<char, 4096> block;
    while (true) {
      const ssize_t count = ::read(ends_[0], block.data(), block.size());
      if (count > 0)
        text.append(block.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        return text;
    }
  }

 private:
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
  posix_spawn_file_actions_t actions_;
};

/// The programs that are running, each in a process group of its own, so that those that it starts
/// end with it. Never destroyed: other threads may outlive main().
struct Running {
  std::mutex mutex;
  std::set<pid_t> groups;
  int ended_by = 0;
};
Running& running() {
  static Running& all = *new Running;
  return all;
}

/// A program from its start until it has been waited for.
class Child {
 public:
  /// Throws Interrupted once end_programs() has been called, and InputOutputError.
  Child(const std::vector<std::string>& words, const posix_spawn_file_actions_t& actions) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::lock_guard lock(running().mutex);
    throw_if_ended();
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int problem = ::posix_spawn(&child_, words.front().c_str(), &actions, &attributes,
                                      arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    if (problem != 0) throw InputOutputError(words.front(), std::strerror(problem));
    running().groups.insert(child_);
  }

  /// Its status, as in Finished. Throws Interrupted when end_programs() has ended it.
  int wait() const {
    const int status = wait_for(child_);
    const std::lock_guard lock(running().mutex);
    running().groups.erase(child_);
    throw_if_ended();
    return status;
  }

 private:
  static void throw_if_ended() {
    if (running().ended_by) throw Interrupted(running().ended_by);
  }

  pid_t child_ = 0;
};

}  // namespace

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Finished run_program(const std::vector<std::string>& words) {
  OutputPipe pipe(words.front());
  const Child child(words, pipe.actions());
  Finished result;
  result.output = pipe.read_all();
  result.status = child.wait();
  return result;
}

void end_programs(int signal) {
  const std::lock_guard lock(running().mutex);
  running().ended_by = signal;
  for (const pid_t group : running().groups) ::kill(-group, SIGKILL);
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const auto runs = [](const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return runs(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (std::size_t start = 0; start < folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::filesystem::path folder = folders.substr(start, end - start);
    if (folder.is_absolute() && runs(folder / name)) return folder / name;
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace hillock
