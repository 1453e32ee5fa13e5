#include "simulator/backends/device/cells/cell_state.hpp"

#include <algorithm>
#include <utility>

#include "simulator/begin/awaited_event.hpp"
#include "simulator/begin/in_state.hpp"

namespace hillock::simulator::on_device {

namespace {

/// The instances of a block on a cell, and where they begin in the program.
struct CellInstances {
  BlockCells& block;
  std::size_t first = 0;
  std::size_t count = 0;
};

using Waiting = begin::AwaitedEvent;

class CellWalk {
 public:
  CellWalk(StateWalk& state, const RunConstants& run, std::span<Cells* const> programs)
      : state_(state), run_(run), programs_(programs), firsts_(programs.size()) {
    for (std::size_t p = 0; p < programs.size(); ++p)
      for (const BlockCells& block : programs[p]->blocks) {
        std::vector<std::size_t>& first = firsts_[p].instances.emplace_back(1, 0);
        for (const std::uint32_t count : block.counts) first.push_back(first.back() + count);
        std::vector<std::size_t>& slots = firsts_[p].slots.emplace_back(1, 0);
        for (const std::uint32_t count : block.connection_counts)
          slots.push_back(slots.back() + count);
      }
  }

  void walk(std::span<const CellAddress> range) {
    if (range.empty()) return;
    range_ = range;
    const Cells& first = *programs_[range_.front().first];
    begin();
    const auto always = [](CellAddress) { return true; };
    walk_rows(
        "v", [](Cells& cells) { return &cells.v_mV; }, always);
    for (std::size_t l = 0; l < first.layers_mV.size(); ++l)
      walk_rows(
          "vext[" + std::to_string(l) + ']', [l](Cells& cells) { return &cells.layers_mV[l]; },
          always);
    for (std::size_t k = 0; k < first.ions.size(); ++k) {
      const std::string ion = "ion/" + first.ion_names[k] + '/';
      const auto keeps = [&](CellAddress at) { return keeps_ion(at, k); };
      walk_rows(
          ion + "current", [&](Cells& cells) { return &cells.ions[k].current; }, keeps);
      walk_rows(
          ion + "reversal", [&](Cells& cells) { return &cells.ions[k].reversal; }, keeps);
      walk_rows(
          ion + "inside", [&](Cells& cells) { return &cells.ions[k].inside; }, keeps);
      walk_rows(
          ion + "outside", [&](Cells& cells) { return &cells.ions[k].outside; }, keeps);
    }
    for (std::size_t b = 0; b < first.blocks.size(); ++b) walk_columns(b);
    state_.column("above", [&](std::size_t c) {
      const auto& [program, cell] = range_[c];
      state_.count(programs_[program]->above[cell]);
    });
    if (state_.is_saving()) {
      number_watches();
      number_awaited();
    }
    for (std::size_t b = 0; b < first.blocks.size(); ++b) {
      const mechanisms::MechanismInfo& info = *first.mechanisms[b]->info;
      if (info.keeps_arguments) walk_arguments(b);
      if (info.watches > 0) walk_watches(b);
    }
    for (std::size_t b = 0; b < first.blocks.size(); ++b)
      if (first.mechanisms[b]->info->receives_events) walk_awaited(b);
  }

 private:
  void begin() {
    std::vector<std::uint64_t> indices;
    for (const auto& [program, cell] : range_) indices.push_back(programs_[program]->indices[cell]);
    state_.begin(programs_[range_.front().first]->population->name, indices);
  }

  std::string name(std::size_t b, const std::string& what) const {
    const Cells& first = *programs_[range_.front().first];
    return first.mechanisms[b]->signature.name + '/' + what;
  }

  void walk(OneOrMany& values, std::size_t i) {
    double value = values[i];
    state_.number(value);
    values.set(i, value);
  }

  /// has: whether a cell has numbers there.
  template <class Of, class Has>
  void walk_rows(const std::string& name, const Of& of, const Has& has) {
    if (of(*programs_[range_.front().first])->empty()) return;
    state_.column(name, [&](std::size_t c) {
      if (!has(range_[c])) return;
      const auto& [program, cell] = range_[c];
      Cells& cells = *programs_[program];
      const CellEntry& entry = cells.entries[cell];
      const ImagePart& image = cells.images[entry.image];
      OneOrMany& values = *of(cells);
      for (int i = 0; i < image.rows; ++i)
        walk(values,
             entry.first_row + static_cast<std::size_t>(cells.node_order[image.first_row + i]));
    });
  }

  bool keeps_ion(CellAddress at, std::size_t k) const {
    const Cells& cells = *programs_[at.first];
    if (cells.ions_kept_by[k] == IonPlan::KeptBy::all) return true;
    for (std::size_t b = 0; b < cells.blocks.size(); ++b)
      if (cells.blocks[b].counts[at.second] > 0 &&
          begin::keeps_ion(*cells.mechanisms[b]->info, cells.ion_names[k], cells.ions_kept_by[k]))
        return true;
    return false;
  }

  CellInstances instances_of(CellAddress at, std::size_t b) {
    Cells& cells = *programs_[at.first];
    return {cells.blocks[b], firsts_[at.first].instances[b][at.second],
            cells.blocks[b].counts[at.second]};
  }

  /// Calls body(i) for the instances of a block on a cell: of density mechanisms by node.
  template <class Body>
  void in_order(CellAddress at, std::size_t b, const Body& body) {
    const Cells& cells = *programs_[at.first];
    if (cells.mechanisms[b]->info->is_point_process) {
      for (std::size_t i = 0; i < cells.blocks[b].counts[at.second]; ++i) body(i);
      return;
    }
    const ImagePart& image = cells.images[cells.entries[at.second].image];
    for (int i = 0; i < image.rows; ++i) {
      const auto row = static_cast<std::size_t>(cells.node_order[image.first_row + i]);
      const int instance = cells.instance_of_row[b][image.first_row + row];
      if (instance >= 0) body(static_cast<std::size_t>(instance));
    }
  }

  void walk_columns(std::size_t b) {
    const mechanisms::Mechanism& mechanism = *programs_[range_.front().first]->mechanisms[b];
    const auto& variables = mechanism.signature.variables;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (!begin::is_in_state(*mechanism.info, v, run_, run_.has_pointers)) continue;
      state_.column(name(b, variables[v].name), [&](std::size_t c) {
        const CellInstances some = instances_of(range_[c], b);
        if (!begin::is_in_state(*mechanism.info, v, run_, some.block.is_pointed_at)) return;
        in_order(range_[c], b, [&](std::size_t i) { walk(some.block.columns[v], some.first + i); });
      });
    }
  }

  /// Calls body(slot) for every connection of an instance of the program, in order.
  template <class Body>
  void for_slots(CellAddress at, std::size_t b, std::size_t instance, const Body& body) {
    const std::vector<std::size_t>& first = firsts_[at.first].slots[b];
    if (first.size() == 1) return;  // they keep no arguments
    const BlockCells& block = programs_[at.first]->blocks[b];
    for (std::size_t k = first[instance]; k < first[instance + 1]; ++k) body(block.connections[k]);
  }

  void walk_arguments(std::size_t b) {
    state_.column(name(b, "arguments"), [&](std::size_t c) {
      const CellAddress at = range_[c];
      const CellInstances some = instances_of(at, b);
      const int count = programs_[at.first]->mechanisms[b]->info->arguments;
      for (std::size_t i = 0; i < some.count; ++i)
        for_slots(at, b, some.first + i, [&](unsigned slot) {
          for (int a = 0; a < count; ++a)
            state_.number(some.block.arguments[slot + static_cast<unsigned>(a)]);
        });
    });
  }

  void walk_watches(std::size_t b) {
    state_.column(name(b, "watch"), [&](std::size_t c) {
      const CellAddress at = range_[c];
      const CellInstances some = instances_of(at, b);
      const auto width =
          static_cast<std::size_t>(programs_[at.first]->mechanisms[b]->info->watches);
      for (std::size_t i = some.first; i < some.first + some.count; ++i) {
        state_.count(some.block.watch_bits[i].active);
        state_.count(some.block.watch_bits[i].held);
        for (std::size_t n = 0; n < width; ++n) {
          state_.number(some.block.watches[i * width + n].flag);
          state_.count(some.block.watches[i * width + n].rank);
        }
      }
    });
  }

  void walk_awaited(std::size_t b) {
    if (!programs_[range_.front().first]->mechanisms[b]->info->sends_events) return;
    state_.column(name(b, "awaited"), [&](std::size_t c) {
      std::vector<Waiting> all;
      if (state_.is_saving())
        all = waiting_for(range_[c], b);
      else
        all.resize(state_.left() / begin::numbers_of_awaited);
      for (Waiting& one : all) walk_over(state_, one);
      if (!state_.is_saving()) await(range_[c], b, all);
    });
  }

  /// What is numbered on an instance, at its row.
  struct Numbered {
    int row;
    unsigned long long* number;
  };

  /// Those of a cell are numbered from 0 on, so that a state does not tell who had the cell. Order
  /// matters at a row alone: threads number each for itself.
  template <class Collect>
  void number_each(const Collect& collect) {
    for (const CellAddress& at : range_) {
      std::vector<Numbered> all;
      for (std::size_t b = 0; b < programs_[at.first]->blocks.size(); ++b) {
        const CellInstances some = instances_of(at, b);
        const mechanisms::MechanismInfo& info = *programs_[at.first]->mechanisms[b]->info;
        for (std::size_t i = some.first; i < some.first + some.count; ++i)
          collect(some.block, info, i, [&](unsigned long long& number) {
            all.push_back({some.block.rows[i], &number});
          });
      }
      std::ranges::stable_sort(all, {},
                               [](const Numbered& one) { return std::pair(one.row, *one.number); });
      for (std::size_t k = 0; k < all.size(); ++k) *all[k].number = k;
    }
  }

  void number_awaited() {
    number_each([](BlockCells& block, const mechanisms::MechanismInfo& info, std::size_t i,
                   const auto& add) {
      if (!info.sends_events) return;
      for (unsigned k = 0; k < block.awaited_counts[i]; ++k)
        add(block.awaited[i * room_for_awaited + k].number);
    });
  }

  void number_watches() {
    number_each([](BlockCells& block, const mechanisms::MechanismInfo& info, std::size_t i,
                   const auto& add) {
      const auto width = static_cast<std::size_t>(info.watches);
      for (std::size_t n = 0; n < width; ++n) {
        unsigned long long& rank = block.watches[i * width + n].rank;
        if (block.watch_bits[i].active & 1u << n)
          add(rank);
        else
          rank = 0;
      }
    });
  }

  std::vector<Waiting> waiting_for(CellAddress at, std::size_t b) {
    const CellInstances some = instances_of(at, b);
    std::vector<Waiting> all;
    for (std::size_t i = 0; i < some.count; ++i) {
      const std::size_t instance = some.first + i;
      const AwaitedEvent* const first = &some.block.awaited[instance * room_for_awaited];
      std::vector<AwaitedEvent> events(first, first + some.block.awaited_counts[instance]);
      std::ranges::sort(events, {}, &AwaitedEvent::number);
      for (const AwaitedEvent& event : events) {
        Waiting& one = all.emplace_back();
        one = {.rank = event.number,
               .time_ms = event.time_ms,
               .instance = i,
               .weight = event.weight,
               .flag = event.flag,
               .is_spike = event.is_spike,
               .is_movable = event.is_movable};
        if (event.slot == no_slot) continue;
        std::uint64_t number = 0;
        for_slots(at, b, instance, [&](unsigned slot) {
          if (slot == event.slot) one.connection = number;
          ++number;
        });
      }
    }
    return all;
  }

  void await(CellAddress at, std::size_t b, std::vector<Waiting>& all) {
    const CellInstances some = instances_of(at, b);
    for (std::size_t i = some.first; i < some.first + some.count; ++i)
      some.block.awaited_counts[i] = 0;
    std::ranges::stable_sort(all, {}, &Waiting::rank);
    for (const Waiting& one : all) {
      const std::size_t instance = some.first + one.instance;
      unsigned& count = some.block.awaited_counts.at(instance);
      if (count == room_for_awaited)
        throw StateMismatch("more events wait for an instance than a device has room for");
      unsigned slot = no_slot;
      std::uint64_t number = 0;
      for_slots(at, b, instance, [&](unsigned its_slot) {
        if (number++ == one.connection) slot = its_slot;
      });
      some.block.awaited[instance * room_for_awaited + count++] = {
          one.time_ms, one.weight, one.flag, slot, one.rank, one.is_spike, one.is_movable};
    }
  }

  struct Firsts {
    std::vector<std::vector<std::size_t>> instances;  ///< [block][cell]
    std::vector<std::vector<std::size_t>> slots;      ///< [block][instance], into connections
  };

  StateWalk& state_;
  const RunConstants& run_;
  std::span<const CellAddress> range_;
  std::span<Cells* const> programs_;
  std::vector<Firsts> firsts_;
};

}  // namespace

void walk_cells(StateWalk& state, const RunConstants& run,
                std::span<const std::unique_ptr<RangeEvents>> ranges,
                std::span<Cells* const> programs) {
  CellWalk walk(state, run, programs);
  for (const auto& range : ranges) {
    walk.walk(range->cells());
    range->trains().walk(state);
  }
}

}  // namespace hillock::simulator::on_device
