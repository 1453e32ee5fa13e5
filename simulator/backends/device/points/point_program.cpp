#include "simulator/backends/device/points/point_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "core/errors/errors.hpp"
#include "network/events.hpp"
#include "network/propagation/driven_inputs.hpp"
#include "simulator/backends/device/compiler/kernel_cache.hpp"
#include "simulator/backends/device/points/point_launch.hpp"
#include "simulator/backends/device/points/point_source.hpp"

namespace hillock::simulator::on_device {

namespace {

/// So many warps of a block of run_points at most advance neurons where the others pass spikes.
constexpr unsigned most_neuron_warps = 19;
/// So many spikes of an epoch at most come to the host with what else it is told.
constexpr std::size_t most_told = std::size_t{1} << 16;
/// So many blocks tell them.
constexpr unsigned telling_blocks = 16;

/// $HILLOCK_PENDING_GRIDS: how many grids may wait on the device, for those who know better. With
/// fewer than 64 the device may wait for ever.
std::optional<unsigned> pending_grids() {
  const char* const asked = std::getenv("HILLOCK_PENDING_GRIDS");
  if (!asked) return std::nullopt;
  const std::string text = asked;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 64)
    throw UsageError("HILLOCK_PENDING_GRIDS=" + text + ": a whole number from 64 on is needed");
  return number;
}

}  // namespace

PointProgram::PointProgram(std::vector<PointPopulation>& populations, const NetworkPlan& plan,
                           const DeviceLimits& limits, const EngineOptions& options,
                           const EnginePart& part)
    : populations_(populations),
      plan_(plan),
      limits_(limits),
      memory_(part.memory),
      points_(populations, plan, options, part.memory),
      turns_(plan.run.propagation),
      is_alone_(options.is_alone && part.other_cells == 0) {
  const KernelCache kernels(options.announce);
  load(kernels.code_of(write_points(points_.kinds()), limits.capability));
  blocks_ = count_of(static_cast<std::size_t>(limits.multiprocessors) * 8);
  points_.plastic().load(library_, stream_, blocks_);
  if (!device::machine().launches_together ||
      device::blocks_at_once(run_, {.threads = point_threads_together}) == 0)
    return;
  // Where it runs it leaves other kernels nothing: they get a multiprocessor a cell, up to half.
  const auto multiprocessors = static_cast<std::uint64_t>(limits.multiprocessors);
  together_ = count_of(multiprocessors - std::min(multiprocessors / 2, part.other_cells));
}

PointProgram::~PointProgram() {
  device::drop(stream_);
  device::drop(library_);
}

void PointProgram::load(const std::string& code) {
  // Before kernels of other cells: those of every step wait for the step before.
  stream_ = device::make_stream(device::Urgency::first);
  library_ = device::load(code);
  const std::pair<device::Kernel*, const char*> names[] = {
      {&run_, "run_points"},
      {&begin_, "begin_epoch"},
      {&tell_, "tell_epoch"},
      {&advance_, "advance_points"},
      {&propagate_log_, "propagate_log"},
      {&propagate_neurons_, "propagate_neurons"},
      {&propagate_synapses_, "propagate_synapses"},
      {&add_inputs_, "add_inputs"},
      {&take_samples_, "take_samples"}};
  for (const auto& [kernel, name] : names) *kernel = device::kernel_of(library_, name);
}

void PointProgram::prepare(std::int64_t epoch_steps,
                           std::span<const models::ReportLayout> reports) {
  points_.prepare(epoch_steps, reports,
                  runs_together() ? SynapseOrder::soon_first : SynapseOrder::as_made);
  // A neuron spikes once in a step at most.
  const std::size_t most_spikes = points_.neurons() * static_cast<std::size_t>(epoch_steps);
  epochs_[0].log = points_.take_log(most_spikes);
  epochs_[1].log = takes_two() ? points_.take_log(most_spikes) : epochs_[0].log;
  for (PointEpoch& epoch : epochs_) epoch.told.reserve(std::min(most_spikes, most_told));
  network_ = points_.network();
  kinds_ = points_.kinds_argument();
  near_words_ = points_.near_words();
  if (runs_together()) share_blocks_out();
  load_grids();
}

/// Which warps of a block of run_points advance neurons, and whether their variables find room in
/// the block's own memory.
void PointProgram::share_blocks_out() {
  neuron_warps_ = point_threads_together / 32;
  if (network_.is_apart)
    neuron_warps_ = std::min(most_neuron_warps, (network_.task_count + together_ - 1) / together_);
  int variables = 0;
  for (const mechanisms::Mechanism* kind : points_.kinds())
    variables = std::max(variables, kind->info->count());
  const std::size_t bytes =
      static_cast<std::size_t>(variables) * neuron_warps_ * 32 * sizeof(double);
  if (bytes + device::need_of(run_).shared_bytes > static_cast<std::size_t>(limits_.shared_bytes))
    return;
  near_bytes_ = bytes;
  device::allow_shared(run_, bytes);
}

/// As many grids may wait at once as a burst of all neurons asks for, if there is memory for them.
void PointProgram::load_grids() {
  if (!turns_.has(Propagation::spikes) && !turns_.has(Propagation::spike_blocks)) return;
  child_grids_ = &load_child_grids();
  constexpr std::uint64_t fewest = 2048, most = 1 << 20;
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(points_.neurons() * points_.tables().size(), fewest, most);
  device::check(child_grids_->set_limit(count_of(pending_grids().value_or(wanted))),
                "cudaDeviceSetLimit");
  child_counts_ = memory_.take<ChildGridCounts>(1, DeviceUse::events);
  child_counts_.clear();
}

StartedGrids PointProgram::grids() const {
  if (child_counts_.size() == 0) return {};
  ChildGridCounts counts{};
  child_counts_.download({&counts, 1});
  return {counts.started, counts.refused};
}

void PointProgram::report(DeviceReport& report) const {
  report.grids = grids();
  report.propagation = turns_.words();
  report.propagation_reason = reason();
  report.turns = turns_.done();
}

void PointProgram::fetch_variables() {
  device::wait(stream_);
  points_.fetch_variables();
}

/// Spikes that the device does not know, counted from an epoch's first step.
std::vector<PointSpike> PointProgram::unknown_spikes(
    std::int64_t first, std::span<const std::vector<network::CellSpike>> spikes,
    bool is_resumed) const {
  std::vector<PointSpike> given;
  if (is_alone_ && !is_resumed) return given;
  for (const auto& some : spikes)
    for (const network::CellSpike& spike : some) {
      const unsigned population = source_of(plan_, spike.cell.value);
      if (!is_resumed && points_.is_own(population, spike.cell.value)) continue;
      const std::int64_t step = network::arrival_step(spike.time_ms, plan_.run.dt_ms);
      given.push_back({spike.cell.value, population, static_cast<int>(step - first)});
    }
  return given;
}

/// Makes the device ready, and brings what it is given to its targets.
void PointProgram::begin_epoch(PointEpoch& own, std::span<const PointSpike> given) {
  own.given.reserve(given.size());
  std::ranges::copy(given, own.given.data());
  PointSpike* at = own.given.data();
  unsigned count = count_of(given.size());
  constexpr std::size_t warps = point_block_threads / 32;
  unsigned blocks = count_of(std::clamp<std::size_t>(
      (given.size() * network_.most_pieces + warps - 1) / warps, 1, blocks_));
  long long first = own.first, from = resumed_at_;
  launch_points(stream_, begin_, blocks, {&network_, &at, &count, &first, &from, &blocks});
}

void PointProgram::tell_epoch(PointEpoch& own) {
  PointTold told{own.told.data(), count_of(own.told.size()), own.spikes.data(), own.failure.data()};
  unsigned blocks = telling_blocks;
  launch_points(stream_, tell_, blocks, {&network_, &told, &blocks});
}

void PointProgram::take_trains(PointEpoch& to, std::int64_t last) {
  std::vector<PointInput> inputs;
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (PointPart& part : populations_[p].parts)
      network::drive_inputs(
          part.trains, part.stimuli, points_.grid(p), step_of(p).ended_by(to.first),
          step_of(p).ended_by(last), step_of(p).ms,
          [&](std::int64_t step, std::uint32_t neuron, network::Sum weight) {
            inputs.push_back({points_.inputs(p), step, weight, part.first_neuron + neuron});
          });
  if (inputs.empty()) return;
  to.inputs.reserve(inputs.size());
  std::ranges::copy(inputs, to.inputs.data());
  const PointInput* at = to.inputs.data();
  unsigned count = count_of(inputs.size());
  launch_points(stream_, add_inputs_, (count + point_block_threads - 1) / point_block_threads,
                {&at, &count});
}

bool PointProgram::is_plastic() const {
  return std::ranges::any_of(plan_.run.stdp,
                             [](const models::Stdp* stdp) { return stdp != nullptr; });
}

/// Whether one grid does all steps of an epoch: not where weights change.
bool PointProgram::runs_together() const {
  return together_ > 0 && !is_plastic() && turns_.has(Propagation::queue);
}

std::string PointProgram::reason() const {
  if (is_plastic()) return "synapses with plasticity are passed when spikes arrive at them";
  if (!plan_.run.propagation.empty()) return "run.propagation";
  if (together_ == 0) return "blocks of this GPU cannot wait for one another: a launch a step";
  const double synapses =
      static_cast<double>(std::max<std::uint64_t>(1, points_.tables().synapses()));
  return fmt::format(
      "one kernel for an epoch; {:.3g} % of the synapses act in the next step, so {}",
      100 * (static_cast<double>(points_.tables().soon()) / synapses),
      network_.is_apart ? "some warps pass spikes while others advance neurons"
                        : "all warps advance neurons, and then pass spikes");
}

/// Brings the spikes of a step to their synapses.
void PointProgram::propagate(Propagation way, std::int64_t step, std::int64_t first) {
  const auto blocks_for = [](std::size_t threads) {
    return count_of((threads + point_block_threads - 1) / point_block_threads);
  };
  long long at = step, from = first;
  switch (way) {
    case Propagation::neurons:
      for (unsigned p = 0; p < points_.sources().size(); ++p)
        if (const PointSource& source = points_.sources()[p];
            source.pieces > 0 && plan_.populations[p]->step.ends_at(step + 1))
          launch_points(stream_, propagate_neurons_, blocks_for(source.neurons),
                        {&network_, &p, &at});
      break;
    case Propagation::synapses:
      for (unsigned t = 0; t < points_.tables().size(); ++t) {
        unsigned source = points_.tables().source_of(t), size = points_.tables().size_of(t);
        if (points_.sources()[source].neurons > 0 &&
            plan_.populations[source]->step.ends_at(step + 1))
          launch_points(stream_, propagate_synapses_, blocks_for(size),
                        {&network_, &source, &t, &size, &at});
      }
      break;
    case Propagation::spikes:
    case Propagation::spike_blocks: {
      device::check(
          child_grids_->propagate(network_, step, first, count_of(points_.neurons()),
                                  way == Propagation::spike_blocks, child_counts_.data(), stream_),
          "a kernel that starts grids");
      break;
    }
    case Propagation::queue:
      launch_points(stream_, propagate_log_, blocks_, {&network_, &at, &from, &blocks_});
  }
}

void PointProgram::launch_epoch(Propagation way, const Epoch& epoch) {
  const bool is_kept = epoch.is_saved || epoch.next_last == epoch.last;
  long long from = epoch.first, to = epoch.last, kept = is_kept ? epoch.last - 1 : -1;
  if (way == Propagation::queue && runs_together()) {
    bool stays_near = near_bytes_ > 0;
    void* arguments[] = {&network_,  kinds_.data(),  &from,        &to,        &kept,
                         &together_, &neuron_warps_, &near_words_, &stays_near};
    device::launch_together(run_, {together_, point_threads_together, near_bytes_}, arguments,
                            stream_);
    return;
  }
  PlasticProgram& plastic = points_.plastic();
  constexpr unsigned warps = point_block_threads / 32;
  for (long long step = from; step < to; ++step) {
    long long at = step, next = step + 1;
    if (!plastic.is_empty()) plastic.pass(network_, step, from);
    launch_points(stream_, advance_, (network_.task_count + warps - 1) / warps,
                  {&network_, kinds_.data(), &at, &from, &kept});
    launch_points(stream_, take_samples_, network_.sample_count > 0 ? blocks_ : 0,
                  {&network_, &next, &blocks_});
    propagate(way, step, from);
    if (!plastic.is_empty()) plastic.sample(network_, next);
  }
}

void PointProgram::start_epoch(const Epoch& epoch,
                               std::span<const std::vector<network::CellSpike>> spikes,
                               bool is_resumed) {
  if (network_.task_count == 0) return;  // a rank without neurons
  const unsigned slot = started_++ % 2;
  PointEpoch& own = epochs_[slot];
  own.first = epoch.first;
  network_.log.spikes = own.log;
  points_.rows().open(epoch.first, epoch.last, slot, stream_);
  PlasticProgram& plastic = points_.plastic();
  std::vector<PointSpike> given = unknown_spikes(epoch.first, spikes, is_resumed);
  begin_epoch(own, given);
  if (!plastic.is_empty()) plastic.start_epoch(network_, epoch.first, std::move(given));
  take_trains(own, epoch.last);
  launch_epoch(turns_.begin(epoch, stream_), epoch);
  turns_.end(stream_);
  tell_epoch(own);
  if (!plastic.is_empty()) plastic.fetch(network_);
  points_.rows().fetch(slot, stream_);
  own.done.record(stream_);
}

void PointProgram::check_failure(const Failure& failure) const {
  if (failure.kind == Failure::Kind::none) return;
  for (const PointPopulation& population : populations_) {
    if (population.plan->id.value != failure.program) continue;
    const auto& info = *population.mechanism->info;
    throw NumericalFailure(
        {static_cast<double>(failure.step + 1) * plan_.run.dt_ms, population.plan->name,
         population.indices[failure.cell], ""},
        fmt::format("{}.{} is not a finite number", info.name, info.variables[failure.row].name));
  }
}

/// The host has been told of them, or they come while the device is at the next epoch, which has
/// another log.
std::span<const PointSpike> PointProgram::spikes_of(const PointEpoch& epoch) {
  const std::size_t count = epoch.spikes[0];
  if (count <= epoch.told.size()) return {epoch.told.data(), count};
  spikes_.reserve(count);
  device::copy(spikes_.data(), epoch.log, count * sizeof(PointSpike), device::Way::out);
  return {spikes_.data(), count};
}

void PointProgram::hand_over(const PointEpoch& from, std::span<const PointSpike> spikes,
                             std::vector<network::CellSpike>& to) const {
  struct Known {
    std::int64_t step = std::numeric_limits<std::int64_t>::min();
    double time_ms = 0;
  };
  std::vector<Known> of_population(plan_.populations.size());  // those of a step are neighbours
  to.reserve(spikes.size());
  for (const PointSpike& spike : spikes) {
    Known& known = of_population[spike.population];
    if (known.step != spike.step) {
      const models::PointStep& own = plan_.populations[spike.population]->step;
      known = {spike.step, static_cast<double>(own.ended_by(from.first + spike.step)) * own.ms};
    }
    to.push_back({known.time_ms, CellId(spike.cell)});
  }
}

void PointProgram::finish_epoch(EpochResult& result) {
  if (network_.task_count == 0) return;
  const unsigned slot = finished_++ % 2;
  const PointEpoch& own = epochs_[slot];
  own.done.wait();
  check_failure(own.failure[0]);
  turns_.finish(own.spikes[0]);
  const std::span<const PointSpike> spikes = spikes_of(own);
  hand_over(own, spikes, result.spikes.front());
  if (!points_.plastic().is_empty()) points_.plastic().finish_epoch(spikes, own.first);
  points_.rows().hand_over(slot, result);
}

}  // namespace hillock::simulator::on_device
