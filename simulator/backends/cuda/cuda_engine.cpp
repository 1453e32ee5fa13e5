#include "simulator/backends/cuda/cuda_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "core/errors.hpp"
#include "simulator/backends/cuda/assembly.hpp"
#include "simulator/backends/cuda/cell_state.hpp"
#include "simulator/backends/cuda/device_program.hpp"
#include "simulator/backends/cuda/nvrtc.hpp"
#include "simulator/backends/cuda/pinned_trains.hpp"
#include "simulator/backends/cuda/sampled_rows.hpp"
#include "simulator/backends/cuda/spike_delivery.hpp"
#include "simulator/backends/cuda/stream_mark.hpp"
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
    make_delivery();
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    for (const auto& program : programs_) number_columns(*program, reports);
    rows_.make_room(epoch_steps, reports);
  }

  void start(EpochResult& result) override {
    result.spikes = {first_spikes_};
    first_spikes_ = {};
    rows_.open(0, result, stream());
    on_programs([](DeviceProgram& program) { program.take_samples(0); });
    rows_.fetch(stream());
    pending_ = &result;
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    delivery_.start(epoch,
                    {spikes, are_own(spikes) ? outlets_.spikes.data() : nullptr,
                     trains_.of(epoch.first, epoch.last, crew_)},
                    stream());
    if (delivery_.has_connections())
      for (std::size_t p = 0; p < programs_.size(); ++p)
        programs_[p]->set_events(delivery_.begin() + first_cells_[p],
                                 delivery_.end() + first_cells_[p], delivery_.events());
    rows_.open(epoch.last, result, stream());
    on_programs([&](DeviceProgram& program) { program.start_epoch(epoch.first, epoch.last); });
    start_report({outlets_.spikes.data(), outlets_.spike_count.data(), spikes_.data(),
                  static_cast<unsigned>(spikes_.size())},
                 outlets_.failure.data(), delivery_.totals(), report_.data(), ++report_number_,
                 stream());
    rows_.fetch(stream());
    result.spikes.assign(1, {});
    pending_ = &result;
    is_running_ = true;
    if (!epoch.is_saved) trains_.prepare(epoch.last, epoch.next_last, crew_);
  }

  void finish() override {
    if (is_running_) {
      wait_for_report();
      delivery_.check(report_[0].delivered);
      check_failure(report_[0].failure);
      take_spikes(report_[0].spikes);
    }
    if (!is_running_ || rows_.are_there()) HILLOCK_CUDA(cudaStreamSynchronize(stream()));
    rows_.hand_over(*pending_);
    is_running_ = false;
  }

  State save() override {
    State state;
    StateWalk walk(state);
    walk_all(walk);
    for (const auto& program : programs_) program->release();
    return state;
  }
  void restore(StateReader& state, std::int64_t /*first_step*/) override {
    StateWalk walk(state);
    walk_all(walk);
    for (const auto& program : programs_) {
      program->put_back();
      program->release();
    }
  }

  std::size_t group_count() const override { return programs_.size(); }
  std::size_t state_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& program : programs_) bytes += program->bytes();
    return bytes;
  }
  std::size_t connection_bytes() const override {
    std::size_t bytes = delivery_.bytes();
    for (const auto& range : events_) bytes += range->trains().bytes();
    return bytes;
  }

 private:
  /// The stream of the first program, which everything else waits for or is waited for by.
  cudaStream_t stream() const { return programs_.empty() ? nullptr : programs_.front()->stream(); }

  /// Calls start(program) for all: their work follows on what is in stream(), side by side, and
  /// what comes into stream() then follows on it.
  template <class Start>
  void on_programs(const Start& start) {
    if (programs_.size() > 1) before_.record(stream());
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      if (p > 0) before_.hold(programs_[p]->stream());
      start(*programs_[p]);
      if (p > 0) after_[p].record(programs_[p]->stream());
    }
    for (std::size_t p = 1; p < programs_.size(); ++p) after_[p].hold(stream());
  }

  /// Takes connections and trains of ranges onto the device.
  void make_delivery() {
    std::uint64_t cells_of_network = 0;
    for (const auto& population : plan_.populations)
      cells_of_network = std::max(cells_of_network, population->first.value + population->size);
    std::uint32_t cells = 0;
    for (const auto& program : programs_) {
      first_cells_.push_back(cells);
      cells += static_cast<std::uint32_t>(program->cell_count());
    }
    const ConnectionTables tables(events_, first_cells_, cells_of_network, options_.threads);
    const auto slot_of = [&](CellAddress at, unsigned block, std::uint32_t connection) {
      return programs_[at.first]->slot_of(block, at.second, connection);
    };
    delivery_ = SpikeDelivery(tables, slot_of, cells, plan_.run.dt_ms);
    trains_ = PinnedTrains(TrainFeed(events_, tables.train_runs(), plan_.run.dt_ms));
    for (const auto& range : events_) range->forget_tables();
  }

  void make_programs(std::map<Signature, Cells>&& cells) {
    outlets_.spikes = solver::DeviceArray<Spike>(most_spikes);
    outlets_.spike_count = solver::DeviceArray<unsigned>(std::vector<unsigned>{0});
    outlets_.failure = solver::DeviceArray<Failure>(std::vector<Failure>(1));
    outlets_.recordings = solver::DeviceArray<Recording>(plan_.run.samples.size());
    rows_ = SampledRows(plan_.run.samples, outlets_.recordings.data());
    std::vector<LaunchShape> shapes;
    std::vector<ProgramSource> sources;
    std::vector<std::string> codes(cells.size());
    for (const auto& [signature, some] : cells) {
      shapes.push_back(shape_of(signature, some, limits_));
      sources.push_back(write_program(signature, some, shapes.back()));
    }
    parallel_for(sources.size(), options_.threads, [&](std::size_t k) {
      codes[k] = compile_for_device(sources[k], limits_.capability);
    });
    after_.resize(cells.size());
    std::size_t k = 0;
    for (auto& [signature, some] : cells) {
      programs_.push_back(std::make_unique<DeviceProgram>(std::move(some), signature, shapes[k],
                                                          codes[k], plan_.run, outlets_,
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

  /// The report comes a few microseconds before the stream says that it is done.
  void wait_for_report() {
    const volatile std::uint64_t& number = report_[0].number;
    for (unsigned turn = 1; number != report_number_; ++turn) {
      if (turn % 1024 != 0) continue;
      const cudaError_t status = cudaStreamQuery(stream());
      if (status != cudaErrorNotReady) HILLOCK_CUDA(status);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
  }

  /// Whether those are the spikes of the last epoch's report, which the device still has.
  bool are_own(std::span<const std::vector<network::CellSpike>> spikes) const {
    return spikes.size() == 1 && own_spikes_ && spikes.front().data() == own_spikes_ &&
           spikes.front().size() == report_[0].spikes;
  }

  void check_failure(const Failure& failure) {
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

  void take_spikes(unsigned count) {
    std::vector<Spike> rest;  // that had no room in the report
    if (count > spikes_.size()) {
      rest.resize(count - spikes_.size());
      HILLOCK_CUDA(cudaMemcpy(rest.data(), outlets_.spikes.data() + spikes_.size(),
                              rest.size() * sizeof(Spike), cudaMemcpyDeviceToHost));
    }
    std::vector<network::CellSpike>& to = pending_->spikes.front();
    to.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Spike& spike = i < spikes_.size() ? spikes_[i] : rest[i - spikes_.size()];
      to.push_back({spike.time_ms, CellId(spike.cell)});
    }
    own_spikes_ = to.data();
  }

  NetworkPlan& plan_;
  EngineOptions options_;
  DeviceLimits limits_;
  Crew crew_;
  Outlets outlets_;
  std::vector<std::unique_ptr<DeviceProgram>> programs_;
  std::vector<std::unique_ptr<RangeEvents>> events_;  ///< [range]
  std::vector<std::uint32_t> first_cells_;            ///< [program] its first among all programs'
  SpikeDelivery delivery_;
  PinnedTrains trains_;
  StreamMark before_;
  std::vector<StreamMark> after_;  ///< [program]
  std::vector<network::CellSpike> first_spikes_;
  PinnedArray<Spike> spikes_{std::size_t{1} << 16};
  PinnedArray<EpochReport> report_{1};
  std::uint64_t report_number_ = 0;
  const network::CellSpike* own_spikes_ = nullptr;  ///< where those of the last report are
  SampledRows rows_;
  EpochResult* pending_ = nullptr;
  bool is_running_ = false;
};

}  // namespace

std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options) {
  return std::make_unique<CudaEngine>(plan, options);
}

}  // namespace hillock::simulator::cuda
