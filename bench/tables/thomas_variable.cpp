// Question: what do systems of different lengths cost in one batch, padded and not? Figure 4.5 of
// Martínez 2018.
//
// Axes: systems of 256 to 512 rows (uniform) × 256 to 256,000 of them × float, double × method.
// Floor and timing: gpu/thomas.cu.

#include <algorithm>
#include <map>
#include <random>

#include "bench/build.hpp"
#include "bench/gpu/thomas.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "bench/text_table.hpp"
#include "bench/thomas_host.hpp"
#include "solver/batches/thomas/host.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

template <class Real>
std::vector<ThomasResult> measure_cpu(Session& session, const std::string& what,
                                      const ThomasVariableArrangement& compact) {
  if (!session.cpu() || !session.fits(what, 3 * compact.storage * sizeof(Real))) return {};
  const std::size_t systems = compact.size.size();
  std::vector<Real> pristine(compact.storage), work;
  draw_on_host<Real>(systems, [&](std::size_t s) {
    return DrawnSystem<Real>{pristine.data(), compact.field_stride, compact.start[s],
                             compact.size[s]};
  });
  ThomasHost<Real> host(session, what, pristine, compact.field_stride);
  for (const std::size_t s : {std::size_t{0}, systems / 2, systems - 1})
    host.check(compact.start[s], compact.size[s]);
  const auto restore = [&] { work = pristine; };
  const auto solution = [&] { return work; };
  host.add(
      "cpu-serial", name_of(compact.layout), restore,
      [&] { solve_serial<Real>(compact, std::span<Real>(work)); }, solution);
  host.add(
      "cpu-openmp", name_of(compact.layout), restore,
      [&] { solve_openmp<Real>(compact, std::span<Real>(work)); }, solution);
  return host.results();
}

void write(Session& session, const char* precision, std::size_t systems, double row_bytes,
           const ThomasResult& r) {
  const bool on_cpu = r.variant.starts_with("cpu-");
  const double copy = on_cpu ? NAN : session.copy_gb_s();
  const double necessary = 5e-3 * row_bytes / r.timing.us;
  Row row;
  row.text("backend", on_cpu ? "cpu" : "cuda").text("variant", r.variant);
  row.text("layout", r.layout).text("precision", precision);
  row.number("systems", static_cast<double>(systems));
  row.number("us", r.timing.us).number("error_over_bound", r.error);
  row.number("least_us", r.timing.least_us).number("most_us", r.timing.most_us);
  row.number("repeats", r.timing.repeats).number("sets", static_cast<double>(r.timing.sets));
  row.number("necessary_gb_s", necessary).number("copy_gb_s", copy);
  row.number("necessary_over_copy", necessary / copy).number("conversion_us", r.conversion_us);
  row.number("storage_bytes", r.storage_bytes).number("table_bytes", r.table_bytes);
  session.write("thomas-variable", row);
}

template <class Real>
void run_precision(Session& session) {
  const char* precision = name_of_precision<Real>();
  if (!session.wants(precision)) return;
  const bool cpu = session.cpu(), gpu = session.gpu();
  session.heading(std::string("thomas-variable, ") + precision +
                  ": tridiagonal systems of 256 to 512 rows, µs a batch");
  if (!gpu) session.note("the GPU's columns are left out: " + session.why_no_gpu());
  TextTable table({{"", "systems"},
                   {"CPU", "serial", cpu},
                   {"CPU", "OpenMP", cpu},
                   {"padding (cuThomasVBatch)", "skipped", gpu},
                   {"padding (cuThomasVBatch)", "computed", gpu},
                   {"ours", "sorted", gpu},
                   {"ours", "a warp", gpu},
                   {"ours", "of copy", gpu},
                   {"times CPU serial", "OpenMP", cpu},
                   {"times CPU serial", "padded", cpu && gpu},
                   {"times CPU serial", "ours", cpu && gpu},
                   {"ours against", "padded", gpu}});
  for (const std::size_t systems : session.cells({256, 2560, 25600, 256000}, {256, 25600})) {
    std::mt19937 generator(static_cast<unsigned>(systems));
    std::vector<std::uint32_t> sizes(systems);
    for (auto& size : sizes) size = static_cast<std::uint32_t>(256 + generator() % 257);
    const auto compact = arrange(ThomasVariableLayout::compact, sizes);
    const std::string what = std::string(precision) + ", " + std::to_string(systems) + " systems";
    std::vector<ThomasResult> results = measure_cpu<Real>(session, what, compact);
    if constexpr (with_cuda)
      if (gpu)
        session.attempt(what, [&] {
          for (auto& r : measure_thomas_variable<Real>(sizes)) {
            session.judge(what + ", " + r.variant, r.error);
            results.push_back(std::move(r));
          }
        });
    std::map<std::string, double> us;
    const double bytes = static_cast<double>(compact.rows_in_all * sizeof(Real));
    for (const auto& r : results) {
      write(session, precision, systems, bytes, r);
      us[r.variant] = r.timing.us;
    }
    const auto at = [&](const char* name) { return us.count(name) ? us.at(name) : NAN; };
    const double serial = at("cpu-serial"), openmp = at("cpu-openmp"), ours = at("ours");
    const double skipped = at("no computing padding"), computed = at("computing padding");
    const double padded = std::min(skipped, computed);
    table.add({count(systems), figure(serial), figure(openmp), figure(skipped), figure(computed),
               figure(at("ours: sorted by warps")), figure(ours),
               percent(5e-3 * bytes / ours / session.copy_gb_s()), times(serial / openmp),
               times(serial / padded), times(serial / ours), times(padded / ours)});
  }
}

void run(Session& session) {
  run_precision<double>(session);
  run_precision<float>(session);
}

}  // namespace

extern const Table thomas_variable_table{
    "thomas-variable", "tridiagonal systems of different lengths (Martínez 2018, 4.5)",
    Runs::unasked, run};

}  // namespace hillock::bench
