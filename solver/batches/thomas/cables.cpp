#include "solver/batches/thomas/cables.hpp"

#include <algorithm>
#include <cstddef>

namespace hillock::solver {

ThomasVariableArrangement arrange(const Forest& forest, ThomasVariableLayout layout) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const auto parent = forest.parent(t);
    for (std::size_t i = 0; i < parent.size(); ++i)
      if (parent[i] != static_cast<int>(i) - 1)
        throw InvalidBatch(
            forest.n_systems(), forest.total(),
            "tree " + std::to_string(t) + " is branched at node " + std::to_string(parent[i]));
  }
  for (std::size_t s = 0; s < forest.n_systems(); ++s)
    sizes.push_back(static_cast<std::uint32_t>(forest.size(s)));
  return arrange(layout, sizes);
}

template <class Real>
std::vector<Real> arrange(const Forest& forest, const ThomasVariableArrangement& a,
                          const BatchValues<Real>& values) {
  check_values(forest, values);
  std::vector<Real> rows(a.storage, Real(0));
  std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(a.field_stride), a.field_stride, Real(1));
  const auto field = [&](ThomasField f, std::size_t row, std::size_t slot) -> Real& {
    return rows[a.index(f, row, slot)];
  };
  for (std::size_t slot = 0; slot < a.size.size(); ++slot) {
    const std::size_t first = forest.first()[a.system[slot]], n = a.size[slot];
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) field(ThomasField::lower, i, slot) = -values.coupling[first + i];
      if (i + 1 < n) field(ThomasField::upper, i, slot) = -values.coupling[first + i + 1];
      field(ThomasField::diagonal, i, slot) = values.diagonal[first + i];
      field(ThomasField::rhs, i, slot) = values.rhs[first + i];
    }
  }
  return rows;
}

template <class Real>
std::vector<Real> gather(const Forest& forest, const ThomasVariableArrangement& a,
                         std::span<const Real> solved) {
  std::vector<Real> x(forest.total());
  for (std::size_t slot = 0; slot < a.size.size(); ++slot)
    for (std::size_t i = 0; i < a.size[slot]; ++i)
      x[forest.first()[a.system[slot]] + i] = solved[a.index(ThomasField::rhs, i, slot)];
  return x;
}

#define HILLOCK_INSTANTIATE(Real)                                                     \
  template std::vector<Real> arrange(const Forest&, const ThomasVariableArrangement&, \
                                     const BatchValues<Real>&);                       \
  template std::vector<Real> gather(const Forest&, const ThomasVariableArrangement&,  \
                                    std::span<const Real>);
HILLOCK_INSTANTIATE(float)
HILLOCK_INSTANTIATE(double)
#undef HILLOCK_INSTANTIATE

}  // namespace hillock::solver
