#pragma once
// A cell as it stands at t = 0, after INITIAL, in nobody's layout: by node, and by block, variable
// and instance. Engines that lay cells out in a way of their own fill it from here.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "core/ids.hpp"
#include "mechanisms/catalogue.hpp"
#include "models/report.hpp"
#include "simulator/begin/awaited_event.hpp"
#include "simulator/plan/range/plan.hpp"
#include "simulator/step/samples.hpp"
#include "simulator/step/watches.hpp"
#include "solver/diffusion.hpp"

namespace hillock::simulator::begin {

/// The nodes of a cell in the order in which it is solved. A node of no area that nobody uses has
/// no row.
struct CellTree {
  std::vector<int> parent;  ///< [row], -1 of row 0, the root
  std::vector<int> nodes;   ///< [row]
  std::vector<int> rows;    ///< [node], -1: it has none
};

/// What a POINTER of one instance stands for, or the end of a gap junction gives.
struct PointerTarget {
  enum class Kind { itself, voltage, ion, variable };
  Kind kind = Kind::itself;
  std::size_t block = 0;  ///< variable: mechanism block; ion: into the cell's ions
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::current;  ///< ion
  std::size_t variable = 0;
  std::size_t index = 0;  ///< of the instance on the cell, or the row
};

/// A summand of what is recorded, or where something is put.
struct NumberSource {
  step::Summand kind = step::Summand::constant;
  double factor = 1;
  std::size_t block = 0, variable = 0;  ///< ion: block is into the ions
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::current;
  std::uint32_t cell = 0;  ///< of those that whoever has it counts
  std::size_t index = 0;   ///< of the instance on the cell, or the row
  std::size_t layer = 0;   ///< voltage: of the membrane, or from 1 on of an extracellular layer
};

struct Sampled {
  std::uint32_t cell = 0;
  std::uint32_t recording = 0;
  std::size_t column = 0;  ///< among the recording's of its cell until they are numbered
  std::size_t first_term = 0, terms = 0;
};

struct Played {
  NumberSource target;
  const std::vector<std::pair<double, double>>* table = nullptr;  ///< (ms, value), rising
};

/// What a potential outside makes flow into rows, where it is 1 in time.
struct BegunField {
  std::uint32_t stimulus = 0;  ///< of the model
  FieldInTime in_time;
  std::vector<double> nA;         ///< by row
  std::vector<double> ground_nA;  ///< into outermost layers, by row; empty: there are none
};

/// Extracellular layers, as solver/layer_block.hpp has them, by row. Their potentials begin at 0.
struct BegunLayers {
  struct Layer {
    std::vector<double> along_uS;     ///< to the row above
    std::vector<double> diagonal_uS;  ///< what never changes of it
    std::vector<double> across_uS, charge_uS;
  };
  std::vector<double> has, inside_uS;
  std::vector<Layer> layers;  ///< from the membrane outwards; empty: there are none
};

/// What another end of a gap junction reads, or a number that what is read goes to.
struct GapPublished {
  std::uint32_t value = 0;  ///< of those that the rank publishes
  std::uint32_t cell = 0;
  PointerTarget source;
};
struct GapRead {
  std::uint32_t value = 0;  ///< of those that the rank reads
  NumberSource target;
};

/// The instances of one mechanism: of a density mechanism by row, else as the plan has them.
struct BegunBlock {
  const mechanisms::Mechanism* mechanism = nullptr;
  bool is_constant = false;     ///< what it does to its row never changes
  bool prepares_ions = false;   ///< its states come before all others
  bool is_pointed_at = false;   ///< by a POINTER, or a gap junction reads it
  bool keeps_assigned = false;  ///< they are recorded
  bool is_looked_into = false;  ///< some variable that is no state is recorded or played
  std::vector<int> rows;        ///< [instance]
  /// [instance] density: 0.01·um2; point processes of cells with ions: 100/um2.
  std::vector<double> area_factors;
  std::vector<OneOrMany> columns;                    ///< [variable][instance]
  std::vector<std::vector<PointerTarget>> pointers;  ///< [coupling][instance], or empty
  /// Arguments of connections where they keep them, those of the range's connection
  /// `first_connection_of_range` first; slots of those onto instance i, into these:
  /// connections[first_connection[i]] to that of the next.
  std::vector<double> arguments;
  std::vector<unsigned> connections;
  std::vector<std::uint32_t> first_connection;
  std::uint32_t first_connection_of_range = 0;
  std::vector<AwaitedEvent> awaited;        ///< in the order of sending
  std::vector<step::WatchBits> watch_bits;  ///< [instance], or empty
  std::vector<step::ActiveWatch> watches;   ///< [instance][its WATCHes]
  std::vector<solver::DiffusionLink> links;
};

/// By row; empty where it has no such value.
struct BegunIon {
  std::string ion;
  IonPlan::KeptBy kept_by = IonPlan::KeptBy::stirring;
  std::vector<double> current_mA_per_cm2, reversal_mV, inside_mM, outside_mM;
  std::vector<std::pair<std::size_t, double>> nernst_mV;  ///< row, and RT/(zF)
};

struct BegunCell {
  std::shared_ptr<const PopulationPlan> population;
  std::uint64_t index = 0;  ///< in the population
  CellId id;
  std::shared_ptr<const CellTree> tree;
  int detector_row = -1;  ///< -1: it never spikes
  bool is_above = false;  ///< the threshold, there
  // By row.
  std::vector<double> v_mV;
  std::vector<double> membrane_nA;  ///< or empty: nobody records it
  std::vector<double> coupling_uS;  ///< to the row above
  std::vector<double> capacity_uS;  ///< over the time of an implicit step
  std::vector<double> source_nA;    ///< what never changes of a right-hand side
  std::vector<char> changes;        ///< its pivot does
  std::vector<double> constant_uS;  ///< what never changes of a diagonal; without `changes` 1/pivot
  std::vector<double> factor;       ///< without `changes`: what is taken from the row above
  BegunLayers layers;
  std::vector<BegunIon> ions;
  std::vector<BegunBlock> blocks;
  std::vector<Sampled> samples;
  std::vector<NumberSource> terms;
  std::vector<Played> played;
  std::vector<BegunField> fields;  ///< in the order of stimuli
  std::vector<GapPublished> gaps_published;
  std::vector<GapRead> gaps_read;

  std::size_t row_count() const { return v_mV.size(); }
  /// Once: columns of samples are then counted through the reports.
  void number_columns(std::span<const models::ReportLayout> reports);
  /// Whether something is recorded at the boundary before a step. times: [recording]
  bool is_sampled(std::span<const step::SampleTimes> times, std::int64_t step) const;
  /// Calls body(Sampled, its number of a sample) for what is.
  template <class Body>
  void for_samples(std::span<const step::SampleTimes> times, std::int64_t step,
                   const Body& body) const {
    for (const Sampled& sampled : samples)
      if (const std::int64_t sample = times[sampled.recording].sample_at(step); sample >= 0)
        body(sampled, sample);
  }
};

/// Puts in what the plan says of POINTERs, recorded and played numbers and gap junctions on its
/// cell c. cell: has its tree, and its blocks their rows.
void add_numbers(const RangePlan& plan, std::size_t c, BegunCell& cell);

}  // namespace hillock::simulator::begin
