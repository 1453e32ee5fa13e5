#pragma once
// A program that is started, asked over a socket and ended. Not here: what is said (io), programs
// that only write (core/program/process.hpp).

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace hillock {

/// A program whose standard input and output are one socket, the other end of which is here.
/// It gets no signals of the terminal; what it writes to standard error is lost. It is killed when
/// this object goes, and takes this process down in no case.
class AskedProgram {
 public:
  /// words: the path of the program, its arguments. All calls together may last `limit`.
  /// Throws InputOutputError when it cannot be started.
  AskedProgram(const std::vector<std::string>& words, std::chrono::seconds limit);
  ~AskedProgram();
  AskedProgram(const AskedProgram&) = delete;
  AskedProgram& operator=(const AskedProgram&) = delete;

  /// False when the program has gone, or has taken too long.
  bool send(const void* bytes, std::size_t count);
  bool receive(void* bytes, std::size_t count);
  bool timed_out() const { return timed_out_; }

  /// Kills it where it still runs. Its exit code; 128 + signal after a signal.
  int end();

 private:
  bool wait_until_ready(short event);

  int socket_ = -1;
  pid_t child_ = -1;
  int status_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  bool timed_out_ = false;
};

}  // namespace hillock
