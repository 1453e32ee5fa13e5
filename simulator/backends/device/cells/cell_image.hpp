#pragma once
// What cells of one shape and membrane have in common, made from one of them that was begun.

#include <memory>
#include <string>
#include <vector>

#include "simulator/backends/device/kernels/views.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "solver/contraction/packed_tasks.hpp"

namespace hillock::simulator::on_device {

/// How the cells of an image contract. Its nodes are the begun cell's rows, late where their
/// diagonals change; a program's rows are in the order in which they are eliminated, and instances
/// of density mechanisms in that of rows.
struct Contraction {
  solver::ContractionSchedule schedule;
  solver::contraction::EarlyPivots early;
  solver::contraction::PackedTasks packed;
  std::vector<int> row_of;                    ///< [begun row]
  std::vector<std::vector<int>> instance_of;  ///< [block][begun instance]; points: empty
};

/// What one cell adds to the tables by row of an image. Rows are as the cell was begun until it
/// contracts.
struct CellImage {
  std::vector<Branch> branches;
  std::vector<int> level_begin, children;
  std::vector<double> coupling_uS, capacity_uS, source_nA, constant, factor, area_factors;
  begin::BegunLayers layers;
  std::vector<int> parents, nodes, node_order;
  std::vector<std::vector<int>> instance_of_row;
  std::vector<char> is_late;  ///< where cells contract: [row]

  /// What tells it from others.
  std::string bytes() const;
};

/// What of a begun cell says which kernel and which image it has.
class CellForm {
 public:
  CellForm() = default;
  explicit CellForm(const begin::BegunCell& cell);
  /// Whether another cell has the same, bit for bit.
  bool is_of(const begin::BegunCell& cell) const;

 private:
  struct Block {
    const mechanisms::Mechanism* mechanism = nullptr;
    bool is_constant = false, prepares_ions = false, is_pointed_at = false;
    std::vector<int> rows;
    std::vector<double> area_factors;
  };

  std::shared_ptr<const begin::CellTree> tree_;
  std::vector<double> coupling_uS_, capacity_uS_, source_nA_, constant_, factor_;
  std::vector<char> changes_;
  begin::BegunLayers layers_;
  std::vector<std::string> ions_;
  std::vector<Block> blocks_;
};

/// contracts: diagonals are whole, else what sweeps leave of those that never change.
CellImage make_image(const begin::BegunCell& cell, bool contracts);

/// How an image contracts; its rows and instances then are numbered as Contraction says.
std::shared_ptr<const Contraction> contract(const std::vector<int>& parent, CellImage& image);

/// Whether contraction takes less time than sweeps along branches.
bool contraction_pays(const begin::BegunCell& cell);

/// Whether so many of all rows are most of them, whose pivots change.
constexpr bool are_most(std::size_t changing, std::size_t rows) {
  return 4 * changing >= 3 * rows;
}
bool most_change(const begin::BegunCell& cell);

/// Whether sweeps of such cells side by side take less time than contractions. alike: so many cells
/// have its form. Says nothing of the device at hand, for last bits depend on it.
bool side_by_side_pays(const begin::BegunCell& cell, std::uint64_t alike);

}  // namespace hillock::simulator::on_device
