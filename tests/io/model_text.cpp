#include "tests/io/model_text.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/errors/errors.hpp"
#include "io/model/model_reader.hpp"

namespace hillock::io {

namespace {

MechanismVariable variable(std::string name, const char* unit, VariableRole role,
                           double default_value = 0) {
  MechanismVariable result;
  result.name = std::move(name);
  result.unit = unit_of(unit);
  result.unit_text = unit;
  result.role = role;
  result.default_value = default_value;
  return result;
}

MechanismVariable not_negative(MechanismVariable from) {
  from.minimum = 0;
  return from;
}

MechanismVariable positive(MechanismVariable from) {
  from.minimum = 1e-9;
  return from;
}

MechanismSignature hodgkin_huxley(const char* name) {
  MechanismSignature hh;
  hh.name = name;
  hh.variables = {not_negative(variable("gnabar", "S/cm2", VariableRole::parameter, 0.12)),
                  not_negative(variable("gkbar", "S/cm2", VariableRole::parameter, 0.036)),
                  not_negative(variable("gl", "S/cm2", VariableRole::parameter, 0.0003)),
                  variable("el", "mV", VariableRole::parameter, -54.3),
                  variable("ena", "mV", VariableRole::shared, 50),
                  variable("ek", "mV", VariableRole::shared, -77),
                  variable("ina", "mA/cm2", VariableRole::assigned),
                  variable("ik", "mA/cm2", VariableRole::assigned),
                  variable("m", "1", VariableRole::state),
                  variable("h", "1", VariableRole::state),
                  variable("n", "1", VariableRole::state)};
  hh.ions = {{"na", true, false, false, true}, {"k", true, false, false, true}};
  return hh;
}

MechanismSignature synapse(const char* name, std::vector<MechanismVariable> variables) {
  MechanismSignature result;
  result.name = name;
  result.kind = MechanismKind::point_process;
  result.variables = std::move(variables);
  result.receives_events = true;
  result.weight_unit = unit_of("uS");
  result.weight_unit_text = "uS";
  return result;
}

MechanismSignature point_neuron(const char* name, const char* weight_unit,
                                std::vector<MechanismVariable> variables) {
  MechanismSignature result = synapse(name, std::move(variables));
  result.is_artificial = result.is_point_neuron = true;
  result.injected = "injected";
  result.weight_unit = unit_of(weight_unit);
  result.weight_unit_text = weight_unit;
  return result;
}

std::vector<std::string> texts(const Diagnostics& diagnostics, Severity severity) {
  std::vector<std::string> result;
  for (const auto& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != severity) continue;
    const Place& place = diagnostic.place;
    std::string text;
    if (place.line > 0)
      text = std::to_string(place.line) + ':' + std::to_string(place.column) + ": ";
    result.push_back(text + diagnostic.message);
  }
  return result;
}

}  // namespace

CheckMechanism test_check() {
  return [](const MechanismFile& file, const ReadIncluded& include, Diagnostics& diagnostics) {
    std::istringstream text(file.text);
    std::string word, name;
    text >> word >> name;
    if (word == "broken") {
      diagnostics.error({file.path, 1, 1}, "broken");
      return CheckedMechanism{name, {}, {}};
    }
    if (word == "include")
      word = include(std::filesystem::path(file.path).parent_path() / name).value_or("missing");
    MechanismSignature signature;
    signature.name = word;
    signature.variables = {variable("gbar", "S/cm2", VariableRole::parameter)};
    if (file.options && !file.options->peer.empty()) {  // one side of a gap junction
      signature.kind = MechanismKind::point_process;
      signature.variables = {variable("gmax", "uS", VariableRole::parameter),
                             variable("vgap", "mV", VariableRole::state)};
    }
    return CheckedMechanism{word, {file.path, 1, 1}, signature};
  };
}

Signatures test_signatures() {
  Signatures signatures;
  for (const char* name : {"hh", "hh_traub"}) signatures[name] = hodgkin_huxley(name);
  MechanismSignature pas;
  pas.name = "pas";
  pas.variables = {not_negative(variable("g", "S/cm2", VariableRole::parameter, 0.001)),
                   variable("e", "mV", VariableRole::parameter, -70),
                   variable("i", "mA/cm2", VariableRole::assigned)};
  signatures["pas"] = pas;
  MechanismSignature cad;
  cad.name = "cad";
  cad.variables = {positive(variable("tau", "ms", VariableRole::parameter, 10))};
  cad.ions = {{"ca", false, true, false, false}};
  signatures["cad"] = cad;
  signatures["expsyn"] =
      synapse("expsyn", {positive(variable("tau", "ms", VariableRole::parameter, 0.1)),
                         variable("e", "mV", VariableRole::parameter),
                         variable("g", "uS", VariableRole::state),
                         variable("i", "nA", VariableRole::assigned)});
  signatures["exp2syn"] =
      synapse("exp2syn", {positive(variable("tau1", "ms", VariableRole::parameter, 0.1)),
                          positive(variable("tau2", "ms", VariableRole::parameter, 10)),
                          variable("e", "mV", VariableRole::parameter),
                          variable("g", "uS", VariableRole::assigned),
                          variable("i", "nA", VariableRole::assigned)});
  signatures["exp2syn"].variables[1].is_held = true;
  signatures["depressing"] =
      synapse("depressing", {positive(variable("tau", "ms", VariableRole::parameter, 3))});
  signatures["depressing"].arguments = {{"use", unit_of("1"), "1"},
                                        {"tau_rec", unit_of("ms"), "ms"}};
  MechanismSignature intfire =
      synapse("intfire", {positive(variable("tau", "ms", VariableRole::parameter, 10)),
                          not_negative(variable("refrac", "ms", VariableRole::parameter, 5)),
                          variable("m", "1", VariableRole::state)});
  intfire.is_artificial = true;
  intfire.weight_unit = unit_of("1");
  intfire.weight_unit_text = "1";
  signatures["intfire"] = intfire;
  signatures["izhikevich"] = point_neuron(
      "izhikevich", "1",
      {variable("a", "1", VariableRole::parameter, 0.02),
       variable("b", "1", VariableRole::parameter, 0.2),
       variable("c", "1", VariableRole::parameter, -65),
       variable("d", "1", VariableRole::parameter, 8),
       variable("injected", "1", VariableRole::assigned), variable("v", "mV", VariableRole::state),
       variable("u", "1", VariableRole::state)});
  signatures["iaf_psc_exp"] =
      point_neuron("iaf_psc_exp", "pA",
                   {positive(variable("tau_m", "ms", VariableRole::parameter, 10)),
                    positive(variable("C_m", "pF", VariableRole::parameter, 250)),
                    variable("V_init", "mV", VariableRole::parameter, -70),
                    variable("V_th", "mV", VariableRole::parameter, -55),
                    variable("injected", "pA", VariableRole::assigned),
                    variable("V_m", "mV", VariableRole::state)});
  signatures["undriven"] =
      point_neuron("undriven", "nS", {variable("v", "mV", VariableRole::state)});
  signatures["undriven"].injected = "";
  MechanismSignature iclamp =
      synapse("iclamp", {variable("amplitude", "nA", VariableRole::parameter),
                         variable("start", "ms", VariableRole::parameter),
                         not_negative(variable("duration", "ms", VariableRole::parameter)),
                         not_negative(variable("period", "ms", VariableRole::parameter)),
                         not_negative(variable("count", "1", VariableRole::parameter, 1)),
                         variable("target", "1", VariableRole::shared)});
  iclamp.receives_events = false;
  iclamp.is_electrode = true;
  iclamp.variables.back().is_pointer = true;
  signatures["iclamp"] = iclamp;
  for (const char* name : {"gap", "one_way", "points", "in_volts"}) {
    MechanismSignature side =
        synapse(name, {not_negative(variable("g", "uS", VariableRole::parameter)),
                       variable("i", "nA", VariableRole::assigned),
                       variable("vgap", "mV", VariableRole::state)});
    side.receives_events = false;
    signatures[name] = side;
  }
  MechanismVariable& pointer = signatures["points"].variables.back();
  pointer.role = VariableRole::shared;
  pointer.is_pointer = true;
  MechanismVariable& in_volts = signatures["in_volts"].variables.back();
  in_volts.unit = unit_of("V");
  in_volts.unit_text = "V";
  return signatures;
}

ModelFolder::ModelFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "hillock-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw InputOutputError(pattern, "cannot be made");
  path_ = pattern;
}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ModelFolder::write(const std::string& name, const std::string& text) const {
  const auto file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::vector<std::string> ReadResult::errors() const {
  return texts(diagnostics, Severity::error);
}

std::vector<std::string> ReadResult::warnings() const {
  return texts(diagnostics, Severity::warning);
}

ReadResult read(const ModelFolder& folder, const Overrides& overrides, const Part& list_part) {
  ReadResult result;
  ReadOptions options;
  options.overrides = overrides;
  options.library = folder.path() / "library";
  options.check_mechanism = test_check();
  options.column_reader = HILLOCK_COLUMN_READER;
  options.list_part = list_part;
  result.network =
      read_model(folder.path() / "model.yaml", test_signatures(), options, result.diagnostics);
  return result;
}

ReadResult read(const std::string& text, const Overrides& overrides) {
  const ModelFolder folder;
  folder.write("model.yaml", text);
  return read(folder, overrides);
}

std::string with_base(const std::string& more) {
  return R"(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology:
      branches:
        - {name: soma, length: 20 um, diameter: 20 um}
        - {name: "dend[0]", parent: soma, length: 100 um, diameter: 2 um}
        - {name: "dend[1]", parent: "dend[0]", length: 50 um, diameter: 1 um}
        - {name: "dend[2]", parent: "dend[0]", length: 50 um, diameter: 1 um}
        - {name: axon, parent: soma, at: 0, length: 300 um, diameter: 1 um}
    regions: {all: {pas: {}}, soma: {hh: {}}}
    detector: {at: soma(0.5)}
populations:
  a: {cell: c, size: 10}
  b: {cell: c, size: 10}
)" + more;
}

}  // namespace hillock::io
