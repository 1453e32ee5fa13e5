#pragma once
// Connections onto a range of cells, found by their source.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "network/arrival.hpp"
#include "network/source_index.hpp"

namespace hillock::network {

/// What one connection leads to.
struct FanInEntry {
  /// The instance's number among those of its mechanism on the range; an engine may put its own
  /// number there (FanIn::rename).
  std::uint32_t instance = 0;
  std::uint32_t slot = 0;  ///< of the connection's arguments, or FanIn::no_slot
  double weight = 0;
  double delay_ms = 0;
};

/// The least and the greatest of some numbers.
struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  void add(double number) {
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  void add(std::span<const double> numbers);
};

/// The connections of one projection onto one range of cells. Takes 4 bytes a connection and 8 for
/// each of weight and delay that is not the same for all, 4 for the arguments' slot where
/// connections keep arguments, and at most 4 a source or 8 a source that is there.
class FanIn {
 public:
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  using Entries = network::Entries;

  /// By source, counted as when entries were added; a source's entries keep that order.
  const SourceIndex& index() const { return index_; }
  Entries of(std::uint64_t source) const { return index_.of(source); }
  FanInEntry operator[](std::size_t entry) const {
    return {instances_[entry], slots_.empty() ? no_slot : slots_[entry], weights_[entry],
            delays_ms_[entry]};
  }
  /// What is soon asked for comes into the cache meanwhile.
  void prefetch(const Entries& some) const {
    constexpr std::uint32_t a_line = 64 / sizeof(instances_[0]);
    for (std::uint32_t e = some.begin; e < some.end; e += a_line)
      __builtin_prefetch(&instances_[e]);
  }
  std::uint32_t instance(std::size_t entry) const { return instances_[entry]; }
  double weight(std::size_t entry) const { return weights_[entry]; }
  std::size_t size() const { return instances_.size(); }
  /// Whether all entries have the delay of the first.
  bool has_one_delay() const { return delays_ms_.is_one(); }
  double delay_ms(std::size_t entry) const { return delays_ms_[entry]; }
  bool has_one_weight() const { return weights_.is_one(); }
  bool keeps_slots() const { return !slots_.empty(); }
  /// The shortest, at least least_told_ms, and the longest; 0 without entries.
  std::pair<double, double> delay_bounds_ms() const {
    return size() == 0
               ? std::pair(0.0, 0.0)
               : std::pair(std::max(delay_extent_.least, least_told_ms), delay_extent_.greatest);
  }
  /// The largest absolute value; 0 without entries.
  double largest_weight() const {
    return size() == 0 ? 0 : std::max(-weight_extent_.least, weight_extent_.greatest);
  }

  /// Puts name(instance) in the place of every instance's number.
  template <class Name>
  void rename(const Name& name) {
    for (std::uint32_t& instance : instances_) instance = name(instance);
  }
  std::size_t bytes() const;

 private:
  friend class FanInDraft;

  SourceIndex index_;
  UnsetVector<std::uint32_t> instances_, slots_;
  OneOrMany weights_, delays_ms_;
  Extent weight_extent_, delay_extent_;
};

/// Instances of entries in their order: those that follow one another are mostly one, as all onto a
/// cell may be.
class InstanceDraft {
 public:
  std::size_t size() const { return size_; }
  void add(std::uint32_t instance, std::size_t count);
  /// Calls body(number, instance) for every entry.
  template <class Body>
  void each(const Body& body) const {
    std::size_t number = 0;
    for (const Run& run : runs_)
      for (std::uint32_t i = 0; i < run.count; ++i) body(number++, run.instance);
    for (const std::uint32_t instance : singles_) body(number++, instance);
  }

 private:
  struct Run {
    std::uint32_t instance, count;
  };
  void give_up_runs();

  std::size_t size_ = 0;
  bool has_runs_ = true;  ///< until they take more than their entries would
  std::vector<Run> runs_;
  std::vector<std::uint32_t> singles_;
};

/// Connections as they are made, target by target.
class FanInDraft {
 public:
  /// Throws std::length_error beyond 2^32 entries.
  void add(std::uint32_t source, const FanInEntry& entry);
  /// The same entry for each of some sources, counted from `first_source` on.
  void add(std::span<const std::uint32_t> sources, std::uint64_t first_source,
           const FanInEntry& entry);
  /// One for each of some sources, to one instance; [source] weights and delays.
  void add(std::span<const std::uint32_t> sources, std::uint64_t first_source,
           std::uint32_t instance, std::span<const double> weights,
           std::span<const double> delays_ms);
  /// Makes room for so many entries, whose weights and delays are alike or not.
  void reserve(std::size_t entries, bool are_alike);
  /// Sorted by source; entries of one source keep their order. Sources lie in [0, sources).
  FanIn sorted(std::uint64_t sources);

 private:
  void extend(const FanInEntry& entry);
  void add_sources(std::span<const std::uint32_t> sources, std::uint64_t first_source);
  SourceIndex count_sources(std::uint64_t sources);
  SourceIndex sort_sources(std::uint64_t sources);

  std::vector<std::uint32_t> sources_, slots_;
  InstanceDraft instances_;
  OneOrMany weights_, delays_ms_;
  Extent weight_extent_, delay_extent_;
};

}  // namespace hillock::network
