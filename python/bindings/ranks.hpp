#pragma once
// Several processes that each have a model of their own and run beside one another: the classes
// Ranks and Outside of the module.

#include <nanobind/nanobind.h>

#include <memory>

#include "network/outside.hpp"
#include "simulator/ranks/joining.hpp"

namespace hillock::python {

struct RanksHolder {
  std::shared_ptr<const simulator::Joined> joined;
};

struct OutsideHolder {
  std::shared_ptr<network::Outside> outside;
};

void bind_ranks(nanobind::module_& module);

}  // namespace hillock::python
