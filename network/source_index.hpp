#pragma once
// Which entries of a table belong to which source.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hillock::network {

/// Entries [begin, end).
struct Entries {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Entries lie sorted by source. Takes 4 bytes a source, or 8 a source that is there.
class SourceIndex {
 public:
  SourceIndex() = default;
  /// first: [source] where its entries begin, and where the last one's end.
  explicit SourceIndex(std::vector<std::uint32_t> first) : first_(std::move(first)) {}
  /// Of some sources, rising.
  SourceIndex(std::vector<std::uint32_t> sources, std::vector<std::uint32_t> first)
      : sources_(std::move(sources)), first_(std::move(first)) {}

  /// The entries of a source; none where it is none of those that there are.
  Entries of(std::uint64_t source) const {
    if (!sources_.empty()) return among_few(source);
    return source + 1 < first_.size() ? Entries{first_[source], first_[source + 1]} : Entries{};
  }
  /// Calls body(source) for every source that has entries, rising.
  template <class Body>
  void each_source(const Body& body) const {
    for (std::size_t i = 0; i + 1 < first_.size(); ++i)
      if (first_[i + 1] > first_[i]) body(sources_.empty() ? i : sources_[i]);
  }
  /// [source] where its entries begin, and where the last one's end, of so many sources.
  std::vector<std::uint32_t> dense(std::uint64_t sources) const {
    if (sources_.empty() && first_.size() == sources + 1) return first_;
    std::vector<std::uint32_t> first(sources + 1, first_.empty() ? 0 : first_.back());
    std::uint64_t source = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      for (; source <= sources_[i]; ++source) first[source] = first_[i];
    return first;
  }
  /// What is soon asked for comes into the cache meanwhile.
  void prefetch_of(std::uint64_t source) const {
    if (sources_.empty() && source < first_.size()) __builtin_prefetch(&first_[source]);
  }
  std::size_t bytes() const { return (sources_.size() + first_.size()) * sizeof(std::uint32_t); }

 private:
  Entries among_few(std::uint64_t source) const {
    const auto at = std::lower_bound(sources_.begin(), sources_.end(), source);
    if (at == sources_.end() || *at != source) return {};
    const auto i = static_cast<std::size_t>(at - sources_.begin());
    return {first_[i], first_[i + 1]};
  }

  std::vector<std::uint32_t> sources_;  ///< those that are there, rising; empty: all, from 0 on
  std::vector<std::uint32_t> first_;    ///< [source, or place in sources_, and one more]
};

}  // namespace hillock::network
