// What the analysis says about mechanisms that are right.

#include "mechanisms/nmodl/analyse/module.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "mechanisms/nmodl/analyse/analysis_steps.hpp"
#include "mechanisms/nmodl/check.hpp"

namespace hillock::nmodl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Module checked(const std::string& text) {
  Checked result = check_text("x.mod", text);
  for (const auto& diagnostic : result.diagnostics)
    if (diagnostic.severity == Severity::error) ADD_FAILURE() << to_string(diagnostic);
  return result.module ? std::move(*result.module) : Module{};
}

std::vector<std::string> warnings(const std::string& text) {
  std::vector<std::string> list;
  for (const auto& diagnostic : check_text("x.mod", text).diagnostics)
    list.push_back(fmt::format("{}:{}: {}", diagnostic.place.line, diagnostic.place.column,
                               diagnostic.message));
  return list;
}

const Symbol& symbol(const Module& module, const char* name) {
  return module.symbols.at(static_cast<std::size_t>(module.find_symbol(name)));
}

std::vector<std::string> names(const Module& module, const std::vector<int>& symbols) {
  std::vector<std::string> list;
  for (const int index : symbols)
    list.push_back(module.symbols.at(static_cast<std::size_t>(index)).name);
  return list;
}

const BlockFacts& facts(const Module& module, const std::string& name) {
  for (std::size_t i = 0; i < module.blocks.size(); ++i)
    if (describe(module.syntax.blocks[i]) == name) return module.blocks[i];
  throw std::out_of_range(name);
}

constexpr const char* channel =
    "NEURON { SUFFIX ch USEION na READ ena WRITE ina RANGE gbar, g GLOBAL minf, vhalf }\n"
    "UNITS { (mV) = (millivolt) (mA) = (milliamp) (S) = (siemens) }\n"
    "PARAMETER { gbar = 0.1 (S/cm2) <0, 1> vhalf = -40 (mV) k = 5 (mV) q10 = 3 }\n"
    "ASSIGNED { v (mV) ena (mV) ina (mA/cm2) g (S/cm2) minf celsius (degC) taum (ms) }\n"
    "STATE { m }\n"
    "LOCAL tadj, never\n"
    "INITIAL { tadj = q10^((celsius - 22)/10) rates(v) m = minf }\n"
    "BREAKPOINT { SOLVE states METHOD cnexp g = gbar*m^3 ina = g*(v - ena) }\n"
    "DERIVATIVE states { rates(v) m' = (minf - m)/taum }\n"
    "PROCEDURE rates(u (mV)) { minf = boltz(u) if (u > 0) { taum = 1/tadj } else { taum = 2 } }\n"
    "FUNCTION boltz(u (mV)) { boltz = 1/(1 + exp(-(u - vhalf)/k)) }\n"
    "PROCEDURE from_outside() { k = 6 }\n";

TEST(NmodlModule, HasTheConstantsOfNeuronSeven) {
  const std::string text =
      "NEURON { SUFFIX x }\nUNITS { FARADAY = (faraday) (coulombs) R = (k-mole) (joule/degC)\n"
      "PI = (pi) (1) F = 96485 (coulombs) }";
  const Checked checked = check_text("x.mod", text, {}, Constants::legacy);
  ASSERT_TRUE(checked.module);
  const auto value = [&](std::string_view name) {
    return checked.module->symbols[static_cast<std::size_t>(checked.module->find_symbol(name))]
        .value;
  };
  EXPECT_EQ(value("FARADAY"), 96485.3);
  EXPECT_EQ(value("R"), 8.3145);
  EXPECT_EQ(value("PI"), 3.14159);
  EXPECT_EQ(value("F"), 96485);
}

TEST(NmodlModule, RolesAndStorage) {
  const Module module = checked(channel);
  EXPECT_EQ(module.name, "ch");
  EXPECT_EQ(symbol(module, "gbar").role, Role::parameter);
  EXPECT_EQ(symbol(module, "gbar").storage, Storage::instance);
  EXPECT_EQ(symbol(module, "gbar").maximum, 1);
  EXPECT_EQ(symbol(module, "gbar").unit->dimension, unit_of("S/cm2").dimension);
  EXPECT_EQ(symbol(module, "vhalf").storage, Storage::shared);
  EXPECT_EQ(symbol(module, "vhalf").value, -40);
  EXPECT_EQ(symbol(module, "q10").storage, Storage::shared);
  EXPECT_EQ(symbol(module, "taum").storage, Storage::instance);
  EXPECT_EQ(symbol(module, "v").role, Role::environment);
  EXPECT_EQ(symbol(module, "celsius").environment, Environment::celsius);
  EXPECT_EQ(symbol(module, "ena").role, Role::ion);
  EXPECT_EQ(symbol(module, "m").role, Role::state);
}

TEST(NmodlModule, WhatTheFileAssignsBecomesTheInstances) {
  const Module module = checked(channel);
  for (const char* name : {"minf", "tadj", "k"}) {
    EXPECT_TRUE(symbol(module, name).became_instance) << name;
    EXPECT_EQ(symbol(module, name).storage, Storage::instance) << name;
  }
  EXPECT_FALSE(symbol(module, "vhalf").became_instance);
  EXPECT_EQ(symbol(module, "never").storage, Storage::shared);
  EXPECT_FALSE(symbol(module, "g").became_instance);
}

TEST(NmodlModule, IonsAndCurrents) {
  const Module module = checked(channel);
  ASSERT_EQ(module.ions.size(), 1u);
  EXPECT_EQ(module.ions[0].valence, 1);
  EXPECT_TRUE(module.ions[0].find(IonQuantity::reversal)->read);
  EXPECT_FALSE(module.ions[0].find(IonQuantity::reversal)->write);
  EXPECT_TRUE(module.ions[0].find(IonQuantity::current)->write);
  EXPECT_EQ(module.ions[0].find(IonQuantity::inside), nullptr);
  ASSERT_EQ(module.currents.size(), 1u);
  EXPECT_EQ(module.currents[0].kind, CurrentKind::ionic);
  EXPECT_EQ(names(module, {module.currents[0].symbol}), std::vector<std::string>{"ina"});
}

TEST(NmodlModule, ReadsAndWritesReachThroughCalls) {
  const Module module = checked(channel);
  EXPECT_THAT(names(module, facts(module, "PROCEDURE rates").writes),
              UnorderedElementsAre("minf", "taum"));
  EXPECT_THAT(names(module, facts(module, "PROCEDURE rates").needs),
              UnorderedElementsAre("vhalf", "k", "tadj"));
  EXPECT_THAT(names(module, facts(module, "DERIVATIVE states").needs),
              UnorderedElementsAre("vhalf", "k", "tadj", "v", "m"));
  EXPECT_THAT(names(module, facts(module, "DERIVATIVE states").sets),
              UnorderedElementsAre("minf", "taum", "m"));
  EXPECT_THAT(names(module, facts(module, "BREAKPOINT").needs),
              UnorderedElementsAre("gbar", "m", "v", "ena"));
  EXPECT_THAT(names(module, facts(module, "BREAKPOINT").writes), UnorderedElementsAre("g", "ina"));
  EXPECT_THAT(names(module, facts(module, "DERIVATIVE states").unknowns), ElementsAre("m"));
  EXPECT_THAT(facts(module, "INITIAL").builtins, ElementsAre(Builtin::exp));
}

TEST(NmodlModule, CallsAndWhatIsReached) {
  const Module module = checked(channel);
  EXPECT_EQ(facts(module, "INITIAL").calls.size(), 1u);
  EXPECT_EQ(facts(module, "PROCEDURE rates").callers.size(), 2u);
  EXPECT_TRUE(facts(module, "FUNCTION boltz").reached);
  EXPECT_TRUE(facts(module, "DERIVATIVE states").reached);
  EXPECT_FALSE(facts(module, "PROCEDURE from_outside").reached);
  ASSERT_EQ(module.solves.size(), 1u);
  EXPECT_EQ(module.solves[0].method, Method::cnexp);
  EXPECT_FALSE(module.solves[0].conditional);
}

TEST(NmodlModule, LocalsHaveOneSlotEach) {
  const Module module = checked(
      "NEURON { SUFFIX x }\nASSIGNED { a }\nFUNCTION f(u (mV)) { LOCAL b, c[2] b = u\n"
      "if (u) { LOCAL b b = 1 } FROM i = 0 TO 1 { c[i] = b } f = c[1] }");
  const auto& locals = module.blocks.at(0).locals;
  std::vector<std::string> list;
  for (const auto& local : locals) list.push_back(local.name);
  EXPECT_THAT(list, ElementsAre("u", "f", "b", "c", "b", "i"));
  EXPECT_EQ(locals[0].kind, LocalKind::argument);
  EXPECT_EQ(locals[0].unit_text, "mV");
  EXPECT_EQ(locals[1].kind, LocalKind::result);
  EXPECT_EQ(locals[3].size, 2);
  EXPECT_EQ(locals[5].kind, LocalKind::loop_index);
  const auto& inner = std::get<ast::If>(module.syntax.blocks[0].body[2].node).branches[0].body[1];
  EXPECT_EQ(std::get<ast::Assignment>(inner.node).target.binding,
            (ast::Binding{ast::Binding::Kind::local, 4}));
}

// Exact: the constants of the revised SI, to one rounding of each product.
TEST(NmodlModule, ConstantsOfUnits) {
  const Module module = checked(
      "NEURON { SUFFIX x }\nUNITS { FARADAY = (faraday) (coulombs) F = (faraday) (kilocoulombs)\n"
      "R = (k-mole) (joule/degC) PI = (pi) (1) FF = 96485.309 (coul) e = (e) (coulomb) }");
  EXPECT_DOUBLE_EQ(symbol(module, "FARADAY").value, 96485.33212331001);
  EXPECT_DOUBLE_EQ(symbol(module, "F").value, 96.48533212331001);
  EXPECT_DOUBLE_EQ(symbol(module, "R").value, 8.31446261815324);
  EXPECT_DOUBLE_EQ(symbol(module, "PI").value, 3.14159265358979323846);
  EXPECT_EQ(symbol(module, "FF").value, 96485.309);
  EXPECT_EQ(symbol(module, "e").value, 1.602176634e-19);
}

TEST(NmodlModule, UnitsAreKept) {
  const Module module = checked(
      "NEURON { SUFFIX x }\nUNITS { (molar) = (1/liter) (mM) = (millimolar) (um) = (micron) }\n"
      "PARAMETER { c = 1 (mM) k = 2 (/mM-ms) D = 0.2 (um2/ms) p = 1 (10+3 ohm) n = 3 (1) }");
  EXPECT_EQ(symbol(module, "c").unit->dimension, unit_of("mM").dimension);
  EXPECT_DOUBLE_EQ(convert(1, *symbol(module, "c").unit, unit_of("mM")), 1);
  EXPECT_EQ(symbol(module, "k").unit->dimension,
            (unit_of("Hz").dimension / unit_of("mM").dimension));
  EXPECT_DOUBLE_EQ(convert(1, *symbol(module, "D").unit, unit_of("um2/ms")), 1);
  EXPECT_DOUBLE_EQ(convert(1, *symbol(module, "p").unit, unit_of("kohm")), 10);
  EXPECT_TRUE(symbol(module, "n").unit->dimension.is_number());
}

TEST(NmodlModule, PoolsOwnTheirIon) {
  const Module module = checked(
      "NEURON { SUFFIX pool USEION ca READ ica, cai WRITE cai RANGE cai0 USEION q WRITE iq VALENCE "
      "3 }\n"
      "PARAMETER { tau = 10 (ms) cai0 = 50e-6 }\nASSIGNED { ica (mA/cm2) }\nSTATE { cai n }\n"
      "INITIAL { cai = cai0 n = n0 }\nBREAKPOINT { SOLVE d METHOD derivimplicit iq = 0 }\n"
      "DERIVATIVE d { cai' = -ica - cai/tau n' = -n }");
  const Symbol& cai = symbol(module, "cai");
  EXPECT_EQ(cai.role, Role::state);
  EXPECT_EQ(cai.storage, Storage::outside);
  EXPECT_EQ(cai.ion, 0);
  EXPECT_EQ(cai.quantity, IonQuantity::inside);
  EXPECT_EQ(cai.initial_value, module.find_symbol("cai0"));
  EXPECT_EQ(symbol(module, "cai0").role, Role::parameter);
  EXPECT_EQ(symbol(module, "n0").role, Role::initial_value);
  EXPECT_EQ(symbol(module, "n0").state, module.find_symbol("n"));
  EXPECT_EQ(module.ions.at(1).valence, 3);
}

TEST(NmodlModule, InitialValuesNeedNoDeclaration) {
  const std::string text = "NEURON { SUFFIX x RANGE m0 GLOBAL n0 }\nSTATE { m n }";
  const Module module = checked(text);
  EXPECT_THAT(warnings(text), IsEmpty());
  EXPECT_EQ(symbol(module, "m0").role, Role::initial_value);
  EXPECT_EQ(symbol(module, "m0").storage, Storage::instance);
  EXPECT_EQ(symbol(module, "n0").storage, Storage::shared);
  EXPECT_EQ(symbol(module, "m").initial_value, module.find_symbol("m0"));
}

TEST(NmodlModule, EventsOfAPointProcess) {
  const Module module = checked(
      "NEURON { POINT_PROCESS p NONSPECIFIC_CURRENT i RANGE tau }\nPARAMETER { tau = 2 (ms) }\n"
      "ASSIGNED { v (millivolt) i (nanoamp) }\nSTATE { g (microsiemens) }\n"
      "INITIAL { g = 0 net_send(1, 2) }\nBREAKPOINT { SOLVE d METHOD cnexp i = g*v at_time(3) }\n"
      "DERIVATIVE d { g' = -g/tau }\n"
      "NET_RECEIVE(w (microsiemens), last (ms)) { INITIAL { last = t } if (flag == 2) {\n"
      "WATCH (v > 0) 3 } else { state_discontinuity(g, g + w*exp(-(t - last)/tau)) last = t\n"
      "net_event(t) } FOR_NETCONS(w1, last1) { w1 = w1 + 1 } }");
  ASSERT_TRUE(module.net_receive);
  EXPECT_EQ(module.net_receive->arguments, 2);
  EXPECT_TRUE(module.net_receive->has_initial);
  EXPECT_TRUE(module.net_receive->uses_flag);
  EXPECT_EQ(module.net_receive->watches, 1);
  EXPECT_TRUE(module.net_receive->uses_for_netcons);
  EXPECT_TRUE(module.uses_at_time);
  EXPECT_THAT(names(module, facts(module, "NET_RECEIVE").writes), ElementsAre("g"));
  EXPECT_EQ(module.currents.at(0).kind, CurrentKind::nonspecific);
}

TEST(NmodlModule, TablesAndFunctionTables) {
  const Module module = checked(
      "NEURON { SUFFIX x GLOBAL a, b }\nPARAMETER { q = 1 }\nASSIGNED { a b v celsius c }\n"
      "BREAKPOINT { r(v) c = f(v, 1) }\nFUNCTION_TABLE f(u, w) (ms)\n"
      "PROCEDURE r(u) { TABLE a, b DEPEND q, celsius FROM -100 TO 100 WITH 200 a = u b = q }");
  ASSERT_EQ(module.tables.size(), 1u);
  EXPECT_THAT(names(module, module.tables[0].variables), ElementsAre("a", "b"));
  EXPECT_THAT(names(module, module.tables[0].dependencies), ElementsAre("q", "celsius"));
  EXPECT_EQ(module.tables[0].intervals, 200);
  ASSERT_EQ(module.function_tables.size(), 1u);
  EXPECT_THAT(facts(module, "BREAKPOINT").function_tables, ElementsAre(0));
}

TEST(NmodlModule, KineticBlocksDetermineTheirStates) {
  const Module module = checked(
      "NEURON { SUFFIX x RANGE x }\nASSIGNED { v x vol[2] }\nSTATE { a b c[2] spare }\n"
      "INITIAL { SOLVE k STEADYSTATE sparse }\nBREAKPOINT { SOLVE k METHOD sparse }\n"
      "KINETIC k { COMPARTMENT i, vol[i] { c } LONGITUDINAL_DIFFUSION i, vol[i]*2 { c }\n"
      "~ a <-> b (v, 1)\n x = f_flux - b_flux\n ~ a + b <-> c[1] (1, 2)\n CONSERVE a + b + c = 1 "
      "}");
  EXPECT_THAT(names(module, facts(module, "KINETIC k").unknowns),
              UnorderedElementsAre("a", "b", "c"));
  EXPECT_EQ(module.solves.size(), 2u);
  EXPECT_TRUE(module.solves[0].steady_state);
  EXPECT_TRUE(module.has_longitudinal_diffusion);
}

TEST(NmodlModule, VerbatimThatDoesNothingIsIgnored) {
  EXPECT_TRUE(check_text("x.mod",
                         "NEURON { SUFFIX x }\nVERBATIM\n/* nothing */ // at all\nENDVERBATIM\n"
                         "PROCEDURE p() {\nVERBATIM\n  return 0;\nENDVERBATIM\n}")
                  .module);
  EXPECT_TRUE(check_text("x.mod",
                         "NEURON { SUFFIX x }\nVERBATIM\n#include <stdlib.h> /* for\n drand48 */\n"
                         "  # include \"misc.h\"\nENDVERBATIM\n")
                  .module);
  EXPECT_TRUE(
      check_text("x.mod",
                 "NEURON { SUFFIX x }\nVERBATIM\nstatic const char rcsid[] = \"$Id: a.mod,v "
                 "1.1 // x $\";\nstatic char *of = \"\"; /* no more */\nENDVERBATIM\n")
          .module);
}

TEST(NmodlModule, OfWhatWasOnceIndependentNothingIsKept) {
  for (const char* name : {"t FROM 0 TO 1 WITH 1 (ms)", "v FROM -100 TO 50 WITH 50 (mV)"})
    EXPECT_TRUE(check_text("x.mod", "INDEPENDENT {" + std::string(name) +
                                        "}\nNEURON { SUFFIX x NONSPECIFIC_CURRENT i }\n"
                                        "ASSIGNED { v (mV) i (mA/cm2) }\nBREAKPOINT { i = v }\n")
                    .module);
}

/// An ion's variable has the ion's value in INITIAL: files that take it once more say nothing new.
TEST(NmodlModule, VerbatimThatTakesWhatTheIonHasIsIgnored) {
  EXPECT_TRUE(
      check_text("x.mod",
                 "NEURON { SUFFIX x USEION ca READ cai, cao USEION k READ ki, ik WRITE ki }\n"
                 "STATE { ki m }\nASSIGNED { cai ik }\nINITIAL {\nLOCAL a\nVERBATIM\n"
                 "  ki = _ion_ki; /* as it is */\nENDVERBATIM\n m = 1\nVERBATIM\n"
                 "  cai=_ion_cai; cao = _ion_cao;\nENDVERBATIM\n}")
          .module);
}

TEST(NmodlModule, CompartmentsLeaveOutWhatHasNone) {
  const std::string text =
      "NEURON { SUFFIX x }\nPARAMETER { p = 1 }\nSTATE { a b c[2] }\n"
      "BREAKPOINT { SOLVE k METHOD sparse }\n"
      "KINETIC k { COMPARTMENT i, 2 { c a none p }\n COMPARTMENT 3 { b cc }\n"
      " ~ a <-> c[0] (1, 1)\n ~ b <-> c[1] (1, 1) }";
  EXPECT_THAT(warnings(text),
              ElementsAre("5:34: 'a' in COMPARTMENT i is no array and is left out",
                          "5:36: 'none' in COMPARTMENT is not a variable of this file and is left "
                          "out.",
                          "5:41: 'p' in COMPARTMENT i is no array and is left out",
                          "6:20: 'cc' in COMPARTMENT is not a variable of this file and is left "
                          "out. Did you mean 'c'?"));
}

TEST(NmodlModule, AGlobalThatIsDeclaredNowhereIsAssigned) {
  const std::string text =
      "NEURON { SUFFIX x GLOBAL factor, rates }\nINITIAL { rates() }\n"
      "PROCEDURE rates() { factor = 3 }";
  EXPECT_THAT(warnings(text), ElementsAre("1:26: 'factor' in GLOBAL is declared nowhere",
                                          "1:34: 'rates' in GLOBAL is declared nowhere"));
  EXPECT_EQ(symbol(checked(text), "factor").role, Role::assigned);
}

TEST(NmodlModule, RandomStreamsAreArguments) {
  const Module module = checked(
      "NEURON { ARTIFICIAL_CELL a RANDOM r }\nASSIGNED { x }\n"
      "INITIAL { random_setseq(r, 1) x = random_negexp(r, 2) net_send(x, 1) }\nNET_RECEIVE(w) { }");
  EXPECT_EQ(symbol(module, "r").role, Role::random);
  EXPECT_EQ(module.form, ast::MechanismForm::artificial_cell);
}

TEST(NmodlModule, WithoutASuffixTheFileNamesTheMechanism) {
  EXPECT_EQ(check_text("mods/kv3.mod", "ASSIGNED { v }").module->name, "kv3");
}

TEST(NmodlModule, Warnings) {
  EXPECT_THAT(warnings("NEURON { SUFFIX x RANGE gone }\nPARAMETER { a = 5 <0, 1> }\n"
                       "STATE { m }\nDERIVATIVE d { m' = -m }\nINITIAL { printf(\"%g\", a) }\n"
                       "TERMINAL { a = 1 }"),
              ElementsAre("1:25: 'gone' in RANGE is declared nowhere",
                          "2:13: the default of 'a' lies outside its limits",
                          "4:12: DERIVATIVE d is never solved", "5:11: printf is ignored",
                          "6:1: TERMINAL is ignored"));
  EXPECT_THAT(warnings(channel), IsEmpty());
}

TEST(NmodlModule, WarnsOfAPrimeThatIsMissing) {
  const auto of = [](const std::string& equations) {
    return warnings(
        "NEURON { SUFFIX x }\nSTATE { g h }\nPARAMETER { tau = 5 }\n"
        "BREAKPOINT { SOLVE d METHOD cnexp }\nDERIVATIVE d {\n" +
        equations + "\n}");
  };
  EXPECT_THAT(of("g = -g/tau\nh' = -h"),
              ElementsAre("6:1: the STATE 'g' is assigned, and has no "
                          "g' = ... in DERIVATIVE d: is a prime missing?"));
  EXPECT_THAT(of("h' = -h"
                 "\nif (g < 0) { g = -g }"),
              IsEmpty());
  for (const char* meant :
       {"g = 1/(1 + h)", "g = g + dt*(1 - g)", "g = fabs(g)", "g' = -g\ng = 2*g"})
    EXPECT_THAT(of(meant + std::string("\nh' = -h")), IsEmpty()) << meant;
}

TEST(NmodlModule, WarnsOfAConcentrationThatAnEventSets) {
  const auto of = [](const std::string& declared) {
    return warnings("NEURON { POINT_PROCESS x USEION ca READ cai WRITE cai }\n" + declared +
                    "\nNET_RECEIVE(w) { if (w > 0) { cai = cai + w } }");
  };
  EXPECT_THAT(of("ASSIGNED { cai }"),
              ElementsAre("3:31: 'cai' is the ion's, and what NET_RECEIVE assigns to it is lost "
                          "behind the event: make it a STATE"));
  EXPECT_THAT(of("STATE { cai }"), IsEmpty());
}

TEST(NmodlModule, WarnsOfDivisionByAParameterThatIs0) {
  const auto of = [](const std::string& parameters, const std::string& rest) {
    return warnings("NEURON { SUFFIX x }\nSTATE { g }\nASSIGNED { a v }\nPARAMETER { " +
                    parameters + " }\nBREAKPOINT { SOLVE d METHOD cnexp }\n" + rest);
  };
  const std::string said =
      "divides by the PARAMETER 'tau', which is 0 where a model does not set it";
  EXPECT_THAT(of("tau = 0", "DERIVATIVE d { g' = -g/tau }"), ElementsAre("6:24: " + said));
  EXPECT_THAT(of("tau", "DERIVATIVE d { rates() g' = -g }\nPROCEDURE rates() { a = 1/(2*tau) }"),
              ElementsAre("7:29: " + said));
  for (const char* sure :
       {"DERIVATIVE d { g' = -g/(tau + 1) }", "DERIVATIVE d { if (tau > 0) { a = 1/tau } g' = -g }",
        "INITIAL { tau = 3 }\nDERIVATIVE d { g' = -g/tau }",
        "DERIVATIVE d { g' = -g }\nPROCEDURE uncalled() { a = 1/tau }"})
    EXPECT_THAT(of("tau = 0", sure), IsEmpty()) << sure;
}

}  // namespace
}  // namespace hillock::nmodl
