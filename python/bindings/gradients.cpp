#include "python/bindings/gradients.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/model_source.hpp"
#include "python/bindings/worker.hpp"
#include "simulator/session/derived_run.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Derivatives = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

class DerivedRun {
 public:
  DerivedRun(const std::string& file, std::optional<std::string> text, const Files& files,
             const Arrays& arrays, const Overrides& overrides, const std::string& library,
             const nb::callable& announce, const session::ModelValues& values,
             std::size_t most_bytes, int threads)
      : listener_{activity_, listener_of(announce)} {
    if (threads < 0 || threads > 4096) throw UsageError("threads must be from 1 to 4096");
    const session::ModelSource source =
        source_of(file, std::move(text), files, arrays, overrides, library);
    worker_.do_job(
        activity_,
        [&] {
          run_ = std::make_unique<session::DerivedRun>(
              source, values, most_bytes, threads > 0 ? threads : simulator::available_threads(),
              listener_, [] {});
        },
        [] {});
  }

  /// {name: (first sample's time and that of the next after it, in ms, [sample, element])}
  nb::dict samples() const {
    nb::dict all;
    for (std::size_t r = 0; r < run_->reports().size(); ++r) {
      const models::ReportLayout& layout = run_->reports()[r];
      all[layout.name.c_str()] =
          nb::make_tuple(layout.start_ms, layout.every_ms,
                         array_of(run_->samples(r)).attr("reshape")(-1, columns_of(layout)));
    }
    return all;
  }

  /// by: {report: [sample, element]}
  std::vector<double> by_values(const std::map<std::string, Derivatives>& by) {
    std::vector<std::vector<double>> by_samples(run_->reports().size());
    for (const auto& [name, numbers] : by) {
      std::size_t r = 0;
      while (r < by_samples.size() && run_->reports()[r].name != name) ++r;
      if (r == by_samples.size()) throw UsageError("nothing that is recorded is called " + name);
      if (numbers.shape(1) != columns_of(run_->reports()[r]))
        throw UsageError(name + ": derivatives have the form of what is recorded");
      by_samples[r].assign(numbers.data(), numbers.data() + numbers.size());
    }
    std::vector<double> found;
    worker_.do_job(
        activity_, [&] { found = run_->by_values(by_samples, listener_); }, [] {});
    return found;
  }

  std::size_t tape_bytes() const { return run_->tape_bytes(); }

 private:
  static std::size_t columns_of(const models::ReportLayout& layout) {
    return layout.element_ids.size();
  }

  simulator::Activity activity_;
  session::Listener listener_;
  Worker worker_;
  std::unique_ptr<session::DerivedRun> run_;
};

}  // namespace

void bind_gradients(nb::module_& module) {
  nb::class_<DerivedRun>(module, "DerivedRun")
      .def(nb::init<const std::string&, std::optional<std::string>, const Files&, const Arrays&,
                    const Overrides&, const std::string&, const nb::callable&,
                    const session::ModelValues&, std::size_t, int>(),
           "file"_a, "text"_a.none(), "files"_a, "arrays"_a, "overrides"_a, "library"_a,
           "announce"_a, "values"_a, "most_bytes"_a, "threads"_a)
      .def_prop_ro("samples", &DerivedRun::samples)
      .def_prop_ro("tape_bytes", &DerivedRun::tape_bytes)
      .def("by_values", &DerivedRun::by_values, "by"_a);
}

}  // namespace hillock::python
