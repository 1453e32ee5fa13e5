// What do several GPUs give on one batch of Hines systems? Figure 4.6 of Martínez 2018.
//
// Axes: six classes of morphology × 2,560 to 256,000 cells × 1, 2, 4, … GPUs, our layout (stream),
// float and double. Wall clock of dependent solves, a host thread a device (gpu/hines_batch.cu).

#include <algorithm>

#include "bench/build.hpp"
#include "bench/gpu/hines.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "solver/hines_batch/random_morphology.hpp"

namespace hillock::bench {

namespace {

using namespace solver::hines_batch;

template <class T>
void run_precision(Session& session, const std::vector<int>& devices) {
  const char* precision = name_of_precision<T>();
  if (!session.wants(precision)) return;
  session.heading(std::string("devices, ") + precision +
                  ": one batch of Hines systems on several GPUs, µs a solve of the batch");
  std::vector<Column> columns{{"", "morphology", true, 11}, {"", "cells"}};
  for (const int n : devices) columns.push_back({"GPUs", std::to_string(n)});
  for (const int n : devices)
    if (n > 1) columns.push_back({"times one", std::to_string(n)});
  TextTable table(columns);
  for (const auto& c : morphology_classes)
    for (const std::size_t cells : session.cells({2560, 25600, 256000}, {2560, 25600})) {
      const auto shape =
          BatchShape::uniform(random_morphology(c.compartments, c.branches, 1), cells);
      const std::size_t bytes = 3 * sizeof(T) * shape.total();
      const int sets =
          static_cast<int>(std::clamp<std::size_t>((std::size_t{16} << 30) / bytes, 4, 50));
      std::vector<std::string> line{c.name, count(cells)}, ratios;
      double one = NAN;
      for (const int n : devices) {
        DevicesResult result;
        const std::string what = std::string(precision) + " " + c.name + " x " +
                                 std::to_string(cells) + " on " + std::to_string(n);
        bool done = false;
        if constexpr (with_cuda)
          done = session.attempt(what, [&] { result = measure_devices<T>(shape, n, sets); });
        if (!done) {
          line.push_back("-");
          if (n > 1) ratios.push_back("-");
          continue;
        }
        session.judge(what, result.error);
        const double us = result.us;
        if (n == 1) one = us;
        line.push_back(figure(us));
        if (n > 1) ratios.push_back(times(one / us));
        Row row;
        row.text("backend", "cuda").text("variant", "stream").text("precision", precision);
        row.text("class", c.name).number("systems", static_cast<double>(cells));
        row.number("us", us).number("error_over_bound", result.error);
        row.number("devices", n).number("solves", sets).number("speedup", one / us);
        session.write("devices", row);
      }
      line.insert(line.end(), ratios.begin(), ratios.end());
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
