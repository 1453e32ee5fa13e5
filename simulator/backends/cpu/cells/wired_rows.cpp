#include "simulator/backends/cpu/cells/wired_rows.hpp"

#include <algorithm>

#include "core/containers/memory_size.hpp"
#include "solver/layer_block.hpp"

namespace hillock::simulator::cpu {

namespace {

/// One cell with n - 1 layers, whose rows are eliminated from its tips to its root.
template <int n>
class LayeredCell {
 public:
  /// Of a row, by unknown.
  struct Numbers {
    double of[n];
  };

  LayeredCell(const GroupLayout& group, const CellRows& rows, const WiredCell& cell) {
    const LayeredRows& layers = rows.layers();
    std::vector<solver::LayerBlock<double, n>> blocks;
    for (std::size_t row = cell.pack; row < group.row_count(); row += group.packs) {
      const std::size_t at = row * group.width() + cell.lane;
      solver::LayersAtRow<double, n> here{group.layers.has[at], layers.inside_uS()[at], {}, {}, {}};
      Numbers along{{group.coupling_uS[at]}};
      for (std::size_t l = 0; l + 1 < n; ++l) {
        here.diagonal[l] = layers.diagonal(l)[at];
        here.across[l] = layers.across(l)[at];
        along.of[l + 1] = group.layers.along_uS[l][at];
      }
      blocks.push_back(solver::layer_block<double, n>(
          here, {rows.diagonal()[at], 0, layers.electrode_uS()[at], 0, 0, {}}));
      along_.push_back(along);
      parent_.push_back(
          row < group.packs ? 0 : static_cast<std::size_t>(group.parent[row]) / group.packs);
    }
    eliminated_.resize(blocks.size());
    for (std::size_t i = blocks.size(); i-- > 0;) {
      factors_.emplace_back(blocks[i]);
      if (i == 0) break;
      eliminated_[i] = solver::EliminatedRow<double, n>(blocks[i], along_[i].of);
      eliminated_[i].join(blocks[parent_[i]], along_[i].of);
    }
    std::ranges::reverse(factors_);
  }

  std::size_t size() const { return parent_.size(); }

  /// x: [row] what flows into each unknown, then what that makes of it.
  void solve(std::vector<Numbers>& x) const {
    for (std::size_t i = size(); i-- > 0;) {
      factors_[i].solve(x[i].of);
      for (int j = 0; i > 0 && j < n; ++j) x[parent_[i]].of[j] += along_[i].of[j] * x[i].of[j];
    }
    for (std::size_t i = 1; i < size(); ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) x[i].of[j] += eliminated_[i].share[j][k] * x[parent_[i]].of[k];
  }

 private:
  std::vector<Numbers> along_;
  std::vector<std::size_t> parent_;
  std::vector<solver::LayerFactors<double, n>> factors_;
  std::vector<solver::EliminatedRow<double, n>> eliminated_;
};

}  // namespace

WiredRows::WiredRows(const GroupLayout& group) : group_(group), cells_(group.wired) {
  for (const WiredCell& cell : cells_) {
    Path& path = paths_.emplace_back();
    const std::size_t root = group.row(0, cell.pack);
    for (std::size_t row : cell.rows)
      for (;; row = static_cast<std::size_t>(group.parent[row])) {
        path.rows.push_back(row);
        if (row == root) break;
      }
    std::ranges::sort(path.rows);
    path.rows.erase(std::ranges::unique(path.rows).begin(), path.rows.end());
    const auto number_of = [&](std::size_t row) {
      return static_cast<std::size_t>(std::ranges::lower_bound(path.rows, row) - path.rows.begin());
    };
    for (const std::size_t row : path.rows)
      path.parent.push_back(row == root ? 0
                                        : number_of(static_cast<std::size_t>(group.parent[row])));
    for (const std::size_t row : cell.rows) path.spots.push_back(number_of(row));
  }
  if (!cells_.empty()) {
    flow_.resize(group.row_count());
    x_.resize(group.row_count());
  }
}

/// What flows into the rows of a path becomes what reaches them with all below them, over their
/// pivots.
void WiredRows::add_up(const CellRows& rows, const WiredCell& cell, const Path& path) {
  for (std::size_t p = path.rows.size(); p-- > 0;) {
    const std::size_t row = path.rows[p];
    if (p > 0) flow_[path.parent[p]] += rows.factor()[row * group_.width() + cell.lane] * flow_[p];
    flow_[p] *= rows.reciprocal(row, cell.lane);
  }
}

void WiredRows::tell(const CellRows& rows, solver::Wiring& wiring) {
  const std::size_t lanes = group_.width();
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const WiredCell& cell = cells_[c];
    const Path& path = paths_[c];
    const std::size_t count = cell.rows.size(), length = path.rows.size();
    for (std::size_t k = 0; k < count; ++k) {
      wiring.before()[cell.first_unknown + k] = number(rows, rows.v(), cell, k);
      wiring.alone()[cell.first_unknown + k] = number(rows, rows.x(), cell, k);
    }
    const std::span<double> z = wiring.influence(cell.number);
    if (group_.layers.count() > 0) {
      group_.layers.count() == 1 ? tell_of_layers<2>(rows, cell, z)
                                 : tell_of_layers<3>(rows, cell, z);
      continue;
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::fill_n(flow_.begin(), length, 0.0);
      flow_[path.spots[k]] = 1;
      add_up(rows, cell, path);
      for (std::size_t p = 0; p < length; ++p)
        x_[p] = p == 0 ? flow_[p]
                       : flow_[p] +
                             rows.factor()[path.rows[p] * lanes + cell.lane] * x_[path.parent[p]];
      for (std::size_t other = 0; other < count; ++other)
        z[other * count + k] = x_[path.spots[other]];
    }
  }
}

double WiredRows::number(const CellRows& rows, const LaneArray& of, const WiredCell& cell,
                         std::size_t unknown) const {
  const LayeredRows& layers = rows.layers();
  const std::size_t at = cell.rows[unknown] * group_.width() + cell.lane;
  const std::size_t layer = cell.layers[unknown];
  if (layer > 0) return of[layers.begin() + (layer - 1) * group_.row_count() * group_.width() + at];
  return layers.are_there() ? of[at] + of[layers.begin() + at] : of[at];
}

template <int n>
void WiredRows::tell_of_layers(const CellRows& rows, const WiredCell& cell,
                               std::span<double> z) const {
  const LayeredCell<n> of(group_, rows, cell);
  const std::size_t count = cell.rows.size();
  std::vector<typename LayeredCell<n>::Numbers> x(of.size());
  for (std::size_t k = 0; k < count; ++k) {
    std::ranges::fill(x, typename LayeredCell<n>::Numbers{});
    x[cell.rows[k] / group_.packs].of[cell.layers[k]] = 1;
    of.solve(x);
    for (std::size_t other = 0; other < count; ++other)
      z[other * count + k] = x[cell.rows[other] / group_.packs].of[cell.layers[other]];
  }
}

template <int n>
void WiredRows::follow_in_layers(const solver::Wiring& wiring, const WiredCell& cell,
                                 CellRows& rows) const {
  const LayeredCell<n> of(group_, rows, cell);
  std::vector<typename LayeredCell<n>::Numbers> x(of.size());
  for (std::size_t k = 0; k < cell.rows.size(); ++k)
    x[cell.rows[k] / group_.packs].of[cell.layers[k]] -= wiring.solution()[cell.first_unknown + k];
  of.solve(x);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const std::size_t at = (i * group_.packs + cell.pack) * group_.width() + cell.lane;
    const double has = group_.layers.has[at];
    rows.x()[at] += x[i].of[0] - has * x[i].of[1];
    for (std::size_t l = 0; l + 1 < n; ++l)
      rows.x()[rows.layers().begin() + l * group_.row_count() * group_.width() + at] +=
          has * x[i].of[l + 1];
  }
}

void WiredRows::follow(const solver::Wiring& wiring, CellRows& rows) {
  const std::size_t lanes = group_.width(), packs = group_.packs;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const WiredCell& cell = cells_[c];
    const Path& path = paths_[c];
    const double* const solution = &wiring.solution()[cell.first_unknown];
    if (cell.is_free) {
      rows.x()[cell.rows[0] * lanes + cell.lane] = solution[0];
      continue;
    }
    if (group_.layers.count() > 0) {
      group_.layers.count() == 1 ? follow_in_layers<2>(wiring, cell, rows)
                                 : follow_in_layers<3>(wiring, cell, rows);
      continue;
    }
    std::fill_n(flow_.begin(), path.rows.size(), 0.0);
    for (std::size_t k = 0; k < cell.rows.size(); ++k) flow_[path.spots[k]] -= solution[k];
    add_up(rows, cell, path);
    for (std::size_t row = cell.pack; row < group_.row_count(); row += packs) x_[row] = 0;
    for (std::size_t p = 0; p < path.rows.size(); ++p) x_[path.rows[p]] = flow_[p];
    for (std::size_t row = cell.pack; row < group_.row_count(); row += packs) {
      const std::size_t at = row * lanes + cell.lane;
      if (row >= packs)
        x_[row] += rows.factor()[at] * x_[static_cast<std::size_t>(group_.parent[row])];
      rows.x()[at] += x_[row];
    }
  }
}

std::size_t WiredRows::bytes() const {
  std::size_t bytes = bytes_of(paths_) + bytes_of(flow_) + bytes_of(x_);
  for (const Path& path : paths_)
    bytes += bytes_of(path.rows) + bytes_of(path.parent) + bytes_of(path.spots);
  return bytes;
}

}  // namespace hillock::simulator::cpu
