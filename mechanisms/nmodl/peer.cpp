#include "mechanisms/nmodl/peer.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/index.hpp"
#include "core/mechanism/signature.hpp"

namespace hillock::nmodl {

namespace {

bool is_pointer(const Symbol& symbol) {
  return symbol.role == Role::pointer || symbol.role == Role::bbcore_pointer;
}

/// One that others may set, as NEURON's target_var does.
bool is_range(const Symbol& symbol) {
  return symbol.in_range && symbol.size == 0 &&
         (symbol.role == Role::parameter || symbol.role == Role::assigned);
}

}  // namespace

std::string take_for_peer(const std::string& pointer, Module& module) {
  const int found = module.find_symbol(pointer);
  if (found < 0 ||
      !(is_pointer(module.symbols[at(found)]) || is_range(module.symbols[at(found)]))) {
    std::vector<std::string> names;
    for (const Symbol& symbol : module.symbols)
      if (is_pointer(symbol) || is_range(symbol)) names.push_back(symbol.name);
    return fmt::format("has no POINTER or RANGE variable '{}'.{}", pointer,
                       did_you_mean(pointer, names));
  }
  Symbol& symbol = module.symbols[at(found)];
  if (module.form != ast::MechanismForm::point_process)
    return "is no POINT_PROCESS, and only those have a side of a gap junction";
  if (symbol.written)
    return fmt::format("assigns its {}, which would be another cell's voltage", pointer);
  if (pointer != peer_voltage_name && module.find_symbol(peer_voltage_name) >= 0)
    return fmt::format("has a variable {} already, which is what the peer's voltage is called",
                       peer_voltage_name);
  symbol.name = peer_voltage_name;
  symbol.role = Role::assigned;
  symbol.storage = Storage::instance;
  symbol.in_range = true;
  return "";
}

}  // namespace hillock::nmodl
