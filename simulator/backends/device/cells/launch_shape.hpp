#pragma once
// How a program's cells are spread over threads, and what of them lies on the chip during an epoch.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "simulator/backends/device/cells/cells.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"

namespace hillock::simulator::on_device {

/// Where a block's variables are (kernels/instances.hpp, Block).
struct BlockShape {
  bool is_single = false;    ///< it computes with floats
  std::vector<int> homes;    ///< [variable]
  std::vector<char> stored;  ///< [variable] whether it may change
  bool is_everywhere = false, is_leading = false;
  int list = 0;
  int squad = -1;                  ///< which advances its states, or -1: whoever has their row
  std::size_t chip = 0, most = 0;  ///< where it begins, in words; instances of a cell

  std::size_t number_bytes() const { return is_single ? sizeof(float) : sizeof(double); }
  /// What it has on the chip: variables, and words.
  int chip_variables() const;
  std::size_t words() const;
};

struct LaunchShape {
  int team = 1;         ///< threads a cell
  int solver_team = 1;  ///< of them
  int block_threads = 0;
  int blocks_at_once = 1;           ///< on a multiprocessor; registers are kept few for it
  int neighbours = 1;               ///< so many blocks begin together, side by side
  int tasks_of_thread = 1;          ///< of a contraction, at most
  int squads = 1, squad_ranks = 1;  ///< that mechanisms are dealt to; threads of a cell each
  int stride = 1;                   ///< of element k of a cell: so many lie side by side
  bool shares_block = false;        ///< each block has `stride` cells, a team each
  bool has_all_pivots = false;      ///< which keep a pivot for every row
  bool most_change = false;         ///< as most of their pivots do
  bool none_constant = false;       ///< as all do
  bool one_row = false, contracts = false, is_quick = false;  ///< as its Signature says
  int layers = 0;
  models::Precision precision = models::Precision::full;
  bool on_chip = false, tables_on_chip = false, ions_on_chip = false;
  bool begins = false;          ///< a step's states and the next one's currents may go together
  bool has_few_states = false;  ///< of density mechanisms
  bool keeps_assigned = false, records_moved = false;  ///< but where samples look in between
  bool all_change = false;  ///< every pivot does, and the first density mechanism is everywhere
  std::array<int, row_tables> tables{};  ///< number of the table, or -1: one for all
  int table_count = 0;
  int points = 0, lists = 0;
  std::vector<BlockShape> blocks;
  std::size_t most_rows = 0, most_late = 0, most_inbox = 0;  ///< of a cell, numbers
  // Of a cell, in words of 8 bytes: what it works in, what it has on the chip, and where that
  // begins behind what it works in.
  std::size_t work_words = 0;
  std::size_t words = 0, first_ion = 0, first_owned = 0, first_table = 0;

  /// Whether rows need a table of where their pivots are.
  bool has_places() const { return shares_block && !none_constant; }
  std::size_t shared_bytes() const { return words * sizeof(double); }
  /// Whether all arithmetic is the CPU's.
  bool is_exact() const { return precision == models::Precision::full && !contracts && !is_quick; }
  /// Of the cable's numbers on the chip.
  std::size_t real_bytes() const {
    return precision == models::Precision::single ? sizeof(float) : sizeof(double);
  }
};

/// How cells are solved, for the user.
std::string describe_solver(const LaunchShape& shape);

/// sets_assigned: a state that cells are given has what mechanisms assign, too.
LaunchShape shape_of(const Signature& signature, const Cells& cells, const DeviceLimits& limits,
                     models::Precision precision, bool sets_assigned);

/// Numbers the lists of density mechanisms: those that all of some kinds of cells have on the same
/// rows share one.
void number_lists(LaunchShape& shape, const Signature& signature,
                  const std::vector<const Cells*>& kinds);
/// Finds the density mechanisms that rows begin with: the first ones, while they are everywhere.
void mark_leading(LaunchShape& shape, const Signature& signature);

/// Of cells that share blocks as `own` says, with what a common text says instead
/// (common_text.hpp).
LaunchShape with_common_text(const LaunchShape& own, const LaunchShape& common,
                             const Signature& signature, const Cells& cells,
                             const DeviceLimits& limits);

/// Whether so many cells that follow each other are of one form, all along.
bool may_lie_beside(const Cells& cells, std::size_t count);

/// The tables of an image by RowTable.
std::array<const std::vector<double>*, row_tables> tables_of(const Cells& cells);

/// Calls body(row) for the rows of an image whose pivots change, and others that lie above these.
template <class Body>
void each_changing(const Cells& cells, const ImagePart& image, const Body& body) {
  for (int k = 0; k < image.branches; ++k) {
    const Branch& branch = cells.branches[image.first_branch + static_cast<std::size_t>(k)];
    for (int row = branch.first; row <= branch.last && row < branch.constant_from; ++row) body(row);
  }
}

/// By list of a density mechanism's rows, the first block that has it.
std::vector<std::size_t> blocks_of_lists(const Cells& cells, const LaunchShape& shape);

/// How many words of 8 bytes those tables of an image take that every step needs. number_bytes: of
/// a number by row.
std::size_t words_of_image(const Cells& cells, const LaunchShape& shape, const ImagePart& image,
                           std::size_t number_bytes);

}  // namespace hillock::simulator::on_device
