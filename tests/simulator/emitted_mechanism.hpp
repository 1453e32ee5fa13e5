#pragma once
// Mechanisms of the tests' own .mod files (emitted/NAME.mod), which the build emits.

#include <memory>

#include "mechanisms/cpu_kernels.hpp"
#include "mechanisms/registry.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::simulator {

/// Its loops are of no instruction set of its own, and do for all.
template <class E>
std::shared_ptr<const mechanisms::Mechanism> emitted_mechanism() {
  static constexpr mechanisms::KernelSet kernels = mechanisms::kernel_set<E, 1, 4, 8>();
  static constexpr mechanisms::KernelSet mixed = mechanisms::mixed_kernel_set<E, 1, 4, 8>();
  auto mechanism = std::make_shared<mechanisms::Mechanism>();
  mechanism->signature = mechanisms::signature_of(E::info);
  mechanism->info = &E::info;
  for (const mechanisms::KernelSet*& set : mechanism->kernel_sets) set = &kernels;
  for (const mechanisms::KernelSet*& set : mechanism->mixed_sets) set = &mixed;
  return mechanism;
}

}  // namespace hillock::simulator
