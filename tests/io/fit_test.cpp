// `fit:` of a cell: the Allen Cell Types database's files of parameters.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A model of one cell with soma and dend, whose `regions:` come after fit.json.
std::string model(const std::string& regions = "{}") {
  return "hillock: 1\n"
         "run: {duration: 1 ms, temperature: 34 degC}\n"
         "cells:\n"
         "  c:\n"
         "    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},"
         " {name: dend, parent: soma, length: 100 um, diameter: 2 um}]}\n"
         "    fit: fit.json\n"
         "    regions: " +
         regions +
         "\n"
         "populations: {p: {cell: c, size: 1}}\n"
         "record: [{name: v, of: p, variable: v, at: soma(0.5)}]\n";
}

/// Values may be texts, as in some of these files.
std::string fit(const std::string& genes, const std::string& celsius = "34") {
  return R"({"fitting": [{"junction_potential": -14.0, "sweeps": [38]}], "axon_morph": [],
 "passive": [{"ra": 138.25, "e_pas": -92.5,
              "cm": [{"section": "soma", "cm": 1.0}, {"section": "axon", "cm": 1.0},
                     {"section": "dend", "cm": 2.5}]}],
 "conditions": [{"celsius": )" +
         celsius + R"(, "v_init": -92.5, "erev": [{"section": "soma", "ena": 53.0, "ek": -107.0}]}],
 "genome": [)" +
         genes + "]}";
}

constexpr const char* genes =
    R"({"section": "soma", "name": "g_pas", "value": 3e-5, "mechanism": ""},
       {"section": "soma", "name": "gnabar_hh", "value": "0.25", "mechanism": "hh"},
       {"section": "soma", "name": "gkbar_hh", "value": 0.03, "mechanism": "hh"},
       {"section": "axon", "name": "gkbar_hh", "value": 0.03, "mechanism": "hh"},
       {"section": "dend", "name": "g_pas", "value": 2e-5, "mechanism": ""},
       {"section": "dend", "name": "Ra", "value": 120, "mechanism": ""})";

ReadResult read_with(const std::string& text, const std::string& regions = "{}") {
  const ModelFolder folder;
  folder.write("model.yaml", model(regions));
  folder.write("fit.json", text);
  return read(folder);
}

double parameter(const models::RegionSettings& settings, std::size_t mechanism,
                 const std::string& name) {
  return settings.mechanisms.at(mechanism).parameters.at(name).constant();
}

TEST(Fit, SetsSectionsBeforeTheRegions) {
  const ReadResult result = read_with(fit(genes), "{soma: {pas: {g: 5e-5 S/cm2}}}");
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(), IsEmpty());
  const auto& cell = std::get<models::CableCell>(result.network.cells.front().kind);
  ASSERT_EQ(cell.regions.size(), 4U);  // all, soma, dend of the fit, then soma
  const models::RegionSettings& all = cell.regions[0];
  const models::RegionSettings& soma = cell.regions[1];
  const models::RegionSettings& dend = cell.regions[2];
  EXPECT_EQ(all.region.name, "all");
  EXPECT_EQ(all.Ra_ohm_cm->constant(), 138.25);
  EXPECT_EQ(parameter(all, 0, "e"), -92.5);
  EXPECT_EQ(soma.region.name, "soma");
  EXPECT_EQ(soma.cm_uF_per_cm2->constant(), 1);
  EXPECT_EQ(parameter(soma, 0, "g"), 3e-5);
  EXPECT_EQ(parameter(soma, 1, "gnabar"), 0.25);
  EXPECT_EQ(parameter(soma, 1, "gkbar"), 0.03);
  ASSERT_EQ(soma.ions.size(), 2U);
  for (const models::IonSetting& ion : soma.ions)
    EXPECT_EQ(ion.reversal_mV->constant(), ion.ion == "na" ? 53 : -107);
  EXPECT_EQ(dend.cm_uF_per_cm2->constant(), 2.5);
  EXPECT_EQ(dend.Ra_ohm_cm->constant(), 120);
  EXPECT_EQ(parameter(dend, 0, "g"), 2e-5);
  EXPECT_EQ(parameter(cell.regions[3], 0, "g"), 5e-5);
}

TEST(Fit, OfAnotherTemperatureIsWarnedOf) {
  EXPECT_THAT(read_with(fit(genes, "6.3")).warnings(),
              ElementsAre(HasSubstr("the fit was made at 6.3 degC, and run.temperature is 34")));
}

TEST(Fit, ErrorsHaveTheirPlaceInItsFile) {
  const auto error_of = [](const std::string& gene) {
    const auto errors = read_with(fit(gene)).errors();
    return errors.size() == 1 ? errors.front() : fmt::format("{} errors", errors.size());
  };
  const std::string end = R"(, "value": 1, "mechanism": "Im"})";
  EXPECT_THAT(error_of(R"({"section": "soma", "name": "gbar_Im")" + end),
              HasSubstr("6:61: genome[0].value: there is no density mechanism 'Im'"));
  EXPECT_THAT(error_of(R"({"section": "tuft", "name": "gbar_Im")" + end),
              HasSubstr("'tuft' is none of soma, axon, dend and apic"));
  EXPECT_THAT(error_of(R"({"section": "soma", "name": "g_leak", "value": 1, "mechanism": ""})"),
              HasSubstr("there is no mechanism whose parameter is 'g_leak'"));
  EXPECT_THAT(error_of(R"({"section": "soma", "name": "gna_hh", "value": 1, "mechanism": "hh"})"),
              HasSubstr("'gna' is no parameter of hh"));
  EXPECT_THAT(error_of(R"({"section": "soma", "name": "g_pas", "value": -1, "mechanism": ""})"),
              HasSubstr("must"));
  EXPECT_THAT(error_of(R"({"section": "soma", "name": "g_pas", "value": "x", "mechanism": ""})"),
              HasSubstr("'x'"));
  EXPECT_THAT(error_of(R"({"section": "soma", "name": "g_pas", "mechanism": ""})"),
              HasSubstr("value"));
  EXPECT_THAT(read_with("{}").errors(), testing::SizeIs(3));
  EXPECT_FALSE(read_with("[").errors().empty());
  EXPECT_FALSE(read_with("[1]").errors().empty());
}

}  // namespace
}  // namespace hillock::io
