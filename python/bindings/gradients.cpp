#include "python/bindings/gradients.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/backend_word.hpp"
#include "python/bindings/model_source.hpp"
#include "python/bindings/worker.hpp"
#include "simulator/loop/backend_choice.hpp"
#include "simulator/session/derived_run.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Derivatives = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using SpikeDerivatives = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class DerivedRun {
 public:
  DerivedRun(const std::string& file, std::optional<std::string> text, const Files& files,
             const Arrays& arrays, const Overrides& overrides, const std::string& library,
             const nb::callable& announce, const session::ModelValues& values,
             const std::string& backend, std::size_t most_bytes, int threads)
      : listener_{activity_, listener_of(announce)} {
    if (threads < 0 || threads > 4096) throw UsageError("threads must be from 1 to 4096");
    const session::ModelSource source =
        source_of(file, std::move(text), files, arrays, overrides, library);
    worker_.do_job(
        activity_,
        [&] {
          run_ = std::make_unique<session::DerivedRun>(
              source, values, simulator::choose_backend(wish_of(backend)).backend, most_bytes,
              threads > 0 ? threads : simulator::available_threads(), listener_, [] {});
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

  /// {population: (times in ms, cells)}
  nb::dict spikes() const {
    nb::dict all;
    for (const auto& some : run_->spikes())
      all[some.population.c_str()] = nb::make_tuple(array_of(some.times_ms), array_of(some.nodes));
    return all;
  }

  /// by: {report: [sample, element]}; by_spikes: {population: [spike]}. Gives derivatives by
  /// values, and of every projection [connection] those by weights and by delays.
  nb::tuple by_beginning(const std::map<std::string, Derivatives>& by,
                         const std::map<std::string, SpikeDerivatives>& by_spikes) {
    session::DerivedRun::ByOutput output;
    output.samples.resize(run_->reports().size());
    for (const auto& [name, numbers] : by) {
      const std::size_t r = number_of(run_->reports(), &models::ReportLayout::name, name);
      if (numbers.shape(1) != columns_of(run_->reports()[r]))
        throw UsageError(name + ": derivatives have the form of what is recorded");
      output.samples[r].assign(numbers.data(), numbers.data() + numbers.size());
    }
    output.spikes.resize(run_->spikes().size());
    for (const auto& [name, numbers] : by_spikes) {
      const std::size_t p =
          number_of(run_->spikes(), &session::DerivedRun::RecordedSpikes::population, name);
      output.spikes[p].assign(numbers.data(), numbers.data() + numbers.size());
    }
    session::DerivedRun::ByBeginning found;
    worker_.do_job(
        activity_, [&] { found = run_->by_beginning(output, listener_); }, [] {});
    nb::list connections;
    for (const auto& some : found.connections) {
      std::vector<double> by_weight, by_delay_ms;
      for (const auto& one : some) {
        by_weight.push_back(one.by_weight);
        by_delay_ms.push_back(one.by_delay_ms);
      }
      connections.append(
          nb::make_tuple(array_of(std::move(by_weight)), array_of(std::move(by_delay_ms))));
    }
    return nb::make_tuple(found.values, connections);
  }

  std::size_t tape_bytes() const { return run_->tape_bytes(); }

 private:
  template <class Some, class Name>
  static std::size_t number_of(const Some& some, Name name_of, const std::string& name) {
    const auto found = std::ranges::find(some, name, name_of);
    if (found == some.end()) throw UsageError("nothing that is recorded is called " + name);
    return static_cast<std::size_t>(found - some.begin());
  }
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
                    const session::ModelValues&, const std::string&, std::size_t, int>(),
           "file"_a, "text"_a.none(), "files"_a, "arrays"_a, "overrides"_a, "library"_a,
           "announce"_a, "values"_a, "backend"_a, "most_bytes"_a, "threads"_a)
      .def_prop_ro("samples", &DerivedRun::samples)
      .def_prop_ro("tape_bytes", &DerivedRun::tape_bytes)
      .def_prop_ro("spikes", &DerivedRun::spikes)
      .def("by_beginning", &DerivedRun::by_beginning, "by"_a, "by_spikes"_a);
}

}  // namespace hillock::python
