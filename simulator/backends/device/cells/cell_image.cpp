#include "simulator/backends/device/cells/cell_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

template <class T>
void put(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Cuts a tree into branches; its rows come branch by branch.
void add_branches(const std::vector<int>& parent, const std::vector<char>& changes,
                  CellImage& image) {
  const auto rows = static_cast<int>(parent.size());
  const auto at = [](int row) { return static_cast<std::size_t>(row); };
  std::vector<int> child_count(parent.size(), 0);
  for (int row = 1; row < rows; ++row) ++child_count[at(parent[at(row)])];
  std::vector<int> depth;  // [branch]
  std::vector<int> branch_of(parent.size());
  for (int row = 0; row < rows; ++row) {
    const int above = row == 0 ? -1 : parent[at(row)];
    const bool begins = row == 0 || child_count[at(above)] > 1;
    if (begins) {
      image.branches.push_back({row, row, row, above, 0, 0});
      depth.push_back(row == 0 ? 0 : depth[at(branch_of[at(above)])] + 1);
    }
    branch_of[at(row)] = static_cast<int>(image.branches.size()) - 1;
    Branch& branch = image.branches.back();
    branch.last = row;
    if (changes[at(row)]) branch.constant_from = row + 1;
  }
  std::vector<std::vector<int>> children(image.branches.size());
  for (const Branch& branch : image.branches)
    if (branch.parent >= 0) children[at(branch_of[at(branch.parent)])].push_back(branch.first);
  std::vector<int> order(image.branches.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int b) {
    const Branch& branch = image.branches[at(b)];
    return std::pair(depth[at(b)], branch.first - branch.last);
  });
  std::vector<Branch> sorted;
  for (const int b : order) {
    if (depth[at(b)] == static_cast<int>(image.level_begin.size()))
      image.level_begin.push_back(static_cast<int>(sorted.size()));
    Branch branch = image.branches[at(b)];
    branch.children_begin = static_cast<int>(image.children.size());
    image.children.insert(image.children.end(), children[at(b)].begin(), children[at(b)].end());
    branch.children_end = static_cast<int>(image.children.size());
    sorted.push_back(branch);
  }
  image.level_begin.push_back(static_cast<int>(sorted.size()));
  image.branches = std::move(sorted);
}

/// Rows that something happens at: their diagonals change.
std::vector<char> changing_rows(const begin::BegunCell& cell) {
  std::vector<char> changes(cell.row_count(), 0);
  for (const begin::BegunBlock& block : cell.blocks)
    if (!block.is_constant)
      for (const int row : block.rows) changes[static_cast<std::size_t>(row)] = 1;
  return changes;
}

/// Constants of rows, of which some only lie above what changes: the diagonals that sweeps began
/// with instead of the pivots that they ended with.
void undo_sweeps(const begin::BegunCell& cell, CellImage& image) {
  const std::vector<int>& parent = cell.tree->parent;
  const auto is_kept = [&](std::size_t row) { return !cell.changes[row]; };
  for (std::size_t row = 0; row < parent.size(); ++row)
    if (is_kept(row)) image.constant[row] = 1 / image.constant[row];
  for (std::size_t row = 1; row < parent.size(); ++row)
    if (const auto above = static_cast<std::size_t>(parent[row]); is_kept(above))
      image.constant[above] += image.factor[row] * image.coupling_uS[row];
}

std::size_t count_changing(const begin::BegunCell& cell) {
  return static_cast<std::size_t>(std::ranges::count(cell.changes, 1));
}

template <class T>
bool are_same(const std::vector<T>& one, const std::vector<T>& other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(T)) == 0);
}

bool are_same(const begin::BegunLayers& one, const begin::BegunLayers& other) {
  return are_same(one.has, other.has) && are_same(one.inside_uS, other.inside_uS) &&
         std::ranges::equal(one.layers, other.layers, [](const auto& a, const auto& b) {
           return are_same(a.along_uS, b.along_uS) && are_same(a.diagonal_uS, b.diagonal_uS) &&
                  are_same(a.across_uS, b.across_uS) && are_same(a.charge_uS, b.charge_uS);
         });
}

}  // namespace

CellForm::CellForm(const begin::BegunCell& cell)
    : tree_(cell.tree),
      coupling_uS_(cell.coupling_uS),
      capacity_uS_(cell.capacity_uS),
      source_nA_(cell.source_nA),
      constant_(cell.constant_uS),
      factor_(cell.factor),
      changes_(cell.changes),
      layers_(cell.layers) {
  for (const begin::BegunIon& ion : cell.ions) ions_.push_back(ion.ion);
  for (const begin::BegunBlock& block : cell.blocks)
    blocks_.push_back({block.mechanism, block.is_constant, block.prepares_ions, block.is_pointed_at,
                       block.rows, block.area_factors});
}

bool CellForm::is_of(const begin::BegunCell& cell) const {
  return tree_ == cell.tree && are_same(coupling_uS_, cell.coupling_uS) &&
         are_same(capacity_uS_, cell.capacity_uS) && are_same(source_nA_, cell.source_nA) &&
         are_same(constant_, cell.constant_uS) && are_same(factor_, cell.factor) &&
         are_same(changes_, cell.changes) && are_same(layers_, cell.layers) &&
         std::ranges::equal(ions_, cell.ions, {}, {}, &begin::BegunIon::ion) &&
         std::ranges::equal(blocks_, cell.blocks, [](const Block& a, const begin::BegunBlock& b) {
           return a.mechanism == b.mechanism && a.is_constant == b.is_constant &&
                  a.prepares_ions == b.prepares_ions && a.is_pointed_at == b.is_pointed_at &&
                  are_same(a.rows, b.rows) && are_same(a.area_factors, b.area_factors);
         });
}

std::string CellImage::bytes() const {
  std::string bytes;
  put(bytes, branches);
  put(bytes, level_begin);
  put(bytes, children);
  put(bytes, nodes);
  put(bytes, is_late);
  for (const auto* column :
       {&coupling_uS, &capacity_uS, &source_nA, &constant, &factor, &area_factors})
    put(bytes, *column);
  for (const auto* column : {&layers.has, &layers.inside_uS}) put(bytes, *column);
  for (const begin::BegunLayers::Layer& layer : layers.layers)
    for (const auto* column :
         {&layer.along_uS, &layer.diagonal_uS, &layer.across_uS, &layer.charge_uS})
      put(bytes, *column);
  for (const auto& column : instance_of_row) put(bytes, column);
  return bytes;
}

CellImage make_image(const begin::BegunCell& cell, bool contracts) {
  const std::size_t rows = cell.row_count();
  CellImage image;
  image.coupling_uS = cell.coupling_uS;
  image.capacity_uS = cell.capacity_uS;
  image.source_nA = cell.source_nA;
  image.constant = cell.constant_uS;
  image.factor = cell.factor;
  image.layers = cell.layers;
  image.area_factors.resize(rows, 0);
  image.parents = cell.tree->parent;
  image.nodes = cell.tree->nodes;
  image.node_order.resize(rows);
  if (contracts) {
    image.is_late = changing_rows(cell);
    undo_sweeps(cell, image);
  }
  add_branches(image.parents, cell.changes, image);
  std::iota(image.node_order.begin(), image.node_order.end(), 0);
  std::ranges::sort(image.node_order, {},
                    [&](int row) { return image.nodes[static_cast<std::size_t>(row)]; });
  for (std::size_t row = 0; row < rows; ++row)
    if (cell.changes[row]) image.factor[row] = 0;
  for (const begin::BegunBlock& block : cell.blocks) {
    std::vector<int>& instances = image.instance_of_row.emplace_back();
    if (block.mechanism->info->is_point_process) continue;
    instances.assign(rows, -1);
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(block.rows[i]);
      instances[row] = static_cast<int>(i);
      image.area_factors[row] = block.area_factors[i];
    }
  }
  return image;
}

std::shared_ptr<const Contraction> contract(const std::vector<int>& parent, CellImage& image) {
  auto contraction = std::make_shared<Contraction>();
  contraction->schedule =
      solver::make_contraction_schedule(parent, image.is_late, std::numeric_limits<int>::max());
  contraction->early = solver::contraction::eliminate_early(contraction->schedule,
                                                            image.coupling_uS, image.constant);
  contraction->packed = solver::contraction::packed_tasks(contraction->schedule);
  image.constant = contraction->early.diagonal;
  const std::vector<int>& order = contraction->schedule.node;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (std::size_t task = 0; task < contraction->early.reciprocal.size(); ++task)
    image.constant[at(order[task])] = contraction->early.reciprocal[task];
  std::vector<int>& row_of = contraction->row_of;
  row_of.resize(order.size());
  for (std::size_t row = 0; row < order.size(); ++row)
    row_of[at(order[row])] = static_cast<int>(row);
  const auto reorder = [&](auto& values) {
    const auto before = values;
    for (std::size_t row = 0; row < order.size(); ++row) values[row] = before[at(order[row])];
  };
  for (auto* values : {&image.coupling_uS, &image.capacity_uS, &image.source_nA, &image.constant,
                       &image.factor, &image.area_factors})
    reorder(*values);
  reorder(image.nodes);
  reorder(image.parents);
  for (int& above : image.parents) above = above < 0 ? -1 : row_of[at(above)];
  for (int& row : image.node_order) row = row_of[at(row)];
  for (std::vector<int>& instances : image.instance_of_row) {
    std::vector<int>& instance_of = contraction->instance_of.emplace_back();
    if (instances.empty()) continue;
    reorder(instances);
    instance_of.resize(instances.size());
    int next = 0;
    for (int& instance : instances)
      if (instance >= 0) {
        instance_of[at(instance)] = next;
        instance = next++;
      }
  }
  return contraction;
}

bool contraction_pays(const begin::BegunCell& cell) {
  // Cycles of a GPU: of a row on its way up and down, and of a step of contraction.
  constexpr double changing_row = 280, constant_row = 40, step = 350, early_step = 200;
  CellImage image;
  add_branches(cell.tree->parent, cell.changes, image);
  double sweep = 0;
  for (std::size_t level = 0; level + 1 < image.level_begin.size(); ++level) {
    double longest = 0;
    for (int b = image.level_begin[level]; b < image.level_begin[level + 1]; ++b) {
      const Branch& branch = image.branches[static_cast<std::size_t>(b)];
      const int changing = std::min(branch.constant_from, branch.last + 1) - branch.first;
      longest = std::max(longest, changing * changing_row +
                                      (branch.last + 1 - branch.first - changing) * constant_row);
    }
    sweep += longest;
  }
  const auto rows = static_cast<double>(cell.row_count());
  const bool all_change = std::ranges::all_of(cell.changes, [](char changes) { return changes; });
  const double rounds = 2 * std::log2(rows);
  return sweep > rounds * (all_change ? step : early_step);
}

bool most_change(const begin::BegunCell& cell) {
  return are_most(count_changing(cell), cell.row_count());
}

bool side_by_side_pays(const begin::BegunCell& cell, std::uint64_t alike) {
  // Of an H200: multiprocessors, numbers on the chip of each, and so many cells there that their
  // sweeps are ahead.
  constexpr std::size_t multiprocessors = 132, numbers_on_chip = 29'000, side_by_side = 12;
  constexpr std::size_t tables = 4;
  const std::size_t rows = cell.row_count(), changing = count_changing(cell);
  // A pivot that changes is a number more of each cell. Where most do, all have one, and sweeps
  // are quick; where some do, neither is so.
  const bool is_quick = are_most(changing, rows);
  if (!is_quick && 4 * changing > rows) return false;
  const std::size_t pivots = is_quick ? rows : changing;
  return alike >= side_by_side * multiprocessors && cell.layers.layers.empty() &&
         cell.ions.empty() && cell.membrane_nA.empty() &&
         side_by_side * (rows + pivots) + tables * rows <= numbers_on_chip;
}

}  // namespace hillock::simulator::on_device
