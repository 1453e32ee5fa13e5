// Does contraction beat the fine-grained (branch) solver, and from which depth on?
//
// Axes: trees of 576 compartments and depth 35, 570 and 119, 1,425 and 299 × 16, 132, 1,024 and
// 100,000 cells × contraction (tasks a thread), branch solver (root, cutting, cells a block), one
// thread a cell; double precision. The CPU solves the same cells. Floor and timing:
// gpu/contraction.cu.

#include <algorithm>
#include <map>

#include "bench/build.hpp"
#include "bench/gpu/trees.hpp"
#include "bench/host_hines.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "solver/contraction/schedule.hpp"

namespace hillock::bench {

namespace {

struct Case {
  std::string name;
  std::vector<int> tree;
  int depth;
};

struct Best {
  double repeated_us = NAN, single_us = NAN;  ///< each of its own best variant
};

std::vector<std::string> measure(Session& session, const Case& c, std::size_t cells) {
  const DrawnCells drawn({c.tree, c.tree, c.tree, c.tree});
  const std::string what = c.name + " x " + std::to_string(cells);
  const auto row = [&](const char* backend, const std::string& family, const std::string& variant,
                       double repeated_us, double single_us, double error) {
    Row r;
    r.text("backend", backend).text("variant", variant).text("precision", "double");
    r.text("family", family).text("tree", c.name);
    r.number("compartments", static_cast<double>(c.tree.size())).number("depth", c.depth);
    r.number("systems", static_cast<double>(cells)).number("cells", static_cast<double>(cells));
    r.number("us", repeated_us).number("error_over_bound", error);
    r.number("repeated_us", repeated_us).number("single_us", single_us);
    session.write("contraction", r);
  };
  std::vector<HostResult> host;
  if (session.cpu() && session.fits(what, 9 * c.tree.size() * cells * sizeof(double))) {
    const auto batch = drawn.shape(cells);
    host = measure_on_host(session, what, batch, drawn.values(batch), DrawnCells::kappa);
    for (const auto& r : host) row("cpu", r.variant, r.variant, r.timing.us, r.timing.us, r.error);
  }
  std::map<std::string, Best> best;
  if constexpr (with_cuda)
    if (session.gpu())
      session.attempt(what, [&] {
        for (const auto& r : measure_contraction(drawn, cells, session.options().quick)) {
          session.judge(what + ", " + r.family + ", " + r.variant, r.error);
          row("cuda", r.family, r.variant, r.repeated_us, r.single_us, r.error);
          Best& b = best[r.family];
          b.repeated_us = std::fmin(b.repeated_us, r.repeated_us);
          b.single_us = std::fmin(b.single_us, r.single_us);
        }
      });
  const Best contraction = best["contraction"], branch = best["branch"],
             one = best["thread a cell"];
  return {c.name,
          count(c.tree.size()),
          std::to_string(c.depth),
          std::to_string(solver::make_contraction_schedule(c.tree).rounds),
          count(cells),
          figure(us_of(host, "cpu-serial")),
          figure(us_of(host, "cpu-openmp")),
          figure(us_of(host, "cpu-lanes")),
          figure(contraction.repeated_us),
          figure(branch.repeated_us),
          figure(one.repeated_us),
          figure(best["auto"].repeated_us),
          figure(contraction.single_us),
          figure(branch.single_us),
          figure(one.single_us),
          times(branch.repeated_us / contraction.repeated_us),
          times(one.repeated_us / contraction.repeated_us),
          times(us_of(host, "cpu-openmp") / contraction.single_us)};
}

void run(Session& session) {
  if (!session.wants("double")) return;
  session.heading("contraction, double: µs a solve of the batch, best variant of each family");
  if (!session.gpu()) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  const bool cpu = session.cpu(), gpu = session.gpu();
  TextTable table({{"", "tree", true, 9},
                   {"", "size"},
                   {"", "depth"},
                   {"", "rounds"},
                   {"", "cells"},
                   {"CPU", "serial", cpu},
                   {"CPU", "OpenMP", cpu},
                   {"CPU", "lanes", cpu},
                   {"repeated in one kernel", "contraction", gpu},
                   {"repeated in one kernel", "branch", gpu},
                   {"repeated in one kernel", "thread a cell", gpu},
                   {"repeated in one kernel", "auto", gpu},
                   {"single launches", "contraction", gpu},
                   {"single launches", "branch", gpu},
                   {"single launches", "thread a cell", gpu},
                   {"contraction against", "branch", gpu},
                   {"contraction against", "thread a cell", gpu},
                   {"contraction against", "OpenMP", cpu && gpu}});
  const std::vector<Case> cases{{"shallow", solver::tree_of_depth(576, 35, 6, 1), 35},
                                {"deep", solver::tree_of_depth(570, 119, 10, 1), 119},
                                {"deepest", solver::tree_of_depth(1425, 299, 20, 1), 299}};
  for (const Case& c : cases)
    for (const std::size_t cells : session.cells({16, 132, 1024, 100000}, {16, 1024, 10000}))
      table.add(measure(session, c, cells));
}

}  // namespace

extern const Table contraction_table{
    "contraction", "contraction against the branch solver on trees of growing depth", Runs::unasked,
    run};

}  // namespace hillock::bench
