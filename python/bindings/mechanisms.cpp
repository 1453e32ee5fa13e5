#include "python/bindings/mechanisms.hpp"

#include <nanobind/stl/string.h>

#include "core/text/utf8.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/load/mod_file.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// What a .mod file's text says of the mechanism: parameters (`constant` are those that only a
/// model sets) and POINTERs, the arguments of its NET_RECEIVE behind the weight, the weight's unit.
/// path: for messages. As a session's model has it, with tables and constants as they say. Raises
/// ModelError.
nb::dict mechanism_of_text(const std::string& path, const std::string& text, bool uses_tables,
                           bool is_legacy) {
  Diagnostics diagnostics;
  MechanismOptions options;
  options.slope = CurrentSlope::secant;
  if (uses_tables) options.table_use = TableUse::interpolated;
  if (is_legacy) options.constants = Constants::legacy;
  const mechanisms::ModReading reading = mechanisms::read_mod(path, text, {}, options, diagnostics);
  diagnostics.throw_if_errors();
  const MechanismSignature& signature = reading.file->signature;
  nb::list parameters, pointers, arguments, assigned, states;
  for (const MechanismVariable& variable : signature.variables)
    if (variable.is_pointer)
      pointers.append(variable.name);
    else if (variable.role == VariableRole::parameter)
      parameters.append(variable.name);
    else if (variable.role == VariableRole::assigned)
      assigned.append(variable.name);
    else if (variable.role == VariableRole::state)
      states.append(variable.name);
  nb::list begun, of_last_place, held;
  for (const MechanismVariable& variable : signature.variables)
    if (variable.is_held) held.append(variable.name);
  for (const std::string& name : reading.file->begun) begun.append(name);
  for (const std::string& name : reading.file->of_last_place) of_last_place.append(name);
  for (const EventArgument& argument : signature.arguments) arguments.append(argument.name);
  nb::dict all;
  all["parameters"] = parameters;
  all["constant"] = reading.file->sets_parameters ? nb::list() : parameters;
  all["pointers"] = pointers;
  all["assigned"] = assigned;
  all["states"] = states;
  all["begun"] = begun;
  all["of_last_place"] = of_last_place;
  all["held"] = held;
  all["arguments"] = arguments;
  all["weight_unit"] = signature.weight_unit_text;
  return all;
}

/// Of each built-in mechanism what hillock._mechanisms.Mechanism is made with.
nb::list catalogue() {
  nb::list all;
  for (const mechanisms::Mechanism& mechanism : mechanisms::catalogue()) {
    const MechanismSignature& signature = mechanism.signature;
    nb::dict variables;
    for (const MechanismVariable& one : signature.variables)
      if (one.role != VariableRole::hidden)
        variables[one.name.c_str()] = nb::make_tuple(role_text(one), to_utf8(one.unit_text),
                                                     one.default_value, one.minimum, one.maximum);
    nb::dict about;
    about["name"] = signature.name;
    about["kind"] = kind_text(signature);
    about["description"] = signature.description;
    about["weight_unit"] =
        signature.receives_events ? nb::cast(signature.weight_unit_text) : nb::none();
    about["variables"] = variables;
    all.append(about);
  }
  return all;
}

}  // namespace

void bind_mechanisms(nb::module_& module) {
  module.def("mechanism", &mechanism_of_text, "path"_a, "text"_a, "uses_tables"_a = false,
             "is_legacy"_a = false);
  module.def("catalogue", &catalogue);
}

}  // namespace hillock::python
