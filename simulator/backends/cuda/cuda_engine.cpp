#include "simulator/backends/cuda/cuda_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/errors.hpp"
#include "simulator/backends/cuda/assembly.hpp"
#include "simulator/backends/cuda/cell_state.hpp"
#include "simulator/backends/cuda/device_program.hpp"
#include "simulator/backends/cuda/nvrtc.hpp"
#include "simulator/parallel.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::cuda {

namespace {

/// So many spikes of an epoch are kept on the device.
constexpr std::size_t most_spikes = std::size_t{4} << 20;

class CudaEngine final : public Engine {
 public:
  CudaEngine(NetworkPlan& plan, const EngineOptions& options)
      : plan_(plan),
        options_(options),
        limits_(limits_of_device()),
        crew_(work_of_ranges(plan), options.threads) {
    Assembly assembly = assemble(plan, crew_, *options.activity);
    events_ = std::move(assembly.events);
    first_spikes_ = std::move(assembly.spikes);
    make_programs(std::move(assembly.cells));
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    crew_.work([&](std::size_t r) { events_[r]->inbox().start(plan_.run.dt_ms, epoch_steps); });
    for (const auto& program : programs_) number_columns(*program, reports);
    for (std::size_t k = 0; k < reports.size(); ++k) {
      const std::size_t rows =
          static_cast<std::size_t>(epoch_steps / plan_.run.samples[k].every) + 1;
      rows_.emplace_back(rows * reports[k].element_ids.size());
    }
  }

  void start(EpochResult& result) override {
    result.spikes = {first_spikes_};
    first_spikes_ = {};
    open_recordings(0, result);
    for (const auto& program : programs_) program->take_samples(0);
    pending_ = &result;
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    hand_out(epoch, spikes);
    open_recordings(epoch.last, result);
    const unsigned none = 0;
    outlets_.spike_count.upload({&none, 1});
    for (const auto& program : programs_) program->start_epoch(epoch.first, epoch.last);
    result.spikes.assign(1, {});
    pending_ = &result;
    is_running_ = true;
  }

  void finish() override {
    HILLOCK_CUDA(cudaDeviceSynchronize());
    if (is_running_) {
      check_failure();
      take_spikes();
    }
    for (std::size_t k = 0; k < pending_->samples.size(); ++k) {
      const std::size_t size = sizes_[k];
      if (size > 0) rows_[k].download_some({pending_->samples[k].data, size});
    }
    is_running_ = false;
  }

  State save() override {
    State state;
    StateWalk walk(state);
    walk_all(walk);
    for (const auto& program : programs_) program->release();
    return state;
  }
  void restore(StateReader& state, std::int64_t first_step) override {
    StateWalk walk(state);
    walk_all(walk);
    for (const auto& program : programs_) {
      program->put_back();
      program->release();
    }
    for (const auto& range : events_) range->inbox().resume_at(first_step);
  }

  std::size_t group_count() const override { return programs_.size(); }
  std::size_t state_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& program : programs_) bytes += program->bytes();
    return bytes;
  }
  std::size_t connection_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& range : events_) bytes += range->inbox().bytes();
    return bytes;
  }

 private:
  /// Samples of one recording, as many as an epoch may have.
  class SampleRows : public solver::DeviceArray<double> {
   public:
    using DeviceArray::DeviceArray;
    void download_some(std::span<double> host) const {
      HILLOCK_CUDA(cudaMemcpy(host.data(), data(), host.size_bytes(), cudaMemcpyDeviceToHost));
    }
  };

  void make_programs(std::map<Signature, Cells>&& cells) {
    outlets_.spikes = solver::DeviceArray<Spike>(most_spikes);
    outlets_.spike_count = solver::DeviceArray<unsigned>(std::vector<unsigned>{0});
    outlets_.failure = solver::DeviceArray<Failure>(std::vector<Failure>(1));
    outlets_.recordings = solver::DeviceArray<Recording>(plan_.run.samples.size());
    std::vector<LaunchShape> shapes;
    std::vector<ProgramSource> sources;
    std::vector<std::size_t> source_of;  // [program]: cells of different sizes may have one
    for (const auto& [signature, some] : cells) {
      shapes.push_back(shape_of(signature, some, limits_));
      ProgramSource source = write_program(signature, some, shapes.back());
      const auto known = std::ranges::find(sources, source.text, &ProgramSource::text);
      source_of.push_back(static_cast<std::size_t>(known - sources.begin()));
      if (known == sources.end()) sources.push_back(std::move(source));
    }
    std::vector<std::string> codes(sources.size());
    parallel_for(sources.size(), options_.threads, [&](std::size_t k) {
      codes[k] = compile_for_device(sources[k], limits_.capability);
    });
    std::size_t k = 0;
    for (auto& [signature, some] : cells) {
      programs_.push_back(std::make_unique<DeviceProgram>(std::move(some), signature, shapes[k],
                                                          codes[source_of[k]], plan_.run, outlets_,
                                                          static_cast<unsigned>(k)));
      ++k;
    }
  }

  void walk_all(StateWalk& walk) {
    std::vector<Cells*> cells;
    for (const auto& program : programs_) cells.push_back(&program->fetch());
    walk_cells(walk, events_, cells);
  }

  static void number_columns(DeviceProgram& program,
                             std::span<const models::ReportLayout> reports) {
    std::vector<std::size_t> columns;
    for (const Sampled& sampled : program.samples()) {
      const models::ReportLayout& report = reports[sampled.recording];
      const auto cell = std::ranges::lower_bound(report.node_ids, program.index_of(sampled.cell));
      columns.push_back(
          sampled.column +
          report.index_pointers[static_cast<std::size_t>(cell - report.node_ids.begin())]);
    }
    program.set_columns(columns);
  }

  void open_recordings(std::int64_t last, const EpochResult& result) {
    std::vector<Recording> recordings;
    sizes_.clear();
    for (std::size_t k = 0; k < result.samples.size(); ++k) {
      const SampleTimes& times = plan_.run.samples[k];
      const SampleBuffer& buffer = result.samples[k];
      recordings.push_back({times.first, times.every, times.count, rows_[k].data(), buffer.columns,
                            buffer.first_sample});
      sizes_.push_back(static_cast<std::size_t>(times.up_to(last) - buffer.first_sample) *
                       buffer.columns);
    }
    outlets_.recordings.upload(recordings);
  }

  /// Gives every program the events of an epoch.
  void hand_out(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes) {
    using Waiting = std::pair<CellAddress, Event>;
    std::vector<std::vector<Waiting>> waiting(events_.size());
    crew_.work([&](std::size_t r) {
      for (const auto& some : spikes) events_[r]->inbox().send(some);
      events_[r]->take(epoch.first, epoch.last,
                       [&](CellAddress at, Event event, std::uint32_t connection) {
                         const auto [program, cell] = at;
                         if (connection != network::FanIn::no_slot)
                           event.slot = programs_[program]->slot_of(event.block, cell, connection);
                         waiting[r].emplace_back(at, event);
                       });
    });
    for (std::uint32_t p = 0; p < programs_.size(); ++p) {
      std::vector<unsigned> begin(programs_[p]->cell_count() + 1, 0);
      for (const auto& some : waiting)
        for (const auto& [at, event] : some)
          if (at.first == p) ++begin[at.second + 1];
      for (std::size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
      std::vector<Event> events(begin.back());
      std::vector<unsigned> next(begin.begin(), begin.end() - 1);
      for (const auto& some : waiting)
        for (const auto& [at, event] : some)
          if (at.first == p) events[next[at.second]++] = event;
      programs_[p]->set_events(begin, events);
    }
  }

  void check_failure() {
    const Failure failure = outlets_.failure.to_host().front();
    if (failure.kind == Failure::Kind::none) return;
    const DeviceProgram& program = *programs_[failure.program];
    const double end_ms = static_cast<double>(failure.step + 1) * plan_.run.dt_ms;
    const auto stop = [&](double time_ms, const std::string& problem) {
      throw NumericalFailure({time_ms, program.population().name, program.index_of(failure.cell),
                              program.describe(failure.cell, failure.row)},
                             problem);
    };
    if (failure.kind == Failure::Kind::not_finite)
      stop(end_ms, "the membrane potential is not a finite number");
    if (failure.kind == Failure::Kind::too_many_spikes)
      stop(end_ms, fmt::format("more than {} spikes in one epoch are more than the device keeps (a "
                               "shorter --epoch-steps helps)",
                               most_spikes));
    stop(failure.time_ms,
         fmt::format("NET_RECEIVE of {} {}", program.mechanism(failure.block).signature.name,
                     problem_of(failure.kind)));
  }

  static std::string problem_of(Failure::Kind kind) {
    switch (kind) {
      case Failure::Kind::too_many_awaited:
        return fmt::format(
            "sends more than {} events that have not come: more than a device has "
            "room for",
            room_for_awaited);
      case Failure::Kind::too_many_messages:
        return fmt::format("asks for more than {} events at once",
                           mechanisms::Delivery::most_messages);
      case Failure::Kind::too_many_events:
        return "is called more than a million times in one step (does it send itself events that "
               "arrive at once?)";
      case Failure::Kind::not_in_future:
        return "asks for an event that is not in the future";
      default:
        return "moves its event of flag 1 (net_move), but awaits none";
    }
  }

  void take_spikes() {
    const unsigned count = outlets_.spike_count.to_host().front();
    std::vector<Spike> spikes(count);
    if (count > 0)
      HILLOCK_CUDA(cudaMemcpy(spikes.data(), outlets_.spikes.data(), count * sizeof(Spike),
                              cudaMemcpyDeviceToHost));
    for (const Spike& spike : spikes)
      pending_->spikes.front().push_back({spike.time_ms, CellId(spike.cell)});
  }

  NetworkPlan& plan_;
  EngineOptions options_;
  DeviceLimits limits_;
  Crew crew_;
  Outlets outlets_;
  std::vector<std::unique_ptr<DeviceProgram>> programs_;
  std::vector<std::unique_ptr<RangeEvents>> events_;  ///< [range]
  std::vector<network::CellSpike> first_spikes_;
  std::vector<SampleRows> rows_;    ///< [recording]
  std::vector<std::size_t> sizes_;  ///< [recording] numbers of this epoch
  EpochResult* pending_ = nullptr;
  bool is_running_ = false;
};

}  // namespace

std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<CudaEngine>(plan, options);
}

}  // namespace hillock::simulator::cuda
