// What the declarations and the NEURON block say: symbols, units, ions, currents.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

namespace {

constexpr std::array<std::pair<std::string_view, Environment>, 6> environment_names = {{
    {"v", Environment::v},
    {"t", Environment::t},
    {"dt", Environment::dt},
    {"celsius", Environment::celsius},
    {"area", Environment::area},
    {"diam", Environment::diam},
}};

class SymbolCollector {
 public:
  explicit SymbolCollector(Analysis& analysis)
      : analysis_(analysis), module_(analysis.module), findings_(analysis.findings) {}

  void run() {
    name_mechanism();
    define_units();
    for (const auto& declaration : module_.syntax.declarations) declare(declaration);
    for (const auto& constant : module_.syntax.unit_constants) declare_constant(constant);
    for (const auto& [name, environment] : environment_names)
      if (!analysis_.symbols.contains(name)) {
        Symbol& symbol = add(std::string(name), {}, Role::environment);
        symbol.environment = environment;
        symbol.storage = Storage::outside;
      }
    for (const auto& ion : module_.syntax.ions) use_ion(ion);
    add_currents(module_.syntax.nonspecific_currents, CurrentKind::nonspecific);
    if (module_.point_neuron)
      name_injected(module_.syntax.electrode_currents);
    else
      add_currents(module_.syntax.electrode_currents, CurrentKind::electrode);
    if (module_.point_neuron) refuse_location();
    give_role(module_.syntax.pointers, Role::pointer, Storage::outside);
    give_role(module_.syntax.bbcore_pointers, Role::bbcore_pointer, Storage::instance);
    give_role(module_.syntax.random, Role::random, Storage::instance);
    for (const auto& name : module_.syntax.external) refuse_external(name);
    mark_visible();
    pair_initial_values();
  }

 private:
  void name_mechanism() {
    const auto& syntax = module_.syntax;
    module_.form = syntax.form;
    if (syntax.mechanism) {
      module_.name = syntax.mechanism->text;
      module_.is_library = module_.name == "nothing" && syntax.form == ast::MechanismForm::density;
    } else {  // as NEURON does without SUFFIX
      std::string stem = syntax.files.front();
      stem = stem.substr(stem.find_last_of("/\\") + 1);
      module_.name = stem.substr(0, stem.find('.'));
    }
    if (syntax.form == ast::MechanismForm::artificial_cell &&
        !module_.blocks_of(ast::BlockKind::breakpoint).empty())
      module_.point_neuron = PointNeuron{};
  }

  void define_units() {
    for (const auto& definition : module_.syntax.units) {
      if (const auto unit = analysis_.units.parse(definition.definition))
        analysis_.units.define(definition.name, *unit);
      else
        unknown_unit(definition.definition, definition.position);
    }
  }

  /// Where a unit is computed with: NEURON refuses it as well.
  void unknown_unit(const std::string& text, Position position) {
    findings_.error(position, "the unit (" + text + ") is unknown");
  }

  Symbol& add(std::string name, Position position, Role role) {
    analysis_.symbols.emplace(name, static_cast<int>(module_.symbols.size()));
    Symbol symbol;
    symbol.name = std::move(name);
    symbol.position = position;
    symbol.role = role;
    return module_.symbols.emplace_back(std::move(symbol));
  }

  bool twice(const std::string& name, Position position) {
    const auto found = analysis_.symbols.find(name);
    if (found == analysis_.symbols.end()) return false;
    findings_.error(position, "'" + name + "' is declared twice, first in line " +
                                  std::to_string(symbol_at(found->second).position.line));
    return true;
  }

  Symbol& symbol_at(int index) { return module_.symbols[at(index)]; }

  void read_unit(Symbol& symbol, const std::string& text, Position position) {
    symbol.unit_text = text;
    symbol.unit = analysis_.units.parse(text);
    if (!symbol.unit) note_unknown_unit(text, position, findings_);
  }

  void declare(const ast::Declaration& declaration) {
    using Section = ast::Declaration::Section;
    if (declaration.section == Section::local && analysis_.symbols.contains(declaration.name)) {
      findings_.warning(declaration.position,
                        "'" + declaration.name + "' is declared already; LOCAL adds nothing");
      return;
    }
    if (twice(declaration.name, declaration.position)) return;
    for (const auto& [name, environment] : environment_names)
      if (declaration.name == name && !is_own_voltage(declaration))
        return declare_environment(declaration, environment);
    Role role = Role::assigned;
    Storage storage = Storage::instance;
    switch (declaration.section) {
      case Section::parameter:
      case Section::stepped:
        role = Role::parameter;
        storage = Storage::shared;  // until RANGE says otherwise
        break;
      case Section::constant:
        role = Role::constant;
        storage = Storage::shared;
        break;
      case Section::assigned:
        break;
      case Section::state:
        role = Role::state;
        break;
      case Section::local:
        role = Role::local;
        storage = Storage::shared;
        break;
    }
    Symbol& symbol = add(declaration.name, declaration.position, role);
    symbol.storage = storage;
    symbol.size = declaration.size;
    symbol.value = declaration.value.value_or(0);
    if (declaration.limits) {
      symbol.minimum = declaration.limits->minimum;
      symbol.maximum = declaration.limits->maximum;
      if (symbol.minimum > symbol.maximum)
        findings_.error(declaration.position, "the limits of '" + symbol.name + "' are reversed");
      else if (declaration.value &&
               (symbol.value < symbol.minimum || symbol.value > symbol.maximum))
        findings_.warning(declaration.position,
                          "the default of '" + symbol.name + "' lies outside its limits");
    }
    if (declaration.unit) read_unit(symbol, *declaration.unit, declaration.unit_position);
  }

  /// A point neuron has no membrane: v that it declares is a variable as any other.
  bool is_own_voltage(const ast::Declaration& declaration) const {
    using Section = ast::Declaration::Section;
    return module_.point_neuron && declaration.name == "v" &&
           (declaration.section == Section::state || declaration.section == Section::assigned);
  }

  /// v, celsius and the like may stand in PARAMETER or ASSIGNED; the simulator gives their values.
  void declare_environment(const ast::Declaration& declaration, Environment environment) {
    Symbol& symbol = add(declaration.name, declaration.position, Role::environment);
    symbol.environment = environment;
    symbol.storage = Storage::outside;
    if (declaration.unit) read_unit(symbol, *declaration.unit, declaration.unit_position);
    if (declaration.section == ast::Declaration::Section::state)
      findings_.error(declaration.position,
                      "'" + symbol.name + "' belongs to the simulator and cannot be a STATE");
  }

  void declare_constant(const ast::UnitConstant& constant) {
    if (twice(constant.name, constant.position)) return;
    Symbol& symbol = add(constant.name, constant.position, Role::constant);
    symbol.storage = Storage::shared;
    read_unit(symbol, constant.unit, constant.position);
    if (constant.value) {
      symbol.value = *constant.value;
      return;
    }
    const auto source = analysis_.units.parse(*constant.definition);
    if (!source) return unknown_unit(*constant.definition, constant.position);
    if (!symbol.unit) return unknown_unit(constant.unit, constant.position);
    if (source->dimension != symbol.unit->dimension) {
      findings_.error(constant.position, "(" + *constant.definition + ") and (" + constant.unit +
                                             ") are not units of the same quantity");
      return;
    }
    const double value = source->significand / symbol.unit->significand;
    const int shift = source->exponent10 - symbol.unit->exponent10;
    Unit scale;
    scale.significand = value;
    scale.exponent10 = shift;
    symbol.value = convert(1, scale, Unit{});
    if (module_.constants == Constants::legacy)  // NEURON has six digits of them then
      symbol.value = std::stod(fmt::format("{:g}", symbol.value));
  }

  void use_ion(const ast::IonStatement& statement) {
    const std::string& name = statement.ion.text;
    for (const auto& other : module_.ions)
      if (other.name == name) {
        findings_.error(statement.ion.position, "the ion '" + name + "' has a USEION already");
        return;
      }
    const int index = static_cast<int>(module_.ions.size());
    Ion& ion = module_.ions.emplace_back();
    ion.name = name;
    ion.valence = statement.valence;
    if (!ion.valence) {
      if (name == "na" || name == "k") ion.valence = 1;
      if (name == "ca") ion.valence = 2;
    }
    for (const auto& variable : statement.read) use_variable(index, variable, false);
    for (const auto& variable : statement.write) use_variable(index, variable, true);
    if (const auto* current = module_.ions.back().find(IonQuantity::current);
        current && current->write)
      module_.currents.push_back({CurrentKind::ionic, current->symbol, index});
  }

  void use_variable(int index, const ast::Name& variable, bool write) {
    Ion& ion = module_.ions[at(index)];
    const std::array<std::pair<std::string, IonQuantity>, 4> known = {{
        {"i" + ion.name, IonQuantity::current},
        {"e" + ion.name, IonQuantity::reversal},
        {ion.name + "i", IonQuantity::inside},
        {ion.name + "o", IonQuantity::outside},
    }};
    const std::pair<std::string, IonQuantity>* match = nullptr;
    for (const auto& candidate : known)
      if (candidate.first == variable.text) match = &candidate;
    if (!match) {
      findings_.error(variable.position, "'" + variable.text + "' is no variable of the ion '" +
                                             ion.name + "'; it has " + known[0].first + ", " +
                                             known[1].first + ", " + known[2].first + " and " +
                                             known[3].first);
      return;
    }
    if (!analysis_.symbols.contains(variable.text)) add(variable.text, {}, Role::ion);
    const int at = analysis_.symbols.at(variable.text);
    Symbol& symbol = symbol_at(at);
    if (symbol.role == Role::local) {
      findings_.error(variable.position, "'" + variable.text + "' is a variable of the ion '" +
                                             ion.name + "' and is declared as something else");
      return;
    }
    if (symbol.role != Role::state) symbol.role = Role::ion;
    symbol.storage = Storage::outside;
    symbol.ion = index;
    symbol.quantity = match->second;
    for (auto& present : ion.variables)
      if (present.quantity == match->second) {
        (write ? present.write : present.read) = true;
        return;
      }
    ion.variables.push_back({match->second, at, !write, write});
  }

  void add_currents(const std::vector<ast::Name>& names, CurrentKind kind) {
    for (const auto& name : names) {
      if (!analysis_.symbols.contains(name.text)) add(name.text, name.position, Role::assigned);
      const int at = analysis_.symbols.at(name.text);
      if (module_.form == ast::MechanismForm::artificial_cell)
        findings_.error(name.position, "an ARTIFICIAL_CELL has no membrane for a current");
      const Symbol& symbol = symbol_at(at);
      if (symbol.role != Role::assigned && symbol.role != Role::parameter &&
          symbol.role != Role::state) {
        findings_.error(name.position, "'" + name.text + "' cannot be a current");
        continue;
      }
      symbol_at(at).storage = Storage::instance;
      bool present = false;
      for (const auto& current : module_.currents) present |= current.symbol == at;
      if (!present) module_.currents.push_back({kind, at, -1});
    }
  }

  /// ELECTRODE_CURRENT of a point neuron: what stimuli set.
  void name_injected(const std::vector<ast::Name>& names) {
    for (const auto& name : names) {
      int& injected = module_.point_neuron->injected;
      const auto found = analysis_.symbols.find(name.text);
      const int at = found != analysis_.symbols.end() ? found->second : -1;
      if (injected >= 0)
        findings_.error(name.position, "a point neuron has one ELECTRODE_CURRENT");
      else if (at < 0 || symbol_at(at).role != Role::assigned || symbol_at(at).size > 0)
        findings_.error(name.position, "the ELECTRODE_CURRENT '" + name.text +
                                           "' of a point neuron is declared in ASSIGNED, with the "
                                           "unit of stimuli");
      else
        injected = at;
    }
  }

  void refuse_location() {
    const auto refuse = [&](const ast::Name& name, const std::string& what) {
      findings_.error(name.position, "a point neuron has no membrane, and no " + what);
    };
    for (const auto& ion : module_.syntax.ions) refuse(ion.ion, "USEION");
    for (const auto& name : module_.syntax.pointers) refuse(name, "POINTER");
    for (const auto& name : module_.syntax.bbcore_pointers) refuse(name, "BBCOREPOINTER");
  }

  void give_role(const std::vector<ast::Name>& names, Role role, Storage storage) {
    for (const auto& name : names) {
      if (!analysis_.symbols.contains(name.text)) add(name.text, name.position, role);
      Symbol& symbol = symbol_at(analysis_.symbols.at(name.text));
      if (symbol.role == Role::state || symbol.role == Role::ion) {
        findings_.error(name.position, "'" + name.text + "' is declared as something else");
        continue;
      }
      symbol.role = role;
      symbol.storage = storage;
    }
  }

  void refuse_external(const ast::Name& name) {
    const auto found = analysis_.symbols.find(name.text);
    if (found != analysis_.symbols.end() && symbol_at(found->second).role == Role::environment)
      return;
    findings_.error(name.position,
                    "EXTERNAL '" + name.text + "': variables of other files are not supported");
  }

  void mark_visible() {
    for (const auto& name : module_.syntax.range) mark(name, true);
    for (const auto& name : module_.syntax.global) mark(name, false);
  }

  void mark(const ast::Name& name, bool range) {
    int at = known_or_initial_value(name.text);
    if (at < 0) {
      findings_.warning(name.position, "'" + name.text + "' in " + (range ? "RANGE" : "GLOBAL") +
                                           " is declared nowhere");
      if (range || names_a_block(name.text)) return;
      add(name.text, name.position, Role::assigned);  // as nocmodl does in a THREADSAFE file
      at = analysis_.symbols.at(name.text);
    }
    Symbol& symbol = symbol_at(at);
    if (!range && symbol.role == Role::state)
      findings_.error(name.position, "the STATE '" + name.text + "' cannot be GLOBAL");
    (range ? symbol.in_range : symbol.in_global) = true;
    if (symbol.storage == Storage::outside) return;
    if (range)
      symbol.storage = Storage::instance;
    else if (symbol.role == Role::assigned && !symbol.in_range)
      symbol.storage = Storage::shared;
  }

  bool names_a_block(const std::string& name) const {
    return std::ranges::any_of(module_.syntax.blocks,
                               [&](const ast::Block& block) { return block.name == name; });
  }

  /// The symbol of a name; m0 of a state m comes into being when the file first mentions it.
  int known_or_initial_value(const std::string& name) {
    const auto found = analysis_.symbols.find(name);
    return found != analysis_.symbols.end() ? found->second : add_initial_value(analysis_, name);
  }

  /// A parameter m0 beside a state m is what m begins with.
  void pair_initial_values() {
    for (std::size_t i = 0; i < module_.symbols.size(); ++i) {
      if (module_.symbols[i].role != Role::state) continue;
      const auto found = analysis_.symbols.find(module_.symbols[i].name + "0");
      if (found == analysis_.symbols.end()) continue;
      Symbol& symbol = symbol_at(found->second);
      if (symbol.role != Role::parameter) continue;
      symbol.state = static_cast<int>(i);
      module_.symbols[i].initial_value = found->second;
    }
  }

  Analysis& analysis_;
  Module& module_;
  Findings& findings_;
};

}  // namespace

int add_initial_value(Analysis& analysis, std::string_view name) {
  if (name.size() < 2 || name.back() != '0') return -1;
  auto& symbols = analysis.module.symbols;
  const auto state = analysis.symbols.find(name.substr(0, name.size() - 1));
  if (state == analysis.symbols.end() || symbols[at(state->second)].role != Role::state) return -1;
  const int index = static_cast<int>(symbols.size());
  Symbol symbol;
  symbol.name = std::string(name);
  symbol.role = Role::initial_value;
  symbol.storage = Storage::shared;
  symbol.state = state->second;
  symbols[at(state->second)].initial_value = index;
  symbols.push_back(std::move(symbol));
  analysis.symbols.emplace(name, index);
  return index;
}

int add_use_of_tables(Analysis& analysis, std::string_view name) {
  const auto is_table = [](const ast::Statement& statement) {
    return std::holds_alternative<ast::Table>(statement.node);
  };
  if (name != "usetable" || std::ranges::none_of(analysis.module.syntax.blocks, [&](const auto& b) {
        return std::ranges::any_of(b.body, is_table);
      }))
    return -1;
  auto& symbols = analysis.module.symbols;
  const int index = static_cast<int>(symbols.size());
  Symbol symbol;
  symbol.name = std::string(name);
  symbol.role = Role::constant;
  symbol.storage = Storage::shared;
  symbol.is_use_of_tables = true;
  symbols.push_back(std::move(symbol));
  analysis.symbols.emplace(name, index);
  return index;
}

void collect_symbols(Analysis& analysis) {
  SymbolCollector(analysis).run();
}

}  // namespace hillock::nmodl
