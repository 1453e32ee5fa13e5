#pragma once
// A checked mechanism: what code emission reads. Every name in `syntax` is bound (ast::Binding),
// every list below is filled, and nothing here needs the source text again.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.hpp"
#include "mechanisms/nmodl/analyse/builtins.hpp"
#include "mechanisms/nmodl/analyse/units.hpp"
#include "mechanisms/nmodl/parse/ast.hpp"

namespace hillock::nmodl {

/// Where a symbol's meaning comes from.
enum class Role {
  parameter,       ///< PARAMETER (STEPPED): a default the user may change
  constant,        ///< CONSTANT, or a constant of UNITS: `value`
  assigned,        ///< ASSIGNED, and currents that are not declared
  state,           ///< STATE; one that an ion owns has `ion` set as well (STATE {cai})
  initial_value,   ///< m0 of the state m, used or declared: what m begins with before INITIAL
  ion,             ///< a variable of an ion that is no STATE: `ion`, `quantity`
  pointer,         ///< POINTER: a variable elsewhere, read and written like any other
  bbcore_pointer,  ///< BBCOREPOINTER: a POINTER, where no C code gives it another meaning
  random,          ///< RANDOM: a stream, only an argument of random_...
  local,           ///< LOCAL at the top level
  environment,     ///< v, t, dt, celsius, area, diam: `environment`
};

/// Where a symbol's value lives.
enum class Storage {
  instance,  ///< one value an instance
  shared,    ///< one value for all instances, which the file never assigns
  outside,   ///< the simulator's: environment, ions (a STATE of an ion too), pointers
};

enum class Environment { v, t, dt, celsius, area, diam };

/// ica, eca, cai, cao
enum class IonQuantity { current, reversal, inside, outside };

struct Symbol {
  std::string name;
  Role role = Role::assigned;
  Storage storage = Storage::instance;
  Position position;              ///< of its declaration; line 0 when it has none
  bool in_range = false;          ///< RANGE: a user may see and, if a parameter, set it per place
  bool in_global = false;         ///< GLOBAL
  bool written = false;           ///< some block assigns it
  bool is_use_of_tables = false;  ///< nocmodl's own `usetable`, of a file that has a TABLE
  /// GLOBAL, CONSTANT, top-level LOCAL or parameter outside RANGE that some block assigns. NEURON
  /// keeps one such value a thread; here each instance has its own.
  bool became_instance = false;
  int size = 0;  ///< elements of an array, 0 for a scalar
  std::string unit_text;
  std::optional<Unit> unit;
  double value = 0;  ///< default of a parameter, value of a constant, START of a state
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  int initial_value = -1;  ///< of a state: the symbol m0, or -1 (then `value` is the beginning)
  int state = -1;          ///< of an initial_value: its state
  int ion = -1;            ///< Module::ions
  IonQuantity quantity = IonQuantity::current;
  Environment environment = Environment::v;
};

struct IonVariable {
  IonQuantity quantity = IonQuantity::current;
  int symbol = -1;
  bool read = false, write = false;
};

struct Ion {
  std::string name;
  std::optional<double> valence;  ///< na 1, k 1, ca 2 are known; else what VALENCE says
  std::vector<IonVariable> variables;
  const IonVariable* find(IonQuantity quantity) const {
    for (const auto& variable : variables)
      if (variable.quantity == quantity) return &variable;
    return nullptr;
  }
};

enum class CurrentKind { nonspecific, electrode, ionic };

/// A current the mechanism adds to its membrane, in the order of the NEURON block.
struct Current {
  CurrentKind kind = CurrentKind::nonspecific;
  int symbol = -1;
  int ion = -1;  ///< of an ionic one
};

enum class LocalKind {
  argument,    ///< of a FUNCTION, PROCEDURE, FUNCTION_TABLE, or NET_RECEIVE
  connection,  ///< of FOR_NETCONS: another connection's argument
  variable,    ///< LOCAL
  loop_index,  ///< of FROM, or of COMPARTMENT and LONGITUDINAL_DIFFUSION; whole numbers
  result,      ///< the name of the FUNCTION inside it; 0 until assigned
  flag,        ///< flag in NET_RECEIVE
  flux,        ///< f_flux, b_flux in KINETIC: of the reaction before
};

struct Local {
  std::string name;
  LocalKind kind = LocalKind::variable;
  int size = 0;
  std::string unit_text;
};

struct CallSite {
  int block = -1;  ///< ast::File::blocks
  Position position;
};

/// What a block does. Symbol lists are sorted and hold each symbol once; they include what the
/// FUNCTIONs and PROCEDUREs it calls do, but not what the blocks it SOLVEs do.
struct BlockFacts {
  std::vector<Local> locals;    ///< arguments first, then in the order of the text
  std::vector<CallSite> calls;  ///< direct calls, each callee once
  std::vector<int> callers;     ///< blocks that call this one directly
  bool reached = false;         ///< an entry, solved, or called from one: emission may skip others
  std::vector<int> reads;       ///< read somewhere
  std::vector<int> writes;      ///< assigned somewhere
  std::vector<int> needs;       ///< may be read before this block assigns them
  std::vector<int> sets;        ///< assigned on every way through
  std::vector<int> unknowns;    ///< states that an integrated or solved block determines
  std::vector<Builtin> builtins;     ///< used here or in callees, sorted, once each
  std::vector<int> function_tables;  ///< Module::function_tables, likewise
};

enum class Method {
  unspecified,  ///< DERIVATIVE: NEURON's default is an adaptive Runge-Kutta; KINETIC: implicit
  cnexp,
  euler,
  derivimplicit,
  sparse,
  runge,
  newton,
  after_cvode,
  cvode_t,
  cvode_t_v,
};

struct Solve {
  int block = -1;     ///< what is solved; a PROCEDURE runs once a step
  int in_block = -1;  ///< where the statement stands
  Method method = Method::unspecified;
  bool steady_state = false;
  bool conditional = false;  ///< inside if, while or FROM
  Position position;
  bool is_call = false;  ///< INITIAL calls a DERIVATIVE block
};

struct TableFacts {
  int block = -1;                 ///< FUNCTION or PROCEDURE of one argument
  std::vector<int> variables;     ///< symbols; empty for a FUNCTION
  std::vector<int> dependencies;  ///< symbols; the table is stale when one has changed
  int intervals = 0;
};

struct FunctionTable {
  std::string name;
  int block = -1;  ///< its arguments and unit
};

struct NetReceive {
  int block = -1;
  int arguments = 0;         ///< locals [0, arguments) of the block; [0] is the weight
  bool has_initial = false;  ///< INITIAL inside: sets arguments of a connection at the start
  bool uses_flag = false;
  int watches = 0;  ///< WATCH statements, numbered in the order of the text
  bool uses_for_netcons = false;
};

/// An ARTIFICIAL_CELL with a BREAKPOINT, which runs once a step.
struct PointNeuron {
  int injected = -1;                 ///< the symbol of ELECTRODE_CURRENT
  bool tells_signs = false;          ///< NET_RECEIVE tells positive weights from negative ones
  bool spikes = false;               ///< BREAKPOINT has a net_event
  bool spikes_at_beginning = false;  ///< net_event(t - dt)
  Position first_spike;              ///< the first net_event's place
};

struct Module {
  ast::File syntax;
  UnitTable units;
  Constants constants = Constants::codata2018;
  std::string name;
  ast::MechanismForm form = ast::MechanismForm::density;
  bool is_library = false;  ///< SUFFIX nothing: functions only, no mechanism
  std::vector<Symbol> symbols;
  std::vector<Ion> ions;
  std::vector<Current> currents;
  std::vector<BlockFacts> blocks;  ///< one for each of syntax.blocks
  std::vector<Solve> solves;       ///< in the order of the text
  std::vector<TableFacts> tables;
  std::vector<FunctionTable> function_tables;
  std::optional<NetReceive> net_receive;
  std::optional<PointNeuron> point_neuron;
  bool uses_at_time = false;
  bool has_longitudinal_diffusion = false;

  int find_symbol(std::string_view symbol) const;
  /// The blocks of one kind, in the order of the text: INITIAL and BREAKPOINT may have several.
  std::vector<int> blocks_of(ast::BlockKind kind) const;
};

}  // namespace hillock::nmodl
