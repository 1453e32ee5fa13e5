#include "simulator/backends/cpu/cells/shared_views.hpp"

#include <algorithm>

#include "core/containers/memory_size.hpp"
#include "simulator/backends/cpu/cells/reversals.hpp"

namespace hillock::simulator::cpu {

using mechanisms::Coupling;
using mechanisms::MechanismInfo;

SharedViews::SharedViews(GroupLayout& group) : group_(group) {
  shared_.resize(group.blocks.size());
  pointers_.resize(group.blocks.size());
  find_following();
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    find_shared(group.blocks[b], shared_[b]);
    find_pointers(group.blocks[b], pointers_[b]);
  }
}

void SharedViews::find_following() {
  for (std::size_t k = 0; k < group_.ions.size(); ++k) {
    const IonBlock& ion = group_.ions[k];
    for (std::size_t i = 0; i < ion.nernst.size(); ++i) {
      const auto& [place, factor_mV] = ion.nernst[i];
      if (i == 0 || place != ion.nernst[i - 1].first + 1) following_.push_back({k, place, {}});
      following_.back().factor_mV.push_back(factor_mV);
    }
  }
}

std::size_t SharedViews::bytes() const {
  std::size_t bytes = bytes_of(following_);
  for (const Following& some : following_) bytes += bytes_of(some.factor_mV);
  return bytes;
}

/// Left empty where the block shares nothing that changes.
void SharedViews::find_shared(const MechanismBlock& block, std::vector<double*>& shared) {
  const MechanismInfo& info = *block.mechanism->info;
  shared.assign(static_cast<std::size_t>(info.coupling_count), nullptr);
  bool any = !block.pointers.empty();
  for (int k = 0; k < info.coupling_count; ++k)
    for (IonBlock& ion : group_.ions)
      if (ion.ion == info.couplings[k].ion) {
        shared[static_cast<std::size_t>(k)] = ion.values(info.couplings[k].quantity).data();
        any = true;
      }
  if (!any) shared.clear();
}

void SharedViews::find_pointers(MechanismBlock& block, std::vector<double* const*>& pointers) {
  pointers.assign(block.pointers.size(), nullptr);
  for (std::size_t k = 0; k < block.pointers.size(); ++k) {
    if (block.pointers[k].empty()) continue;
    auto& addresses = addresses_.emplace_back(block.pointers[k].size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const PointerAddress& source = block.pointers[k][i];
      addresses[i] = source.kind == PointerAddress::Kind::itself
                         ? block.columns.data() + source.index
                         : address_of(source);
      if (source.kind == PointerAddress::Kind::voltage)
        voltage_pointers_.emplace_back(&addresses[i], source.index);
    }
    pointers[k] = addresses.data();
  }
}

double* SharedViews::address_of(const PointerAddress& source) const {
  switch (source.kind) {
    case PointerAddress::Kind::ion:
      return group_.ions[source.block].values(source.quantity).data() + source.index;
    case PointerAddress::Kind::variable:
      return group_.blocks[source.block].columns.data() + source.index;
    default:
      return nullptr;  // follow() knows where voltages are
  }
}

void SharedViews::attach(std::size_t b, mechanisms::InstanceBlock& view) const {
  if (!shared_[b].empty()) view.shared = shared_[b].data();
  if (!pointers_[b].empty()) view.pointers = pointers_[b].data();
}

bool SharedViews::prepares_ions(std::size_t b) const {
  const MechanismInfo& info = *group_.blocks[b].mechanism->info;
  return std::any_of(info.couplings, info.couplings + info.coupling_count,
                     [](const Coupling& c) { return c.stirs_ion(); });
}

void SharedViews::clear_currents(std::size_t begin, std::size_t end) {
  for (IonBlock& ion : group_.ions)
    std::fill(ion.current_mA_per_cm2.begin() + static_cast<std::ptrdiff_t>(begin),
              ion.current_mA_per_cm2.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
}

void SharedViews::begin_step(std::size_t begin, std::size_t end) {
  clear_currents(begin, end);
  for (const Following& some : following_) {
    const std::size_t first = std::max(begin, some.begin);
    const std::size_t last = std::min(end, some.begin + some.factor_mV.size());
    if (first >= last) continue;
    IonBlock& ion = group_.ions[some.ion];
    set_reversals({.factor_mV = &some.factor_mV[first - some.begin],
                   .inside_mM = &ion.inside_mM[first],
                   .outside_mM = &ion.outside_mM[first],
                   .reversal_mV = &ion.reversal_mV[first],
                   .count = last - first},
                  active_isa());
  }
}

void SharedViews::follow(LaneArray& v) {
  for (const auto& [address, index] : voltage_pointers_) *address = v.data() + index;
}

}  // namespace hillock::simulator::cpu
