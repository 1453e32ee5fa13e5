// Trees laid over each other in lanes, and the sweeps over them: every cell stays what it is alone.

#include "solver/lanes/lane_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random/random.hpp"
#include "models/morphology.hpp"
#include "solver/hines.hpp"
#include "solver/lanes/shared_rows.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::solver {
namespace {

Template random_cell(std::uint64_t id) {
  models::RandomTree tree;
  tree.depth = 4;
  tree.branch_probability = {1, 0.6};
  tree.compartments = {5, 2};
  tree.length_um = {100, 20};
  tree.diameter_um = 1;
  models::CableCell cell;
  return discretise(models::grow(tree, 3, CellId(id)), cell);
}

std::vector<Template> random_cells(std::size_t count) {
  std::vector<Template> cells;
  for (std::size_t i = 0; i < count; ++i) cells.push_back(random_cell(i));
  return cells;
}

LaneTree laid_out(const std::vector<Template>& cells, int lanes) {
  std::vector<LaneCell> in;
  for (const auto& cell : cells) in.push_back({&cell, nullptr});
  return lay_out_lanes(in, lanes);
}

TEST(LaneTree, ZeroAreaLeavesAndRootAreLeftOutUnlessKept) {
  const Template cell = random_cell(1);
  const LaneTree tree = laid_out({cell}, 1);
  std::vector<int> children(cell.node_count(), 0);
  for (std::size_t n = 1; n < cell.node_count(); ++n)
    ++children[static_cast<std::size_t>(cell.parent[n])];
  for (std::size_t n = 0; n < cell.node_count(); ++n) {
    const bool goes = cell.area_um2(n) == 0 && (n == 0 ? children[n] == 1 : children[n] == 0);
    EXPECT_EQ(tree.row_of(0, NodeId(static_cast<int>(n))) < 0, goes) << n;
  }
  const std::vector<bool> all(cell.node_count(), true);
  const LaneCell kept{&cell, &all};
  EXPECT_EQ(lay_out_lanes({&kept, 1}, 1).row_count(), cell.node_count());
}

TEST(LaneTree, EveryLaneKeepsItsOwnTree) {
  const auto cells = random_cells(8);
  const LaneTree tree = laid_out(cells, 8);
  EXPECT_FALSE(tree.is_uniform());
  for (std::size_t l = 0; l < 8; ++l) {
    std::size_t found = 0;
    for (std::size_t row = 0; row < tree.row_count(); ++row) {
      const int node = tree.node_of(row, l);
      const double coupling = tree.coupling_uS[row * 8 + l];
      if (node < 0) {
        EXPECT_EQ(coupling, 0);
        continue;
      }
      ++found;
      EXPECT_EQ(tree.row_of(l, NodeId(node)), static_cast<int>(row));
      if (row == 0) continue;
      EXPECT_LT(tree.parent[row], static_cast<int>(row));
      EXPECT_EQ(coupling, cells[l].coupling_uS(static_cast<std::size_t>(node)));
      EXPECT_EQ(tree.node_of(static_cast<std::size_t>(tree.parent[row]), l),
                cells[l].parent[static_cast<std::size_t>(node)]);
    }
    EXPECT_EQ(found, laid_out({cells[l]}, 1).row_count());
  }
}

TEST(LaneTree, LanesBeyondTheCellsRepeatTheLast) {
  const auto cells = random_cells(5);
  const LaneTree tree = laid_out(cells, 8);
  for (std::size_t row = 0; row < tree.row_count(); ++row)
    for (std::size_t l = 5; l < 8; ++l) EXPECT_EQ(tree.node_of(row, l), tree.node_of(row, 4));
}

/// A step's rows with made-up conductances.
struct Step {
  Step(const LaneTree& from, std::uint64_t seed) : tree(from) {
    const std::size_t size = tree.row_count() * static_cast<std::size_t>(tree.lanes);
    RandomStream draw(seed, Purpose::stimulus, {});
    for (LaneArray* array : {&diagonal, &rhs, &factor, &source, &capacity}) array->assign(size, 0);
    constant.assign(size, 0);
    const auto lanes = static_cast<std::size_t>(tree.lanes);
    for (std::size_t i = 0; i < size; ++i) {
      capacity[i] = tree.capacitance_nF[i] / 0.025;
      source[i] = draw.normal();
      v.push_back(-65 + 10 * draw.normal());
      constant[i] += capacity[i] + 0.01 * draw.uniform();
      if (i < lanes) continue;
      constant[i] += tree.coupling_uS[i];
      constant[static_cast<std::size_t>(tree.parent[i / lanes]) * lanes + i % lanes] +=
          tree.coupling_uS[i];
    }
  }
  /// The solution when the pivots of rows from the root down to `changing` rows may change.
  LaneArray solve(std::vector<RowRun> runs, Isa isa) {
    const auto lanes = static_cast<std::ptrdiff_t>(tree.lanes);
    LaneArray kept;  // of changing rows
    for (RowRun& run : runs) {
      if (run.kind != RowRun::Kind::changing) continue;
      run.kept = kept.size() / static_cast<std::size_t>(lanes);
      kept.insert(kept.end(), constant.begin() + static_cast<std::ptrdiff_t>(run.begin) * lanes,
                  constant.begin() + static_cast<std::ptrdiff_t>(run.end) * lanes);
    }
    diagonal = constant;
    const auto pieces = lanes == 1 ? pieces_of(runs, tree.parent) : runs;
    const LaneRows rows{tree.row_count(),   1,
                        tree.parent.data(), tree.coupling_uS.data(),
                        capacity.data(),    source.data(),
                        kept.data(),        runs.data(),
                        runs.size(),        pieces.data(),
                        pieces.size(),      factor.data(),
                        diagonal.data(),    rhs.data()};
    const SweepKernels& sweep = sweep_kernels(tree.lanes, isa);
    sweep.prepare(rows);
    sweep.assemble(rows, v.data());
    sweep.solve(rows);
    return rhs;
  }
  std::vector<RowRun> all_changing() const {
    return {{0, tree.row_count(), RowRun::Kind::changing}};
  }
  /// Every row changes above some that do not.
  std::vector<RowRun> mixed(std::uint64_t seed) const {
    RandomStream draw(seed, Purpose::stimulus, {1});
    std::vector<char> changes(tree.row_count(), 0);
    changes[0] = 1;
    for (std::size_t row = tree.row_count(); row-- > 1;) {
      changes[row] = changes[row] || draw.uniform() < 0.03;
      if (changes[row]) changes[static_cast<std::size_t>(tree.parent[row])] = 1;
    }
    std::vector<RowRun> runs;
    for (std::size_t row = tree.row_count(); row-- > 0;)
      runs.push_back({row, row + 1,
                      changes[row] ? RowRun::Kind::changing
                      : changes[static_cast<std::size_t>(tree.parent[row])]
                          ? RowRun::Kind::border
                          : RowRun::Kind::constant});
    return runs;
  }
  const LaneTree& tree;
  LaneArray diagonal, rhs, factor, source, capacity, constant, v;
};

class Sweeps : public testing::TestWithParam<int> {};

TEST_P(Sweeps, SolveWhatHinesSolves) {
  const int lanes = GetParam();
  const auto cells = random_cells(static_cast<std::size_t>(lanes));
  const LaneTree tree = laid_out(cells, lanes);
  Step step(tree, 7);
  const LaneArray x = step.solve(step.all_changing(), active_isa());
  const auto width = static_cast<std::size_t>(lanes);
  for (std::size_t l = 0; l < width; ++l) {
    std::vector<double> d, b, a;
    for (std::size_t i = l; i < step.v.size(); i += width) {
      d.push_back(step.constant[i]);
      b.push_back(step.capacity[i] * step.v[i] + step.source[i]);
      a.push_back(tree.coupling_uS[i]);
    }
    hines_solve<double>({tree.parent, a}, d.data(), b.data());
    // Round-off: the two differ in fused multiply-adds. Values are near 65 mV.
    for (std::size_t row = 0; row < tree.row_count(); ++row)
      EXPECT_NEAR(x[row * width + l], b[row], 1e-9) << row;
  }
}

TEST_P(Sweeps, ConstantRowsAndInstructionSetsChangeNoBit) {
  const LaneTree tree = laid_out(random_cells(static_cast<std::size_t>(GetParam())), GetParam());
  Step step(tree, 8);
  const LaneArray expected = step.solve(step.all_changing(), Isa::baseline);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    EXPECT_EQ(step.solve(step.all_changing(), isa), expected) << name_of(isa);
    for (std::uint64_t seed = 0; seed < 5; ++seed)
      EXPECT_EQ(step.solve(step.mixed(seed), isa), expected) << name_of(isa) << ' ' << seed;
  }
}

TEST_P(Sweeps, ACellsNumbersDoNotDependOnWhoSharesItsGroup) {
  const int lanes = GetParam();
  const auto width = static_cast<std::size_t>(lanes);
  const auto cells = random_cells(width);
  const LaneTree shared = laid_out(cells, lanes);
  for (std::size_t l = 0; l < width; ++l) {
    const LaneTree own = laid_out({cells[l]}, 1);
    Step one(own, 9), all(shared, 10);
    for (std::size_t row = 0; row < shared.row_count(); ++row) {
      const int node = shared.node_of(row, l);
      if (node < 0) continue;
      const auto from = static_cast<std::size_t>(own.row_of(0, NodeId(node)));
      for (const auto array : {&Step::source, &Step::capacity, &Step::constant, &Step::v})
        (all.*array)[row * width + l] = (one.*array)[from];
    }
    const LaneArray alone = one.solve(one.all_changing(), active_isa());
    const LaneArray together = all.solve(all.mixed(l), active_isa());
    for (std::size_t row = 0; row < shared.row_count(); ++row)
      if (const int node = shared.node_of(row, l); node >= 0) {
        EXPECT_EQ(together[row * width + l],
                  alone[static_cast<std::size_t>(own.row_of(0, NodeId(node)))]);
      }
  }
}

/// A step of a tree whose rows threads share: as CellRows does it, one part after the other.
LaneArray solved_in_parts(const LaneTree& tree, Step& step) {
  const LaneArray& kept = step.constant;
  step.diagonal = kept;
  const std::span<const std::size_t> begin = tree.parts();
  const auto rows_of = [&](const std::vector<RowRun>& runs, const std::vector<RowRun>& pieces) {
    return LaneRows{tree.row_count(),     1,
                    tree.parent.data(),   tree.coupling_uS.data(),
                    step.capacity.data(), step.source.data(),
                    kept.data(),          runs.data(),
                    runs.size(),          pieces.data(),
                    pieces.size(),        step.factor.data(),
                    step.diagonal.data(), step.rhs.data()};
  };
  const auto run_of = [&](std::size_t first, std::size_t end) {
    return std::vector<RowRun>{{first, end, RowRun::Kind::changing, first}};
  };
  const SweepKernels& sweep = sweep_kernels(1);
  std::vector<std::vector<RowRun>> runs, pieces{pieces_of(run_of(0, begin[0]), tree.parent)};
  for (std::size_t p = 0; p < tree.part_count(); ++p)
    pieces.push_back(pieces_of(run_of(begin[p], begin[p + 1]), tree.parent));
  for (std::size_t p = 0; p < tree.part_count(); ++p) {
    runs.push_back(run_of(p * tree.row_count() / tree.part_count(),
                          (p + 1) * tree.row_count() / tree.part_count()));
    LaneRows some = rows_of(runs.back(), {});
    some.first = runs.back().front().begin;
    some.count = runs.back().front().end;
    sweep.assemble(some, step.v.data());
  }
  const std::vector<RowRun> none;
  for (std::size_t p = tree.part_count(); p-- > 0;) sweep.eliminate(rows_of(none, pieces[p + 1]));
  sweep.solve(rows_of(none, pieces[0]));
  for (std::size_t p = 0; p < tree.part_count(); ++p)
    sweep.substitute(rows_of(none, pieces[p + 1]));
  return step.rhs;
}

TEST(SharedRows, ChangeNoBit) {
  for (std::uint64_t id = 0; id < 20; ++id) {
    const Template cell = random_cell(id);
    const LaneCell alone{&cell, nullptr};
    const LaneTree whole = lay_out_lanes({&alone, 1}, 1);
    Step step(whole, id);
    const LaneArray expected = step.solve(step.all_changing(), active_isa());
    for (const std::size_t parts : {2, 3, 16, 100}) {
      const LaneTree tree = lay_out_lanes({&alone, 1}, 1, RowOrder::by_level, parts);
      ASSERT_EQ(tree.row_count(), whole.row_count());
      Step in_parts(tree, id);
      for (std::size_t row = 0; row < tree.row_count(); ++row) {
        const int node = tree.node_of(row, 0);
        ASSERT_EQ(tree.row_of(0, NodeId(node)), static_cast<int>(row));
        EXPECT_LT(tree.parent[row], static_cast<int>(row));
        const auto from = static_cast<std::size_t>(whole.row_of(0, NodeId(node)));
        for (const auto array : {&Step::source, &Step::capacity, &Step::constant, &Step::v})
          (in_parts.*array)[row] = (step.*array)[from];
      }
      const LaneArray x = solved_in_parts(tree, in_parts);
      for (std::size_t row = 0; row < tree.row_count(); ++row) {
        const auto from = static_cast<std::size_t>(whole.row_of(0, NodeId(tree.node_of(row, 0))));
        ASSERT_EQ(x[row], expected[from]) << id << ' ' << parts << ' ' << row;
      }
    }
  }
}

/// A trunk of 40 rows, from each of which hang two branches of ten.
std::vector<int> comb() {
  std::vector<int> parent;
  for (int row = 0; row < 40; ++row) parent.push_back(row - 1);
  for (int branch = 0; branch < 80; ++branch)
    for (int k = 0; k < 10; ++k)
      parent.push_back(k == 0 ? branch / 2 : static_cast<int>(parent.size()) - 1);
  return parent;
}

TEST(SharedRows, AreEvenAndHangBelowTheTrunk) {
  const std::vector<int> parent = comb();
  const SharedRows shared = share_rows(parent, 4);
  ASSERT_EQ(shared.begin.size(), 5u);
  EXPECT_EQ(shared.begin.back(), parent.size());
  EXPECT_LE(shared.begin.front(), 40u + 80);  // of the branches no more than where they begin
  for (std::size_t p = 0; p < 4; ++p)
    EXPECT_NEAR(static_cast<double>(shared.begin[p + 1] - shared.begin[p]),
                static_cast<double>(parent.size() - shared.begin[0]) / 4, 40);
  std::vector<int> part(parent.size());
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t row = shared.begin[p]; row < shared.begin[p + 1]; ++row)
      part[static_cast<std::size_t>(shared.order[row])] = static_cast<int>(p) + 1;
  std::vector<int> part_below(parent.size(), -1);  // of the rows that hang below a row
  for (std::size_t row = 1; row < parent.size(); ++row) {
    const auto above = static_cast<std::size_t>(parent[row]);
    EXPECT_TRUE(part[above] == 0 || part[above] == part[row]);
    EXPECT_TRUE(part_below[above] == -1 || part_below[above] == part[row]);
    part_below[above] = part[row];
  }
  // A cable without branches is all trunk.
  EXPECT_EQ(share_rows(std::vector<int>{-1, 0, 1, 2, 3, 4, 5, 6, 7}, 2).begin[1], 9u);
}

TEST_P(Sweeps, TellWhichLanesAreAboveAThreshold) {
  const auto width = static_cast<std::size_t>(GetParam());
  const std::vector<std::uint32_t> rows{2, 0};
  LaneArray v(3 * width, 100);
  for (std::size_t l = 0; l < width; ++l) {
    v[l] = l % 3 == 0 ? -20.0 : -19.9;  // on the threshold is not above it
    v[2 * width + l] = l % 2 == 0 ? 30 : std::numeric_limits<double>::quiet_NaN();
  }
  unsigned even = 0, not_third = 0;
  for (std::size_t l = 0; l < width; ++l) {
    even |= (l % 2 == 0 ? 1u : 0u) << l;
    not_third |= (l % 3 != 0 ? 1u : 0u) << l;
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    std::vector<std::uint8_t> bits{7, 7};
    sweep_kernels(GetParam(), isa).find_above(v.data(), rows, -20, bits.data());
    EXPECT_EQ(bits[0], even) << name_of(isa);
    EXPECT_EQ(bits[1], not_third) << name_of(isa);
  }
}

TEST_P(Sweeps, TellWhetherAllRootsAreFinite) {
  const auto width = static_cast<std::size_t>(GetParam());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  LaneArray rhs(3 * width, 1e308);
  LaneRows rows;
  rows.count = 3;
  rows.roots = 2;
  rows.rhs = rhs.data();
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    const SweepKernels& sweep = sweep_kernels(GetParam(), isa);
    EXPECT_TRUE(sweep.are_roots_finite(rows)) << name_of(isa);
    for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
      for (std::size_t i = 0; i < rhs.size(); ++i) {
        rhs[i] = bad;
        EXPECT_EQ(sweep.are_roots_finite(rows), i >= 2 * width) << name_of(isa) << ' ' << i;
        rhs[i] = -1e308;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, Sweeps, testing::Values(1, 4, 8));

}  // namespace
}  // namespace hillock::solver
