#pragma once
// Which of many regions a branch lies in, without asking each of them.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/cell.hpp"

namespace hillock::models {

/// Entries that each have a `region`, by the names that these say. Does not outlive them.
class RegionIndex {
 public:
  template <class Entry>
  explicit RegionIndex(const std::vector<Entry>& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      add(entries[i].region.name, i);
      for (const std::string& name : entries[i].region.also) add(name, i);
    }
  }

  /// Into `found`, rising: the entries of which Region::has_branch() is true.
  void find(const std::string& branch_region, const std::string& branch_name,
            std::vector<std::size_t>& found) const {
    found = everywhere_;
    if (by_name_.empty()) return;
    append(branch_region, found);
    append(branch_name, found);
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
  }

 private:
  void add(std::string_view name, std::size_t entry) {
    (name == "all" ? everywhere_ : by_name_[name]).push_back(entry);
  }
  void append(std::string_view name, std::vector<std::size_t>& found) const {
    const auto known = by_name_.find(name);
    if (known != by_name_.end())
      found.insert(found.end(), known->second.begin(), known->second.end());
  }

  std::vector<std::size_t> everywhere_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;
};

}  // namespace hillock::models
