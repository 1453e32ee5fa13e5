#include "simulator/backends/cpu/cells/cell_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator::cpu {

using solver::RowRun;

CellRows::CellRows(GroupLayout& group, double implicit_dt_ms)
    : group_(group),
      lanes_(group.width()),
      sweep_(solver::sweep_kernels(group.lanes)),
      layers_(group, implicit_dt_ms),
      v_(std::move(group.v_init_mV)) {
  const std::size_t size = group.row_count() * lanes_;
  for (LaneArray* array : {&x_, &diagonal_, &source_}) array->assign(size + lanes_, 0);
  if (layers_.are_there())
    for (LaneArray* array : {&v_, &x_}) array->resize(layers_.end(), 0);
  factor_.assign(size, 0);
  capacity_.resize(size);
  make_constant(implicit_dt_ms);
}

/// Capacities, and what capacities and couplings add to the diagonal.
void CellRows::make_constant(double implicit_dt_ms) {
  for (std::size_t i = 0; i < group_.capacitance_nF.size(); ++i)
    capacity_[i] = group_.capacitance_nF[i] / implicit_dt_ms;
  // Else all packs have the tree's.
  const solver::LaneTree& tree = *group_.tree;
  const std::size_t in_a_row = group_.packs * lanes_;
  const std::size_t of_tree = group_.capacitance_nF.empty() ? tree.capacitance_nF.size() : 0;
  for (std::size_t i = 0; i < of_tree; ++i) {
    const double capacity = tree.capacitance_nF[i] / implicit_dt_ms;
    const std::size_t at = i / lanes_ * in_a_row + i % lanes_;
    for (std::size_t p = 0; p < in_a_row; p += lanes_) capacity_[at + p] = capacity;
  }
  std::ranges::copy(capacity_, diagonal_.begin());
  if (layers_.are_there()) return;
  for (std::size_t row = group_.packs; row < group_.row_count(); ++row)
    for (std::size_t l = 0; l < lanes_; ++l) {
      const double coupling = group_.coupling_uS[row * lanes_ + l];
      diagonal_[row * lanes_ + l] += coupling;
      diagonal_[parent_of(row) * lanes_ + l] += coupling;
    }
}

/// Pivots change of rows with a mechanism that does, and of all above them.
void CellRows::find_changing(std::vector<char> changes) {
  const std::size_t rows = group_.row_count(), roots = group_.packs;
  std::fill_n(changes.begin(), layers_.are_there() ? changes.size() : roots, 1);
  for (std::size_t row = rows; row-- > roots;)
    if (changes[row]) changes[parent_of(row)] = 1;
  for (std::size_t row = rows; row-- > 0;) {
    const RowRun::Kind kind = changes[row]              ? RowRun::Kind::changing
                              : changes[parent_of(row)] ? RowRun::Kind::border
                                                        : RowRun::Kind::constant;
    if (!runs_.empty() && runs_.back().kind == kind)
      runs_.back().begin = row;
    else
      runs_.push_back({row, row + 1, kind});
  }
  std::size_t kept = 0;
  for (RowRun& run : runs_) {
    if (run.kind != RowRun::Kind::changing) continue;
    run.kept = kept;
    kept += run.end - run.begin;
  }
  constant_diagonal_.assign(kept * lanes_, 0);
  if (lanes_ == 1) pieces_ = solver::pieces_of(runs_, group_.parent);
  const std::vector<RowRun>& pieces = lanes_ == 1 ? pieces_ : runs_;
  rows_ = {rows,
           roots,
           group_.parent.data(),
           group_.coupling_uS.data(),
           capacity_.data(),
           source_.data(),
           constant_diagonal_.data(),
           runs_.data(),
           runs_.size(),
           pieces.data(),
           pieces.size(),
           factor_.data(),
           diagonal_.data(),
           x_.data()};
}

namespace {

/// Runs as far as they lie in rows [begin, end).
std::vector<RowRun> runs_within(std::span<const RowRun> runs, std::size_t begin, std::size_t end) {
  std::vector<RowRun> within;
  for (const RowRun& run : runs) {
    RowRun some = run;
    some.begin = std::max(run.begin, begin);
    some.end = std::min(run.end, end);
    some.kept += some.begin - run.begin;
    if (some.begin < some.end) within.push_back(some);
  }
  return within;
}

}  // namespace

void CellRows::share(std::span<const std::size_t> borders) {
  const auto keep = [&](std::vector<RowRun> runs) -> const std::vector<RowRun>& {
    return runs_of_parts_.emplace_back(std::move(runs));
  };
  const std::span<const std::size_t> parts = group_.parts;
  for (std::size_t part = 0; part + 1 < parts.size(); ++part) {
    solver::LaneRows& rows = of_parts_.emplace_back(rows_);
    rows.first = borders[part];
    rows.count = borders[part + 1];
    const std::vector<RowRun>& runs = keep(runs_within(runs_, rows.first, rows.count));
    rows.runs = runs.data();
    rows.run_count = runs.size();
    const std::vector<RowRun>& pieces =
        keep(solver::pieces_of(runs_within(runs_, parts[part], parts[part + 1]), group_.parent));
    rows.pieces = pieces.data();
    rows.piece_count = pieces.size();
  }
  const std::vector<RowRun>& trunk =
      keep(solver::pieces_of(runs_within(runs_, 0, parts.front()), group_.parent));
  rows_.pieces = trunk.data();
  rows_.piece_count = trunk.size();
}

void CellRows::keep_constant() {
  for (const RowRun& run : runs_)
    if (run.kind == RowRun::Kind::changing)
      std::copy(&diagonal_[run.begin * lanes_], &diagonal_[run.end * lanes_],
                &constant_diagonal_[run.kept * lanes_]);
  if (!layers_.are_there()) sweep_.prepare(rows_);
}

/// A root's voltage takes in every row of its tree, so it alone tells whether all are finite.
bool CellRows::solve(Gang* gang) {
  if (layers_.are_there()) {
    layers_.solve(sweep_, v_, diagonal_, x_);
  } else {
    if (gang) gang->run([&](std::size_t part) { sweep_.eliminate(of_parts_[part]); });
    sweep_.solve(rows_);
    if (gang) gang->run([&](std::size_t part) { sweep_.substitute(of_parts_[part]); });
  }
  return sweep_.are_roots_finite(rows_) || spoiled_cell() == group_.indices.size();
}

void CellRows::take_axial(double* inside, double* to, bool adds) const {
  solver::LaneRows rows = rows_;
  rows.rhs = inside;
  sweep_.take_axial(rows, to, adds);
}

std::size_t CellRows::spoiled_cell() const {
  std::size_t cell = 0;
  while (cell < group_.indices.size() && std::isfinite(x_[cell])) ++cell;
  return cell;
}

bool CellRows::spoils(std::size_t row, std::size_t lane) const {
  const double d = diagonal_[row * lanes_ + lane];
  return !std::isfinite(x_[row * lanes_ + lane]) || !std::isfinite(d) || d <= 0;
}

void CellRows::take_voltages() {
  std::swap(v_, x_);
  rows_.rhs = x_.data();
  for (solver::LaneRows& rows : of_parts_) rows.rhs = x_.data();
}

LaneArray CellRows::constant() const {
  LaneArray constant = diagonal_;
  for (const RowRun& run : runs_)
    if (run.kind == RowRun::Kind::changing)
      std::copy_n(&constant_diagonal_[run.kept * lanes_], (run.end - run.begin) * lanes_,
                  &constant[run.begin * lanes_]);
  return constant;
}

std::vector<char> CellRows::changes() const {
  std::vector<char> changes(group_.row_count());
  for (const RowRun& run : runs_)
    std::fill(changes.begin() + static_cast<std::ptrdiff_t>(run.begin),
              changes.begin() + static_cast<std::ptrdiff_t>(run.end),
              run.kind == RowRun::Kind::changing);
  return changes;
}

std::size_t CellRows::bytes() const {
  std::size_t bytes = layers_.bytes() + bytes_of(runs_) + bytes_of(pieces_) + bytes_of(of_parts_);
  for (const auto& some : runs_of_parts_) bytes += bytes_of(some);
  for (const LaneArray* array :
       {&v_, &x_, &diagonal_, &source_, &capacity_, &factor_, &constant_diagonal_})
    bytes += bytes_of(*array);
  return bytes;
}

}  // namespace hillock::simulator::cpu
