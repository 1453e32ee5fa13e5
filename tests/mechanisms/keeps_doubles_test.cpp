// Which mechanisms say that their numbers do not fit into a float.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/lower.hpp"

namespace hillock::mechanisms {
namespace {

bool keeps_doubles(const std::string& text) {
  const nmodl::Checked checked = nmodl::check_text("x.mod", text);
  if (!checked.module) {
    ADD_FAILURE() << (checked.diagnostics.empty() ? "" : to_string(checked.diagnostics[0]));
    return false;
  }
  return nmodl::lower(*checked.module).keeps_doubles;
}

/// A synapse that does this with an event.
std::string synapse(const std::string& receive, const std::string& assigned = "") {
  return "NEURON { POINT_PROCESS x NONSPECIFIC_CURRENT i }\n"
         "PARAMETER { tau = 2 (ms) }\nASSIGNED { v (mV) i (nA) " +
         assigned +
         " }\nSTATE { g (uS) }\nINITIAL { g = 0 }\n"
         "BREAKPOINT { SOLVE s METHOD cnexp i = g*v }\nDERIVATIVE s { g' = -g/tau }\n" +
         receive;
}

/// A channel that computes its current so.
std::string channel(const std::string& breakpoint) {
  return "NEURON { SUFFIX x NONSPECIFIC_CURRENT i }\nASSIGNED { v (mV) i (mA/cm2) }\n"
         "BREAKPOINT { " +
         breakpoint + " }\n";
}

TEST(KeepsDoubles, OfTheBuiltInOnlyWhatReadsTheTimeOrKeepsIt) {
  std::vector<std::string> names;
  for (const Mechanism& mechanism : catalogue())
    if (mechanism.info->keeps_doubles) names.push_back(mechanism.signature.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("alphasynapse", "iclamp", "seclamp", "intfire"));
}

TEST(KeepsDoubles, WhatReadsTheTimeInItsCurrent) {
  EXPECT_TRUE(keeps_doubles(channel("if (t > 5) { i = v } else { i = 0 }")));
  EXPECT_FALSE(keeps_doubles(channel("i = 0.001*v")));
}

TEST(KeepsDoubles, WhatKeepsTheTimeOfAnEvent) {
  EXPECT_TRUE(keeps_doubles(
      synapse("NET_RECEIVE(w (uS)) { g = g + w*exp(last - t) last = t }", "last (ms)")));
  EXPECT_TRUE(keeps_doubles(
      synapse("NET_RECEIVE(w (uS)) { if (t > end) { g = g + w end = t + 2*tau } }", "end (ms)")));
  EXPECT_TRUE(keeps_doubles(synapse("NET_RECEIVE(w (uS)) { g = g + w*t }")));
}

TEST(KeepsDoubles, NotForTimesInArgumentsAndWhatIsMadeOfDurations) {
  EXPECT_FALSE(keeps_doubles(synapse("NET_RECEIVE(w (uS)) { g = g + w }")));
  EXPECT_FALSE(keeps_doubles(
      synapse("NET_RECEIVE(w (uS), last (ms)) { g = g + w*exp(-(t - last)/tau) last = t }")));
  EXPECT_FALSE(keeps_doubles(synapse(
      "NET_RECEIVE(w (uS), last (ms)) { gone = t - last g = g + w*gone last = t }", "gone (ms)")));
}

TEST(KeepsDoubles, WhatSendsItselfEvents) {
  EXPECT_TRUE(keeps_doubles(
      synapse("NET_RECEIVE(w (uS)) { if (flag == 0) { net_send(tau, 1) } else { g = g + w } }")));
}

TEST(KeepsDoubles, WhatHasWordsOf32Bits) {
  EXPECT_TRUE(keeps_doubles(synapse("NET_RECEIVE(w (uS)) { g = ran4_word(g, 1) }")));
  EXPECT_TRUE(keeps_doubles(channel("i = v*random123_word(1, 2, 3, 4, 5)")));
  EXPECT_TRUE(keeps_doubles(channel("i = v*fmod(v*19189 + 453816981, 4294967296)")));
  EXPECT_FALSE(keeps_doubles(channel("i = v*fmod(v*19189, 4294967296)")));
}

TEST(KeepsDoubles, WhatHasNumbersBeyondAFloat) {
  EXPECT_TRUE(keeps_doubles(channel("i = 1e-60*exp(100 + v)")));
  EXPECT_TRUE(keeps_doubles(channel("i = v/1e40/(v + 1)*1e39")));
  EXPECT_FALSE(keeps_doubles(channel("i = 1e-30*v")));
}

}  // namespace
}  // namespace hillock::mechanisms
