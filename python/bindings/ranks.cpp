#include "python/bindings/ranks.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>

#include "core/errors/errors.hpp"
#include "python/bindings/model_holder.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Integers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

PopulationId population_of(const models::Network& network, const std::string& name) {
  for (std::uint32_t p = 0; p < network.populations.size(); ++p)
    if (network.populations[p].name == name) return PopulationId(p);
  throw UsageError("there is no population " + name);
}

/// network::Outside of a model, part by part.
class Beside : public OutsideHolder {
 public:
  Beside(const ModelHolder& model, const std::string& elsewhere)
      : OutsideHolder{std::make_shared<network::Outside>()}, model_(model) {
    outside->elsewhere = population_of(network(), elsewhere);
  }

  void leaves(const std::string& population, Integers cells, Integers numbers, Numbers later_ms) {
    const std::uint64_t first = network().first_cell(population_of(network(), population)).value;
    for (std::size_t i = 0; i < cells.size(); ++i)
      outside->leaving[first + cells(i)] = {numbers(i), later_ms(i)};
  }
  void comes(Integers cells, Integers numbers) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      outside->coming.emplace(numbers(i), elsewhere(cells(i)));
  }
  void joins(Integers cells, Integers ranks, Integers numbers) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      outside->gap_peers[elsewhere(cells(i)).value] = {static_cast<int>(ranks(i)), numbers(i)};
  }

 private:
  const models::Network& network() const { return model_.network(); }
  CellId elsewhere(std::uint64_t cell) const {
    return CellId(network().first_cell(outside->elsewhere).value + cell);
  }

  ModelHolder model_;
};

}  // namespace

void bind_ranks(nb::module_& module) {
  nb::class_<RanksHolder>(module, "Ranks")
      .def(
          "__init__",
          [](RanksHolder* self, int count) {
            // Once, and never left: whoever began with MPI ends it.
            static const auto& joined = *new std::shared_ptr<const simulator::Joined>(
                std::make_shared<simulator::Joined>(simulator::join_mpi(count)));
            new (self) RanksHolder{joined};
          },
          "count"_a)
      .def_prop_ro("threads", [](const RanksHolder& self) { return self.joined->threads; })
      .def_prop_ro("have_own_gpus",
                   [](const RanksHolder& self) { return self.joined->have_own_gpus; });
  nb::class_<OutsideHolder>(module, "OutsideHolder");
  nb::class_<Beside, OutsideHolder>(module, "Outside")
      .def(nb::init<const ModelHolder&, const std::string&>(), "model"_a, "elsewhere"_a)
      .def("leaves", &Beside::leaves, "population"_a, "cells"_a, "numbers"_a, "later_ms"_a)
      .def("comes", &Beside::comes, "cells"_a, "numbers"_a)
      .def("joins", &Beside::joins, "cells"_a, "ranks"_a, "numbers"_a);
}

}  // namespace hillock::python
