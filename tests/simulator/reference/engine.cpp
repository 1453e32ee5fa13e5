// In place of a device's engine: all cells one after the other, on one thread.

#include <stdexcept>

#include "simulator/backends/device/device_engine.hpp"
#include "tests/simulator/reference/range.hpp"
#include "tests/simulator/reference/roundoff.hpp"

namespace hillock::simulator {

namespace reference {

namespace {

class ReferenceEngine final : public Engine {
 public:
  ReferenceEngine(NetworkPlan& plan, const on_device::EngineOptions& options) {
    refuse_if(plan.has_gap_junctions, "gap junctions");
    refuse_if(plan.wired != nullptr, "a wiring");
    roundoff() = {};
    for (std::size_t r = 0; r < plan.ranges.size(); ++r) {
      RangePlan range = make_range(plan, r, *options.activity);
      const auto make = range.population->is_point_neuron ? make_points : make_cells;
      ranges_.push_back(make(std::move(range), plan.run, *options.beginner));
    }
  }

  EngineTraits traits() const override { return {.launch_waits = true}; }
  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    for (const auto& range : ranges_) range->prepare(epoch_steps, reports);
  }
  void start(EpochResult& result) override {
    result.spikes.clear();
    for (const auto& range : ranges_) range->start(result);
  }
  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    const network::SpikeLists arriving(spikes.begin(), spikes.end());  // may be the result's own
    result.spikes.clear();
    for (const auto& range : ranges_) range->launch(epoch, arriving, result);
  }
  void finish() override {}
  void exchange_gaps(const GapSwap&) override {}
  void follow_gaps() override {}
  State save() override { throw std::logic_error("the reference saves nothing"); }
  void restore(StateReader&, const network::Resumed&) override {
    throw std::logic_error("the reference resumes nothing");
  }
  EngineReport report() const override { return {}; }

 private:
  std::vector<std::unique_ptr<Range>> ranges_;
};

}  // namespace

}  // namespace reference

std::unique_ptr<Engine> on_device::make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<reference::ReferenceEngine>(plan, options);
}

}  // namespace hillock::simulator
