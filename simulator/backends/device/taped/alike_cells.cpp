#include "simulator/backends/device/taped/alike_cells.hpp"

#include <algorithm>
#include <utility>

#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

namespace {

using begin::BegunBlock;
using begin::BegunCell;

bool are_alike(const BegunCell& one, const BegunCell& other) {
  const auto same_block = [](const BegunBlock& a, const BegunBlock& b) {
    return a.mechanism == b.mechanism && a.is_constant == b.is_constant &&
           a.prepares_ions == b.prepares_ions && a.rows == b.rows;
  };
  return one.detector_row == other.detector_row &&
         one.population->threshold_mV == other.population->threshold_mV &&
         (one.tree == other.tree || one.tree->parent == other.tree->parent) &&
         std::ranges::equal(one.blocks, other.blocks, same_block);
}

constexpr int warp = 32;
/// Of a kernel's arguments, of which all compilers take 4,096 bytes.
constexpr std::size_t most_ones = 128;
/// Of a multiprocessor: each has 168 registers, which the way back takes, or 128, which a run does.
constexpr int most_threads = 384, most_threads_ahead = 512;
/// What a device keeps of the chip for itself, of every block.
constexpr std::size_t reserved_bytes = 1024;

int power_of_2_above(std::size_t wanted, int most) {
  int power = 1;
  while (power < most && static_cast<std::size_t>(power) < wanted) power *= 2;
  return power;
}

}  // namespace

std::vector<std::vector<std::size_t>> find_alike(const std::vector<const BegunCell*>& cells) {
  std::vector<std::vector<std::size_t>> found;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto like = std::ranges::find_if(found, [&](const std::vector<std::size_t>& some) {
      return are_alike(*cells[some.front()], *cells[c]);
    });
    if (like == found.end())
      found.push_back({c});
    else
      like->push_back(c);
  }
  return found;
}

AlikeBlock::AlikeBlock(const std::vector<const BegunCell*>& cells, std::size_t number,
                       const mechanisms::Mechanism& its_adjoint, std::vector<double>& ones)
    : first(cells.front()->blocks[number]),
      adjoint(its_adjoint),
      columns(*first.mechanism->info, *adjoint.info),
      facts{first.is_constant, first.prepares_ions, false,
            first.mechanism->info->is_point_process} {
  const mechanisms::MechanismInfo& info = *first.mechanism->info;
  is_whole = adjoint.info->undoes_both && advances() &&
             step::turn_of_states(facts) == step::Turn::density &&
             step::turn_of_current(facts) == step::Turn::density;
  for (int c = 0; c < info.count(); ++c) {
    const auto of = [&](const BegunCell* cell) -> const OneOrMany& {
      return cell->blocks[number].columns[static_cast<std::size_t>(c)];
    };
    const OneOrMany& column = of(cells.front());
    if (c >= info.first_state()) {
      homes.push_back({TapedHome::kept, c - info.first_state()});
    } else if (std::ranges::any_of(cells,
                                   [&](const auto* cell) { return !(of(cell) == column); })) {
      homes.push_back({TapedHome::own, static_cast<int>(own.size())});
      own.push_back(c);
    } else if (column.is_one() && ones.size() < most_ones) {
      homes.push_back({TapedHome::one, static_cast<int>(ones.size())});
      ones.push_back(column.one());
    } else {
      homes.push_back({TapedHome::placed, static_cast<int>(placed.size() / count())});
      for (std::size_t i = 0; i < count(); ++i) placed.push_back(column[i]);
    }
  }
  back_homes.assign(static_cast<std::size_t>(adjoint.info->count()), {TapedHome::back, -1});
  for (std::size_t c = 0; c < columns.seen.size(); ++c)
    if (columns.seen[c] >= 0) back_homes[static_cast<std::size_t>(columns.seen[c])] = homes[c];
  const auto has_none = [&](int column) {
    if (column >= 0) back_homes[static_cast<std::size_t>(column)].kind = TapedHome::none;
  };
  has_none(columns.of_v);
  has_none(columns.of_weight);
  for (int k = 0; k < info.coupling_count; ++k)  // what nobody gathers
    if (info.couplings[k].adds())
      has_none(columns.derivatives[static_cast<std::size_t>(info.couplings[k].column)]);
  for (TapedHome& home : back_homes)
    if (home.kind == TapedHome::back) home.slot = back_slots++;
  areas_differ = std::ranges::any_of(cells, [&](const auto* cell) {
    return cell->blocks[number].area_factors != first.area_factors;
  });
}

bool AlikeBlock::advances() const {
  const mechanisms::MechanismInfo& info = *first.mechanism->info;
  return info.states > 0 || std::any_of(info.couplings, info.couplings + info.coupling_count,
                                        [](const auto& coupling) { return coupling.sets(); });
}

bool AlikeBlock::is_everywhere(std::size_t rows) const {
  for (std::size_t i = 0; i < count(); ++i)
    if (first.rows[i] != static_cast<int>(i)) return false;
  return count() == rows;
}

/// A warp has a cell, or several small ones; a cell has more where multiprocessors then would lack
/// work. Two cells share a block where there are enough: one of its warps solves both.
TapedShape taped_shape_of(std::size_t cells, std::size_t rows, const DeviceLimits& limits) {
  TapedShape shape{};
  shape.parts = power_of_2_above(rows, warp);
  shape.lanes = power_of_2_above(cells, warp / shape.parts);
  const auto chip_bytes = static_cast<std::size_t>(limits.shared_bytes);
  const auto bytes_of = [&](int lanes) {
    return 2 * rows * static_cast<std::size_t>(lanes) * sizeof(double);
  };
  shape.is_on_chip = bytes_of(shape.lanes) <= chip_bytes;
  const auto blocks_at_once = [&](int lanes) {
    const std::size_t side_by_side = static_cast<std::size_t>(lanes) *
                                     static_cast<std::size_t>(limits.multiprocessors),
                      of_block = (shape.is_on_chip ? bytes_of(lanes) : 0) + reserved_bytes;
    return static_cast<int>(
        std::min((cells + side_by_side - 1) / side_by_side, chip_bytes / of_block));
  };
  if (shape.lanes == 1 && blocks_at_once(2) >= most_threads / (2 * warp)) shape.lanes = 2;
  if (shape.is_on_chip) shape.chip_bytes = bytes_of(shape.lanes);
  const int of_chip = blocks_at_once(shape.lanes);
  shape.at_once = std::min(of_chip, most_threads / shape.threads());
  while (2 * shape.threads() * shape.at_once <= most_threads &&
         static_cast<std::size_t>(shape.parts) < rows)
    shape.parts *= 2;
  shape.ahead_at_once =
      std::max(std::min(of_chip, most_threads_ahead / shape.threads()), shape.at_once);
  return shape;
}

AlikeCells::AlikeCells(std::vector<const BegunCell*> some, const taped::Adjoints& adjoints,
                       const DeviceLimits& limits)
    : cells(std::move(some)), shape(taped_shape_of(count(), rows(), limits)) {
  for (std::size_t b = 0; b < adjoints.size(); ++b)
    blocks.emplace_back(cells, b, *adjoints[b], ones);
}

std::size_t AlikeCells::lasting() const {
  std::size_t size = rows();
  for (const AlikeBlock& block : blocks) size += block.states_size();
  return size;
}

std::vector<double> AlikeCells::laid_out(
    std::size_t size, const std::function<double(std::size_t, std::size_t)>& number,
    int threads) const {
  const std::size_t width = lanes();
  std::vector<double> all(groups() * size * width);
  parallel_for(groups(), threads, [&](std::size_t group) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t cell = std::min(group * width + lane, count() - 1);
      for (std::size_t k = 0; k < size; ++k)
        all[(group * size + k) * width + lane] = number(cell, k);
    }
  });
  return all;
}

}  // namespace hillock::simulator::on_device
