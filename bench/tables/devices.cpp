// What do several GPUs give on one batch of Hines systems? Figure 4.6 of Martínez 2018.
//
// Axes: six classes of morphology × 2,560 to 256,000 cells × 1, 2, 4, … GPUs, our layout (stream),
// float and double. Wall clock, a host thread a device (gpu/hines_batch.cu), in two ways:
//   dependent    one set of values after the other on one stream a device, as one group of cells
//                takes its steps: what is left of a solve's latency counts in full
//   in flight    several sets at once, each on a stream of its own, as several groups of cells take
//                theirs: what counts is throughput
// Any number of GPUs has the same number of solves, and of sets in flight.

#include <algorithm>

#include "bench/build.hpp"
#include "bench/gpu/hines.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "solver/batches/hines_batch/random_morphology.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

template <class T>
void run_precision(Session& session, const std::vector<int>& devices) {
  const char* precision = name_of_precision<T>();
  if (!session.wants(precision)) return;
  session.heading(std::string("devices, ") + precision +
                  ": one batch of Hines systems on several GPUs, µs a solve of the batch");
  std::vector<Column> columns{{"", "morphology", true, 11}, {"", "cells"}};
  for (const int in_flight : {1, 2, 4}) {
    const std::string group =
        in_flight == 1 ? "dependent, GPUs" : std::to_string(in_flight) + " in flight, GPUs";
    for (const int n : devices) {
      columns.push_back({group, std::to_string(n)});
      if (n > 1) columns.push_back({group, "ratio"});
    }
  }
  TextTable table(columns);
  for (const auto& c : morphology_classes)
    for (const std::size_t cells : session.cells({2560, 25600, 256000}, {2560, 25600})) {
      const auto shape = Forest::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const std::size_t bytes = 3 * sizeof(T) * shape.total();
      const int solves =
          static_cast<int>(std::clamp<std::size_t>((std::size_t{16} << 30) / bytes, 4, 50));
      std::vector<std::string> line{c.name, count(cells)};
      for (const int in_flight : {1, 2, 4}) {
        double one = NAN;
        for (const int n : devices) {
          const std::string what = std::string(precision) + " " + c.name + " x " +
                                   std::to_string(cells) + " on " + std::to_string(n);
          DevicesResult result;
          bool done = false;
          if constexpr (with_cuda)
            done = cells >= static_cast<std::size_t>(n) &&  // a cell a device at least
                   session.attempt(
                       what, [&] { result = measure_devices<T>(shape, n, solves, in_flight); });
          if (n == 1) one = result.us;
          line.push_back(figure(result.us));
          if (n > 1) line.push_back(times(one / result.us));
          if (!done) continue;
          session.judge(what, result.error);
          Row row;
          row.text("backend", "cuda").text("variant", "stream").text("precision", precision);
          row.text("class", c.name).number("systems", static_cast<double>(cells));
          row.number("us", result.us).number("error_over_bound", result.error);
          row.number("devices", n).number("solves", solves).number("in_flight", in_flight);
          session.write("devices", row.number("speedup", one / result.us));
        }
      }
      table.add(line);
    }
}

void run(Session& session) {
  const int gpus = session.gpu() ? session.machine().gpus : 0;
  if (gpus < 2) {
    session.heading("devices: one batch of Hines systems on several GPUs");
    return session.note("left out: " +
                        (gpus == 0 ? session.why_no_gpu() : std::string("there is one GPU only")));
  }
  std::vector<int> devices;
  for (int n = 1; n <= gpus; n *= 2) devices.push_back(n);
  if (devices.back() != gpus) devices.push_back(gpus);
  run_precision<double>(session, devices);
  run_precision<float>(session, devices);
}

}  // namespace

extern const Table devices_table{"devices", "Hines systems on several GPUs (Martínez 2018, 4.6)",
                                 Runs::unasked, run};

}  // namespace hillock::bench
