#pragma once
// The exceptions Hillock's libraries throw. Only the command turns them into exit codes.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"

namespace hillock {

/// Base of every exception that Hillock throws on purpose.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command line asks for something that cannot be (exit code 2).
class UsageError : public Error {
  using Error::Error;
};

/// The model, or a file it names, is wrong (exit code 3). Carries every error found, with places.
class InvalidModel : public Error {
 public:
  explicit InvalidModel(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Throws InvalidModel with this one error.
[[noreturn]] void reject(const Place& place, std::string message);

/// A file cannot be read or written (exit code 4).
class InputOutputError : public Error {
 public:
  /// number: what the system calls it (errno), 0 where that is not known.
  InputOutputError(std::string file, const std::string& problem, int number = 0);
  const std::string& file() const { return file_; }
  int number() const { return number_; }

 private:
  std::string file_;
  int number_;
};

/// A value stopped being finite, or a matrix pivot positive (exit code 5).
class NumericalFailure : public Error {
 public:
  struct Where {
    double time_ms = 0;
    std::string population;
    std::uint64_t cell = 0;   ///< index in the population
    std::string compartment;  ///< for example "dend[3](0.5)"; empty of cells without
  };
  NumericalFailure(Where where, const std::string& problem);
  const Where& where() const { return where_; }

 private:
  Where where_;
};

/// A stop was asked for by SIGINT or SIGTERM; partial files are flushed (exit code 128 + signal).
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// A rank of a run cannot go on, and all ranks end (the exit code of what it met).
class RankFailed : public Error {
 public:
  RankFailed(int rank, int exit_code, const std::string& text)
      : Error(text), rank_(rank), exit_code_(exit_code) {}
  /// The first that failed.
  int rank() const { return rank_; }
  int exit_code() const { return exit_code_; }

 private:
  int rank_;
  int exit_code_;
};

}  // namespace hillock
