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

TapedBlock::TapedBlock(const begin::BegunBlock& from, const mechanisms::Mechanism& adjoint,
                       const std::vector<begin::BegunIon>& ions, std::vector<Ion>& kept)
    : AdjointColumns(*from.mechanism->info, *adjoint.info),
      begun(from),
      info(*from.mechanism->info),
      columns(info, from.rows.size()),
      kernels(from.mechanism->kernels(1)),
      view(columns.view(from.rows.data(), from.area_factors.data())),
      shared(static_cast<std::size_t>(info.coupling_count), nullptr),
      back_info(*adjoint.info),
      back(back_info, from.rows.size()),
      back_kernels(adjoint.kernels(1)),
      back_view(back.view(from.rows.data(), from.area_factors.data())) {
  const step::TurnFacts facts{from.is_constant, from.prepares_ions, false, info.is_point_process};
  states = step::turn_of_states(facts);
  current = step::turn_of_current(facts);
  for (int c = 0; c < info.count(); ++c) {
    const OneOrMany& column = from.columns[static_cast<std::size_t>(c)];
    for (std::size_t i = 0; i < count(); ++i) columns.of(c)[i] = column[i];
    if (const int to = seen[static_cast<std::size_t>(c)]; to >= 0)
      std::copy_n(columns.of(c), count(), back.of(to));
  }
  for (std::size_t i = 0; i < count(); ++i) {
    if (stretches.empty() || row(i) != stretches.back().row + stretches.back().count)
      stretches.push_back({i, row(i), 0});
    ++stretches.back().count;
    const double area = info.is_point_process ? 1 : begun.area_factors[i];
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
}

void TapedBlock::show(const double* lasting) {
  const auto copy = [&](int c) {
    if (const int to = seen[static_cast<std::size_t>(c)]; to >= 0)
      std::copy_n(lasting, count(), back.of(to));
    lasting += count();
  };
  for (int c = info.first_state(); c < info.count(); ++c) copy(c);
  if (info.receives_events)
    for (int c = 0; c < info.first_state(); ++c) copy(c);
}

void TapedBlock::show(std::size_t i, const double* values) {
  for (std::size_t c = 0; c < seen.size(); ++c)
    if (seen[c] >= 0) back.of(seen[c])[i] = values[c];
}

}  // namespace hillock::simulator::taped
