#include "python/bindings/thresholds.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/backend_word.hpp"
#include "python/bindings/model_source.hpp"
#include "python/bindings/worker.hpp"
#include "simulator/session/thresholds.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// [cell]
nb::object find_thresholds(const std::string& file, std::optional<std::string> text,
                           const Files& files, const Arrays& arrays, const Overrides& overrides,
                           const std::string& library, const nb::callable& announce,
                           const std::string& scale, const std::string& population, double low,
                           double high, double tolerance,
                           const std::optional<std::string>& spikes_at, bool block, double from_ms,
                           double until_ms, const std::string& backend, int threads, int tries) {
  const session::ModelSource source =
      source_of(file, std::move(text), files, arrays, overrides, library);
  const session::ThresholdWish wish{scale,   population, {low, high, tolerance}, spikes_at, block,
                                    from_ms, until_ms};
  if (threads < 0 || threads > 4096) throw UsageError("threads must be from 1 to 4096");
  simulator::Activity activity;
  if (tries < 0 || tries > 4096) throw UsageError("tries must be from 0 to 4096");
  const session::ThresholdRuns runs{
      wish_of(backend), threads, {activity, listener_of(announce)}, [] {}, tries};
  session::Thresholds found;
  Worker worker;
  worker.do_job(
      activity, [&] { found = session::find_thresholds(source, wish, runs); }, [] {});
  return array_of(std::move(found.of_cells));
}

}  // namespace

void bind_thresholds(nb::module_& module) {
  module.def("find_thresholds", &find_thresholds, "file"_a, "text"_a.none(), "files"_a, "arrays"_a,
             "overrides"_a, "library"_a, "announce"_a, "scale"_a, "population"_a, "low"_a, "high"_a,
             "tolerance"_a, "spikes_at"_a.none(), "block"_a, "from_ms"_a, "until_ms"_a, "backend"_a,
             "threads"_a, "tries"_a = 0);
}

}  // namespace hillock::python
