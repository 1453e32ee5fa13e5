// A program's cells as they are on the device, and the way back: what is saved of a run.

#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "simulator/backends/device/cells/device_program.hpp"

namespace hillock::simulator::on_device {

/// Calls move(values, address, counts, elements, width) for everything that may change.
template <class Direction>
void DeviceProgram::move_changing(const Direction& move) {
  move(cells_.v_mV, arrays_of_cells_.v_mV, row_counts_, row_elements_, 1);
  for (std::size_t l = 0; l < cells_.layers_mV.size(); ++l)
    move(cells_.layers_mV[l], arrays_of_cells_.layers_mV[l], row_counts_, row_elements_, 1);
  move(cells_.membrane_nA, arrays_of_cells_.membrane_nA, row_counts_, row_elements_, 1);
  for (std::size_t k = 0; k < ions_.size(); ++k) {
    move(cells_.ions[k].current, ions_[k].current, row_counts_, row_elements_, 1);
    move(cells_.ions[k].reversal, ions_[k].reversal, row_counts_, row_elements_, 1);
    move(cells_.ions[k].inside, ions_[k].inside, row_counts_, row_elements_, 1);
    move(cells_.ions[k].outside, ions_[k].outside, row_counts_, row_elements_, 1);
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    BlockCells& block = cells_.blocks[b];
    const BlockHome& home = blocks_[b];
    for (std::size_t c = 0; c < home.columns.size(); ++c)
      if (!home.is_one[c]) move(block.columns[c], home.columns[c], block.counts, home.elements, 1);
    move(block.awaited, home.awaited, block.counts, home.elements, room_for_awaited);
    move(block.awaited_counts, home.awaited_counts, block.counts, home.elements, 1);
    move(block.watch_bits, home.watch_bits, block.counts, home.elements, 1);
    move(block.watches, home.watches, block.counts, home.elements,
         static_cast<std::size_t>(cells_.mechanisms[b]->info->watches));
  }
}

Cells& DeviceProgram::fetch() {
  const auto stride = static_cast<std::size_t>(shape_.stride);
  const auto copy = [](auto* to, const auto* from, std::size_t count) {
    device::copy(to, from, count * sizeof *to, device::Way::out);
  };
  move_changing([&]<class List, class T>(List& values, const T* from,
                                         std::span<const std::uint32_t> counts,
                                         const Elements& elements, std::size_t width) {
    if (!from) return;
    std::vector<T> there(elements.size * width);
    if (!there.empty()) copy(there.data(), from, there.size());
    std::vector<T> all = gathered(there, counts, elements, stride, width);
    if constexpr (std::is_same_v<List, OneOrMany>)
      values = OneOrMany(std::span<const double>(all));
    else
      values = std::move(all);
  });
  cells_.above.resize(cell_count());
  copy(cells_.above.data(), arrays_of_cells_.above, cell_count());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    BlockCells& block = cells_.blocks[b];
    const std::size_t count =
        std::accumulate(block.counts.begin(), block.counts.end(), std::size_t{0});
    for (std::size_t c = 0; c < blocks_[b].columns.size(); ++c) {
      if (!blocks_[b].is_one[c]) continue;
      block.columns[c] = OneOrMany(count, blocks_[b].ones[c]);
    }
    if (!blocks_[b].arguments) continue;
    block.arguments.resize(argument_counts_[b]);
    copy(block.arguments.data(), blocks_[b].arguments, block.arguments.size());
  }
  return cells_;
}

void DeviceProgram::put_back() {
  const auto stride = static_cast<std::size_t>(shape_.stride);
  const auto copy = [](auto* to, const auto* from, std::size_t count) {
    device::copy(to, from, count * sizeof *to, device::Way::in);
  };
  move_changing([&](const auto& values, auto* to, std::span<const std::uint32_t> counts,
                    const Elements& elements, std::size_t width) {
    if (!to || values.empty()) return;
    const auto there = spread(values, counts, elements, stride, width);
    copy(to, there.data(), there.size());
  });
  copy(arrays_of_cells_.above, cells_.above.data(), cell_count());
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (blocks_[b].arguments)
      copy(blocks_[b].arguments, cells_.blocks[b].arguments.data(),
           cells_.blocks[b].arguments.size());
}

void DeviceProgram::keep_beginning() {
  const auto keep = [&]<class T>(T* of, std::size_t count) {
    const DeviceView<T> kept = memory_.take<T>(count, DeviceUse::cells);
    beginning_.push_back({of, kept.data(), count * sizeof(T)});
    if (count > 0) device::copy(kept.data(), of, count * sizeof(T), device::Way::within);
  };
  move_changing([&]<class T>(const auto&, T* of, std::span<const std::uint32_t>,
                             const Elements& elements, std::size_t width) {
    if (of) keep(of, elements.size * width);
  });
  keep(arrays_of_cells_.above, cell_count());
}

void DeviceProgram::begin_again() {
  for (const Kept& kept : beginning_)
    if (kept.bytes > 0) device::copy(kept.of, kept.at, kept.bytes, device::Way::within, stream_);
}

void DeviceProgram::take_factors(const FieldFactors& factors, std::size_t copies) {
  const std::size_t of_copy = cell_count() / copies, cells = factors.of_cells.size() / copies;
  bool are_new = false;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const FieldCells& field = cells_.fields[f];
    if (field.stimulus != factors.stimulus) continue;
    fields_[f].factor = factors.of_cells[field.cell / of_copy * cells + cells_.indices[field.cell]];
    are_new = true;
  }
  if (!are_new) return;
  device::copy(const_cast<FieldInTime*>(arrays_of_cells_.fields), fields_.data(),
               fields_.size() * sizeof(FieldInTime), device::Way::in);
}

void DeviceProgram::release() {
  const auto forget = [](auto& values) { values = {}; };
  forget(cells_.v_mV);
  for (OneOrMany& layer : cells_.layers_mV) forget(layer);
  forget(cells_.membrane_nA);
  forget(cells_.above);
  for (IonCells& ion : cells_.ions) ion = {};
  argument_counts_.clear();
  for (BlockCells& block : cells_.blocks) {
    argument_counts_.push_back(block.arguments.size());
    for (auto& column : block.columns) forget(column);
    forget(block.rows);
    forget(block.area_factors);
    forget(block.pointers);
    forget(block.arguments);
    forget(block.awaited);
    forget(block.awaited_counts);
    forget(block.watch_bits);
    forget(block.watches);
  }
}

}  // namespace hillock::simulator::on_device
