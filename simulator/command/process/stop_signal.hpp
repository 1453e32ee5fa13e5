#pragma once
// SIGINT and SIGTERM end the program within a second, whatever it is doing. The main thread is
// asked first, at the end of an epoch; a thread that does not answer (it builds, or a mechanism
// never returns) is abandoned. A run that is saved then is waited for. A second signal ends the
// program at once.

#include <functional>

namespace hillock::command {

/// To be called once, before any other thread starts. A signal that is ignored stays so.
void watch_stop_signals();

/// The signal that has come, or 0.
int stop_signal();

/// Throws Interrupted when a signal has come.
void throw_if_stopped();

/// Says once on standard error that the program ends by a signal.
void report_interruption(int signal);

/// The program has told why it ends: a signal that comes on the way out, as mpirun's to the other
/// ranks does, ends it with that exit code and says nothing more.
void end_as_told(int exit_code);

/// While there is one, the main thread has a second to get to where it saves.
class SavesWhenStopped {
 public:
  SavesWhenStopped();
  ~SavesWhenStopped();
  SavesWhenStopped(const SavesWhenStopped&) = delete;
  SavesWhenStopped& operator=(const SavesWhenStopped&) = delete;
};

/// While there is one, the main thread saves: it is not abandoned, however long that takes.
class NotNow {
 public:
  NotNow();
  ~NotNow();
  NotNow(const NotNow&) = delete;
  NotNow& operator=(const NotNow&) = delete;
};

/// What has to be done before the program ends by a signal without its main thread. There is at
/// most one at a time.
class LastWords {
 public:
  /// speak(signal): called on a thread of its own, and false when the main thread ends the program
  /// after all.
  explicit LastWords(std::function<bool(int signal)> speak);
  /// Waits while they are being spoken.
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
};

}  // namespace hillock::command
