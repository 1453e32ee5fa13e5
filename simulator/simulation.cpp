#include "simulator/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>

#include "core/errors.hpp"
#include "simulator/backends/cpu/cpu_cell_group.hpp"
#include "simulator/network_builder.hpp"
#include "simulator/parallel.hpp"

namespace hillock::simulator {

namespace {

/// Adds the wall time from its making to its end to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s), start_(clock::now()) {}
  ~Stopwatch() { sum_s_ += std::chrono::duration<double>(clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using clock = std::chrono::steady_clock;
  double& sum_s_;
  clock::time_point start_;
};

/// Lanes a group: as wide as leaves work for every thread.
int widest_for(std::uint64_t cells, int threads) {
  const auto wanted = static_cast<std::uint64_t>(threads);
  if (cells / 8 >= 2 * wanted || (wanted == 1 && cells > 4)) return 8;
  if (cells / 4 >= wanted) return 4;
  return 1;
}

}  // namespace

struct Simulation::Impl {
  Impl(const models::Network& model, const SimulationOptions& run_options)
      : network(model), options(run_options) {
    {
      const Stopwatch watch(timings.build_s);
      counts.lanes = widest_for(network.cell_count(), options.threads);
      if (!options.activity) options.activity = &unwatched;
      built = build_network(network, options.mechanisms,
                            {counts.lanes, options.connections, options.activity});
      choose_epoch();
      make_groups();
    }
    count();
  }

  /// The smallest delay in whole steps, between 1 and 400; 400 without connections.
  void choose_epoch() {
    std::int64_t steps = 400;
    if (built.shortest_delay_ms > 0)
      steps = static_cast<std::int64_t>(
          std::floor(std::min(400.0, built.shortest_delay_ms / network.run.dt_ms + 1e-9)));
    steps = std::clamp<std::int64_t>(std::min(steps, options.most_epoch_steps), 1, 400);
    std::size_t bytes_a_step = 0;
    for (std::size_t r = 0; r < built.reports.size(); ++r)
      bytes_a_step += built.reports[r].element_ids.size() * sizeof(double) /
                      static_cast<std::size_t>(built.run.samples[r].every);
    while (steps > 1 && static_cast<std::size_t>(steps) * bytes_a_step > options.most_sample_bytes)
      steps /= 2;
    counts.epoch_steps = steps;
  }

  void make_groups() {
    options.activity->begin("making groups of cells", built.groups.size());
    groups.resize(built.groups.size());
    parallel_for(groups.size(), options.threads, [&](std::size_t g) {
      groups[g] = cpu::make_cell_group(std::move(built.groups[g]), built.run, counts.epoch_steps);
      options.activity->add(1);
    });
    built.groups.clear();
    group_spikes.resize(groups.size());
  }

  void count() {
    counts.cells = network.cell_count();
    counts.compartments = built.compartments;
    counts.groups = groups.size();
    counts.connections = built.connections;
    counts.synapses = built.synapses;
    counts.connection_memory = built.connection_memory;
    counts.shortest_delay_ms = built.shortest_delay_ms;
    for (const auto& group : groups) counts.state_bytes += group->bytes();
  }

  void run(RunSink& sink, const std::function<void(const Progress&)>& progress) {
    const std::int64_t steps = network.run.steps;
    std::uint64_t spike_count = 0;
    {
      const Stopwatch watch(timings.initialise_s);
      options.activity->begin("initialising", groups.size());
      open_sample_buffers(-1, 0);
      parallel_for(groups.size(), options.threads, [&](std::size_t g) {
        groups[g]->initialise(group_spikes[g], buffers);
        options.activity->add(1);
      });
    }
    options.activity->begin("running", static_cast<std::uint64_t>(steps));
    hand_over(sink, spike_count);
    for (std::int64_t first = 0; first < steps; first += counts.epoch_steps) {
      const std::int64_t last = std::min(first + counts.epoch_steps, steps);
      {
        const Stopwatch watch(timings.exchange_s);
        drive(first, last);
      }
      {
        const Stopwatch watch(timings.advance_s);
        open_sample_buffers(first, last);
        parallel_for(groups.size(), options.threads, [&](std::size_t g) {
          groups[g]->advance(first, last, group_spikes[g], buffers);
        });
      }
      hand_over(sink, spike_count);
      options.activity->reach(static_cast<std::uint64_t>(last));
      progress({last, steps, spike_count});
    }
  }

  /// Makes room for the samples at steps in (after, last].
  void open_sample_buffers(std::int64_t after, std::int64_t last) {
    rows.resize(built.reports.size());
    buffers.resize(built.reports.size());
    for (std::size_t r = 0; r < built.reports.size(); ++r) {
      const SampleTimes& times = built.run.samples[r];
      const std::int64_t first_sample = times.up_to(after);
      const std::size_t columns = built.reports[r].element_ids.size();
      rows[r].assign(static_cast<std::size_t>(times.up_to(last) - first_sample) * columns, 0);
      buffers[r] = {rows[r].data(), columns, first_sample};
    }
  }

  /// Sends the events of stimuli that arrive in steps [first, last).
  void drive(std::int64_t first, std::int64_t last) {
    for (DrivenCell& driven : built.driven) {
      for (std::uint32_t number = 0;; driven.train.advance()) {
        const double time_ms = driven.train.next_ms() + driven.delay_ms;
        if (!(time_ms < (static_cast<double>(last) + 1) * network.run.dt_ms)) break;
        const std::int64_t step = network::arrival_step(time_ms, network.run.dt_ms);
        if (step >= last) break;
        if (step < first) continue;  // before t = 0
        for (const auto& target : driven.targets)
          groups[driven.group]->add_event(
              {step, time_ms, driven.source, driven.stimulus, number++, target, driven.weight});
      }
    }
  }

  /// Gathers what the groups made in one epoch: spikes to their targets and to the sink, samples.
  void hand_over(RunSink& sink, std::uint64_t& spike_count) {
    {
      const Stopwatch watch(timings.exchange_s);
      spikes.clear();
      for (auto& from_group : group_spikes) {
        spikes.insert(spikes.end(), from_group.begin(), from_group.end());
        from_group.clear();
      }
      std::sort(spikes.begin(), spikes.end());
      for (const CellSpike& spike : spikes) send(spike);
      spike_count += spikes.size();
    }
    const Stopwatch watch(timings.record_s);
    if (!spikes.empty()) sink.spikes(spikes);
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (!rows[r].empty()) sink.rows(r, std::move(rows[r]));
  }

  void send(const CellSpike& spike) {
    const OutgoingTable& table = built.outgoing;
    for (std::uint64_t i = table.offsets[spike.cell.value]; i < table.offsets[spike.cell.value + 1];
         ++i) {
      const Outgoing& to = table.targets[i];
      const double time_ms = spike.time_ms + to.delay_ms;
      groups[to.group]->add_event({network::arrival_step(time_ms, network.run.dt_ms), time_ms,
                                   spike.cell.value, to.projection, to.k, to.target, to.weight});
    }
  }

  const models::Network& network;
  Activity unwatched;
  SimulationOptions options;
  BuiltNetwork built;
  std::vector<std::unique_ptr<CellGroup>> groups;
  SimulationCounts counts;
  Timings timings;
  std::vector<std::vector<CellSpike>> group_spikes;  ///< [group]
  std::vector<CellSpike> spikes;
  std::vector<std::vector<double>> rows;  ///< [report] samples of the epoch
  std::vector<SampleBuffer> buffers;      ///< [report]
};

Simulation::Simulation(const models::Network& network, const SimulationOptions& options)
    : impl_(std::make_unique<Impl>(network, options)) {}
Simulation::~Simulation() = default;

const SimulationCounts& Simulation::counts() const {
  return impl_->counts;
}
const Timings& Simulation::timings() const {
  return impl_->timings;
}
const std::vector<io::ReportLayout>& Simulation::reports() const {
  return impl_->built.reports;
}

void Simulation::run(RunSink& sink, const std::function<void(const Progress&)>& progress) {
  impl_->run(sink, progress);
}

}  // namespace hillock::simulator
