// What do unlike neurons cost in one batch? Figure 4.9 of Martínez 2018.
//
// Axes: batches of one morphology, of 64, and of 64 with 600 to 700 compartments × 256 to 256,000
// cells × the paper's two paddings and ours, float and double. Floor and timing:
// gpu/hines_batch.cu.

#include <algorithm>

#include "bench/build.hpp"
#include "bench/hines_rows.hpp"
#include "bench/hines_values.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "core/random/random.hpp"
#include "solver/batches/hines_batch/random_morphology.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

Forest variable_shape(const std::string& kind, std::size_t cells) {
  std::vector<std::vector<int>> trees;
  RandomStream draw(1, Purpose::morphology, {7, 0, 0});
  const int n = kind == "mono" ? 1 : 64;
  for (int t = 0; t < n; ++t) {
    const int size = kind == "multi-600-700" ? 600 + static_cast<int>(draw.below(101)) : 600;
    const int branches = 3 + static_cast<int>(draw.below(200)) / 2 * 2;
    trees.push_back(random_morphology(size, branches, static_cast<std::uint64_t>(t)));
  }
  std::vector<int> tree_of_system(cells);
  for (auto& t : tree_of_system) t = static_cast<int>(draw.below(static_cast<std::uint64_t>(n)));
  return Forest(trees, tree_of_system);
}

[[maybe_unused]] std::vector<HinesVariant> variants() {  // with CUDA
  HinesArrangement sorted = HinesArrangement::block_interleaved(32);
  sorted.order = HinesArrangement::Order::sorted;
  HinesArrangement stream_given = HinesArrangement::streamed();
  stream_given.order = HinesArrangement::Order::given;
  return {{HinesArrangement::fully_interleaved(), "full, padding computed", {}},
          {HinesArrangement::fully_interleaved(HinesArrangement::Padding::skipped),
           "full, padding skipped",
           {}},
          {sorted, "sorted groups of 32", {}},
          {stream_given, "stream, order given", {}},
          {HinesArrangement::streamed(), "stream", {}}};
}

template <class T>
void run_precision(Session& session) {
  const char* precision = name_of_precision<T>();
  if (!session.wants(precision)) return;
  const bool cpu = session.cpu(), gpu = session.gpu();
  session.heading(std::string("hines-variable, ") + precision +
                  ": unlike neurons in one batch, µs a solve of the batch");
  if (!gpu) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  TextTable table({{"", "neurons", true, 13},
                   {"", "cells"},
                   {"CPU", "serial", cpu},
                   {"CPU", "OpenMP", cpu},
                   {"CPU", "lanes", cpu},
                   {"padding (cuHinesVBatch)", "computed", gpu},
                   {"padding (cuHinesVBatch)", "skipped", gpu},
                   {"ours", "sorted 32", gpu},
                   {"ours", "unsorted", gpu},
                   {"ours", "stream", gpu},
                   {"times CPU serial", "OpenMP", cpu},
                   {"times CPU serial", "padded", cpu && gpu},
                   {"times CPU serial", "stream", cpu && gpu},
                   {"ours against", "padded", gpu}});
  for (const std::string kind : {"mono", "multi", "multi-600-700"})
    for (const std::size_t cells : session.cells({256, 2560, 25600, 256000}, {256, 25600})) {
      const Forest shape = variable_shape(kind, cells);
      const std::string what = std::string(precision) + " " + kind + " x " + std::to_string(cells);
      Row members;
      members.text("kind", kind).number("systems", static_cast<double>(cells));
      HinesCase measured(session, "hines-variable", what, precision, members, shape.total(),
                         sizeof(T));
      if (session.cpu() && session.fits(what, 3 * shape.total() * sizeof(T) + host_bytes<T>(shape)))
        measured.add(measure_on_host(session, what, shape, host_values<T>(shape), hines_kappa));
      if constexpr (with_cuda)
        if (gpu)
          session.attempt(what,
                          [&] { measured.add(variants(), measure_hines<T>(shape, variants())); });
      const auto us = [&](const char* variant) { return measured.us(variant); };
      const double serial = us("cpu-serial"), stream = us("stream");
      const double computed = us("full, padding computed"), skipped = us("full, padding skipped");
      const double padded = std::min(computed, skipped);
      table.add({kind, count(cells), figure(serial), figure(us("cpu-openmp")),
                 figure(us("cpu-lanes")), figure(computed), figure(skipped),
                 figure(us("sorted groups of 32")), figure(us("stream, order given")),
                 figure(stream), times(serial / us("cpu-openmp")), times(serial / padded),
                 times(serial / stream), times(padded / stream)});
    }
}

void run(Session& session) {
  run_precision<double>(session);
  run_precision<float>(session);
}

}  // namespace

extern const Table hines_variable_table{
    "hines-variable", "Hines systems of unlike neurons: paddings and ours (Martínez 2018, 4.9)",
    Runs::unasked, run};

}  // namespace hillock::bench
