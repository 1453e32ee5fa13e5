#include "simulator/backends/device/device_engine.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/state/state_parts.hpp"
#include "simulator/backends/device/cells/cell_engine.hpp"
#include "simulator/backends/device/compiler/nvrtc.hpp"
#include "simulator/backends/device/points/point_engine.hpp"
#include "simulator/backends/unsupported_on_device.hpp"
#include "simulator/plan/network/epoch_length.hpp"
#include "simulator/plan/range/range_builder.hpp"

namespace hillock::simulator::on_device {

namespace {

/// An artificial cell may spike twice in a step; plastic synapses on a device know one of them.
void refuse_plastic_sources(const NetworkPlan& plan) {
  for (const models::Projection& projection : plan.sources->network.projections) {
    const PopulationPlan& from = *plan.populations[projection.from.population.value];
    if (projection.stdp && from.is_artificial && !from.is_point_neuron)
      throw UnsupportedOnDevice(
          projection.place, "plasticity where artificial cells project is not there yet on a GPU");
  }
}

/// The point neurons of a network and its other cells: an engine each, which hears of the other's
/// spikes as of another rank's. Both run an epoch at the same time.
class DeviceEngine final : public Engine {
 public:
  DeviceEngine(NetworkPlan& plan, const EngineOptions& options)
      : plan_(plan),
        options_(options),
        memory_(options.is_only_counted ? DeviceMemory::Kind::counted : DeviceMemory::Kind::taken) {
    const auto is_point = [](const auto& population) { return population->is_point_neuron; };
    refuse_plastic_sources(plan);
    if (plan.run.given_draws)
      throw UnsupportedOnDevice({},
                                "random numbers that a run is given are not there yet on a GPU");
    if (plan.run.guests)
      throw UnsupportedOnDevice({}, "what the process computes is not there yet on a GPU");
    if (plan.wired)
      throw UnsupportedOnDevice(plan.sources->network.wiring->place,
                                "a wiring is not there yet on a GPU");
    has_points_ = std::ranges::any_of(plan.populations, is_point);
    const bool has_cells = !has_points_ || !std::ranges::all_of(plan.populations, is_point);
    EnginePart points{{}, 0, memory_}, cells{{}, 0, memory_};
    for (std::size_t r = 0; r < plan.ranges.size(); ++r) {
      const bool is_of_points = is_point(plan.ranges[r].population);
      (is_of_points ? points : cells).ranges.push_back(r);
      (is_of_points ? cells : points).other_cells += plan.ranges[r].cell_count();
    }
    if (has_cells) engines_.push_back(make_cell_engine(plan, std::move(cells), options));
    if (has_points_) engines_.push_back(make_point_engine(plan, std::move(points), options));
  }

  EngineTraits traits() const override {
    EngineTraits traits{.takes_two = true};
    for (const auto& engine : engines_)
      traits.takes_two = traits.takes_two && engine->traits().takes_two;
    traits.sums_potentials = engines_.front()->traits().sums_potentials;
    if (has_points_)
      traits.free_steps =
          std::min(engines_.back()->traits().free_steps,
                   whole_delay_steps(plan_.shortest_told_delay_ms, plan_.run.dt_ms));
    return traits;
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    if (is_mixed()) {
      engines_.front()->prepare(epoch_steps, reports_of(Kind::cells, reports));
      engines_.back()->prepare(epoch_steps, reports_of(Kind::points, reports));
    } else {
      engines_.front()->prepare(epoch_steps, reports);
    }
    memory_.need_all();
  }

  // Point neurons have no gap junctions, and other cells come first.
  void exchange_gaps(const GapSwap& swap) override { engines_.front()->exchange_gaps(swap); }
  void follow_gaps() override { engines_.front()->follow_gaps(); }

  void start(EpochResult& result) override {
    begin(result, [](Engine& engine, EpochResult& own) { engine.start(own); });
  }
  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    begin(result, [&](Engine& engine, EpochResult& own) { engine.launch(epoch, spikes, own); });
  }
  void finish() override {
    std::optional<NumericalFailure> first;
    for (const auto& engine : engines_) {
      try {
        engine->finish();
      } catch (const NumericalFailure& failure) {
        if (!first || is_before(failure, *first)) first = failure;
      }
    }
    if (first) throw *first;
    auto& [result, parts] = under_way_.front();
    result->spikes.clear();
    for (EpochResult& part : parts)
      std::ranges::move(part.spikes, std::back_inserter(result->spikes));
    under_way_.pop_front();
  }

  State save() override {
    std::vector<State> parts;
    for (const auto& engine : engines_) parts.push_back(engine->save());
    return joined(std::move(parts));
  }
  void restore(StateReader& state, const network::Resumed& at) override {
    for (const auto& engine : engines_) engine->restore(state, at);
  }

  // Where there are point neurons nothing is begun again.
  void keep_beginning() override { engines_.front()->keep_beginning(); }
  void begin_again(const FieldFactors& factors) override {
    under_way_.clear();
    engines_.front()->begin_again(factors);
  }
  std::size_t copies() const override { return engines_.front()->copies(); }

  EngineReport report() const override {
    EngineReport all{.device = memory_.report()};
    for (const auto& engine : engines_) {
      EngineReport own = engine->report();
      all.groups += own.groups;
      all.state_bytes += own.state_bytes;
      all.connection_bytes += own.connection_bytes;
      std::ranges::move(own.device.kinds, std::back_inserter(all.device.kinds));
      all.device.kernels += own.device.kernels;
      all.device.grids.started += own.device.grids.started;
      all.device.grids.refused += own.device.grids.refused;
      if (own.device.propagation_reason.empty()) continue;
      all.device.propagation = std::move(own.device.propagation);
      all.device.propagation_reason = std::move(own.device.propagation_reason);
      all.device.turns = std::move(own.device.turns);
    }
    return all;
  }

 private:
  /// An epoch's result, and what it is joined of.
  struct UnderWay {
    EpochResult* result = nullptr;
    std::vector<EpochResult> parts;  ///< [engine]
  };

  enum class Kind { cells, points };

  bool is_mixed() const { return engines_.size() > 1; }

  /// All reports; those of the other kind of cells are empty.
  std::vector<models::ReportLayout> reports_of(Kind kind,
                                               std::span<const models::ReportLayout> all) const {
    std::vector<models::ReportLayout> reports(all.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
      const auto population = std::ranges::find(plan_.populations, all[r].population,
                                                [](const auto& some) { return some->name; });
      if ((*population)->is_point_neuron == (kind == Kind::points)) reports[r] = all[r];
    }
    return reports;
  }

  template <class Start>
  void begin(EpochResult& result, const Start& start) {
    auto& parts = under_way_.emplace_back(&result, std::vector<EpochResult>(engines_.size())).parts;
    for (std::size_t e = 0; e < engines_.size(); ++e) {
      parts[e].samples = result.samples;
      start(*engines_[e], parts[e]);
    }
  }

  /// Whether one is to be told of rather than another: the earlier one, or the first population's.
  bool is_before(const NumericalFailure& one, const NumericalFailure& other) const {
    const auto number_of = [&](const NumericalFailure& failure) {
      return std::ranges::find(plan_.populations, failure.where().population,
                               [](const auto& population) { return population->name; });
    };
    return one.where().time_ms < other.where().time_ms ||
           (one.where().time_ms == other.where().time_ms && number_of(one) < number_of(other));
  }

  NetworkPlan& plan_;
  EngineOptions options_;
  DeviceMemory memory_;
  /// Of other cells, whose kernels wait for one another less, then of point neurons.
  std::vector<std::unique_ptr<Engine>> engines_;
  bool has_points_ = false;
  std::deque<UnderWay> under_way_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<DeviceEngine>(plan, options);
}

std::string describe_kernel_compiler() {
  const auto version = nvrtc_version();
  return version ? "NVRTC " + *version : "none, there is no NVRTC that could be loaded";
}

}  // namespace hillock::simulator::on_device
