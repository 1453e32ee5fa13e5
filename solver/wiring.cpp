#include "solver/wiring.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hillock::solver {

Wiring::Wiring(WiringEquations equations, double dt_ms) : equations_(std::move(equations)) {
  const std::size_t size = equations_.size();
  first_of_z_.push_back(0);
  cell_of_.resize(size);
  for (std::size_t cell = 0; cell + 1 < equations_.first_of_cell.size(); ++cell) {
    const std::size_t begin = equations_.first_of_cell[cell];
    const std::size_t end = equations_.first_of_cell[cell + 1];
    std::fill(cell_of_.begin() + static_cast<std::ptrdiff_t>(begin),
              cell_of_.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint32_t>(cell));
    first_of_z_.push_back(first_of_z_.back() + (end - begin) * (end - begin));
  }
  for (std::vector<double>* numbers : {&before_, &sources_, &alone_, &solution_})
    numbers->assign(size, 0);
  z_.assign(first_of_z_.back(), 0);
  std::ranges::stable_sort(equations_.terms, {}, &WiringTerm::equation);
  first_term_.assign(size + 1, 0);
  for (const WiringTerm& term : equations_.terms) {
    const double charge = term.capacitance / dt_ms;
    terms_.push_back({term.unknown, charge + term.conductance, charge});
    ++first_term_[term.equation + 1];
  }
  std::partial_sum(first_term_.begin(), first_term_.end(), first_term_.begin());
  find_components();
}

void Wiring::find_components() {
  std::vector<std::uint32_t> leads_to(equations_.size());
  std::iota(leads_to.begin(), leads_to.end(), 0U);
  const auto first_of = [&](std::uint32_t unknown) {
    while (leads_to[unknown] != unknown) unknown = leads_to[unknown] = leads_to[leads_to[unknown]];
    return unknown;
  };
  const auto tie = [&](std::uint32_t one, std::uint32_t other) {
    one = first_of(one);
    other = first_of(other);
    leads_to[std::max(one, other)] = std::min(one, other);
  };
  for (std::uint32_t u = 0; u < equations_.size(); ++u)
    tie(u, equations_.first_of_cell[cell_of_[u]]);
  for (const WiringTerm& term : equations_.terms) tie(term.equation, term.unknown);
  std::vector<std::size_t> component_of(equations_.size());
  number_in_.resize(equations_.size());
  for (std::uint32_t u = 0; u < equations_.size(); ++u) {
    const std::uint32_t first = first_of(u);
    if (first == u) {
      component_of[u] = components_.size();
      components_.emplace_back();
    }
    Component& component = components_[component_of[first]];
    number_in_[u] = static_cast<std::uint32_t>(component.size());
    component.push_back(u);
  }
}

std::span<double> Wiring::influence(std::size_t cell) {
  return std::span(z_).subspan(first_of_z_[cell], first_of_z_[cell + 1] - first_of_z_[cell]);
}

std::size_t Wiring::largest() const {
  std::size_t most = 0;
  for (const Component& component : components_) most = std::max(most, component.size());
  return most;
}

std::size_t Wiring::bytes() const {
  return sizeof(double) * (5 * before_.size() + z_.size() + matrix_.size() + right_.size()) +
         terms_.size() * (sizeof(Term) + sizeof(WiringTerm));
}

/// The equations of w and of free unknowns.
void Wiring::assemble(const Component& component) {
  const std::size_t n = component.size();
  std::fill_n(matrix_.begin(), n * n, 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    const std::uint32_t equation = component[row];
    double* const of_row = &matrix_[row * n];
    double known = sources_[equation];
    for (std::size_t t = first_term_[equation]; t < first_term_[equation + 1]; ++t) {
      const auto& [unknown, a, charge] = terms_[t];
      known += charge * before_[unknown];
      if (equations_.is_free[unknown] != 0) {
        of_row[number_in_[unknown]] += a;
        continue;
      }
      known -= a * alone_[unknown];
      const std::size_t cell = cell_of_[unknown];
      const std::size_t begin = equations_.first_of_cell[cell];
      const std::size_t count = equations_.first_of_cell[cell + 1] - begin;
      const double* const z = &z_[first_of_z_[cell] + (unknown - begin) * count];
      for (std::size_t k = 0; k < count; ++k) of_row[number_in_[begin + k]] -= a * z[k];
    }
    if (equations_.is_free[equation] == 0) of_row[row] -= 1;
    right_[row] = known;
  }
}

/// Gaussian elimination; a pivot is the largest of its column, by what its row is at most.
void Wiring::solve(const Component& component) {
  assemble(component);
  const std::size_t n = component.size();
  std::vector<double>& m = matrix_;
  scale_.assign(n, 0);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < n; ++k)
      scale_[row] = std::max(scale_[row], std::abs(m[row * n + k]));
    scale_[row] = 1 / scale_[row];
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(m[row * n + k]) * scale_[row] > std::abs(m[pivot * n + k]) * scale_[pivot])
        pivot = row;
    if (pivot != k) {
      std::swap_ranges(&m[k * n], &m[k * n] + n, &m[pivot * n]);
      std::swap(right_[k], right_[pivot]);
      std::swap(scale_[k], scale_[pivot]);
    }
    const double reciprocal = 1 / m[k * n + k];
    for (std::size_t row = k + 1; row < n; ++row) {
      if (m[row * n + k] == 0) continue;
      const double factor = m[row * n + k] * reciprocal;
      for (std::size_t j = k + 1; j < n; ++j) m[row * n + j] -= factor * m[k * n + j];
      right_[row] -= factor * right_[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    double x = right_[k];
    for (std::size_t j = k + 1; j < n; ++j) x -= m[k * n + j] * right_[j];
    right_[k] = x / m[k * n + k];
    solution_[component[k]] = right_[k];
  }
}

std::optional<std::size_t> Wiring::solve() {
  matrix_.resize(largest() * largest());
  right_.resize(largest());
  for (const Component& component : components_) solve(component);
  const auto spoiled =
      std::ranges::find_if(solution_, [](double number) { return !std::isfinite(number); });
  if (spoiled == solution_.end()) return std::nullopt;
  return static_cast<std::size_t>(spoiled - solution_.begin());
}

}  // namespace hillock::solver
