#include "simulator/backends/device/points/point_engine.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "core/state/state_parts.hpp"
#include "simulator/backends/device/points/point_parts.hpp"
#include "simulator/backends/device/points/point_program.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

namespace {

/// So long is an epoch that spikes of it take no more memory, if it may be.
constexpr std::size_t wanted_spikes = std::size_t{1} << 24;

class PointEngine final : public Engine {
 public:
  PointEngine(NetworkPlan& plan, EnginePart part, const EngineOptions& options)
      : plan_(plan),
        options_(options),
        limits_(limits_of_device()),
        part_(std::move(part)),
        crew_(part_.work(plan), options.threads),
        populations_(lay_out_points(plan, part_.ranges, crew_, options)) {
    for (const PointPopulation& population : populations_) neurons_ += population.neurons;
  }
  ~PointEngine() override { device::wait_before_leaving(); }

  EngineTraits traits() const override {
    const auto steps = wanted_spikes / std::max<std::size_t>(1, neurons_);
    return {.free_steps = static_cast<std::int64_t>(std::max<std::size_t>(1, steps)),
            .takes_two = program_ && program_->takes_two()};
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    each_part([&](PointPart& part) { part.begun.number_columns(reports); });
    options_.activity->begin("preparing kernels");
    const DeviceBytes before = part_.memory.bytes();
    program_.emplace(populations_, plan_, limits_, options_, part_);
    program_->prepare(epoch_steps, reports);
    program_->put_variables();
    const DeviceBytes& after = part_.memory.bytes();
    state_bytes_ = after.of(DeviceUse::cells) - before.of(DeviceUse::cells);
    connection_bytes_ = after.of(DeviceUse::connections) - before.of(DeviceUse::connections);
  }

  void exchange_gaps(const GapSwap&) override {}  // these have no membrane
  void follow_gaps() override {}

  void start(EpochResult& result) override {
    each_part([&](PointPart& part) { part.begun.sample_start(plan_.run.samples, result.samples); });
    program_->sample_start(result.samples);
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    now_ = epoch.last;
    program_->start_epoch(epoch, spikes, std::exchange(is_resumed_, false));
    under_way_.push_back(&result);
  }

  void finish() override {
    if (under_way_.empty()) return;  // after start()
    EpochResult& result = *under_way_.front();
    under_way_.pop_front();
    result.spikes.assign(1, {});
    program_->finish_epoch(result);
  }

  State save() override {
    program_->fetch_variables();
    program_->fetch_plastic(now_);
    std::vector<State> parts(1);
    StateWalk walk(parts.front());
    walk_all(walk);
    program_->end_plastic();
    return joined(std::move(parts));
  }
  void restore(StateReader& state, const network::Resumed& at) override {
    StateWalk walk(state);
    program_->begin_plastic();
    walk_all(walk);
    program_->put_variables();
    program_->put_plastic(at.step);
    program_->resume_at(at.step);
    is_resumed_ = true;
  }

  EngineReport report() const override {
    EngineReport report{.groups = populations_.size(),
                        .state_bytes = state_bytes_,
                        .connection_bytes = connection_bytes_};
    if (program_) program_->report(report.device);
    return report;
  }

 private:
  template <class Body>
  void each_part(const Body& body) {
    for (PointPopulation& population : populations_)
      for (PointPart& part : population.parts) body(part);
  }

  void walk_all(StateWalk& walk) {
    for (std::size_t p = 0; p < populations_.size(); ++p)
      for (PointPart& part : populations_[p].parts) {
        part.begun.walk(walk, plan_.run);
        part.trains.walk(walk);
        program_->walk_plastic(walk, p, part, now_);
      }
  }

  NetworkPlan& plan_;
  EngineOptions options_;
  DeviceLimits limits_;
  EnginePart part_;
  Crew crew_;
  std::vector<PointPopulation> populations_;
  std::size_t neurons_ = 0;
  std::size_t state_bytes_ = 0, connection_bytes_ = 0;
  std::optional<PointProgram> program_;
  std::int64_t now_ = 0;     ///< where the last epoch ends
  bool is_resumed_ = false;  ///< the next launch brings spikes that the device does not know
  std::deque<EpochResult*> under_way_;  ///< two at most
};

}  // namespace

std::unique_ptr<Engine> make_point_engine(NetworkPlan& plan, EnginePart part,
                                          const EngineOptions& options) {
  return std::make_unique<PointEngine>(plan, std::move(part), options);
}

}  // namespace hillock::simulator::on_device
