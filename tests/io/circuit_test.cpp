// A SONATA circuit as a model: its text and its tables. tests/command/sonata.py runs such ones.

#include "io/circuit/circuit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/io/model_text.hpp"
#include "tests/io/sonata_reading.hpp"

namespace hillock::io::circuit {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

/// An HDF5 file that is written column by column.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose),
        making_groups_(H5Pcreate(H5P_LINK_CREATE), H5Pclose) {
    H5Pset_create_intermediate_group(making_groups_.id(), 1);
  }
  void put(const std::string& name, const std::vector<double>& column) const {
    put(name, H5T_NATIVE_DOUBLE, column.data(), column.size());
  }
  void put_ids(const std::string& name, const std::vector<std::uint64_t>& column) const {
    put(name, H5T_NATIVE_UINT64, column.data(), column.size());
  }
  void name_population(const std::string& dataset, const std::string& population) const {
    const hdf5::Handle text(H5Tcopy(H5T_C_S1), H5Tclose), one(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(text.id(), population.size());
    const hdf5::Handle attribute(
        H5Acreate_by_name(file_.id(), dataset.c_str(), "node_population", text.id(), one.id(),
                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    H5Awrite(attribute.id(), text.id(), population.data());
  }

 private:
  void put(const std::string& name, hid_t type, const void* data, hsize_t size) const {
    const hdf5::Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const hdf5::Handle dataset(H5Dcreate2(file_.id(), name.c_str(), type, space.id(),
                                          making_groups_.id(), H5P_DEFAULT, H5P_DEFAULT),
                               H5Dclose);
    H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  }

  hdf5::Handle file_, making_groups_;
};

using Ids = std::vector<std::uint64_t>;

Ids numbers_below(std::size_t count) {
  Ids ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

/// All of one group, whose columns are added.
void put_nodes(const NewFile& file, const std::string& name, const Ids& ids, const Ids& types) {
  const std::string to = "nodes/" + name + "/";
  file.put_ids(to + "node_id", ids);
  file.put_ids(to + "node_type_id", types);
  file.put_ids(to + "node_group_id", Ids(ids.size(), 0));
  file.put_ids(to + "node_group_index", numbers_below(ids.size()));
}

void put_edges(const NewFile& file, const std::string& source, const std::string& target,
               const Ids& sources, const Ids& targets, const Ids& types) {
  const std::string to = "edges/" + source + "_to_" + target + "/";
  file.put_ids(to + "source_node_id", sources);
  file.put_ids(to + "target_node_id", targets);
  file.name_population(to + "source_node_id", source);
  file.name_population(to + "target_node_id", target);
  file.put_ids(to + "edge_type_id", types);
  file.put_ids(to + "edge_group_id", Ids(types.size(), 0));
  file.put_ids(to + "edge_group_index", numbers_below(types.size()));
}

/// Two shaped cells (nodes 4 and 0) and two point neurons (2 and 7), driven by two virtual ones.
class Circuit : public testing::Test {
 protected:
  Circuit() {
    write("shape.swc",
          "1 1 0 0 0 5 -1\n2 1 0 -5 0 5 1\n3 1 0 5 0 5 1\n4 3 0 10 0 1 3\n5 3 0 130 0 1 4\n");
    write("fit.json",
          R"({"passive": [{"ra": 110.0, "e_pas": -75.0, "cm": [{"section": "soma", "cm": 1.5},
              {"section": "dend", "cm": 2.5}]}],
              "conditions": [{"erev": [{"section": "soma", "ena": 53.0, "ek": -107.0}]}],
              "genome": [{"section": "soma", "name": "gnabar_hh", "value": "0.25", "mechanism": "hh"},
                         {"section": "dend", "name": "g_pas", "value": "0.0003", "mechanism": ""}]})");
    write("lif.json", R"({"tau": 0.02, "refrac": 0.003})");
    write("exc.json", R"({"level_of_detail": "exp2syn", "tau1": 1.0, "tau2": 3.0, "erev": 0.0})");
    write("minus.json", R"({"sign": -1})");
    {
      const NewFile v1(folder_ / "v1.h5");
      put_nodes(v1, "v1", {4, 2, 0, 7}, {100, 102, 100, 102});
      v1.put("nodes/v1/0/x", {1, 2, 3, 4});
      v1.put("nodes/v1/0/y", {5, 6, 7, 8});
      v1.put("nodes/v1/0/z", {0, 0.5, 0, 0});
      v1.put("nodes/v1/0/tuning_angle", {0, 45, 90, 30});
      v1.put("nodes/v1/0/rotation_angle_yaxis", {0.5, 0, -1.25, 0});
      put_nodes(NewFile(folder_ / "ext.h5"), "ext", {0, 1}, {7, 7});
      const NewFile in(folder_ / "ext_v1.h5");
      put_edges(in, "ext", "v1", {0, 1, 0}, {4, 0, 0}, {1, 1, 1});
      in.put("edges/ext_to_v1/0/sec_id", {1, 0, 1});
      in.put("edges/ext_to_v1/0/sec_x", {0.25, 0.5, 0.75});
      in.put("edges/ext_to_v1/0/delay", {1.5, 2.5, 3.5});
      const NewFile points(folder_ / "v1_points.h5");
      put_edges(points, "v1", "v1", {4, 0, 7}, {2, 7, 2}, {3, 3, 3});
      points.put_ids("edges/v1_to_v1/0/nsyns", {2, 4, 1});
      points.put("edges/v1_to_v1/0/syn_weight", {0.75, 0.5, 0.25});
      const NewFile across(folder_ / "v1_v1.h5");
      put_edges(across, "v1", "v1", {4, 0}, {0, 4}, {5, 5});
      across.put("edges/v1_to_v1/0/afferent_section_id", {0, 1});
      across.put("edges/v1_to_v1/0/afferent_section_pos", {0.5, 1.0});
    }
    write("v1.csv",
          "node_type_id model_type model_template morphology model_processing dynamics_params\n"
          "100 biophysical ctdb:Biophys1.hoc shape.swc aibs_perisomatic fit.json\n"
          "102 point_neuron nrn:IntFire1 NULL NULL lif.json\n");
    write("ext.csv", "node_type_id model_type\n7 virtual\n");
    write("ext_v1.csv",
          "edge_type_id delay syn_weight model_template dynamics_params weight_function\n"
          "1 9 0.02 exp2syn exc.json wmax\n");
    write(
        "v1_points.csv",
        "edge_type_id delay syn_weight dynamics_params weight_function\n3 1 0.1 minus.json wmax\n");
    write("v1_v1.csv",
          "edge_type_id delay syn_weight weight_sigma model_template dynamics_params "
          "weight_function\n5 1 0.01 50.0 exp2syn exc.json gaussianLL\n");
    write("circuit.json", R"({"manifest": {"$HERE": "${configdir}"},
      "components": {"morphologies_dir": "$HERE", "synaptic_models_dir": "$HERE",
                     "point_neuron_models_dir": "$HERE", "biophysical_neuron_models_dir": "$HERE"},
      "networks": {"nodes": [{"nodes_file": "$HERE/v1.h5", "node_types_file": "$HERE/v1.csv"},
                             {"nodes_file": "$HERE/ext.h5", "node_types_file": "$HERE/ext.csv"}],
        "edges": [{"edges_file": "$HERE/ext_v1.h5", "edge_types_file": "$HERE/ext_v1.csv"},
                  {"edges_file": "$HERE/v1_points.h5", "edge_types_file": "$HERE/v1_points.csv"},
                  {"edges_file": "$HERE/v1_v1.h5", "edge_types_file": "$HERE/v1_v1.csv"}]}})");
    write("config.json", R"({"network": "circuit.json", "simulation": "simulation.json"})");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  /// inputs, reports: entries of these sections.
  ImportedCircuit imported(const std::string& inputs, const std::string& reports = "") const {
    write("simulation.json",
          R"({"run": {"tstop": 50.0, "dt": 0.1, "dL": 20.0, "spike_threshold": -15},
              "conditions": {"celsius": 34.0, "v_init": -75},
              "node_sets": {"named": {"node_id": [0]}, "other": ["named", "shaped"],
                            "shaped": {"model_type": "biophysical"}},
              "inputs": {)" +
              inputs + R"(}, "reports": {)" + reports + "}}");
    const Signatures signatures = test_signatures();
    Diagnostics diagnostics;
    ImportedCircuit circuit = import_circuit(
        folder_ / "config.json", {signatures, test_check(), HILLOCK_COLUMN_READER}, diagnostics);
    for (const auto& diagnostic : diagnostics.all())
      ADD_FAILURE() << diagnostic.place.file << ": " << diagnostic.message;
    return circuit;
  }

  ScratchFolder folder_;
};

std::string stimuli_of(const ImportedCircuit& circuit) {
  const std::size_t begin = circuit.text.find("stimuli:");
  return circuit.text.substr(begin, circuit.text.find("record:") - begin);
}

void expect_pieces(const std::string& text, const std::vector<std::string>& pieces) {
  for (const std::string& piece : pieces) EXPECT_THAT(text, HasSubstr(piece));
}

TEST_F(Circuit, HasARunAndCellsWithTheParametersOfTheirFiles) {
  const auto circuit = imported("");
  expect_pieces(
      circuit.text,
      {"run:\n  duration: 50 ms\n  dt: 0.1 ms\n  temperature: 34 degC\n  v_init: -75 mV\n  "
       "spike_time: grid\n",
       "swc: \"shape.swc\", replace_axon: {branches: 2, length: 30 um, diameter: 1 um}}",
       "discretization: {odd_pieces: 40 um}", "detector: {at: \"soma[0](0.5)\", threshold: -15 mV}",
       "axon: {Ra: 110.0 ohm.cm, pas: {e: -75.0 mV}}",
       "dend: {cm: 2.5 uF/cm2, Ra: 110.0 ohm.cm, pas: {e: -75.0 mV, g: 0.0003 S/cm2}}",
       "soma: {cm: 1.5 uF/cm2, Ra: 110.0 ohm.cm, hh: {gnabar: 0.25 S/cm2}, pas: {e: -75.0 mV}, "
       "ions: {na: {e: 53.0 mV}, k: {e: -107.0 mV}}}",
       "artificial: {intfire: {tau: 20 ms, refrac: 3 ms}}",
       "v1_100: {cell: v1_100, size: 2, nodes: {population: \"v1\",",
       "rotations: {csv: \"circuit/nodes_v1_100.csv\"}}"});
  EXPECT_THAT(circuit.files,
              Contains(Pair("circuit/nodes_v1_100.csv",
                            "node_id,x,y,z,rotation_angle_xaxis,rotation_angle_yaxis,"
                            "rotation_angle_zaxis\n4,1,5,0,0,0.5,0\n0,3,7,0,0,-1.25,0\n")));
  EXPECT_THAT(circuit.files,
              Contains(Pair("circuit/nodes_v1_102.csv", "node_id,x,y,z\n2,2,6,0.5\n7,4,8,0\n")));
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/nodes_ext_7.csv", "node_id\n0\n1\n")));
}

/// What an edge has comes before what its type has; cells are numbered in their populations.
TEST_F(Circuit, HasAListOfConnectionsForEachTypeOfEdgesAndPairOfPopulations) {
  const auto circuit = imported("");
  expect_pieces(circuit.text,
                {"synapse: {exp2syn: {tau1: 1.0 ms, tau2: 3.0 ms, e: 0.0 mV}, at: list}",
                 "weight: 0.02 uS, delay: 1.5 ms}", "weight: -1.5, delay: 1 ms}",
                 "weight: -0.25, delay: 1 ms}",
                 // 0.01 uS · exp(-(90°/50°)²)
                 "weight: 0.00039163895098987065 uS, delay: 1 ms}"});
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/edges_ext_to_v1_1_ext_7_v1_100.csv",
                                           "source,target,delay,branch,position\n"
                                           "0,0,1.5,1,0.25\n1,1,2.5,0,0.5\n0,1,3.5,1,0.75\n")));
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/edges_v1_to_v1_3_v1_100_v1_102.csv",
                                           "source,target,weight\n0,0,-1.5\n1,1,-2\n")));
  EXPECT_THAT(circuit.files,
              Contains(Pair("circuit/edges_v1_to_v1_3_v1_102_v1_102.csv", "source,target\n1,0\n")));
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/edges_v1_to_v1_5_v1_100_v1_100.csv",
                                           "source,target,branch,position\n0,1,0,0.5\n1,0,1,1\n")));
}

TEST_F(Circuit, HasPulsesAndTablesOfCurrents) {
  write("steps.csv", "timestamps amps\n8.0 0.3\n9.0 0.3\n10.5 0.1\n20.0 0.0\n");
  write("lasting.csv", "timestamps amps\n8.0 0.3\n80.0 0.2\n");
  const auto circuit = imported(
      R"("step": {"input_type": "current_clamp", "module": "IClamp", "node_set": {"node_id": [4]},
                  "amp": [0.5, 0.25], "delay": [5.0, 30.0], "duration": [20.0, 2.0]},
         "table": {"input_type": "csv", "module": "IClamp", "node_set": {"node_id": [0]},
                   "file": "${configdir}/steps.csv"},
         "lasting": {"input_type": "csv", "module": "IClamp", "node_set": {"node_id": [0]},
                     "file": "${configdir}/lasting.csv", "section_name": "dend",
                     "section_index": 1, "section_dist": 0.25})");
  expect_pieces(circuit.text, {"to: \"v1_100[0:1]\", at: \"soma[0](0.5)\", "
                               "iclamp: {amplitude: 0.5 nA, start: 5 ms, duration: 20 ms}}",
                               "to: \"v1_100[0:1]\", at: \"soma[0](0.5)\", "
                               "iclamp: {amplitude: 0.25 nA, start: 30 ms, duration: 2 ms}}",
                               "to: \"v1_100[1:2]\", at: \"soma[0](0.5)\", "
                               "iclamp: {waveform: {csv: \"circuit/input_table.csv\"}}}",
                               "at: \"dend[1](0.25)\", "});
  // Two rows a step, and none where the current stays.
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/input_table.csv",
                                           "time_ms,current\n8,0.3\n10.5,0.3\n10.5,0.1\n"
                                           "20,0.1\n20,0\n20,0\n")));
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/input_lasting.csv",
                                           "time_ms,current\n8,0.3\n80,0.3\n80,0.2\n80,0.2\n")));
}

TEST_F(Circuit, HasTrainsOfSpikes) {
  write("trains.csv",
        "timestamps population node_ids\n3.5 ext 1\n1.5 ext 0\n2.5 other 0\n7.5 ext 1\n");
  write("old.csv", "gids timestamps\n1 4.5\n0 2.5\n");
  {
    const NewFile trains(folder_ / "trains.h5");
    trains.put("spikes/ext/timestamps", {10, 12.5, 30});
    trains.put_ids("spikes/ext/node_ids", {1, 0, 0});
  }
  for (const auto& [file, expected] :
       {std::pair{R"("module": "csv", "input_file": "${configdir}/trains.csv")",
                  "cell,time_ms\n1,3.5\n0,1.5\n1,7.5\n"},
        std::pair{R"("module": "csv", "input_file": "${configdir}/old.csv")",
                  "cell,time_ms\n1,4.5\n0,2.5\n"},
        std::pair{R"("module": "sonata", "input_file": "${configdir}/trains.h5")",
                  "cell,time_ms\n1,10\n0,12.5\n0,30\n"}}) {
    const auto circuit = imported(std::string(R"("train": {"input_type": "spikes", )") + file +
                                  R"(, "node_set": "ext"})");
    EXPECT_THAT(
        circuit.text,
        HasSubstr("to: ext_7, spikes: {csv: \"circuit/input_train_ext_7.csv\"}, weight: 1}"));
    EXPECT_THAT(circuit.files, Contains(Pair("circuit/input_train_ext_7.csv", expected)));
  }
}

TEST_F(Circuit, HasReportsOfTheirCells) {
  const auto circuit = imported(
      "", R"("v": {"module": "membrane_report", "cells": {"node_id": [0]}, "variable_name": "v",
                   "sections": "soma", "start_time": 5.0, "end_time": 25.0, "dt": 0.5})");
  expect_pieces(circuit.text, {"{name: spikes_of_v1_100, of: v1_100}",
                               "{name: \"v\", of: [\"v1_100[1:2]\"], variable: \"v\", at: "
                               "\"soma[0](0.5)\", every: 0.5 ms, start: 5 ms, stop: 25 ms}"});
}

TEST_F(Circuit, HasPotentialsAtContacts) {
  write("contacts.csv", "channel x_pos y_pos z_pos tip\n0 10.0 0 5.0 a\n1 10 -20 5.5 b\n");
  const auto circuit =
      imported("", R"("lfp": {"module": "extracellular", "cells": "all", "variable_name": "v",
                     "electrode_positions": "contacts.csv", "file_name": "ecp.h5"},
             "near": {"module": "extracellular", "cells": {"node_id": [0]},
                      "electrode_positions": "contacts.csv", "minimum_distance": "auto"},
             "far": {"module": "extracellular", "electrode_positions": "contacts.csv",
                     "minimum_distance": 5})");
  expect_pieces(circuit.text,
                {"{name: \"ecp\", of: [v1_100], type: float64, potential: {electrodes: "
                 "\"circuit/input_lfp.csv\", conductivity: 0.3 S/m, minimum_distance: 0 um}}",
                 "{name: \"near\", of: [\"v1_100[1:2]\"], type: float64, potential: {electrodes: "
                 "\"circuit/input_near.csv\", conductivity: 0.3 S/m}}",
                 "conductivity: 0.3 S/m, minimum_distance: 5 um}}"});
  EXPECT_THAT(circuit.files,
              Contains(Pair("circuit/input_lfp.csv", "x,y,z\n10,0,5\n10,-20,5.5\n")));
}

TEST_F(Circuit, HasVoltageClampsInBothForms) {
  const auto circuit = imported(
      R"("from a time": {"input_type": "voltage_clamp", "module": "SEClamp",
                         "node_set": {"node_id": [4]}, "amp": -40.0, "delay": 2.0,
                         "duration": 20.0, "resistance": 2.5},
         "each its own": {"input_type": "voltage_clamp", "module": "SEClamp",
                          "node_set": {"population": "v1", "node_id": [0, 4]},
                          "amps": [[-60, -20, -70], -50.0], "durations": [[5, 10, 15], 12],
                          "rs": [2, 3]},
         "all": {"input_type": "voltage_clamp", "module": "SEClamp", "node_set": [0],
                 "amps": [-65], "durations": [[1, 2, 3]]})");
  expect_pieces(stimuli_of(circuit),
                {"to: \"v1_100[0:1]\", point: {seclamp: {level: -40 mV, rs: 2.5 MOhm, start: 2 ms, "
                 "stop: 22 ms}, at: \"soma[0](0.5)\"}}",
                 "to: \"v1_100[0:1]\", at: \"soma[0](0.5)\", seclamp: {levels: [-60 mV, -20 mV, "
                 "-70 mV], durations: [5 ms, 10 ms, 15 ms], rs: 2 MOhm}}",
                 "to: \"v1_100[1:2]\", at: \"soma[0](0.5)\", seclamp: {levels: [-50 mV, -50 mV, "
                 "-50 mV], durations: [12 ms, 12 ms, 12 ms], rs: 3 MOhm}}",
                 "seclamp: {levels: [-65 mV, -65 mV, -65 mV], durations: [1 ms, 2 ms, 3 ms], "
                 "rs: 1 MOhm}}"});
}

/// Of four cells, 4 and 0 have a shape and are numbered 0 and 1 in their population.
TEST_F(Circuit, FindsTheNodesOfASet) {
  for (const auto& [set, to] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {R"({"node_id": [4]})", {"\"v1_100[0:1]\""}},
           {R"({"population": "v1", "model_type": "biophysical"})", {"v1_100"}},
           {R"({"tuning_angle": [90.0, 30.0], "node_type_id": 100})", {"\"v1_100[1:2]\""}},
           {R"([0])", {"\"v1_100[1:2]\""}},
           {R"({"gids": [0]})", {"\"v1_100[1:2]\""}},
           {R"("named")", {"\"v1_100[1:2]\""}},
           {R"(["named", "other"])", {"v1_100"}}}) {
    const auto circuit = imported(R"("step": {"input_type": "current_clamp", "module": "IClamp",
        "amp": 0.5, "delay": 5.0, "duration": 20.0, "node_set": )" +
                                  set + "}");
    for (const std::string& text : to)
      EXPECT_THAT(stimuli_of(circuit), HasSubstr("{name: \"step\", to: " + text + ", at:")) << set;
  }
}

TEST_F(Circuit, HasCellsOfNeuroMl) {
  write("cell.nml", R"(<?xml version="1.0"?>
<neuroml xmlns="http://www.neuroml.org/schema/neuroml2"><cell id="c"><notes>a &lt; b</notes>
 <channelDensity id="g_pas_all" segmentGroup="all" ion="non_specific" ionChannel="pas" erev="-70 mV"
   condDensity="0.0002 S_per_cm2"/>
 <channelDensity id="gnabar_hh" segmentGroup="somatic" ion="na" ionChannel="hh" erev="52 mV"
   condDensity="0.11 S_per_cm2"/>
 <resistivity segmentGroup="all" value="120 ohm_cm"/>
 <specificCapacitance segmentGroup="basal" value="1.5 uF_per_cm2"/></cell></neuroml>
)");
  write("v1.csv",
        "node_type_id model_type model_template morphology model_processing dynamics_params\n"
        "100 biophysical nml:cell.nml shape.swc NULL NONE\n"
        "102 point_neuron nrn:IntFire1 NULL NULL lif.json\n");
  expect_pieces(imported("").text,
                {"dend: {cm: 1.5 uF/cm2, Ra: 120 ohm.cm, pas: {g: 0.0002 S/cm2, e: -70 mV}}",
                 "soma: {Ra: 120 ohm.cm, hh: {gnabar: 0.11 S/cm2}, pas: {g: 0.0002 S/cm2, "
                 "e: -70 mV}, ions: {na: {e: 52 mV}}}"});
}

/// Found by the word that names it; a longer one names another.
TEST_F(Circuit, UsesTheMechanismsOfItsOwnModFiles) {
  std::filesystem::create_directories(folder_ / "mods/modfiles");
  write("mods/modfiles/a.mod", "own_other");
  write("mods/modfiles/b.mod", "own");
  write("mods/modfiles/c.mod", "another_own");
  write("fit.json",
        R"({"passive": [{"ra": 110.0, "e_pas": -75.0, "cm": [{"section": "soma", "cm": 1.5}]}],
            "conditions": [{"erev": [{"section": "soma", "ena": 53.0, "ek": -107.0}]}],
            "genome": [{"section": "soma", "name": "gbar_own", "value": "0.125",
                        "mechanism": "own"}]})");
  std::string circuit_text = read_bytes(folder_ / "circuit.json");
  const std::string components = R"("components": {)";
  circuit_text.insert(circuit_text.find(components) + components.size(),
                      R"("mechanisms_dir": "$HERE/mods", )");
  write("circuit.json", circuit_text);
  const std::string text = imported("").text;
  EXPECT_THAT(text, HasSubstr("own: {gbar: 0.125"));
  EXPECT_THAT(text, HasSubstr("mods/modfiles/b.mod"));
  EXPECT_THAT(text, testing::Not(HasSubstr("mods/modfiles/a.mod")));
  EXPECT_THAT(text, testing::Not(HasSubstr("mods/modfiles/c.mod")));
}

TEST_F(Circuit, NamesThePlaceOfAMistakeInNeuroMl) {
  write("cell.nml",
        "<neuroml><cell id=\"c\">\n  <resistivity segmentGroup=\"all\" value=\"120 ohm\"/>\n"
        "</cell></neuroml>\n");
  write("v1.csv",
        "node_type_id model_type model_template morphology model_processing dynamics_params\n"
        "100 biophysical nml:cell.nml shape.swc NULL NONE\n"
        "102 point_neuron nrn:IntFire1 NULL NULL lif.json\n");
  write("simulation.json", R"({"run": {"tstop": 50.0}})");
  const Signatures signatures = test_signatures();
  Diagnostics diagnostics;
  import_circuit(folder_ / "config.json", {signatures, test_check(), HILLOCK_COLUMN_READER},
                 diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  const auto& first = diagnostics.all().front();
  EXPECT_EQ(first.place.file, folder_ / "cell.nml");
  EXPECT_EQ(first.place.line, 2);
  EXPECT_EQ(first.place.column, 3);
  EXPECT_THAT(first.message, HasSubstr("'120 ohm'"));
}

/// A synapse of its own place for each of an edge's.
TEST_F(Circuit, HasSynapsesWhereTheirTypeLetsThemLie) {
  {
    const NewFile in(folder_ / "ext_v1.h5");
    put_edges(in, "ext", "v1", {0, 1, 1}, {4, 0, 4}, {1, 2, 3});
    in.put_ids("edges/ext_to_v1/0/nsyns", {3, 1, 1});
  }
  write("ext_v1.csv",
        "edge_type_id target_sections distance_range delay syn_weight model_template "
        "dynamics_params weight_function\n"
        "1 \"['basal', 'apical']\" \"[10.0, 1e+20]\" 2 0.03 exp2syn exc.json wmax\n"
        "2 \"['somatic', 'dend']\" \"[0.0, 70.0]\" 3 0.04 exp2syn exc.json NULL\n"
        "3 basal 50 3 0.05 exp2syn exc.json NULL\n");
  const auto circuit = imported("");
  expect_pieces(circuit.text, {"weight: 0.03 uS, delay: 2 ms}", "weight: 0.04 uS, delay: 3 ms}",
                               "at: {of: dend, distance: [10 um, ",
                               "at: {of: [soma, dend], distance: [0 um, 70 um]",
                               "at: {of: dend, distance: [0 um, 50 um]"});
  EXPECT_THAT(circuit.files, Contains(Pair("circuit/edges_ext_to_v1_1_ext_7_v1_100.csv",
                                           "source,target\n0,0\n0,0\n0,0\n")));
  EXPECT_THAT(circuit.files,
              Contains(Pair("circuit/edges_ext_to_v1_2_ext_7_v1_100.csv", "source,target\n1,1\n")));
}

/// The smaller of the two angles between them counts, and of opposite ones that to the same line.
TEST_F(Circuit, WeighsEdgesByTheDifferenceOfTuning) {
  write("v1_v1.csv",
        "edge_type_id delay syn_weight weight_sigma model_template dynamics_params "
        "weight_function\n5 1 0.01 30.0 exp2syn exc.json gaussianLL\n");
  for (const auto& [from, to, degrees] : {std::tuple{0.0, 20.0, 20.0},
                                          {350.0, 10.0, 20.0},
                                          {0.0, 160.0, 20.0},
                                          {10.0, 215.0, 25.0}}) {
    {
      const NewFile v1(folder_ / "v1.h5");
      put_nodes(v1, "v1", {4, 2, 0, 7}, {100, 102, 100, 102});
      v1.put("nodes/v1/0/tuning_angle", {from, 45, to, 30});
    }
    const std::string text = imported("").text;
    const std::string begin = "at: list},\n     weight: 0.00";
    const std::size_t at = text.rfind(begin);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_NEAR(std::stod(text.substr(at + begin.size() - 4)),
                0.01 * std::exp(-std::pow(degrees / 30, 2)), 1e-12)
        << from << ' ' << to;
  }
}

}  // namespace
}  // namespace hillock::io::circuit
