#include "mechanisms/nmodl/analyse/builtins.hpp"

#include <algorithm>
#include <array>

namespace hillock::nmodl {

namespace {

using enum Builtin;

constexpr auto builtins = std::to_array<BuiltinFacts>({
    {"exp", exp, 1, 1},
    {"log", log, 1, 1},
    {"log10", log10, 1, 1},
    {"sqrt", sqrt, 1, 1},
    {"fabs", fabs, 1, 1},
    {"abs", fabs, 1, 1},
    {"pow", pow, 2, 2},
    {"sin", sin, 1, 1},
    {"cos", cos, 1, 1},
    {"tan", tan, 1, 1},
    {"asin", asin, 1, 1},
    {"acos", acos, 1, 1},
    {"atan", atan, 1, 1},
    {"atan2", atan2, 2, 2},
    {"sinh", sinh, 1, 1},
    {"cosh", cosh, 1, 1},
    {"tanh", tanh, 1, 1},
    {"floor", floor, 1, 1},
    {"ceil", ceil, 1, 1},
    {"fmod", fmod, 2, 2},
    {"fmin", min, 2, 2},
    {"fmax", max, 2, 2},
    {"erf", erf, 1, 1},
    {"ran4_word", ran4_word, 2, 2},
    {"random123_word", random123_word, 5, 5},
    {"gauss", gauss, 3, 3},
    {"nrn_ghk", nrn_ghk, 4, 4},
    {"scop_random", scop_random, 0, 1},
    {"exprand", exprand, 1, 1},
    {"normrand", normrand, 2, 2},
    {"poisrand", poisrand, 1, 1},
    {"random_uniform", random_uniform, 1, 3},
    {"random_negexp", random_negexp, 1, 2},
    {"random_normal", random_normal, 1, 3},
    {"random_ipick", random_ipick, 1, 1},
    {"random_dpick", random_dpick, 1, 1},
    {"random_setseq", random_setseq, 2, 2},
    {"random_setids", random_setids, 4, 4},
    {"net_send", net_send, 2, 2},
    {"net_event", net_event, 1, 1},
    {"net_move", net_move, 1, 1},
    {"at_time", at_time, 1, 1},
    {"state_discontinuity", state_discontinuity, 2, 2},
    {"nrn_pointing", nrn_pointing, 1, 1},
    {"printf", ignored, 1, -1},
    {"set_seed", ignored, 1, 1},
});

constexpr auto refused = std::to_array<std::string_view>(
    {"threshold", "force",       "deflate",   "expfit",     "derivs",          "spline",
     "hyperbol",  "revhyperbol", "sigmoid",   "revsigmoid", "harmonic",        "squarewave",
     "sawtooth",  "revsawtooth", "ramp",      "pulse",      "perpulse",        "step",
     "perstep",   "factorial",   "poisson",   "setseed",    "boundary",        "romberg",
     "legendre",  "invert",      "stepforce", "schedule",   "nrn_random_play", "prterr",
     "fprintf"});

}  // namespace

const BuiltinFacts* find_builtin(std::string_view name) {
  const auto found =
      std::ranges::find_if(builtins, [&](const auto& facts) { return facts.name == name; });
  return found == builtins.end() ? nullptr : &*found;
}

bool is_refused_builtin(std::string_view name) {
  return std::ranges::find(refused, name) != refused.end();
}

const std::vector<std::string>& builtin_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& facts : builtins) list.emplace_back(facts.name);
    return list;
  }();
  return names;
}

}  // namespace hillock::nmodl
