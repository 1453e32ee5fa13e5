#pragma once
// A numbering in which a whole tree is walked from memory in a straight line, with a short stack
// in place of the parent array. No values, no layout.

#include <cstdint>
#include <span>
#include <vector>

namespace hillock::solver::hines {

/// How a row meets its parent. Rows are in depth-first order, so that a first child follows its
/// parent directly and only branching parents need a place to wait: a stack.
///
///            up (rows n-1 … 1, carry = contribution of this row)   down (rows 1 … n-1)
///   follows: the next row is the parent, carry goes on in hand      parent's x is the last row's
///   opens:   as above, plus the sum popped from the stack           and is pushed for the others
///   between: carry is added to the top of the stack                 parent's x is the top
///   closes:  carry is pushed                                        parent's x is popped
enum class Step : std::uint32_t {
  follows = 0,  ///< only child
  opens = 1,    ///< first child of several
  between = 2,  ///< neither first nor last
  closes = 3,   ///< last child of several
};

/// One tree in stack order.
struct StackOrder {
  std::vector<int> node_of_row;  ///< [n] the tree's own number; row 0 is the root
  std::vector<Step> step;        ///< [n], [0] is `follows`
  int depth = 0;                 ///< most entries the stack ever holds, at most log2(leaves)
};

/// The order with the least stack: among a node's children the one that needs most comes last, for
/// while it is walked its parent no longer waits.
/// parent: [n] a parent precedes its children. O(n log n). Deterministic.
/// Source: ours; the choice of the last child is Sethi and Ullman's (1970) for registers.
StackOrder make_stack_order(std::span<const int> parent);

}  // namespace hillock::solver::hines
