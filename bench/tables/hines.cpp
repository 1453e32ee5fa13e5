// Which layout solves batches of Hines systems fastest, and how far from the memory's limit?
// Figures 4.6 to 4.8 of Martínez 2018.
//
// Axes: six classes of morphology × 256 to 256,000 cells × flat, fully interleaved, block
// interleaved at 32 to 512, block-shared, and ours (stream), float and double, against one CPU
// core, all cores, and SIMD lanes on all cores. Floor and timing: gpu/hines_batch.cu.

#include <algorithm>

#include "bench/build.hpp"
#include "bench/hines_rows.hpp"
#include "bench/hines_values.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "solver/batches/hines_batch/random_morphology.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

const std::vector<HinesVariant> layouts{{HinesArrangement::fully_interleaved(), "", {}},
                                        {HinesArrangement::flat(), "", {}},
                                        {HinesArrangement::block_interleaved(32), "", {}},
                                        {HinesArrangement::block_interleaved(64), "", {}},
                                        {HinesArrangement::block_interleaved(128), "", {}},
                                        {HinesArrangement::block_interleaved(256), "", {}},
                                        {HinesArrangement::block_interleaved(512), "", {}},
                                        {HinesArrangement::block_shared(), "", {}},
                                        {HinesArrangement::streamed(), "", {}}};

struct BestOfPaper {
  double us = NAN;
  std::string layout = "-";
};

BestOfPaper best_of_paper(const HinesCase& c) {
  BestOfPaper best;
  for (const auto& layout : layouts) {
    const std::string name = layout.arrangement.name();
    const double us = c.us(name);
    if (name != HinesArrangement::streamed().name() && std::isfinite(us) && !(us >= best.us))
      best = {us, name};
  }
  return best;
}

template <class T>
void run_precision(Session& session) {
  const char* precision = name_of_precision<T>();
  if (!session.wants(precision)) return;
  const bool cpu = session.cpu(), gpu = session.gpu();
  session.heading(std::string("hines, ") + precision +
                  ": batches of Hines systems, µs a solve of the batch");
  if (!gpu) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  TextTable table({{"", "morphology", true, 11},
                   {"", "size"},
                   {"", "branches"},
                   {"", "cells"},
                   {"CPU", "serial", cpu},
                   {"CPU", "OpenMP", cpu},
                   {"CPU", "lanes", cpu},
                   {"cuHinesBatch's layouts", "flat", gpu},
                   {"cuHinesBatch's layouts", "full", gpu},
                   {"cuHinesBatch's layouts", "block-32", gpu},
                   {"cuHinesBatch's layouts", "block-128", gpu},
                   {"cuHinesBatch's layouts", "block-512", gpu},
                   {"cuHinesBatch's layouts", "shared-32", gpu},
                   {"ours", "stream", gpu},
                   {"ours", "of copy", gpu},
                   {"times CPU serial", "OpenMP", cpu},
                   {"times CPU serial", "lanes", cpu},
                   {"times CPU serial", "full", cpu && gpu},
                   {"times CPU serial", "stream", cpu && gpu},
                   {"best layout against ours", "layout", gpu, 9},
                   {"best layout against ours", "ratio", gpu}});
  for (const auto& c : morphology_classes)
    for (const std::size_t cells : session.cells({256, 2560, 25600, 256000}, {256, 25600})) {
      const auto shape = Forest::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const std::string what =
          std::string(precision) + " " + c.name + " x " + std::to_string(cells);
      Row members;
      members.text("class", c.name).number("compartments", c.compartments);
      members.number("branches", c.branches).number("systems", static_cast<double>(cells));
      HinesCase measured(session, "hines", what, precision, members, shape.total(), sizeof(T));
      if (session.cpu() && session.fits(what, 3 * shape.total() * sizeof(T) + host_bytes<T>(shape)))
        measured.add(measure_on_host(session, what, shape, host_values<T>(shape), hines_kappa));
      if constexpr (with_cuda)
        if (gpu)
          session.attempt(what, [&] { measured.add(layouts, measure_hines<T>(shape, layouts)); });
      const auto us = [&](const char* variant) { return measured.us(variant); };
      const double serial = us("cpu-serial"), stream = us("stream");
      const BestOfPaper best = best_of_paper(measured);
      const double floor_us =
          4e-3 * static_cast<double>(sizeof(T) * shape.total()) / session.copy_gb_s();
      table.add({c.name,
                 std::to_string(c.compartments),
                 std::to_string(c.branches),
                 count(cells),
                 figure(serial),
                 figure(us("cpu-openmp")),
                 figure(us("cpu-lanes")),
                 figure(us("flat")),
                 figure(us("full")),
                 figure(us("block-32")),
                 figure(us("block-128")),
                 figure(us("block-512")),
                 figure(us("shared-32")),
                 figure(stream),
                 percent(floor_us / stream),
                 times(serial / us("cpu-openmp")),
                 times(serial / us("cpu-lanes")),
                 times(serial / us("full")),
                 times(serial / stream),
                 best.layout,
                 times(best.us / stream)});
    }
}

void run(Session& session) {
  run_precision<double>(session);
  run_precision<float>(session);
}

template <class T>
void tune_precision(Session& session) {
  const char* precision = name_of_precision<T>();
  if (!session.wants(precision)) return;
  session.heading(std::string("hines-tuning, ") + precision + ": pieces in flight and kept, µs");
  if (!session.gpu()) return session.note("left out: " + session.why_no_gpu());
  TextTable table({{"", "morphology", true, 11},
                   {"", "cells"},
                   {"", "floor"},
                   {"", "stages"},
                   {"", "kept"},
                   {"", "µs"}});
  for (const int which : {0, 1, 3, 5})
    for (const std::size_t cells :
         session.cells({2560, 12800, 25600, 256000}, {2560, 12800, 25600})) {
      const auto& c = morphology_classes[static_cast<std::size_t>(which)];
      const auto shape = Forest::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const double floor_us =
          4e-3 * static_cast<double>(sizeof(T) * shape.total()) / session.copy_gb_s();
      std::vector<HinesVariant> variants;
      for (const int stages : {2, 3})
        for (const int kept : {0, 1, 2, 3, 5})
          if (kept * 16 <= c.compartments + 16)
            variants.push_back({HinesArrangement::streamed(),
                                std::to_string(stages) + "/" + std::to_string(kept),
                                {stages, kept}});
      const std::string what = std::string(precision) + " " + c.name;
      Row members;
      members.text("class", c.name).number("systems", static_cast<double>(cells));
      HinesCase measured(session, "hines-tuning", what, precision, members, shape.total(),
                         sizeof(T));
      if constexpr (with_cuda)
        session.attempt(what, [&] { measured.add(variants, measure_hines<T>(shape, variants)); });
      for (const auto& v : variants)
        table.add({c.name, count(cells), figure(floor_us), std::to_string(v.tuning.stages),
                   std::to_string(v.tuning.kept_chunks), figure(measured.us(v.name))});
    }
}

void tune(Session& session) {
  tune_precision<double>(session);
  tune_precision<float>(session);
}

}  // namespace

extern const Table hines_table{
    "hines", "Hines systems of one morphology: layouts, ours, CPU (Martínez 2018, 4.6-4.8)",
    Runs::unasked, run};
extern const Table hines_tuning_table{"hines-tuning", "shared memory of our Hines kernel",
                                      Runs::when_named, tune};

}  // namespace hillock::bench
