#pragma once
// Where every number of a batch lies and in which way it is walked: plain data, made once, run by
// the host executor here and by the kernels of hines_device.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/batch.hpp"

namespace hillock::solver {

/// How a batch is laid out and walked. Systems are put in groups of `width` lanes; element i of
/// lane l of a group lies at group_first + i·width + l:
///
///   flat               width 1                     a0 a1 a2 | b0 b1 b2 | c0 c1 c2 | d0 d1 d2
///   block interleaved  width 2                     a0 b0 a1 b1 a2 b2 | c0 d0 c1 d1 c2 d2
///   fully interleaved  one group of all systems    a0 b0 c0 d0 a1 b1 c1 d1 a2 b2 c2 d2
///
/// A group has as many rows as its largest system; what its others lack is padding (1, 0, 0).
/// The walk `stream` keeps 16 bytes of a lane's rows together, so that one access reads them, and
/// fills up groups to a multiple of rows_of_quad rows; with two rows together and two lanes
/// a0 a1 b0 b1 | a2 a3 b2 b3.
struct HinesArrangement {
  enum class Walk {
    parents,             ///< through the parent array (the paper's)
    parents_shared_rhs,  ///< the same with the right-hand side in shared memory (block-shared)
    stream,              ///< in stack order, each value read in a straight line (ours)
  };
  enum class Order {
    given,
    sorted,  ///< by size, then by tree, so that a group wastes little and often has one tree
  };
  enum class Padding {
    computed,  ///< every lane works through all rows of its group
    skipped,   ///< every lane stops at its own size
  };
  int width = 32;  ///< 0: all systems in one group
  Walk walk = Walk::parents;
  Order order = Order::given;
  Padding padding = Padding::computed;

  std::string name() const;

  static HinesArrangement flat();
  static HinesArrangement fully_interleaved(Padding padding = Padding::computed);
  static HinesArrangement block_interleaved(int width);
  /// The paper's block-shared layout. width: cells in a block; made smaller where the right-hand
  /// sides would not fit in shared memory, and without shared memory where not even one does.
  static HinesArrangement block_shared(int width = 32);
  /// Ours, for batches alike and unlike: sorted groups of one warp in stack order.
  static HinesArrangement streamed();
};

/// An arrangement of one batch.
struct HinesSchedule {
  HinesArrangement arrangement;
  int width = 0;                         ///< lanes of a group
  int together = 1;                      ///< rows of a lane that lie one after the other
  std::vector<std::size_t> group_first;  ///< [n_groups + 1] elements
  std::vector<int> system_of_slot;       ///< [n_groups·width]; -1: a lane without a system
  std::vector<int> size_of_slot;         ///< [n_groups·width]; 0 for -1
  std::vector<int> tree_of_slot;         ///< [n_groups·width]; 0 for -1
  std::size_t n_systems = 0;
  bool one_tree = false;  ///< all systems have one tree
  bool one_size = false;  ///< and fill their groups: nothing but lanes is padded

  std::vector<std::size_t> tree_first;    ///< [n_trees + 1] into the two below
  std::vector<int> node_of_row;           ///< the tree's own number of a row
  std::vector<int> parent_of_row;         ///< rows of the tree; -1 for row 0
  std::vector<std::size_t> word_first;    ///< [n_trees + 1] into step_words; walk `stream` alone
  std::vector<std::uint32_t> step_words;  ///< steps of 16 rows in a word, two bits each
  int stack_depth = 0;                    ///< of the neediest tree

  std::size_t n_groups() const { return group_first.size() - 1; }
  std::size_t n_slots() const { return system_of_slot.size(); }
  /// Elements of one array, padding included.
  std::size_t length() const { return group_first.back(); }
  int rows(std::size_t group) const {
    return static_cast<int>((group_first[group + 1] - group_first[group]) /
                            static_cast<std::size_t>(width));
  }
  std::size_t at(std::size_t slot, int row) const {
    const std::size_t w = static_cast<std::size_t>(width), t = static_cast<std::size_t>(together);
    const std::size_t r = static_cast<std::size_t>(row);
    return group_first[slot / w] + r / t * t * w + slot % w * t + r % t;
  }
  /// Bytes a solve must move through memory, caches aside: for each compartment, padding left out,
  /// walk `parents`: up d u b read, d b of the parent written; down d u b read, x written: 9 words;
  /// with the right-hand side in shared memory 7 (b read and x written once);
  /// `stream`: up d u b read, f y written; down f y read, x written: 8 words.
  std::size_t bytes_moved(std::size_t bytes_of_value, std::size_t compartments) const;
};

/// Throws UsageError for a negative width.
/// shared_bytes: what a block may use of shared memory, for `parents_shared_rhs`.
HinesSchedule make_hines_schedule(const Forest& shape, HinesArrangement arrangement,
                                  std::size_t bytes_of_value = 8,
                                  std::size_t shared_bytes = 227 * 1024);

/// Values in a schedule's layout.
template <class T>
struct HinesValues {
  std::vector<T> diagonal, coupling, rhs;  ///< [length]
};

/// Flat to arranged, padding filled with 1, 0, 0 and root couplings with 0.
/// Throws InvalidBatch when the values are not the forest's.
template <class T>
HinesValues<T> arrange(const Forest& shape, const HinesSchedule& schedule,
                       const BatchValues<T>& flat);

/// The solution, flat again: [total].
template <class T>
std::vector<T> gather(const Forest& shape, const HinesSchedule& schedule, std::span<const T> rhs);

/// Solves every system as the GPU would, slot after slot. values: diagonals are destroyed, padding
/// included; rhs becomes the solution; couplings are kept. Deterministic.
template <class T>
void solve_on_host(const HinesSchedule& schedule, HinesValues<T>& values);

}  // namespace hillock::solver
