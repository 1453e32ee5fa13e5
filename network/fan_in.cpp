#include "network/fan_in.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/expressions/block_kernels.hpp"
#include "network/sort_below.hpp"

namespace hillock::network {

namespace {

[[noreturn]] void refuse_more() {
  throw std::length_error("a range of cells has more than 2^32 connections of one projection");
}

}  // namespace

void Extent::add(std::span<const double> numbers) {
  block_kernels().extend(numbers.data(), numbers.size(), &least, &greatest);
}

std::size_t FanIn::bytes() const {
  return index_.bytes() + (instances_.size() + slots_.size()) * sizeof(std::uint32_t) +
         weights_.bytes() + delays_ms_.bytes();
}

void InstanceDraft::add(std::uint32_t instance, std::size_t count) {
  if (count == 0) return;
  size_ += count;
  if (!has_runs_) {
    singles_.insert(singles_.end(), count, instance);
  } else if (!runs_.empty() && runs_.back().instance == instance) {
    runs_.back().count += static_cast<std::uint32_t>(count);
  } else {
    runs_.push_back({instance, static_cast<std::uint32_t>(count)});
    constexpr std::size_t few = 1024;
    if (runs_.size() >= few && 2 * runs_.size() > size_) give_up_runs();
  }
}

void InstanceDraft::give_up_runs() {
  std::vector<std::uint32_t> all;
  all.reserve(size_);
  for (const Run& run : runs_) all.insert(all.end(), run.count, run.instance);
  singles_ = std::move(all);
  runs_ = {};
  has_runs_ = false;
}

void FanInDraft::add(std::uint32_t source, const FanInEntry& entry) {
  if (instances_.size() == FanIn::no_slot) refuse_more();
  sources_.push_back(source);
  instances_.add(entry.instance, 1);
  if (entry.slot != FanIn::no_slot) slots_.push_back(entry.slot);
  weights_.push_back(entry.weight);
  delays_ms_.push_back(entry.delay_ms);
  extend(entry);
}

void FanInDraft::add(std::span<const std::uint32_t> sources, std::uint64_t first_source,
                     const FanInEntry& entry) {
  add_sources(sources, first_source);
  instances_.add(entry.instance, sources.size());
  if (entry.slot != FanIn::no_slot) slots_.insert(slots_.end(), sources.size(), entry.slot);
  weights_.append(sources.size(), entry.weight);
  delays_ms_.append(sources.size(), entry.delay_ms);
  if (!sources.empty()) extend(entry);
}

void FanInDraft::add(std::span<const std::uint32_t> sources, std::uint64_t first_source,
                     std::uint32_t instance, std::span<const double> weights,
                     std::span<const double> delays_ms) {
  add_sources(sources, first_source);
  instances_.add(instance, sources.size());
  weights_.append(weights);
  delays_ms_.append(delays_ms);
  weight_extent_.add(weights);
  delay_extent_.add(delays_ms);
}

void FanInDraft::extend(const FanInEntry& entry) {
  weight_extent_.add(entry.weight);
  delay_extent_.add(entry.delay_ms);
}

void FanInDraft::add_sources(std::span<const std::uint32_t> sources, std::uint64_t first_source) {
  if (sources.size() > FanIn::no_slot - instances_.size()) refuse_more();
  const auto first = static_cast<std::uint32_t>(first_source);
  const std::size_t before = sources_.size();
  sources_.resize(before + sources.size());
  std::transform(sources.begin(), sources.end(),
                 sources_.begin() + static_cast<std::ptrdiff_t>(before),
                 [first](std::uint32_t source) { return source - first; });
}

void FanInDraft::reserve(std::size_t entries, bool are_alike) {
  sources_.reserve(entries);
  if (are_alike) return;
  weights_.reserve(entries);
  delays_ms_.reserve(entries);
}

/// Puts the place of each entry in the place of its source; finds where sources begin. For as many
/// sources as entries or fewer: takes 8 bytes a source.
SourceIndex FanInDraft::count_sources(std::uint64_t sources) {
  std::vector<std::uint32_t> first(sources + 1, 0);
  for (const std::uint32_t source : sources_) ++first[source + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first);
  for (std::uint32_t& source : sources_) source = next[source]++;
  next = {};
  // Where few of the sources are there, only these are listed.
  std::size_t there = 0;
  for (std::size_t s = 0; s < sources; ++s) there += first[s + 1] > first[s];
  if (2 * there >= sources) return SourceIndex(std::move(first));
  std::vector<std::uint32_t> begins, few;
  begins.reserve(there + 1);
  few.reserve(there);
  for (std::size_t s = 0; s < sources; ++s) {
    if (first[s + 1] == first[s]) continue;
    few.push_back(static_cast<std::uint32_t>(s));
    begins.push_back(first[s]);
  }
  begins.push_back(first[sources]);
  return {std::move(few), std::move(begins)};
}

/// The same where entries are few among sources: takes 16 bytes an entry.
SourceIndex FanInDraft::sort_sources(std::uint64_t sources) {
  struct Entry {
    std::uint32_t source, number;
  };
  std::vector<Entry> entries(sources_.size()), between;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    entries[i] = {sources_[i], static_cast<std::uint32_t>(i)};
  sort_by_key_below(sources, std::span(entries), between,
                    [](const Entry& entry) { return entry.source; });
  between = {};
  std::size_t there = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    there += i == 0 || entries[i].source != entries[i - 1].source;
  std::vector<std::uint32_t> few, begins;
  few.reserve(there);
  begins.reserve(there + 1);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    sources_[entries[i].number] = static_cast<std::uint32_t>(i);
    if (i > 0 && entries[i].source == entries[i - 1].source) continue;
    few.push_back(entries[i].source);
    begins.push_back(static_cast<std::uint32_t>(i));
  }
  begins.push_back(static_cast<std::uint32_t>(entries.size()));
  return {std::move(few), std::move(begins)};
}

FanIn FanInDraft::sorted(std::uint64_t sources) {
  FanIn result;
  result.index_ = 2 * sources_.size() < sources ? sort_sources(sources) : count_sources(sources);
  weights_.permute(sources_);  // what is twice in memory meanwhile comes first
  delays_ms_.permute(sources_);
  result.instances_ = UnsetVector<std::uint32_t>(instances_.size());
  instances_.each(
      [&](std::size_t i, std::uint32_t instance) { result.instances_[sources_[i]] = instance; });
  instances_ = {};
  result.slots_ = UnsetVector<std::uint32_t>(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) result.slots_[sources_[i]] = slots_[i];
  slots_ = {};
  result.weights_ = std::move(weights_);
  result.delays_ms_ = std::move(delays_ms_);
  result.weight_extent_ = weight_extent_;
  result.delay_extent_ = delay_extent_;
  sources_ = {};
  return result;
}

}  // namespace hillock::network
