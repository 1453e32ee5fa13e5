#pragma once
// The functions that every .mod file may call without declaring them.

#include <string>
#include <string_view>
#include <vector>

namespace hillock::nmodl {

enum class Builtin {
  // Mathematics: functions of their arguments alone.
  exp,
  log,
  log10,
  sqrt,
  fabs,
  pow,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  floor,
  ceil,
  fmod,
  min,
  max,
  erf,
  ran4_word,       ///< (high, low): a word of 32 bits of the generator Ran4
  random123_word,  ///< (key, id1, id2, id3, number): one of a stream of Random123's
  gauss,           ///< (x, mean, deviation): the normal density
  nrn_ghk,         ///< (v, inside, outside, valence): current per permeability
  // Draws, keyed by the instance and the call.
  scop_random,  ///< uniform in (0, 1); an argument has no effect

  exprand,
  normrand,
  poisrand,
  random_uniform,
  random_negexp,
  random_normal,
  random_ipick,
  random_dpick,
  random_setseq,
  random_setids,
  // Events.
  net_send,
  net_event,
  net_move,
  at_time,
  state_discontinuity,
  // Others.
  nrn_pointing,  ///< whether a POINTER is set
  ignored,       ///< printf and set_seed: no effect here, value 0
};

struct BuiltinFacts {
  std::string_view name;
  Builtin builtin;
  int least_arguments;
  int most_arguments;  ///< -1: any number
};

/// Nothing when there is no such function.
const BuiltinFacts* find_builtin(std::string_view name);

/// A function of NEURON's that Hillock does not have.
bool is_refused_builtin(std::string_view name);

/// Names for suggestions.
const std::vector<std::string>& builtin_names();

}  // namespace hillock::nmodl
