// Question: how close do batches of tridiagonal systems come to the memory's speed, and how do the
// layouts, our kernels, the CPU and cuSPARSE compare? Figures 4.1 to 4.4 of Martínez 2018.
//
// Axes: 64, 128, 256, 512 rows × 256 to 256,000 systems × float, double × layout and kernel.
// Floor and timing: gpu/thomas.cu. The CPU's times are medians of the wall clock.

#include <algorithm>
#include <map>

#include "bench/build.hpp"
#include "bench/gpu/thomas.hpp"
#include "bench/reference.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "bench/thomas_host.hpp"
#include "solver/batches/thomas/host.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

/// The CPU's columns; empty where they are not wanted or memory does not suffice.
template <class Real>
std::vector<ThomasResult> measure_cpu(Session& session, const std::string& what, std::size_t rows,
                                      std::size_t systems) {
  const ThomasArrangement flat = arrange(ThomasLayout::flat, rows, systems);
  if (!session.cpu() || !session.fits(what, 4 * flat.storage * sizeof(Real))) return {};
  std::vector<Real> pristine(flat.storage);
  draw_on_host<Real>(systems, [&](std::size_t s) {
    return DrawnSystem<Real>{pristine.data(), flat.field_stride, s * rows, rows};
  });
  ThomasHost<Real> host(session, what, pristine, flat.field_stride);
  for (const std::size_t s : {std::size_t{0}, systems / 2, systems - 1}) host.check(s * rows, rows);
  std::vector<Real> work;
  const auto restore = [&] { work = pristine; };
  host.add(
      "cpu-serial", name_of(ThomasLayout::flat), restore,
      [&] { solve_serial<Real>(flat, std::span<Real>(work)); }, [&] { return work; });
  host.add(
      "cpu-openmp", name_of(ThomasLayout::flat), restore,
      [&] { solve_openmp<Real>(flat, std::span<Real>(work)); }, [&] { return work; });
  const ThomasArrangement blocks = arrange(ThomasLayout::block_interleaved, rows, systems, 8);
  std::vector<Real> converted, back;
  convert(flat, pristine, blocks, converted);
  host.add(
      "cpu-lanes", name_of(ThomasLayout::block_interleaved), [&] { work = converted; },
      [&] { solve_simd<Real>(blocks, std::span<Real>(work)); },
      [&] {
        convert(blocks, work, flat, back);
        return back;
      });
  return host.results();
}

struct Key {
  const char* precision;
  std::size_t rows, systems, number_bytes;
};

void write(Session& session, const Key& key, const ThomasResult& r) {
  const bool on_cpu = r.variant.starts_with("cpu-");
  const double copy = on_cpu ? NAN : session.copy_gb_s();
  const double bytes = static_cast<double>(key.rows * key.systems * key.number_bytes);
  const double necessary = 5e-3 * bytes / r.timing.us;
  const double moved = 1e-3 * r.numbers_moved * bytes / r.timing.us;
  Row row;
  row.text("backend", on_cpu ? "cpu" : "cuda").text("variant", r.variant);
  row.text("layout", r.layout).text("precision", key.precision);
  row.number("rows", static_cast<double>(key.rows));
  row.number("systems", static_cast<double>(key.systems));
  row.number("us", r.timing.us).number("error_over_bound", r.error);
  row.number("least_us", r.timing.least_us).number("most_us", r.timing.most_us);
  row.number("repeats", r.timing.repeats).number("sets", static_cast<double>(r.timing.sets));
  row.number("numbers_moved_a_row", r.numbers_moved).number("extra_bytes", r.extra_bytes);
  row.number("necessary_gb_s", necessary).number("moved_gb_s", moved);
  row.number("copy_gb_s", copy).number("necessary_over_copy", necessary / copy);
  session.write("thomas", row);
}

template <class Real>
void run_precision(Session& session, const std::vector<std::size_t>& rows_of_all) {
  const char* precision = name_of_precision<Real>();
  if (!session.wants(precision)) return;
  const bool cpu = session.cpu(), gpu = session.gpu(), peer = gpu && with_cusparse;
  session.heading(std::string("thomas, ") + precision +
                  ": batches of tridiagonal systems, µs a batch");
  if (!gpu) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  if (gpu && !with_cusparse)
    session.note("cuSPARSE's columns are left out: this build has no cuSPARSE");
  TextTable table({{"", "rows"},
                   {"", "systems"},
                   {"CPU", "serial", cpu},
                   {"CPU", "OpenMP", cpu},
                   {"CPU", "lanes", cpu},
                   {"one thread a system (cuThomasBatch)", "flat", gpu},
                   {"one thread a system (cuThomasBatch)", "interl.", gpu},
                   {"one thread a system (cuThomasBatch)", "unified", gpu},
                   {"one thread a system (cuThomasBatch)", "block 32", gpu},
                   {"one thread a system (cuThomasBatch)", "block 128", gpu},
                   {"cuSPARSE", "strided", peer},
                   {"cuSPARSE", "interl.", peer},
                   {"ours", "time", gpu},
                   {"ours", "of copy", gpu},
                   {"times CPU serial", "OpenMP", cpu},
                   {"times CPU serial", "lanes", cpu},
                   {"times CPU serial", "interl.", cpu && gpu},
                   {"times CPU serial", "ours", cpu && gpu},
                   {"ours against", "interl.", gpu},
                   {"ours against", "strided", peer},
                   {"ours against", "cuSP. int.", peer}});
  for (const std::size_t rows : rows_of_all)
    for (const std::size_t systems : session.cells({256, 2560, 25600, 256000}, {256, 25600})) {
      const std::string what =
          std::string(precision) + " " + std::to_string(rows) + " x " + std::to_string(systems);
      std::vector<ThomasResult> results = measure_cpu<Real>(session, what, rows, systems);
      if constexpr (with_cuda)
        if (gpu)
          session.attempt(what, [&] {
            for (auto& r : measure_thomas<Real>(rows, systems)) {
              if (!r.variant.starts_with("conversion"))
                session.judge(what + ", " + r.variant + " " + r.layout, r.error);
              results.push_back(std::move(r));
            }
          });
      std::map<std::string, double> us;
      for (const auto& r : results) {
        write(session, {precision, rows, systems, sizeof(Real)}, r);
        const bool algorithm = r.variant.starts_with("cuSPARSE gtsvInterleaved");
        const std::string name =
            algorithm ? "interleaved peer" : r.variant + " " + r.layout;  // the best of three
        const auto [entry, is_new] = us.emplace(name, r.timing.us);
        if (!is_new) entry->second = std::min(entry->second, r.timing.us);
      }
      const auto at = [&](const std::string& name) { return us.count(name) ? us.at(name) : NAN; };
      const double serial = at("cpu-serial flat"), ours = at("ours flat");
      const double interleaved = at("sweep interleaved");
      const double strided = at("cuSPARSE gtsv2StridedBatch flat"), peers = at("interleaved peer");
      const double openmp = at("cpu-openmp flat"), lanes = at("cpu-lanes block interleaved");
      const double bytes = 5 * static_cast<double>(rows * systems * sizeof(Real));
      table.add({count(rows),
                 count(systems),
                 figure(serial),
                 figure(openmp),
                 figure(lanes),
                 figure(at("sweep flat")),
                 figure(interleaved),
                 figure(at("sweep unified vector")),
                 figure(at("sweep block interleaved")),
                 figure(at("sweep by 128 block interleaved")),
                 figure(strided),
                 figure(peers),
                 figure(ours),
                 percent(1e-3 * bytes / ours / session.copy_gb_s()),
                 times(serial / openmp),
                 times(serial / lanes),
                 times(serial / interleaved),
                 times(serial / ours),
                 times(interleaved / ours),
                 times(strided / ours),
                 times(peers / ours)});
    }
}

void run(Session& session) {
  const std::vector<std::size_t> rows = session.options().quick
                                            ? std::vector<std::size_t>{64, 512}
                                            : std::vector<std::size_t>{64, 128, 256, 512};
  run_precision<double>(session, rows);
  run_precision<float>(session, rows);
}

template <class Real>
void tune_precision(Session& session) {
  const char* precision = name_of_precision<Real>();
  if (!session.wants(precision)) return;
  session.heading(std::string("thomas-tuning, ") + precision + ": splits of the warp kernel");
  if (!session.gpu()) return session.note("left out: " + session.why_no_gpu());
  TextTable table({{"", "rows"},
                   {"", "systems"},
                   {"", "lanes"},
                   {"", "rows a lane"},
                   {"", "warps"},
                   {"", "blocks"},
                   {"", "µs"}});
  for (const std::size_t rows : {64, 128, 256, 512})
    for (const std::size_t systems : session.cells({256, 2560, 25600, 256000}, {256, 25600})) {
      if constexpr (with_cuda)
        session.attempt(std::to_string(rows) + " x " + std::to_string(systems), [&] {
          for (const auto& t : tune_thomas<Real>(rows, systems)) {
            Row row;
            row.text("backend", "cuda").text("variant", "ours").text("precision", precision);
            row.number("rows", static_cast<double>(rows));
            row.number("systems", static_cast<double>(systems)).number("us", t.timing.us);
            row.number("error_over_bound", NAN).number("lanes", t.split.lanes);
            row.number("rows_a_lane", t.split.rows_a_lane);
            session.write("thomas-tuning", row);
            table.add({count(rows), count(systems), std::to_string(t.split.lanes),
                       std::to_string(t.split.rows_a_lane), std::to_string(t.warps),
                       std::to_string(t.blocks), figure(t.timing.us)});
          }
        });
    }
}

void tune(Session& session) {
  tune_precision<double>(session);
  tune_precision<float>(session);
}

}  // namespace

extern const Table thomas_table{
    "thomas", "tridiagonal systems of one length: layouts, ours, cuSPARSE (Martínez 2018, 4.1-4.4)",
    Runs::unasked, run};
extern const Table thomas_tuning_table{"thomas-tuning", "splits of our tridiagonal kernel",
                                       Runs::when_named, tune};

}  // namespace hillock::bench
