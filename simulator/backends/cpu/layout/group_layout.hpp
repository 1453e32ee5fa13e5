#pragma once
// How a group of cells lies in memory: one cell a lane, packs of lanes side by side. Everything
// that counts rows, lanes and flat indices begins here.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/simd/lane_array.hpp"
#include "mechanisms/catalogue.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "solver/diffusion.hpp"
#include "solver/lanes/lane_tree.hpp"

namespace hillock::simulator::cpu {

/// An instance in a group: what events and connections are applied to.
struct InstanceTarget {
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  std::uint32_t block = 0;
  std::uint32_t lane = 0;
  std::uint32_t instance = 0;    ///< in the block
  std::uint32_t slot = no_slot;  ///< of the connection's arguments, where it keeps them
};

/// The variable that a POINTER of one instance stands for.
struct PointerAddress {
  enum class Kind { itself, voltage, ion, variable };
  Kind kind = Kind::itself;  ///< itself: the instance's own column, of instances that fill a lane
  std::size_t block = 0;     ///< variable: mechanism block; ion: into GroupLayout::ions
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::current;  ///< ion
  std::size_t index = 0;  ///< into the array or the block's columns
};

/// A variable of all instances of a block while it is laid out: one number, one a lane, or
/// [instance][lane].
struct BlockColumn {
  std::optional<double> one;
  LaneArray of_lane;
  LaneArray many;
};
using BlockColumns = std::vector<BlockColumn>;  ///< [variable]

/// One mechanism's instances in a group. Layouts are those of mechanisms::InstanceBlock.
struct MechanismBlock {
  const mechanisms::Mechanism* mechanism = nullptr;
  std::size_t count = 0;       ///< instances in each lane, of all packs
  std::vector<int> nodes;      ///< rows; density: [instance]; point processes: [instance][lane]
  LaneArray area_factors;      ///< density: [instance], or [instance][lane] with own_areas
  bool own_areas = false;      ///< 0 in lanes where the mechanism is not
  bool aligned = false;        ///< point processes: an instance has one row in all lanes
  LaneArray columns;           ///< [state][instance][lane], then the other variables
  bool uniform = false;        ///< the others are one number each in a lane, and kept once
  bool lanes_differ = false;   ///< uniform: some of them are not the same in all lanes
  bool keep_assigned = false;  ///< a recording wants assigned variables
  /// A POINTER stands for one of its variables, or a gap junction reads it.
  bool is_pointed_at = false;
  /// A recording or a table has to do with a variable that is no state.
  bool is_looked_into = false;
  /// [coupling][instance·lanes + lane], empty where the coupling is no pointer; empty: no pointers.
  std::vector<std::vector<PointerAddress>> pointers;
  /// Point processes: whether an instance is there, or only fills a lane. [instance][lane]
  std::vector<char> is_there;
  /// Point processes: pack p has instances first_of_pack[p] … first_of_pack[p + 1] - 1.
  std::vector<std::uint32_t> first_of_pack;
  /// Arguments of the connections, where they keep them: from each connection's slot on.
  std::vector<double> arguments;
  /// The slot of the range's connection `first_connection_of_range` is 0.
  std::uint32_t first_connection_of_range = 0;
  /// Slots of the connections to instance i in lane l: connections[first_connection[i·lanes + l]]
  /// to that of the next one; both empty where connections keep nothing.
  std::vector<unsigned> connections;
  std::vector<std::uint32_t> first_connection;
  /// Where states diffuse: cell c has links first_link[c] … first_link[c + 1] - 1, in rows of the
  /// group; where the tree is uniform, pack c. Both empty elsewhere.
  std::vector<solver::DiffusionLink> links;
  std::vector<std::size_t> first_link;

  /// Where in the columns a variable is of what lies at `slot`, instance·lanes + lane.
  std::size_t index_of(std::size_t lanes, std::size_t variable, std::size_t slot) const {
    const auto states = static_cast<std::size_t>(mechanism->info->states);
    const auto first_state = static_cast<std::size_t>(mechanism->info->first_state());
    if (variable >= first_state) return (variable - first_state) * count * lanes + slot;
    if (uniform) return (states * count + variable) * lanes + slot % lanes;
    return (states + variable) * count * lanes + slot;
  }
  /// Whether nobody but the mechanism's loops looks at variables that are no states, and they do
  /// not change them.
  bool may_be_uniform() const;
  /// Takes columns that have all variables of every instance. Others than states are kept once a
  /// lane if they are the same in all instances of a lane (where there are several packs, of all
  /// lanes) and nobody but the mechanism's loops looks at them.
  void put(LaneArray all, std::size_t lanes, std::size_t packs);
  void put(BlockColumns all, std::size_t lanes, std::size_t packs);
  /// Columns that have all variables of every instance.
  LaneArray unfolded(std::size_t lanes) const;
  /// Of all arrays.
  std::size_t bytes() const;
};

/// An ion of which something changes during a run in some cell of a group, or whose current is
/// read. Arrays: [row + 1][lane], the last row for instances that only fill a lane.
struct IonBlock {
  std::string ion;
  IonPlan::KeptBy kept_by = IonPlan::KeptBy::stirring;
  LaneArray current_mA_per_cm2;  ///< the sum over mechanisms; 0 at first
  LaneArray reversal_mV;
  LaneArray inside_mM;
  LaneArray outside_mM;
  /// Where the reversal potential follows the concentrations: index, and RT/(zF) in mV.
  std::vector<std::pair<std::size_t, double>> nernst;

  /// The array of one of the four quantities.
  LaneArray& values(mechanisms::SharedQuantity quantity);
};

/// A column that follows a table in time.
struct PlayedColumn {
  std::size_t block = 0;
  std::size_t index = 0;                                          ///< into the block's columns
  const std::vector<std::pair<double, double>>* table = nullptr;  ///< (ms, value), rising
};

/// What a potential outside makes flow into rows, where it is 1 in time.
struct FieldOnRows {
  std::uint32_t stimulus = 0;        ///< of the model
  std::uint32_t frame = 0;           ///< of the stimulus
  std::vector<FieldInTime> in_time;  ///< [pack][lane]; nothing of cells that it does not reach
  LaneArray nA;                      ///< [row][lane]
  LaneArray ground_nA;               ///< into outermost layers, [row][lane]; empty: there are none
};

/// What lies around membranes, as solver/cable/extracellular.hpp has it. [layer], [row][lane].
struct LayersOfRows {
  LaneArray has;  ///< 1 where there are layers, else 0
  std::vector<LaneArray> along_uS, across_uS, capacitance_nF;

  std::size_t count() const { return along_uS.size(); }
  std::size_t bytes() const;
};

/// A voltage that another end of a gap junction reads, or where one that is read goes.
struct GapSlot {
  std::uint32_t value = 0;  ///< of those that the rank publishes, or reads
  std::uint32_t block = 0;  ///< read: the instance's
  std::size_t index = 0;    ///< row·lanes + lane; read: into the block's columns
};

/// A number other than a voltage that another end of a gap junction reads.
struct PublishedNumber {
  std::uint32_t value = 0;  ///< of those that the rank publishes
  PointerAddress at;
};

/// Where the wiring is on a cell of a group.
struct WiredCell {
  std::size_t number = 0;           ///< of the wiring's
  std::uint32_t first_unknown = 0;  ///< of its unknowns
  std::size_t pack = 0, lane = 0;
  std::vector<std::size_t> rows;      ///< [unknown of the cell]
  std::vector<std::uint32_t> layers;  ///< as in WiredCellPlan
  std::vector<double> ground_uS;
  bool is_free = false;  ///< its only unknown is no voltage
};

/// One summand of recorded values.
struct SampledTerm {
  step::Summand kind = step::Summand::constant;
  std::uint32_t block = 0;  ///< variable; ion: into GroupLayout::ions
  double factor = 1;        ///< constant: the value
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::current;  ///< ion
  /// Of a column: variable: into the block's columns; else row·lanes + lane.
  std::uint32_t index = 0;

  bool operator==(const SampledTerm&) const = default;
};

/// Columns of a recording that this group fills, one after the other on a cell: sums of `terms` of
/// GroupLayout::terms, from first_term on, whose indices are GroupLayout::sampled_at, from first_at
/// on, [column][term].
struct SampledColumns {
  std::uint32_t recording = 0;
  std::uint32_t cell = 0;  ///< of the group
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t first_term = 0;
  std::size_t terms = 0;
  std::size_t first_at = 0;
};

/// Packs of cells that share one tree: row r of the tree, of pack p, is row r·packs + p of the
/// group, so the roots come first. Lanes beyond the cells of the last pack repeat the last cell.
struct GroupLayout {
  std::shared_ptr<const PopulationPlan> population;
  std::vector<std::uint64_t> indices;  ///< [cell] in the population; pack p, lane l: p·lanes + l
  int lanes = 1;
  std::size_t packs = 1;
  std::vector<std::size_t> parts;  ///< where threads share a cell's rows, as LaneTree::parts()
  std::shared_ptr<const solver::LaneTree> tree;  ///< null while nodes are forgotten
  std::vector<int> parent;                       ///< [row], -1 for roots
  LaneArray coupling_uS;  ///< [row][lane] to the parent; 0 where the lane lacks the row
  /// [row][lane] of cells that differ in it; empty: the tree's. Not while nodes are forgotten.
  LaneArray capacitance_nF;
  LaneArray v_init_mV;                 ///< [row + 1][lane]
  std::vector<MechanismBlock> blocks;  ///< numbered as in the plan
  std::vector<IonBlock> ions;
  std::vector<PlayedColumn> played;
  LayersOfRows layers;
  std::vector<FieldOnRows> fields;  ///< by stimulus
  std::vector<GapSlot> gaps_published, gaps_read;
  std::vector<PublishedNumber> numbers_published;
  /// Block and cell where the block is_pointed_at.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pointed_at;
  std::vector<WiredCell> wired;
  std::vector<SampledColumns> samples;
  std::vector<SampledTerm> terms;
  std::vector<std::uint32_t> sampled_at;
  std::vector<int> detector_rows;  ///< [cell]; empty: these cells never spike
  /// Synapses that are not made may be at any row, so that all rows are taken to change.
  bool may_have_synapses_anywhere = false;

  std::size_t width() const { return static_cast<std::size_t>(lanes); }
  std::size_t row_count() const { return parent.size(); }
  std::size_t part_count() const { return parts.empty() ? 1 : parts.size() - 1; }
  std::size_t row(std::size_t tree_row, std::size_t pack) const { return tree_row * packs + pack; }
  /// The cell whose row it is; of lanes that only fill, the last cell.
  std::size_t cell_at(std::size_t row, std::size_t lane) const;
  /// Whether some cell has that pack and lane.
  bool is_used(std::size_t pack, std::size_t lane) const {
    return pack * width() + lane < indices.size();
  }
  /// The node of a lane at a row, or -1. Not while nodes are forgotten.
  int node_at(std::size_t row, std::size_t lane) const {
    return row < row_count() ? tree->node_of(row / packs, lane) : -1;
  }
  /// The row of a node that something is put on or recorded at.
  std::size_t row_of(std::size_t cell, NodeId node) const;
  CellId id_of(std::size_t cell) const { return CellId(population->first.value + indices[cell]); }
  /// "dend[3](0.5)": where a row is on the cell of a lane, for messages. Makes the cell again.
  std::string describe(std::size_t row, std::size_t lane) const;
  /// Which node is where is known while a group is laid out, and when it is recalled: its cells are
  /// then made again.
  void forget_nodes() {
    tree.reset();
    capacitance_nF = {};
  }
  void recall_nodes();
  /// Of all arrays.
  std::size_t bytes() const;
};

}  // namespace hillock::simulator::cpu
