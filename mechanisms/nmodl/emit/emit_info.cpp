// Prints what a mechanism says of itself as C++: what is not said is the default of MechanismInfo.

#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {
namespace {

using mechanisms::Coupling;
using mechanisms::MechanismInfo;
using mechanisms::SharedQuantity;
using mechanisms::VariableInfo;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string quantity_name(SharedQuantity quantity) {
  static const char* const names[] = {"current", "reversal", "inside",  "outside",
                                      "area",    "diameter", "pointer", "stream"};
  return std::string("SharedQuantity::") + names[static_cast<int>(quantity)];
}

/// Designated initialisers, one after the other.
class Fields {
 public:
  explicit Fields(std::string between) : between_(std::move(between)) {}

  void word(const char* field, const std::string& value) {
    text_ += (text_.empty() ? "." : between_ + ".") + std::string(field) + " = " + value;
  }
  void text(const char* field, const char* value) {
    if (*value != 0) word(field, quoted(value));
  }
  void flag(const char* field, bool value) {
    if (value) word(field, "true");
  }
  void count(const char* field, int value) {
    if (value != 0) word(field, std::to_string(value));
  }
  void column(const char* field, int value) {
    if (value >= 0) word(field, std::to_string(value));
  }
  const std::string& all() const { return text_; }

 private:
  std::string between_, text_;
};

// The lists of members below are whole: one that MechanismInfo gains and nobody prints is an error.

std::string variable_text(const VariableInfo& variable) {
  const auto& [name, unit, default_value, minimum, maximum, is_indexed, is_held] = variable;
  Fields fields(", ");
  fields.text("name", name);
  fields.text("unit", unit);
  if (default_value != 0) fields.word("default_value", number_text(default_value));
  if (minimum > -mechanisms::unlimited) fields.word("minimum", number_text(minimum));
  if (maximum < mechanisms::unlimited) fields.word("maximum", number_text(maximum));
  fields.flag("is_indexed", is_indexed);
  fields.flag("is_held", is_held);
  return "      {" + fields.all() + "},\n";
}

std::string coupling_text(const Coupling& coupling) {
  const auto& [quantity, ion, valence, column, reads, writes] = coupling;
  Fields fields(", ");
  fields.word("quantity", quantity_name(quantity));
  fields.text("ion", ion);
  if (valence != 0) fields.word("valence", number_text(valence));
  fields.word("column", std::to_string(column));
  fields.flag("reads", reads);
  fields.flag("writes", writes);
  return "      {" + fields.all() + "},\n";
}

std::string diffusion_text(const mechanisms::Diffusion& diffusion) {
  const auto& [state, coefficient, volume, pivot] = diffusion;
  Fields fields(", ");
  fields.column("state", state);
  fields.column("coefficient", coefficient);
  fields.column("volume", volume);
  fields.column("pivot", pivot);
  return "      {" + fields.all() + "},\n";
}

/// What the info points to.
std::string arrays_text(const MechanismInfo& info) {
  // An array has at least one element.
  std::string text = "  static constexpr VariableInfo variables[] = {\n";
  for (int c = 0; c < info.count(); ++c) text += variable_text(info.variables[c]);
  if (info.count() == 0) text += "      {},\n";
  text += "  };\n  static constexpr Coupling couplings[] = {\n";
  for (int k = 0; k < info.coupling_count; ++k) text += coupling_text(info.couplings[k]);
  if (info.coupling_count == 0) text += "      {},\n";
  if (info.further_arguments) {
    text += "  };\n  static constexpr VariableInfo further_arguments[] = {\n";
    for (int k = 0; k + 1 < info.arguments; ++k) text += variable_text(info.further_arguments[k]);
  }
  if (info.diffusions) {
    text += "  };\n  static constexpr Diffusion diffusions[] = {\n";
    for (int k = 0; k < info.diffusion_count; ++k) text += diffusion_text(info.diffusions[k]);
  }
  return text + "  };\n";
}

}  // namespace

std::string info_text(const MechanismInfo& info) {
  const auto& [name, description, is_point_process, is_artificial, is_electrode, parameters, shared,
               assigned, states, hidden, hidden_states, variables, couplings, coupling_count,
               receives_events, weight_unit, arguments, further_arguments, keeps_arguments, watches,
               sets_voltage, sends_events, starts, begins_connections, changes_in_current,
               undoes_both, changes_parameters, is_linear, is_constant, keeps_doubles,
               is_point_neuron, injected, input, negative_input, spike, spikes_at_beginning,
               diffusions, diffusion_count] = info;
  Fields fields(",\n      ");
  fields.text("name", name);
  fields.text("description", description);
  fields.flag("is_point_process", is_point_process);
  fields.flag("is_artificial", is_artificial);
  fields.flag("is_electrode", is_electrode);
  fields.count("parameters", parameters);
  fields.count("shared", shared);
  fields.count("assigned", assigned);
  fields.count("states", states);
  fields.count("hidden", hidden);
  fields.count("hidden_states", hidden_states);
  fields.word("variables", "variables");
  fields.word("couplings", "couplings");
  fields.count("coupling_count", coupling_count);
  fields.flag("receives_events", receives_events);
  fields.text("weight_unit", weight_unit);
  fields.count("arguments", arguments);
  if (further_arguments) fields.word("further_arguments", "further_arguments");
  fields.flag("keeps_arguments", keeps_arguments);
  fields.count("watches", watches);
  fields.flag("sets_voltage", sets_voltage);
  fields.flag("sends_events", sends_events);
  fields.flag("starts", starts);
  fields.flag("begins_connections", begins_connections);
  fields.flag("changes_in_current", changes_in_current);
  fields.flag("undoes_both", undoes_both);
  fields.flag("changes_parameters", changes_parameters);
  fields.flag("is_linear", is_linear);
  fields.flag("is_constant", is_constant);
  fields.flag("keeps_doubles", keeps_doubles);
  fields.flag("is_point_neuron", is_point_neuron);
  fields.column("injected", injected);
  fields.column("input", input);
  fields.column("negative_input", negative_input);
  fields.column("spike", spike);
  fields.flag("spikes_at_beginning", spikes_at_beginning);
  if (diffusions) fields.word("diffusions", "diffusions");
  fields.count("diffusion_count", diffusion_count);
  return arrays_text(info) + "  static constexpr MechanismInfo info{\n      " + fields.all() +
         ",\n  };\n\n";
}

}  // namespace hillock::nmodl
