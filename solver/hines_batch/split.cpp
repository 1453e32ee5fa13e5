// A batch over several devices: cut by compartments, each part a batch of its own.

#include <algorithm>

#include "solver/hines_batch/device_batch.hpp"

namespace hillock::solver::hines_batch {

std::vector<std::size_t> split_systems(const BatchShape& shape, std::size_t n) {
  std::vector<std::size_t> cuts{0};
  for (std::size_t k = 1; k < n; ++k) {
    const auto at =
        std::lower_bound(shape.first().begin(), shape.first().end(), shape.total() * k / n);
    cuts.push_back(std::max(cuts.back(), static_cast<std::size_t>(at - shape.first().begin())));
  }
  cuts.push_back(shape.n_systems());
  return cuts;
}

template <class T>
SplitBatch<T>::SplitBatch(const BatchShape& shape, Arrangement arrangement,
                          const std::vector<int>& devices) {
  const auto cuts = split_systems(shape, devices.size());
  for (std::size_t k = 0; k < devices.size(); ++k)
    parts_.emplace_back(shape.part(cuts[k], cuts[k + 1]), arrangement, devices[k]);
  for (const std::size_t cut : cuts) first_.push_back(shape.first()[cut]);
}

template <class T>
void SplitBatch<T>::upload(const FlatValues<T>& values) {
  if (values.diagonal.size() != first_.back() || values.coupling.size() != first_.back() ||
      values.rhs.size() != first_.back())
    throw MismatchedBatch("the values are not those of the batch that was split");
  const auto slice = [this](const std::vector<T>& all, std::size_t k) {
    return std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(first_[k]),
                          all.begin() + static_cast<std::ptrdiff_t>(first_[k + 1]));
  };
  for (std::size_t k = 0; k < parts_.size(); ++k)
    parts_[k].upload({slice(values.diagonal, k), slice(values.coupling, k), slice(values.rhs, k)});
}

template <class T>
void SplitBatch<T>::solve() {
  for (auto& part : parts_) part.solve();
}

template <class T>
void SplitBatch<T>::synchronize() {
  for (auto& part : parts_) part.synchronize();
}

template <class T>
std::vector<T> SplitBatch<T>::solution() {
  std::vector<T> all;
  for (auto& part : parts_) {
    const auto own = part.solution();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

template class SplitBatch<float>;
template class SplitBatch<double>;

}  // namespace hillock::solver::hines_batch
