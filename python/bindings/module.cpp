// The module hillock._hillock: what the package hillock is built on. Names and units are the C++
// side's; the package gives them their form.

#include <nanobind/nanobind.h>

#include "core/program/option_words.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/features.hpp"
#include "python/bindings/gradients.hpp"
#include "python/bindings/mechanisms.hpp"
#include "python/bindings/model.hpp"
#include "python/bindings/pages.hpp"
#include "python/bindings/ranks.hpp"
#include "python/bindings/recorded.hpp"
#include "python/bindings/simulation.hpp"
#include "python/bindings/thresholds.hpp"

namespace nb = nanobind;

NB_MODULE(_hillock, module) {
  // Objects that a script, an exception or NEURON holds to the end of a process are no bug here.
  nb::set_leak_warnings(false);
  hillock::option_words() = {"set", "force=True replaces it", "output names another place",
                             "force=True begins anew"};
  nb::register_exception_translator(
      [](const std::exception_ptr& failure, void*) { hillock::python::raise(failure); });
  module.attr("version") = HILLOCK_VERSION;
  hillock::python::bind_features(module);
  hillock::python::bind_gradients(module);
  hillock::python::bind_mechanisms(module);
  hillock::python::bind_model(module);
  hillock::python::bind_pages(module);
  hillock::python::bind_ranks(module);
  hillock::python::bind_recorded(module);
  hillock::python::bind_simulation(module);
  hillock::python::bind_thresholds(module);
}
