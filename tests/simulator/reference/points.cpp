#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <variant>

#include "core/errors/errors.hpp"
#include "network/propagation/driven_inputs.hpp"
#include "network/propagation/synapse_table.hpp"
#include "network/trains.hpp"
#include "simulator/plasticity/plastic_table.hpp"
#include "simulator/step/point_step.hpp"
#include "tests/simulator/reference/range.hpp"
#include "tests/simulator/reference/roundoff.hpp"

namespace hillock::simulator::reference {

namespace {

/// A report of a plastic projection's weights.
struct WeightReport {
  std::size_t report = 0;
  PlasticTable* table = nullptr;
  std::vector<std::size_t> columns;  ///< [neuron] its first
};

/// The executor of step/point_step.hpp: neuron after neuron, in numbers by neuron and variable.
class Points final : public Range {
 public:
  Points(RangePlan plan, const RunConstants& run, const begin::Beginner& beginner)
      : run_(run),
        info_(*plan.points.front().mechanism->info),
        law_(law_of<double>(*plan.points.front().mechanism)),
        exact_law_(law_of<long double>(*plan.points.front().mechanism)),
        projections_(std::move(plan.projections)),
        stimuli_(std::move(plan.stimuli)),
        step_inputs_(std::move(plan.step_inputs)),
        recorded_weights_(std::move(plan.recorded_weights)),
        trains_(std::move(plan.driven)),
        inputs_(plan.cell_count(), channels()),
        begun_(beginner.points(plan, run)) {
    refuse_if(info_.input < 0 || info_.spike < 0, "neurons without input or spikes");
    neurons_.resize(begun_.indices.size());
    for (std::size_t n = 0; n < neurons_.size(); ++n)
      for (const OneOrMany& column : begun_.columns) neurons_[n].push_back(column[n]);
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    begun_.number_columns(reports);
    grid_ = network::SumGrid(run_.weights.onto(begun_.population->id));
    std::int64_t longest = step().most_in(epoch_steps);
    for (const network::FanInTable& table : projections_) {
      if (const models::Stdp* const stdp = run_.stdp[table.projection]) {
        plastic_tables_.emplace_back(table, neurons_.size(), step(), grid_, *stdp);
      } else {
        const network::SynapsePart part{&table, 0};
        tables_.emplace_back(std::span(&part, 1), neurons_.size(), step(), grid_,
                             run_.weights.of_projection[table.projection], 16, network::one_by_one);
        longest = std::max(longest, tables_.back().longest_steps());
      }
    }
    inputs_.reach(longest);
    for (const RecordedWeights& recorded : recorded_weights_)
      number_weights(recorded, reports[recorded.report]);
  }

  void start(EpochResult& result) override {
    begun_.sample_start(run_.samples, result.samples);
    sample_weights(0, result.samples);
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    const network::InputRingView ring = inputs_.view();
    for (const auto& some : spikes)
      for (const network::SynapseTable& table : tables_) table.pass(some, run_.dt_ms, 0, ring);
    for (PlasticTable& table : plastic_tables_) table.receive(spikes, epoch.first);
    network::drive_inputs(trains_, stimuli_, grid_, step().ended_by(epoch.first),
                          step().ended_by(epoch.last), step().ms,
                          [&](std::int64_t at, std::uint32_t neuron, network::Sum weight) {
                            ring.add(at, neuron, weight);
                          });
    for (std::int64_t step = epoch.first; step < epoch.last; ++step) take_step(step, result);
    result.spikes.push_back(std::exchange(spikes_, {}));
  }

  // As step/point_step.hpp asks for.
  long long run_steps() const { return step().run_steps; }
  double dt_ms() const { return step().ms; }
  void take_inputs(std::int64_t own);
  bool advance(double end_ms, bool settles, bool is_checked);
  void check_finite(std::int64_t step) const;

 private:
  const models::PointStep& step() const { return begun_.population->step; }
  std::size_t channels() const { return info_.negative_input < 0 ? 1 : 2; }
  CellId id_of(std::size_t neuron) const {
    return CellId(begun_.population->first.value + begun_.indices[neuron]);
  }
  void take_step(std::int64_t step, EpochResult& result);
  void sample(std::int64_t step, std::span<const SampleBuffer> samples) const;
  void number_weights(const RecordedWeights& recorded, const models::ReportLayout& layout);
  void sample_weights(std::int64_t step, std::span<const SampleBuffer> samples);

  const RunConstants& run_;
  const MechanismInfo& info_;
  const Law<double>& law_;
  const Law<long double>& exact_law_;
  std::vector<network::FanInTable> projections_, stimuli_;
  std::vector<StepInput> step_inputs_;
  std::vector<RecordedWeights> recorded_weights_;
  network::Trains trains_;
  network::InputRing inputs_;
  begin::BegunPoints begun_;
  network::SumGrid grid_;
  std::deque<network::SynapseTable> tables_;
  std::deque<PlasticTable> plastic_tables_;
  std::vector<WeightReport> weight_reports_;
  std::vector<std::vector<double>> neurons_;  ///< [neuron][variable]
  std::int64_t own_ = 0;                      ///< the step of theirs that is taken
  std::vector<std::uint32_t> spiking_;        ///< in it
  std::vector<network::CellSpike> spikes_;    ///< of the epoch
};

/// A step of the run, with the weights that change in it.
void Points::take_step(std::int64_t step, EpochResult& result) {
  spiking_.clear();
  for (PlasticTable& table : plastic_tables_) table.arrive(step, inputs_.view());
  step::take_point_step(*this, step, true);
  const double spike_ms =
      static_cast<double>(info_.spikes_at_beginning ? own_ : own_ + 1) * dt_ms();
  for (const std::uint32_t neuron : spiking_) {
    spikes_.push_back({spike_ms, id_of(neuron)});
    for (PlasticTable& table : plastic_tables_)
      table.add_target_spike(neuron, network::arrival_step(spike_ms, run_.dt_ms));
  }
  for (PlasticTable& table : plastic_tables_) table.end_step(step + 1);
  sample(step + 1, result.samples);
  sample_weights(step + 1, result.samples);
}

void Points::take_inputs(std::int64_t own) {
  own_ = own;
  std::vector<double> injected(neurons_.size());
  for (const StepInput& input : step_inputs_)
    if (const auto* counts = std::get_if<EventCounts>(&input))
      counts->add(own, 0, neurons_.size(), inputs_, grid_);
    else if (const auto* noise = std::get_if<GaussianNoise>(&input))
      noise->add(own, 0, injected);
    else if (const auto* current = std::get_if<InjectedCurrent>(&input))
      current->add((static_cast<double>(own) + 0.5) * dt_ms(), 0, injected);
  for (std::size_t n = 0; n < neurons_.size(); ++n) {
    if (info_.injected >= 0) neurons_[n][static_cast<std::size_t>(info_.injected)] = injected[n];
    for (std::size_t channel = 0; channel < channels(); ++channel) {
      network::Sum& sum = inputs_.sums(own, channel)[n];
      neurons_[n][static_cast<std::size_t>(info_.input) + channel] =
          static_cast<double>(sum) * grid_.spacing();
      sum = 0;
    }
  }
}

bool Points::advance(double end_ms, bool settles, bool) {
  const mechanisms::KernelTime end = run_.at(end_ms, dt_ms());
  bool is_finite = true;
  for (std::size_t n = 0; n < neurons_.size(); ++n) {
    std::vector<double>& y = neurons_[n];
    for (auto c = static_cast<std::size_t>(first_settled(info_)); settles && c < y.size(); ++c)
      y[c] = settled(y[c]);
    const std::vector<double> before = y;
    law_.advance(y.data(), 0, end);
    if (Roundoff::looks_at(own_, n)) {
      std::vector<long double> exact = converted<long double>(before);
      exact_law_.advance(exact.data(), 0, end);
      roundoff().add_neuron(info_, before, y, exact);
    }
    for (const double number : y) is_finite = is_finite && std::isfinite(number);
    if (y[static_cast<std::size_t>(info_.spike)] != 0)
      spiking_.push_back(static_cast<std::uint32_t>(n));
  }
  return is_finite;
}

void Points::check_finite(std::int64_t step) const {
  for (std::size_t n = 0; n < neurons_.size(); ++n)
    for (const double number : neurons_[n])
      if (!std::isfinite(number))
        throw NumericalFailure({static_cast<double>(step + 1) * run_.dt_ms, begun_.population->name,
                                begun_.indices[n], ""},
                               "a variable is not a finite number");
}

void Points::sample(std::int64_t step, std::span<const SampleBuffer> samples) const {
  for (const begin::RecordedNumber& number : begun_.recorded) {
    const std::int64_t sample = run_.samples[number.recording].sample_at(step);
    if (sample < 0) continue;
    const double value = number.variable < 0
                             ? 1
                             : neurons_[number.neuron][static_cast<std::size_t>(number.variable)];
    samples[number.recording].row(sample)[number.column] =
        0 + number.factor * value;  // a sum of one
  }
}

/// Neurons are in the order of their indices, here and in the reports.
void Points::number_weights(const RecordedWeights& recorded, const models::ReportLayout& layout) {
  WeightReport& report = weight_reports_.emplace_back();
  report.report = recorded.report;
  for (PlasticTable& table : plastic_tables_)
    if (table.projection() == recorded.projection) report.table = &table;
  for (const std::uint64_t index : begun_.indices) {
    const auto at = std::ranges::lower_bound(layout.node_ids, index);
    const bool has_some = at != layout.node_ids.end() && *at == index;
    report.columns.push_back(
        has_some ? layout.index_pointers[static_cast<std::size_t>(at - layout.node_ids.begin())]
                 : 0);
  }
}

void Points::sample_weights(std::int64_t step, std::span<const SampleBuffer> samples) {
  for (const WeightReport& report : weight_reports_) {
    const std::int64_t sample = run_.samples[report.report].sample_at(step);
    if (sample < 0) continue;
    const SampleBuffer& buffer = samples[report.report];
    double* const to =
        buffer.data + static_cast<std::size_t>(sample - buffer.first_sample) * buffer.columns;
    std::vector<std::size_t> column = report.columns;  // of each neuron the next one
    report.table->each_weight(
        step, [&](std::uint32_t neuron, double weight) { to[column[neuron]++] = weight; });
  }
}

}  // namespace

std::unique_ptr<Range> make_points(RangePlan plan, const RunConstants& run,
                                   const begin::Beginner& beginner) {
  return std::make_unique<Points>(std::move(plan), run, beginner);
}

}  // namespace hillock::simulator::reference
