#pragma once
// Every built-in evaluator, in the catalogue's order: those written by hand, and those that the
// build emits from mechanisms/catalogue.

#include "mechanisms/builtin/exp2syn.hpp"
#include "mechanisms/builtin/expsyn.hpp"
#include "mechanisms/builtin/hh.hpp"
#include "mechanisms/builtin/hh_traub.hpp"
#include "mechanisms/builtin/iclamp.hpp"
#include "mechanisms/builtin/pas.hpp"
#include "mechanisms/builtin/seclamp.hpp"
#include "mechanisms/emitted/all.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

template <class... E>
struct Evaluators {};

using BuiltinEvaluators = Evaluators<Hh, HhTraub, Pas, Expsyn, Exp2syn, Iclamp, Seclamp
                                     HILLOCK_EMITTED_EVALUATORS>;

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
