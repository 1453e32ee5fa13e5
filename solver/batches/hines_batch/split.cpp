// A batch over several devices: cut by compartments, each part a batch of its own.

#include <algorithm>

#include "solver/batches/hines_batch/hines_device.hpp"

namespace hillock::solver {

std::vector<std::size_t> split_systems(const Forest& forest, std::size_t n) {
  std::vector<std::size_t> cuts{0};
  for (std::size_t k = 1; k < n; ++k) {
    const auto at =
        std::lower_bound(forest.first().begin(), forest.first().end(), forest.total() * k / n);
    cuts.push_back(std::max(cuts.back(), static_cast<std::size_t>(at - forest.first().begin())));
  }
  cuts.push_back(forest.n_systems());
  return cuts;
}

template <class T>
SplitBatch<T>::SplitBatch(const Forest& forest, HinesArrangement arrangement,
                          const std::vector<int>& devices)
    : forest_(forest) {
  const auto cuts = split_systems(forest, devices.size());
  for (std::size_t k = 0; k < devices.size(); ++k)
    parts_.push_back(
        hines_on_device<T>(forest.part(cuts[k], cuts[k + 1]), {arrangement, devices[k]}));
  for (const std::size_t cut : cuts) first_.push_back(forest.first()[cut]);
}

template <class T>
void SplitBatch<T>::upload(const BatchValues<T>& values) {
  check_values(forest_, values);
  const auto slice = [this](const std::vector<T>& all, std::size_t k) {
    return std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(first_[k]),
                          all.begin() + static_cast<std::ptrdiff_t>(first_[k + 1]));
  };
  for (std::size_t k = 0; k < parts_.size(); ++k)
    parts_[k]->upload({slice(values.diagonal, k), slice(values.coupling, k), slice(values.rhs, k)});
}

template <class T>
void SplitBatch<T>::solve() {
  for (auto& part : parts_) part->solve();
}

template <class T>
void SplitBatch<T>::synchronize() {
  for (auto& part : parts_) part->synchronize();
}

template <class T>
std::vector<T> SplitBatch<T>::solution() {
  std::vector<T> all;
  for (auto& part : parts_) {
    const auto own = part->solution();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

template class SplitBatch<float>;
template class SplitBatch<double>;

}  // namespace hillock::solver
