#include "simulator/backends/cpu/cells/wired_rows.hpp"

#include <algorithm>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator::cpu {

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
      wiring.before()[cell.first_unknown + k] = rows.v()[cell.rows[k] * lanes + cell.lane];
      wiring.alone()[cell.first_unknown + k] = rows.x()[cell.rows[k] * lanes + cell.lane];
    }
    const std::span<double> z = wiring.influence(cell.number);
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
