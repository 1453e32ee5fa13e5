#pragma once
// Errors, warnings and notes about a user's files, collected so that all can be reported at once.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/errors/place.hpp"

namespace hillock {

enum class Severity {
  note,     ///< what a reader of the files would not guess
  warning,  ///< legal, and probably a mistake
  error,
};

/// "note", "warning", "error".
std::string_view name_of(Severity severity);

/// One finding about a user's file. Text form: "place: problem (why). Suggestion?".
struct Diagnostic {
  Severity severity = Severity::error;
  Place place;
  std::string message;

  bool operator==(const Diagnostic&) const = default;
};

/// "ring.yaml:14:9: error: message", as compilers print it, on one printable line whatever names
/// and texts of the user are in it.
std::string to_string(const Diagnostic& diagnostic);

/// Collects diagnostics in the order found.
class Diagnostics {
 public:
  void error(const Place& place, std::string message);
  void warning(const Place& place, std::string message);
  void note(const Place& place, std::string message);
  void add(const Diagnostic& found) { add(found.severity, found.place, found.message); }

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& all() const { return all_; }

  /// Throws InvalidModel with everything collected when there is at least one error.
  void throw_if_errors() const;

 private:
  /// The same finding at the same place says nothing new (an anchor read twice, for example).
  bool add(Severity severity, const Place& place, std::string message);

  std::vector<Diagnostic> all_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;  ///< places in all_
  std::size_t error_count_ = 0;
};

/// The candidate nearest to `word` by edit distance, or empty when none is near enough to suggest.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// " Did you mean 'x'?" for the nearest candidate, or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hillock
