#include "simulator/session/derived_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "core/errors/errors.hpp"
#include "simulator/backends/taped/taped_engine.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

using simulator::taped::CellDerivatives;
using simulator::taped::TapedEngine;

class Samples final : public simulator::RunSink {
 public:
  explicit Samples(std::size_t reports) : of_(reports) {}
  void spikes(std::span<const network::CellSpike>) override {}
  void rows(std::size_t report, std::vector<double> rows) override {
    of_[report].insert(of_[report].end(), rows.begin(), rows.end());
  }
  const std::vector<double>& of(std::size_t report) const { return of_[report]; }

 private:
  std::vector<std::vector<double>> of_;
};

ModelSource with_values(ModelSource source, const ModelValues& values) {
  for (const auto& [path, number] : values)
    source.overrides.push_back({path, fmt::format("{}", number), true});
  return source;
}

/// A model made ready, with its steps kept.
struct TapedModel {
  TapedModel(const ModelSource& source, int threads, const simulator::Taping& how,
             const Listener& listener)
      : model(load_model(source, OwnMechanisms::loaded, Use::run, listener)), taping(how) {
    simulator::SimulationOptions options;
    options.mechanisms = model.mechanisms;
    options.threads = threads;
    options.activity = &listener.activity;
    options.announce = listener.announce;
    options.taping = &taping;
    simulation = std::make_unique<simulator::Simulation>(model.network, options);
  }

  LoadedModel model;
  simulator::Taping taping;
  std::unique_ptr<simulator::Simulation> simulation;
};

/// All numbers that cells begin with, in an order that depends on the cells' form alone; of
/// variables those by which there are derivatives.
class Beginning {
 public:
  explicit Beginning(const std::vector<std::vector<CellDerivatives>>& by) : by_(by) {
    for (const auto& range : by)
      for (const CellDerivatives& cell : range) {
        add(cell.v_mV);
        add(cell.coupling_uS);
        add(cell.capacity_uS);
        for (const auto& ion : cell.ions) {
          add(ion.reversal_mV);
          add(ion.inside_mM);
          add(ion.outside_mM);
        }
        for (const auto& block : cell.columns)
          for (const auto& column : block) add(column);
        for (const auto& weight : cell.weights) derivatives_.push_back(weight.derivative);
      }
  }

  const std::vector<double>& derivatives() const { return derivatives_; }

  /// Throws UsageError where they have another form.
  std::vector<double> numbers_of(const std::vector<TapedEngine::Begun>& begun) const {
    std::vector<double> numbers;
    const auto put = [&](const auto& some) {
      for (std::size_t i = 0; i < some.size(); ++i) numbers.push_back(some[i]);
    };
    check(begun.size() == by_.size());
    for (std::size_t r = 0; r < begun.size(); ++r) {
      check(begun[r].cells.size() == by_[r].size());
      for (std::size_t c = 0; c < by_[r].size(); ++c) {
        const simulator::begin::BegunCell& cell = begun[r].cells[c];
        const CellDerivatives& by = by_[r][c];
        check(cell.v_mV.size() == by.v_mV.size() && cell.blocks.size() == by.columns.size());
        put(cell.v_mV);
        put(cell.coupling_uS);
        put(cell.capacity_uS);
        for (const simulator::begin::BegunIon& ion : cell.ions) {
          put(ion.reversal_mV);
          put(ion.inside_mM);
          put(ion.outside_mM);
        }
        for (std::size_t b = 0; b < cell.blocks.size(); ++b)
          for (std::size_t v = 0; v < by.columns[b].size(); ++v) {
            if (by.columns[b][v].empty()) continue;
            check(cell.blocks[b].rows.size() == by.columns[b][v].size());
            put(cell.blocks[b].columns[v]);
          }
        for (const auto& weight : by.weights)
          numbers.push_back(begun[r].weights[weight.table][weight.connection]);
      }
    }
    check(numbers.size() == derivatives_.size());
    return numbers;
  }

 private:
  static void check(bool is_so) {
    if (!is_so) throw UsageError("changes which compartments, instances or connections there are");
  }
  void add(const std::vector<double>& some) {
    derivatives_.insert(derivatives_.end(), some.begin(), some.end());
  }

  const std::vector<std::vector<CellDerivatives>>& by_;
  std::vector<double> derivatives_;
};

/// Throws UsageError where a run has changed by more than what it is derived by.
void check_held(const std::vector<TapedEngine::Begun>& one,
                const std::vector<TapedEngine::Begun>& other) {
  for (std::size_t r = 0; r < one.size(); ++r) {
    for (const auto& [what, numbers] : one[r].held)
      if (numbers != other[r].held.at(what)) throw UsageError("changes " + what);
    for (std::size_t c = 0; c < one[r].cells.size(); ++c)
      for (std::size_t b = 0; b < one[r].cells[c].blocks.size(); ++b)
        if (one[r].cells[c].blocks[b].mechanism->source !=
            other[r].cells[c].blocks[b].mechanism->source)
          throw UsageError("changes a mechanism");
  }
}

/// A derivative of fourth order: a sum of differences over a step, of what is so many steps from
/// here. What does not change has none to the last digit.
struct Stencil {
  struct Pair {
    double ahead, behind, share;
  };
  std::vector<Pair> pairs;
  double step;
};
Stencil stencil_at(double number) {
  constexpr double relative = 1e-3;
  if (number != 0) return {{{1, -1, 2.0 / 3}, {2, -2, -1.0 / 12}}, std::abs(number) * relative};
  // Less may be out of limits.
  return {{{1, 0, 4}, {2, 0, -3}, {3, 0, 4.0 / 3}, {4, 0, -0.25}}, relative};
}

/// Whether all numbers are midway, to rounding, between what they are a step behind and ahead: then
/// so many suffice. behind may be the middle itself, which says nothing.
bool are_on_lines(const std::vector<double>& behind, const std::vector<double>& middle,
                  const std::vector<double>& ahead) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  if (behind == middle) return ahead == middle;
  for (std::size_t i = 0; i < middle.size(); ++i)
    if (std::abs(ahead[i] + behind[i] - 2 * middle[i]) > rounding * std::abs(middle[i]))
      return false;
  return true;
}

}  // namespace

struct DerivedRun::Parts {
  ModelSource source;
  ModelValues values;
  int threads;
  TapedModel model;
  Samples samples;

  /// The number's derivative by the value. begun_numbers: of the beginning.
  double by_value(std::size_t k, const Beginning& beginning,
                  const std::vector<double>& begun_numbers, const Listener& listener) const;
};

DerivedRun::DerivedRun(const ModelSource& source, ModelValues values, std::size_t most_bytes,
                       int threads, const Listener& listener, const std::function<void()>& heard)
    : parts_(new Parts{source,
                       values,
                       threads,
                       {with_values(source, values), threads, {.most_bytes = most_bytes}, listener},
                       Samples(0)}) {
  simulator::Simulation& simulation = *parts_->model.simulation;
  parts_->samples = Samples(simulation.reports().size());
  simulation.run(parts_->samples, [&](const simulator::Progress&) { heard(); });
}

DerivedRun::~DerivedRun() = default;

const models::Network& DerivedRun::network() const {
  return parts_->model.model.network;
}
const std::vector<models::ReportLayout>& DerivedRun::reports() const {
  return parts_->model.simulation->reports();
}
const std::vector<double>& DerivedRun::samples(std::size_t report) const {
  return parts_->samples.of(report);
}
std::size_t DerivedRun::tape_bytes() const {
  return parts_->model.taping.engine->tape_bytes();
}

double DerivedRun::Parts::by_value(std::size_t k, const Beginning& beginning,
                                   const std::vector<double>& begun_numbers,
                                   const Listener& listener) const {
  const auto& [path, number] = values[k];
  const Stencil stencil = stencil_at(number);
  const auto numbers_at = [&](double steps) {
    ModelValues beside_these = values;
    beside_these[k].second = number + steps * stencil.step;
    const TapedModel beside(with_values(source, beside_these), 1, {.is_only_begun = true},
                            listener);
    const auto& begun = beside.taping.engine->begun();
    std::vector<double> numbers = beginning.numbers_of(begun);
    check_held(model.taping.engine->begun(), begun);
    return numbers;
  };
  double sum = 0;
  try {
    for (const Stencil::Pair& pair : stencil.pairs) {
      const std::vector<double> ahead = numbers_at(pair.ahead), behind = numbers_at(pair.behind);
      double product = 0;
      for (std::size_t i = 0; i < ahead.size(); ++i)
        if (ahead[i] != behind[i]) product += beginning.derivatives()[i] * (ahead[i] - behind[i]);
      if (are_on_lines(behind, begun_numbers, ahead)) {
        sum = product / (pair.ahead - pair.behind);
        break;
      }
      sum += pair.share * product;
    }
  } catch (const UsageError& problem) {
    throw UsageError(fmt::format("there is no derivative by {}: it {}", path, problem.what()));
  }
  if (!std::isfinite(sum))
    throw UsageError(
        fmt::format("there is no derivative by {}: what comes out is no finite number", path));
  return sum / stencil.step;
}

std::vector<double> DerivedRun::by_values(const std::vector<std::vector<double>>& by_samples,
                                          const Listener& listener) const {
  std::vector<simulator::taped::SampleDerivatives> samples(reports().size());
  for (std::size_t report = 0; report < samples.size() && report < by_samples.size(); ++report) {
    if (by_samples[report].empty()) continue;
    const std::vector<double>& recorded = this->samples(report);
    if (by_samples[report].size() != recorded.size())
      throw UsageError(fmt::format("report {} has {} samples, not {}", reports()[report].name,
                                   recorded.size(), by_samples[report].size()));
    samples[report] = {by_samples[report].data(), reports()[report].node_ids.empty()
                                                      ? 0
                                                      : reports()[report].index_pointers.back()};
  }
  const auto by = parts_->model.taping.engine->undo(samples);
  const Beginning beginning(by);
  const std::vector<double> begun_numbers =
      beginning.numbers_of(parts_->model.taping.engine->begun());
  std::vector<double> derivatives(parts_->values.size());
  simulator::parallel_for(derivatives.size(), parts_->threads, [&](std::size_t k) {
    derivatives[k] = parts_->by_value(k, beginning, begun_numbers, listener);
  });
  return derivatives;
}

}  // namespace hillock::session
