#pragma once
// Cells in host memory as the device will have them, but that they lie one after the other: what a
// range's threads make, and what is uploaded when all ranges are there.

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "network/spikes.hpp"
#include "simulator/backends/device/cells/cell_image.hpp"
#include "simulator/backends/device/kernels/views.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/plan/range/gap_builder.hpp"
#include "simulator/plan/range/plan.hpp"
#include "simulator/step/cell_step.hpp"

namespace hillock::simulator::on_device {

using begin::GapPublished;
using begin::GapRead;
using begin::NumberSource;
using begin::Played;
using begin::PointerTarget;
using begin::Sampled;

/// What a kernel's code depends on: cells that agree in it are one program's.
struct BlockSignature {
  const mechanisms::Mechanism* mechanism = nullptr;
  bool is_constant = false, prepares_ions = false, is_pointed_at = false;

  /// Whether its states go on when the values of gap junctions at the step's end are there.
  bool follows_gaps() const {
    return !is_constant && !prepares_ions && simulator::follows_gaps(*mechanism);
  }
  step::TurnFacts facts() const {
    return {is_constant, prepares_ions, follows_gaps(), mechanism->info->is_point_process};
  }
  auto operator<=>(const BlockSignature&) const = default;
};
struct Signature {
  PopulationId population;
  std::vector<BlockSignature> blocks;
  std::vector<std::string> ions;
  bool one_row = false;
  bool contracts = false;   ///< solved by contraction, else branch by branch as on the CPU
  bool is_quick = false;    ///< sweeps and mechanisms divide without IEEE's last bit
  bool one_solves = false;  ///< one thread does so for its cell
  int layers = 0;           ///< extracellular ones
  int size_class = 0;       ///< of rows: cells that take about the same room

  auto operator<=>(const Signature&) const = default;
};

/// A potential outside one cell.
struct FieldCells {
  std::uint32_t cell = 0;
  std::uint32_t stimulus = 0;  ///< of the model
  simulator::FieldInTime in_time;
};

/// The instances of one mechanism.
struct BlockCells {
  std::vector<OneOrMany> columns;                    ///< [variable][instance]
  std::vector<std::uint32_t> counts;                 ///< [cell]
  std::vector<int> rows;                             ///< points: [instance] on its cell
  std::vector<double> area_factors;                  ///< points with ions: [instance] 100/um2
  std::vector<std::vector<PointerTarget>> pointers;  ///< [coupling][instance], or empty
  std::vector<double> arguments;                     ///< of connections, cell by cell
  std::vector<unsigned> connections;  ///< [...] slots by instance, of arguments of the program
  std::vector<std::uint32_t> connection_counts;  ///< [instance]
  /// [cell] what has to be added to a connection's number in its range, times its arguments.
  std::vector<std::int64_t> first_connection;
  /// Of mechanisms that send events: by instance, room_for_awaited of them; and by instance.
  std::vector<AwaitedEvent> awaited;
  std::vector<unsigned> awaited_counts;
  std::vector<step::WatchBits> watch_bits;  ///< by instance
  std::vector<step::ActiveWatch> watches;   ///< by instance and number
  /// Of mechanisms with states that diffuse, by cell: links, and how many a cell has.
  std::vector<solver::DiffusionLink> links;
  std::vector<std::uint32_t> link_counts;
  bool keeps_assigned = false;  ///< they are recorded
  bool is_looked_into = false;  ///< some variable that is no state is recorded or played
  bool is_pointed_at = false;   ///< as the signature has it
};

/// Of what a program keeps of an ion: 0 current, 1 reversal, 2 inside, 3 outside.
std::size_t number_of(mechanisms::SharedQuantity quantity);

struct IonCells {
  OneOrMany current, reversal, inside, outside, nernst_mV;  ///< by row; or empty

  const OneOrMany& of(mechanisms::SharedQuantity quantity) const;
};

/// Where an image is in Cells' tables.
struct ImagePart {
  int rows = 0, branches = 0, levels = 0, children = 0;
  std::size_t first_row = 0, first_branch = 0, first_level = 0, first_child = 0;
  std::shared_ptr<const Contraction> contraction;  ///< null where branches are swept
};

/// Cells of one signature.
struct Cells {
  std::shared_ptr<const PopulationPlan> population;
  std::vector<const mechanisms::Mechanism*> mechanisms;  ///< [block]
  std::vector<std::string> ion_names;                    ///< [ion]
  std::vector<IonPlan::KeptBy> ions_kept_by;             ///< [ion]
  std::vector<std::uint64_t> indices;                    ///< [cell] in the population
  std::vector<CellEntry> entries;                        ///< [cell]
  std::vector<char> above;                               ///< [cell]
  OneOrMany v_mV;                                        ///< by row of a cell, as are those of ions
  std::vector<OneOrMany> layers_mV;                      ///< [extracellular layer][row of a cell]
  OneOrMany membrane_nA;                                 ///< or empty
  std::vector<IonCells> ions;
  std::vector<BlockCells> blocks;
  std::vector<Sampled> samples;  ///< by cell
  std::vector<NumberSource> terms;
  std::vector<Played> played;               ///< by cell
  std::vector<FieldCells> fields;           ///< by cell
  std::vector<OneOrMany> fields_nA;         ///< [field of its cell][row of a cell]
  std::vector<OneOrMany> fields_ground_nA;  ///< the same into outermost layers
  std::vector<GapPublished> gaps_published;
  std::vector<GapRead> gaps_read;
  // Images, and their tables.
  std::vector<ImagePart> images;
  std::vector<Branch> branches;  ///< level by level of an image, the longest of a level first
  std::vector<int> level_begin;  ///< the first branch of a level, and one after the last
  std::vector<int> children;     ///< first rows of branches below a fork, rising
  std::vector<double> coupling_uS, capacity_uS, source_nA, constant, factor, area_factors;
  begin::BegunLayers layers;
  std::vector<int> parents;                       ///< by row of an image, -1 of the root
  std::vector<int> nodes;                         ///< by row of an image
  std::vector<int> node_order;                    ///< rows of an image in the order of nodes
  std::vector<std::vector<int>> instance_of_row;  ///< [block]; points: empty
  std::map<std::string, unsigned> known_images;   ///< by their bytes
  int most_rows = 0;

  /// The number of a cell's image, which is made if it is not there yet.
  unsigned image_of(const begin::BegunCell& cell, bool contracts);
  /// image: of image_of(). Throws UnsupportedOnDevice when more events wait for an instance than
  /// the device has room for.
  void add(const begin::BegunCell& cell, unsigned image);

 private:
  friend Cells joined(std::vector<Cells>&& parts, int threads);

  /// How much lies before some cells.
  struct Behind {
    std::uint32_t cells = 0;
    std::size_t rows = 0, terms = 0;
    std::vector<unsigned> arguments;  ///< [block]
  };
  /// Numbers what other cells have as it is where they will lie.
  void number_behind(Cells& more, const Behind& at);
  unsigned take_image(Cells& more, const std::string& bytes, unsigned number);
  /// Of the last cell: where a row and an instance are in the program.
  std::size_t row_of(std::size_t row) const;
  std::size_t instance_of(std::size_t block, std::size_t instance) const;
  PointerTarget placed(PointerTarget target) const;
  NumberSource placed(NumberSource source) const;
  void add_block(const begin::BegunBlock& from, std::size_t b);
  void add_awaited(const begin::BegunCell& cell, std::size_t b);
  void add_numbers(const begin::BegunCell& cell);
};

/// Cells of one signature, of one part after the other.
Cells joined(std::vector<Cells>&& parts, int threads);

/// What it says of the solver depends on the model alone. solver: run.solver; alike: so many cells
/// of its population have its form.
Signature signature_of(const begin::BegunCell& cell, const std::string& solver,
                       std::uint64_t alike);

}  // namespace hillock::simulator::on_device
