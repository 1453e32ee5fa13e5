// Does `solver: auto` pick the fastest family, and how far is the cost model off?
//
// Axes: six classes of morphology, trees of depth 35, 119 and 299, cables of 128, 512 and 5,000, a
// star of 500 branches, a cell of 20,000 compartments × 16 to 100,000 cells × every family that can
// solve them, float and double; as single launches and many solves in a row (bench/gpu/families.cu
// says how and names the floor). The CPU solves the same cells.

#include <algorithm>
#include <array>

#include "bench/build.hpp"
#include "bench/gpu/families.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "solver/batches/hines_batch/random_morphology.hpp"

namespace hillock::bench {

namespace {

constexpr std::size_t most_values = 150'000'000;

struct Tree {
  std::string name;
  std::vector<int> parent;
};

[[maybe_unused]] std::vector<Tree> trees() {  // with CUDA
  std::vector<Tree> all;
  for (const auto& c : solver::morphology_classes)
    all.push_back({c.name, solver::random_morphology(c.compartments, c.branches, 1)});
  for (const int depth : {35, 119, 299}) {
    const int size = depth == 35 ? 576 : depth == 119 ? 570 : 1425;
    const int branch = depth == 35 ? 6 : depth == 119 ? 10 : 20;
    all.push_back({"depth " + count(static_cast<std::size_t>(depth)),
                   solver::tree_of_depth(size, depth, branch, 1)});
  }
  for (const int n : {128, 512, 5000})
    all.push_back({"cable " + std::to_string(n), solver::cable_tree(n)});
  all.push_back({"star", solver::star_tree(500, 2)});
  all.push_back({"giant", solver::attachment_tree(20000, 0.9, 1)});
  return all;
}

[[maybe_unused]] void add_features(Row& row, const solver::TreeFeatures& f) {
  row.number("compartments", f.compartments).number("depth", f.depth);
  row.number("contraction_steps", f.contraction_steps);
  row.number("contraction_tasks", f.contraction_tasks);
  const auto add_work = [&](const std::string& name, const solver::BranchWork& w) {
    row.number(name + "_cells", w.cells).number(name + "_levels", w.levels);
    row.number(name + "_path", w.path).number(name + "_storage", w.storage);
    row.number(name + "_branches", w.branches).number(name + "_threads", w.threads);
  };
  add_work("few", f.few);
  add_work("many", f.many);
  row.number("branches", f.branches);
  row.number("stone_rounds", f.stone_rounds).number("stone_levels", f.stone_levels);
  row.number("stone_path", f.stone_path).number("stone_children", f.stone_children);
}

/// The worst of auto's time over the best family's, and how many batches were compared.
struct Quality {
  double worst = 0;
  int batches = 0, off = 0;
};

template <class T>
void measure(Session& session, const Tree& tree, std::size_t cells, TextTable& table,
             Quality& quality) {
  const std::string precision = name_of_precision<T>();
  const std::string what = tree.name + " x " + std::to_string(cells) + ", " + precision;
  const solver::TreeFeatures features = solver::features_of(tree.parent);
  const solver::DeviceTraits device = solver::traits_of_device();
  const DrawnSystems<T> drawn(tree.parent);
  session.attempt(what, [&] {
    const auto results = measure_families(drawn, cells, features, device);
    for (const auto use : {solver::Use::launch, solver::Use::resident}) {
      const auto time = [&](const FamilyResult& r) {
        return use == solver::Use::launch ? r.launch_us : r.resident_us;
      };
      const solver::TemplateLoad load{features, cells};
      const auto choice = solver::choose({&load, 1}, device, use, sizeof(T));
      double best = INFINITY, picked = NAN;
      std::string fastest;
      std::array<double, std::size(solver::all_families)> us;
      us.fill(NAN);
      for (const FamilyResult& r : results) {
        const auto f = static_cast<std::size_t>(r.family);
        us[f] = time(r);
        if (us[f] < best) {
          best = us[f];
          fastest = name_of(r.family);
        }
        if (r.family == choice.family) picked = us[f];
        session.judge(what + ", " + name_of(r.family), r.error);
        Row row;
        row.text("backend", "cuda").text("variant", name_of(r.family)).text("precision", precision);
        row.text("family", name_of(r.family)).text("tree", tree.name);
        row.number("systems", static_cast<double>(cells));
        row.number("cells", static_cast<double>(cells));
        row.text("use", use == solver::Use::launch ? "launch" : "resident").number("us", us[f]);
        row.number("predicted_us", choice.estimates[f].us);
        row.text("chosen", r.family == choice.family ? "yes" : "no");
        row.number("error_over_bound", r.error);
        add_features(row, features);
        session.write("auto", row);
      }
      const double ratio = picked / best;
      quality.worst = std::fmax(quality.worst, std::isnan(ratio) ? INFINITY : ratio);
      ++quality.batches;
      quality.off += !(ratio <= 1.1);
      table.add({precision, tree.name, count(tree.parent.size()), count(cells),
                 use == solver::Use::launch ? "launch" : "resident", figure(us[0]), figure(us[1]),
                 figure(us[2]), figure(us[3]), figure(us[4]), name_of(choice.family), fastest,
                 figure(choice.estimates[static_cast<std::size_t>(choice.family)].us),
                 times(ratio)});
    }
  });
}

void run(Session& session) {
  session.heading("auto: µs a solve of the batch by each family, and what the cost model picks");
  if (!session.gpu()) {
    session.note("nothing to choose from: on the CPU there is one family. " + session.why_no_gpu());
    return;
  }
  if constexpr (with_cuda) {
    TextTable table({{"", "type", true, 6},
                     {"", "tree", true, 11},
                     {"", "size"},
                     {"", "cells"},
                     {"", "use"},
                     {"measured", "thomas"},
                     {"measured", "hines"},
                     {"measured", "branch"},
                     {"measured", "stone"},
                     {"measured", "contraction"},
                     {"", "auto", true, 11},
                     {"", "fastest", true, 11},
                     {"", "predicted"},
                     {"", "auto/fastest"}});
    Quality quality;
    for (const Tree& tree : trees())
      for (const std::size_t cells : session.cells({16, 132, 1024, 10240, 100000}, {132, 10240})) {
        if (cells * tree.parent.size() > most_values) continue;
        if (session.wants("double")) measure<double>(session, tree, cells, table, quality);
        if (session.wants("float")) measure<float>(session, tree, cells, table, quality);
      }
    session.note(std::to_string(quality.batches) + " batches: auto takes at most " +
                 times(quality.worst) + " the fastest family; in " + std::to_string(quality.off) +
                 " it takes more than 1.1 times.");
  }
}

}  // namespace

extern const Table auto_table{"auto", "which family `solver: auto` picks, and every family's time",
                              Runs::unasked, run};

}  // namespace hillock::bench
