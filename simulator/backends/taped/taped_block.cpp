#include "simulator/backends/taped/taped_block.hpp"

#include <algorithm>
#include <string>

namespace hillock::simulator::taped {

using mechanisms::Coupling;
using mechanisms::SharedQuantity;

namespace {

/// Made of the others where a run begins: a mechanism and its adjoint have each its own.
bool is_run_constant(const mechanisms::MechanismInfo& info, int c) {
  return c >= info.first_state() - info.hidden && c < info.first_state();
}

int column_of(const mechanisms::MechanismInfo& info, const std::string& name) {
  for (int c = 0; c < info.count(); ++c)
    if (!is_run_constant(info, c) && info.variables[c].name == name) return c;
  return -1;
}

}  // namespace

std::vector<double>& Ion::of(SharedQuantity quantity) {
  switch (quantity) {
    case SharedQuantity::current:
      return current_mA_per_cm2;
    case SharedQuantity::reversal:
      return reversal_mV;
    case SharedQuantity::inside:
      return inside_mM;
    default:
      return outside_mM;
  }
}

mechanisms::InstanceBlock Columns::view(const int* rows, const double* area_factors) {
  mechanisms::InstanceBlock block;
  block.count = count_;
  block.columns = numbers_.data();
  block.nodes = rows;
  block.area_factors = area_factors;
  block.aligned = true;
  return block;
}

AdjointColumns::AdjointColumns(const mechanisms::MechanismInfo& info,
                               const mechanisms::MechanismInfo& back_info)
    : of_i(column_of(back_info, "_current")),
      of_g(column_of(back_info, "_conductance")),
      of_v(column_of(back_info, "_voltage")),
      of_weight(column_of(back_info, "_weight")) {
  for (int c = 0; c < info.count(); ++c) {
    const std::string name = info.variables[c].name;
    const bool is_visible = !is_run_constant(info, c);
    seen.push_back(is_visible ? column_of(back_info, name) : -1);
    derivatives.push_back(is_visible ? column_of(back_info, "_by_" + name) : -1);
  }
}

namespace {

constexpr std::size_t all_bits = ~std::size_t{0};

/// Of columns: what fills the widest registers.
std::size_t held_of(const begin::BegunBlock& begun) {
  constexpr std::size_t eight = mechanisms::AdjointBlock::eight;
  const std::size_t count = begun.rows.size();
  return begun.mechanism->info->is_point_process ? count : (count + eight - 1) / eight * eight;
}

/// Instances that a loop over them has in a register.
std::size_t in_register() {
  return active_isa() == Isa::avx512 ? 8 : active_isa() == Isa::avx2 ? 4 : 1;
}

}  // namespace

TapedBlock::TapedBlock(const begin::BegunBlock& from, const mechanisms::Mechanism& adjoint,
                       const std::vector<begin::BegunIon>& ions, std::vector<Ion>& kept)
    : AdjointColumns(*from.mechanism->info, *adjoint.info),
      begun(from),
      info(*from.mechanism->info),
      held(held_of(from)),
      nodes(from.rows),
      areas(from.area_factors),
      columns(info, held),
      kernels(from.mechanism->kernels(1)),
      shared(static_cast<std::size_t>(info.coupling_count), nullptr),
      back_info(*adjoint.info),
      back(back_info, held),
      back_kernels(adjoint.kernels(1)) {
  // The first instance of the last register stands for those that fill it: rows then do not seem to
  // lie side by side.
  const std::size_t width = in_register(), registers = (count() + width - 1) / width;
  const auto instance_at = [&](std::size_t i) { return i < count() ? i : (registers - 1) * width; };
  for (std::size_t i = count(); i < held; ++i) {
    nodes.push_back(nodes[instance_at(i)]);
    areas.push_back(areas[instance_at(i)]);
  }
  view = columns.view(nodes.data(), areas.data());
  view.end = info.is_point_process ? held : registers * width;
  static_cast<mechanisms::InstanceBlock&>(back_view) = back.view(nodes.data(), areas.data());
  back_view.end = count();
  const step::TurnFacts facts{from.is_constant, from.prepares_ions, false, info.is_point_process};
  states = step::turn_of_states(facts);
  current = step::turn_of_current(facts);
  for (int c = 0; c < info.count(); ++c) {
    const OneOrMany& column = from.columns[static_cast<std::size_t>(c)];
    for (std::size_t i = 0; i < held; ++i) columns.of(c)[i] = column[instance_at(i)];
    if (const int to = seen[static_cast<std::size_t>(c)]; to >= 0)
      std::copy_n(columns.of(c), held, back.of(to));
  }
  for (std::size_t i = 0; i < count(); ++i) {
    if (stretches.empty() || row(i) != stretches.back().row + stretches.back().count)
      stretches.push_back({i, row(i), 0});
    ++stretches.back().count;
  }
  for (std::size_t i = 0; i < held; ++i) {
    const double area = info.is_point_process ? 1 : areas[i];
    into_rows.push_back(info.is_electrode ? -area : area);
  }
  for (int k = 0; k < info.coupling_count; ++k) {
    const Coupling& coupling = info.couplings[k];
    const auto ion = std::ranges::find(ions, coupling.ion, &begin::BegunIon::ion);
    if (ion == ions.end()) continue;
    const auto of = static_cast<std::size_t>(ion - ions.begin());
    shared[static_cast<std::size_t>(k)] = kept[of].of(coupling.quantity).data();
    const auto column = static_cast<std::size_t>(coupling.column);
    ties.push_back({coupling.quantity, of, seen[column], derivatives[column], coupling.adds(),
                    coupling.sets()});
  }
  if (!ties.empty()) view.shared = shared.data();
  for (int c = 0; c < back_info.count(); ++c) places_.push_back(back.of(c));
  masks_.assign(places_.size(), all_bits);
  back_view.places = places_.data();
  back_view.masks = masks_.data();
  back_view.into_rows = into_rows.data();
}

void TapedBlock::begin_back() {
  std::vector<bool> changes(places_.size());
  for (const Tie& tie : ties)
    if (tie.seen >= 0) changes[static_cast<std::size_t>(tie.seen)] = true;
  for (int c = info.receives_events ? 0 : info.first_state(); c < info.count(); ++c)
    if (const int of = seen[static_cast<std::size_t>(c)]; of >= 0)
      changes[static_cast<std::size_t>(of)] = true;
  for (int c = 0; c < back_info.first_state(); ++c) {
    const double* const all = back.of(c);
    if (!changes[static_cast<std::size_t>(c)] && !info.is_point_process &&
        std::all_of(all, all + held, [&](double one) { return one == all[0]; }))
      masks_[static_cast<std::size_t>(c)] = 0;
  }
  // What flows into an ion that nobody keeps stays 0.
  for (std::size_t k = 0; k < shared.size(); ++k)
    if (const Coupling& coupling = info.couplings[k];
        !shared[k] && coupling.adds() && !info.is_point_process)
      if (const int by = derivatives[static_cast<std::size_t>(coupling.column)]; by >= 0)
        masks_[static_cast<std::size_t>(by)] = 0;
}

void TapedBlock::flow_in(mechanisms::AdjointRows* rows) {
  back_view.rows = info.is_point_process ? nullptr : rows;
  for (const int c : {of_i, of_g, of_v})
    masks_[static_cast<std::size_t>(c)] = back_view.rows ? 0 : all_bits;
}

void TapedBlock::show(const double* lasting) {
  // Events change what there is in columns of its own.
  for (int c = info.first_state(); c < info.count(); ++c, lasting += held)
    if (const int to = seen[static_cast<std::size_t>(c)]; to >= 0) {
      if (info.receives_events)
        std::copy_n(lasting, held, back.of(to));
      else
        places_[static_cast<std::size_t>(to)] = const_cast<double*>(lasting);  // which is only seen
    }
  if (!info.receives_events) return;
  for (int c = 0; c < info.first_state(); ++c, lasting += held)
    if (const int to = seen[static_cast<std::size_t>(c)]; to >= 0)
      std::copy_n(lasting, held, back.of(to));
}

void TapedBlock::show(std::size_t i, const double* values) {
  for (std::size_t c = 0; c < seen.size(); ++c)
    if (seen[c] >= 0) back.of(seen[c])[i] = values[c];
}

}  // namespace hillock::simulator::taped
