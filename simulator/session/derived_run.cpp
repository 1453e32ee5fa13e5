#include "simulator/session/derived_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "core/errors/errors.hpp"
#include "io/model/cells/known_morphologies.hpp"
#include "simulator/backends/taped/taped_engine.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/output/recorded_spikes.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

using simulator::taped::CellDerivatives;
using simulator::taped::TapedEngine;

class Recorded final : public simulator::RunSink {
 public:
  explicit Recorded(std::size_t reports) : of_(reports) {}
  void spikes(std::span<const network::CellSpike> spikes) override {
    spikes_.insert(spikes_.end(), spikes.begin(), spikes.end());
  }
  void rows(std::size_t report, std::vector<double> rows) override {
    of_[report].insert(of_[report].end(), rows.begin(), rows.end());
  }
  const std::vector<double>& of(std::size_t report) const { return of_[report]; }
  const std::vector<network::CellSpike>& all_spikes() const { return spikes_; }

 private:
  std::vector<std::vector<double>> of_;
  std::vector<network::CellSpike> spikes_;
};

ModelSource with_values(ModelSource source, const ModelValues& values) {
  // The same model is read again and again.
  static const auto known = std::make_shared<io::KnownMorphologies>();
  source.known_morphologies = known;
  for (const auto& [path, number] : values)
    source.overrides.push_back({path, fmt::format("{}", number), true});
  return source;
}

std::unique_ptr<simulator::Simulation> taped(const LoadedModel& model, simulator::Backend backend,
                                             int threads, simulator::Taping& taping,
                                             const Listener& listener) {
  simulator::SimulationOptions options;
  options.mechanisms = model.mechanisms;
  options.backend = backend;
  options.threads = threads;
  options.activity = &listener.activity;
  options.announce = listener.announce;
  options.taping = &taping;
  return std::make_unique<simulator::Simulation>(model.network, options);
}

/// A model made ready, with its steps kept.
struct TapedModel {
  TapedModel(const ModelSource& source, simulator::Backend backend, int threads,
             const simulator::Taping& how, const Listener& listener)
      : model(load_model(source, OwnMechanisms::loaded, Use::run, listener)),
        taping(how),
        simulation(taped(model, backend, threads, taping, listener)) {}

  LoadedModel model;
  simulator::Taping taping;
  std::unique_ptr<simulator::Simulation> simulation;
};

using Derivatives = std::vector<TapedEngine::RangeDerivatives>;

void check_form(bool is_it) {
  if (!is_it)
    throw UsageError("changes which compartments, instances, connections or events there are");
}

template <class Numbers, class Body>
void for_pairs(const std::vector<double>& derivatives, const Numbers& numbers, const Body& body) {
  check_form(derivatives.size() == numbers.size());
  for (std::size_t i = 0; i < derivatives.size(); ++i) body(derivatives[i], numbers[i]);
}

/// Calls body(derivative, number) for all numbers that a cell begins with; of variables those by
/// which there are derivatives. Throws UsageError where they have another form.
template <class Body>
void for_numbers_of(const CellDerivatives& by, const simulator::begin::BegunCell& cell,
                    const Body& body) {
  const auto pair = [&](const auto& derivatives, const auto& numbers) {
    for_pairs(derivatives, numbers, body);
  };
  pair(by.v_mV, cell.v_mV);
  pair(by.coupling_uS, cell.coupling_uS);
  pair(by.capacity_uS, cell.capacity_uS);
  check_form(by.ions.size() == cell.ions.size() && by.columns.size() == cell.blocks.size());
  for (std::size_t k = 0; k < cell.ions.size(); ++k) {
    pair(by.ions[k].reversal_mV, cell.ions[k].reversal_mV);
    pair(by.ions[k].inside_mM, cell.ions[k].inside_mM);
    pair(by.ions[k].outside_mM, cell.ions[k].outside_mM);
  }
  for (std::size_t b = 0; b < cell.blocks.size(); ++b) {
    check_form(by.columns[b].size() == cell.blocks[b].columns.size());
    for (std::size_t v = 0; v < by.columns[b].size(); ++v)
      if (!by.columns[b][v].empty()) pair(by.columns[b][v], cell.blocks[b].columns[v]);
  }
  body(by.threshold_mV, cell.population->threshold_mV);
}

/// The same of the connections and trains of a range.
template <class Body>
void for_numbers_between(const TapedEngine::RangeDerivatives& by, const TapedEngine::Begun& begun,
                         const Body& body) {
  check_form(begun.tables.size() == by.weights.size() &&
             begun.trains.size() == by.arrivals_ms.size());
  for (std::size_t t = 0; t < by.weights.size(); ++t) {
    for_pairs(by.weights[t], begun.tables[t].weights, body);
    for_pairs(by.delays_ms[t], begun.tables[t].delays_ms, body);
  }
  for (std::size_t t = 0; t < by.arrivals_ms.size(); ++t) {
    network::DrivenCell driven = begun.trains[t];
    for (const double derivative : by.arrivals_ms[t]) {
      check_form(std::isfinite(driven.train.next_ms()));
      body(derivative, driven.train.next_ms() + driven.delay_ms);
      driven.train.advance();
    }
  }
}

/// of(derivative, number) of all of them, range by range its cells' and those between.
template <class Of>
void list_numbers(Slopes::Numbers& all, const Derivatives& by,
                  const std::vector<TapedEngine::Begun>& begun, int threads, const Of& of) {
  check_form(begun.size() == by.size());
  struct Part {
    std::size_t range, cell, first;  ///< cell: behind the last, those between
  };
  std::vector<Part> parts;
  std::size_t count = 0;
  const auto counts = [&](double, double) { ++count; };
  for (std::size_t r = 0; r < by.size(); ++r) {
    check_form(begun[r].cells.size() == by[r].cells.size());
    for (std::size_t c = 0; c < by[r].cells.size(); ++c) {
      parts.push_back({r, c, count});
      for_numbers_of(by[r].cells[c], begun[r].cells[c], counts);
    }
    parts.push_back({r, by[r].cells.size(), count});
    for_numbers_between(by[r], begun[r], counts);
  }
  all.resize(count);
  simulator::parallel_for(parts.size(), threads, [&](std::size_t p) {
    const auto [r, c, first] = parts[p];
    double* to = all.data() + first;
    const auto put = [&](double derivative, double number) { *to++ = of(derivative, number); };
    if (c < by[r].cells.size())
      for_numbers_of(by[r].cells[c], begun[r].cells[c], put);
    else
      for_numbers_between(by[r], begun[r], put);
  });
}

/// Throws UsageError where a run has changed by more than what it is derived by.
void check_held(const std::vector<TapedEngine::Begun>& one,
                const std::vector<TapedEngine::Begun>& other) {
  for (std::size_t r = 0; r < one.size(); ++r) {
    for (std::size_t t = 0; t < one[r].tables.size(); ++t)
      check_form(one[r].tables[t].sources == other[r].tables[t].sources &&
                 one[r].tables[t].instances == other[r].tables[t].instances);
    for (const auto& [what, numbers] : one[r].held)
      if (numbers != other[r].held.at(what)) throw UsageError("changes " + what);
    for (std::size_t c = 0; c < one[r].cells.size(); ++c)
      for (std::size_t b = 0; b < one[r].cells[c].blocks.size(); ++b)
        if (one[r].cells[c].blocks[b].mechanism->source !=
            other[r].cells[c].blocks[b].mechanism->source)
          throw UsageError("changes a mechanism");
  }
}

}  // namespace

struct DerivedRun::Parts {
  ModelSource source;
  ModelValues values;
  int threads;
  TapedModel model;
  Recorded recorded;
  std::vector<RecordedSpikes> spikes;
  std::optional<Slopes> slopes;  ///< once somebody has asked
  Slopes::Numbers derivatives;   ///< of the last time: room that is there

  /// Those that the model records, by population.
  void sort_spikes();
  std::vector<TapedEngine::RangeDerivatives> undo(const ByOutput& by) const;
  /// The numbers of `by` with other values.
  Slopes::Numbers numbers_with(const ModelValues& others, const Derivatives& by,
                               const Listener& listener) const;
};

DerivedRun::DerivedRun(const ModelSource& source, ModelValues values, simulator::Backend backend,
                       std::size_t most_bytes, int threads, const Listener& listener,
                       const std::function<void()>& heard)
    : parts_(new Parts{
          source,
          values,
          threads,
          {with_values(source, values), backend, threads, {.most_bytes = most_bytes}, listener},
          Recorded(0),
          {},
          {},
          {}}) {
  simulator::Simulation& simulation = *parts_->model.simulation;
  parts_->recorded = Recorded(simulation.reports().size());
  simulation.run(parts_->recorded, [&](const simulator::Progress&) { heard(); });
  parts_->sort_spikes();
}

DerivedRun::~DerivedRun() = default;

const models::Network& DerivedRun::network() const {
  return parts_->model.model.network;
}
const std::vector<models::ReportLayout>& DerivedRun::reports() const {
  return parts_->model.simulation->reports();
}
const std::vector<double>& DerivedRun::samples(std::size_t report) const {
  return parts_->recorded.of(report);
}
const std::vector<DerivedRun::RecordedSpikes>& DerivedRun::spikes() const {
  return parts_->spikes;
}
std::size_t DerivedRun::tape_bytes() const {
  return parts_->model.taping.engine->tape_bytes();
}

Slopes::Numbers DerivedRun::Parts::numbers_with(const ModelValues& others, const Derivatives& by,
                                                const Listener& listener) const {
  const TapedModel beside(with_values(source, others), simulator::Backend::cpu, threads,
                          {.is_only_begun = true}, listener);
  const auto& begun = beside.taping.engine->begun();
  Slopes::Numbers numbers;
  list_numbers(numbers, by, begun, threads, [](double, double number) { return number; });
  check_held(model.taping.engine->begun(), begun);
  return numbers;
}

void DerivedRun::Parts::sort_spikes() {
  simulator::RecordedSpikes by_population(model.model.network);
  for (const std::string& population : by_population.populations())
    spikes.emplace_back().population = population;
  std::vector<std::vector<std::pair<models::RecordedSpike, std::size_t>>> found(spikes.size());
  const std::vector<network::CellSpike>& all = recorded.all_spikes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto recorded_of = by_population.by_population({&all[i], 1});
    for (std::size_t p = 0; p < recorded_of.size(); ++p)
      for (const models::RecordedSpike& one : recorded_of[p]) found[p].emplace_back(one, i);
  }
  for (std::size_t p = 0; p < found.size(); ++p) {
    std::ranges::sort(found[p]);
    for (const auto& [one, number] : found[p]) {
      spikes[p].times_ms.push_back(one.time_ms);
      spikes[p].nodes.push_back(one.node_id);
      spikes[p].numbers.push_back(number);
    }
  }
}

std::vector<TapedEngine::RangeDerivatives> DerivedRun::Parts::undo(const ByOutput& by) const {
  const auto& reports = model.simulation->reports();
  std::vector<simulator::taped::SampleDerivatives> samples(reports.size());
  for (std::size_t r = 0; r < samples.size() && r < by.samples.size(); ++r) {
    if (by.samples[r].empty()) continue;
    const std::vector<double>& its = recorded.of(r);
    if (by.samples[r].size() != its.size())
      throw UsageError(fmt::format("report {} has {} samples, not {}", reports[r].name, its.size(),
                                   by.samples[r].size()));
    samples[r] = {by.samples[r].data(),
                  reports[r].node_ids.empty() ? 0 : reports[r].index_pointers.back()};
  }
  std::vector<TapedEngine::SpikeDerivative> by_spikes;
  for (std::size_t p = 0; p < spikes.size() && p < by.spikes.size(); ++p) {
    if (by.spikes[p].empty()) continue;
    if (by.spikes[p].size() != spikes[p].numbers.size())
      throw UsageError(fmt::format("{} has {} spikes, not {}", spikes[p].population,
                                   spikes[p].numbers.size(), by.spikes[p].size()));
    for (std::size_t i = 0; i < spikes[p].numbers.size(); ++i)
      by_spikes.push_back({recorded.all_spikes()[spikes[p].numbers[i]], by.spikes[p][i]});
  }
  return model.taping.engine->undo(samples, by_spikes);
}

DerivedRun::ByBeginning DerivedRun::by_beginning(const ByOutput& output,
                                                 const Listener& listener) const {
  const auto by = parts_->undo(output);
  const auto& begun = parts_->model.taping.engine->begun();
  const int threads = parts_->threads;
  list_numbers(parts_->derivatives, by, begun, threads,
               [](double derivative, double) { return derivative; });
  if (!parts_->slopes) {
    Slopes::Numbers numbers;
    list_numbers(numbers, by, begun, threads, [](double, double number) { return number; });
    parts_->slopes.emplace(parts_->values, std::move(numbers), threads);
  }
  ByBeginning found;
  found.values = parts_->slopes->derivatives(parts_->derivatives, [&](const ModelValues& others) {
    return parts_->numbers_with(others, by, listener);
  });
  found.connections.resize(network().projections.size());
  for (std::size_t r = 0; r < by.size(); ++r)
    for (std::size_t t = 0; t < begun[r].projections; ++t) {
      const TapedEngine::Connections& table = begun[r].tables[t];
      for (std::size_t e = 0; e < table.weights.size(); ++e)
        found.connections[table.projection].push_back(
            {table.sources[e], table.targets[e], by[r].weights[t][e], by[r].delays_ms[t][e]});
    }
  for (auto& some : found.connections)
    std::ranges::stable_sort(
        some, {}, [](const ByConnection& one) { return std::pair(one.target, one.source); });
  return found;
}

GradientMemory gradient_memory(const LoadedModel& model, int threads, const Listener& listener) {
  simulator::Taping taping;
  const auto simulation = taped(model, simulator::Backend::cpu, threads, taping, listener);
  const TapedEngine::TapeBounds bounds = taping.engine->tape_bounds();
  return {bounds.most_bytes, bounds.least_bytes};
}

}  // namespace hillock::session
