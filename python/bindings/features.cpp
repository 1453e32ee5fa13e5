#include "python/bindings/features.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "python/bindings/arrays.hpp"
#include "simulator/output/voltage_features.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class Number>
using Rows = nb::ndarray<const Number, nb::ndim<2>, nb::device::cpu>;
using TimesMs = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Elements = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// [column, name], one after the other. rows: [sample, element]; columns: some elements.
template <class Number>
nb::object features_of(const TimesMs& times, const Rows<Number>& rows, const Elements& columns,
                       const std::vector<std::string>& names, double start_ms, double stop_ms,
                       int threads) {
  const std::vector<double> times_ms(times.data(), times.data() + times.size());
  const auto begun = [&] {
    return simulator::VoltageFeatures(times_ms, names, {start_ms, stop_ms});
  };
  begun();  // what is wrong is told here
  std::vector<double> values(columns.size() * names.size());
  const std::size_t samples = times_ms.size();
  {
    const nb::gil_scoped_release others;
    constexpr std::size_t block = 64;  // traces whose samples are gathered side by side
    const std::size_t blocks = (columns.size() + block - 1) / block;
    const Number* const data = rows.data();
    const std::int64_t to_sample = rows.stride(0), to_element = rows.stride(1);
    simulator::parallel_for(
        blocks, threads > 0 ? threads : simulator::available_threads(), [&](std::size_t b) {
          simulator::VoltageFeatures features = begun();
          const std::size_t first = b * block, count = std::min(block, columns.size() - first);
          std::vector<double> traces(count * samples);
          for (std::size_t s = 0; s < samples; ++s)
            for (std::size_t k = 0; k < count; ++k)
              traces[k * samples + s] = static_cast<double>(
                  data[static_cast<std::int64_t>(s) * to_sample + columns(first + k) * to_element]);
          for (std::size_t k = 0; k < count; ++k)
            features.find(std::span(traces).subspan(k * samples, samples),
                          std::span(values).subspan((first + k) * names.size(), names.size()));
        });
  }
  return array_of(std::move(values));
}

}  // namespace

void bind_features(nb::module_& module) {
  module.def("voltage_features", &features_of<float>, "times_ms"_a, "rows"_a.noconvert(),
             "columns"_a, "names"_a, "start_ms"_a, "stop_ms"_a, "threads"_a);
  module.def("voltage_features", &features_of<double>, "times_ms"_a, "rows"_a.noconvert(),
             "columns"_a, "names"_a, "start_ms"_a, "stop_ms"_a, "threads"_a);
  module.attr("voltage_feature_names") = nb::cast(simulator::voltage_feature_names());
}

}  // namespace hillock::python
