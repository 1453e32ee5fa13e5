#include "core/errors/diagnostics.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/errors/errors.hpp"
#include "core/text/utf8.hpp"

namespace hillock {

std::string to_string(const Place& place) {
  std::string text = printable(place.file);
  if (place.line > 0) {
    text += ':' + std::to_string(place.line);
    if (place.column > 0) text += ':' + std::to_string(place.column);
  }
  return text;
}

std::string_view name_of(Severity severity) {
  static constexpr std::string_view names[] = {"note", "warning", "error"};
  return names[static_cast<int>(severity)];
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = to_string(diagnostic.place);
  if (!text.empty()) text += ": ";
  text += name_of(diagnostic.severity);
  return text + ": " + printable(diagnostic.message);
}

bool Diagnostics::add(Severity severity, const Place& place, std::string message) {
  Diagnostic found{severity, place, std::move(message)};
  const std::size_t hash = std::hash<std::string>()(found.message) ^
                           (static_cast<std::size_t>(place.line) << 20) ^
                           static_cast<std::size_t>(place.column);
  const auto [begin, end] = by_hash_.equal_range(hash);
  if (std::any_of(begin, end, [&](const auto& known) { return all_[known.second] == found; }))
    return false;
  by_hash_.emplace(hash, all_.size());
  all_.push_back(std::move(found));
  if (severity == Severity::error) ++error_count_;
  return true;
}

void Diagnostics::error(const Place& place, std::string message) {
  add(Severity::error, place, std::move(message));
}

void Diagnostics::warning(const Place& place, std::string message) {
  add(Severity::warning, place, std::move(message));
}

void Diagnostics::note(const Place& place, std::string message) {
  add(Severity::note, place, std::move(message));
}

void Diagnostics::throw_if_errors() const {
  if (has_errors()) throw InvalidModel(all_);
}

namespace {

/// Edit distance with adjacent swaps counted as one edit (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    before_last = last;
    std::swap(last, now);
  }
  return last[b.size()];
}

char lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto is_same = [&](const std::string& candidate) {
    return std::ranges::equal(word, candidate, {}, lower, lower);
  };
  if (const auto found = std::ranges::find_if(candidates, is_same); found != candidates.end())
    return *found;  // in another case
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : " Did you mean '" + best + "'?";
}

}  // namespace hillock
