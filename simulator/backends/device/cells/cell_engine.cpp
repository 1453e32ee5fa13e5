#include "simulator/backends/device/cells/cell_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/state/state_parts.hpp"
#include "simulator/backends/device/cells/assembly.hpp"
#include "simulator/backends/device/cells/cell_state.hpp"
#include "simulator/backends/device/cells/common_text.hpp"
#include "simulator/backends/device/cells/device_gaps.hpp"
#include "simulator/backends/device/cells/device_program.hpp"
#include "simulator/backends/device/compiler/kernel_cache.hpp"
#include "simulator/backends/device/compiler/nvrtc.hpp"
#include "simulator/backends/device/delivery/pinned_trains.hpp"
#include "simulator/backends/device/delivery/sampled_rows.hpp"
#include "simulator/backends/device/delivery/spike_delivery.hpp"
#include "simulator/backends/device/memory/stream_mark.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/step/refusal_text.hpp"
#include "simulator/threads/parallel.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

namespace {

/// So many spikes of an epoch are kept on the device.
constexpr std::size_t most_spikes = std::size_t{4} << 20;
/// So many come to the host with an epoch's report.
constexpr std::size_t most_reported = std::size_t{1} << 16;

class CellEngine final : public Engine {
 public:
  CellEngine(NetworkPlan& plan, EnginePart part, const EngineOptions& options)
      : plan_(plan),
        options_(options),
        is_alone_(options.is_alone && part.other_cells == 0),
        finds_compiler_(std::async(std::launch::async, nvrtc_version)),
        limits_(limits_of_device()),
        memory_(part.memory),
        crew_(part.work(plan), options.threads) {
    gaps_ = DeviceGaps(plan.gap_values);
    ranges_ = make_ranges(plan, part.ranges, crew_, options, gaps_.at_first());
  }

  /// What is alone has been told one epoch, and begins the next by itself.
  EngineTraits traits() const override {
    return {.takes_two = !is_alone_, .sums_potentials = true};
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    begin_cells();
    report_[0] = report_[1] = {};
    rows_.make_room(epoch_steps, reports, plan_.potentials, memory_);
    for (const auto& program : programs_) number_columns(*program, reports);
    device::wait();  // copies of the host's other memory are there
  }

  ~CellEngine() override { device::wait_before_leaving(); }

  void exchange_gaps(const GapSwap& swap) override { gaps_.take(swap(gaps_.leaving())); }

  void start(EpochResult& result) override {
    result.spikes = {first_spikes_};
    first_spikes_ = {};
    rows_.open(-1, 0, 0, stream());
    on_programs([](DeviceProgram& program) { program.take_samples(0); });
    gaps_.publish(stream());  // what INITIAL made
    rows_.fetch(0, stream());
    started_ = &result;
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    const bool are_own = is_alone_ && spikes.size() == 1 && spikes.front().data() == own_.data() &&
                         spikes.front().size() == own_.size();
    delivery_.take_in(epoch.first, spikes, are_own ? outlets_.spikes.data() : nullptr);
    result.spikes.assign(1, {});
    if (!is_alone_ || begun_.empty())
      begin({epoch, trains_->take(epoch.first, epoch.last)}, Known::all);
    else if (!are_own || begun_.front().epoch.first != epoch.first ||
             begun_.front().epoch.last != epoch.last)
      throw std::logic_error("an epoch is not the one that was announced");
    (is_alone_ ? begun_.front() : begun_.back()).result = &result;
    if (gives_to_others()) make_sure();  // what leaves for them is there before the report
    if (!is_alone_ || epoch.is_saved || epoch.next_last <= epoch.last) return;
    const Epoch next{epoch.last, epoch.next_last};
    begin({next, trains_->take(next.first, next.last)}, Known::on_device);
  }

  void follow_gaps() override {
    if (!follows_in_turn()) return;  // begin() has done so
    follow(begun_.back().epoch, true);
    rows_.fetch(begun_.back().slot, stream());
    device::wait(stream());  // the last of it, which leaves, is there
  }

  void finish() override {
    if (begun_.empty()) {  // after start()
      device::wait(stream());
      return rows_.hand_over(0, *started_);
    }
    make_sure();
    const unsigned slot = begun_.front().slot;
    EpochResult& result = *begun_.front().result;
    const EpochReport& report = report_[slot];
    delivery_.check(report.delivered);
    check_failure(report.failure);
    take_spikes(report.spikes, slot, result);
    rows_.hand_over(slot, result);
    const bool has_halted = report.spikes > spikes_[slot].size();
    begun_.pop_front();
    // Before other spikes are taken in than those of the epoch that was launched behind it.
    if (has_halted && !is_alone_) begin_again();
  }

  State save() override {
    if (plan_.has_gap_junctions) {  // instances have what the next step will take
      gaps_.read(stream());
      device::wait();
    }
    std::vector<State> parts(1);
    StateWalk walk(parts.front());
    walk_all(walk);
    for (const auto& program : programs_) program->release();
    return joined(std::move(parts));
  }
  void restore(StateReader& state, const network::Resumed& at) override {
    resumed_ = at;
    delivery_.resume_at(at);
    StateWalk walk(state);
    walk_all(walk);
    for (const auto& program : programs_) {
      program->put_back();
      program->release();
    }
    device::wait();  // as after prepare()
    gaps_.publish(stream());
    device::wait(stream());
  }

  void keep_beginning() override {
    for (const auto& program : programs_) program->keep_beginning();
    device::wait();
  }
  void begin_again(const FieldFactors& factors) override {
    device::wait();  // where something failed, an epoch may be under way
    begun_.clear();
    own_ = {};
    const Failure nothing{};
    outlets_.failure.upload({&nothing, 1});
    outlets_.spike_count.clear();
    for (const auto& program : programs_) {
      program->take_factors(factors, copies_);
      program->begin_again();
    }
  }
  std::size_t copies() const override { return copies_; }

  EngineReport report() const override {
    EngineReport report{.groups = programs_.size(), .connection_bytes = delivery_.bytes()};
    report.device.kernels = kernel_count_;
    for (const auto& program : programs_) {
      report.state_bytes += program->bytes();
      report.device.kinds.push_back(program->describe_kind());
    }
    for (const auto& range : events_) report.connection_bytes += range->trains().bytes();
    return report;
  }

 private:
  /// With the voltages of gap junctions at t = 0, of all ranks.
  void begin_cells() {
    Assembly assembly = assemble(std::exchange(ranges_, {}), plan_.run, crew_, options_,
                                 gaps_.at_first(), {cells_of_network(), limits_.multiprocessors});
    copies_ = assembly.copies;
    events_ = std::move(assembly.events);
    first_spikes_ = std::move(assembly.spikes);
    make_programs(std::move(assembly.cells));
    make_delivery();
    gaps_.put(programs_, memory_);
  }

  /// The stream of the first program, which everything else waits for or is waited for by.
  device::Stream stream() const {
    return programs_.empty() ? nullptr : programs_.front()->stream();
  }

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

  std::uint64_t cells_of_network() const {
    std::uint64_t cells = 0;
    for (const auto& population : plan_.populations)
      cells = std::max(cells, population->first.value + population->size);
    return cells;
  }

  /// Takes connections and trains of ranges onto the device.
  void make_delivery() {
    std::uint32_t cells = 0;
    for (const auto& program : programs_) {
      first_cells_.push_back(cells);
      cells += static_cast<std::uint32_t>(program->cell_count());
    }
    const ConnectionTables tables(events_, first_cells_, cells_of_network(), options_.threads);
    const auto slot_of = [&](CellAddress at, unsigned block, std::uint32_t connection) {
      return programs_[at.first]->slot_of(block, at.second, connection);
    };
    delivery_ = SpikeDelivery(tables, slot_of, cells, plan_.run.boundaries(),
                              outlets_.spike_count.data(), memory_);
    trains_.emplace(TrainFeed(events_, tables.train_runs(), plan_.run.boundaries()),
                    options_.threads);
    for (const auto& range : events_) range->forget_tables();
  }

  void make_programs(std::map<Signature, Cells>&& cells) {
    const unsigned none = 0;
    const Failure nothing{};
    outlets_.spikes = memory_.take<Spike>(most_spikes, DeviceUse::events);
    outlets_.spike_count = memory_.put<unsigned>({&none, 1}, DeviceUse::events);
    outlets_.failure = memory_.put<Failure>({&nothing, 1}, DeviceUse::events);
    outlets_.recordings = memory_.take<Recording>(plan_.run.samples.size(), DeviceUse::samples);
    rows_ = SampledRows(plan_.run.samples, outlets_.recordings.data());
    std::vector<LaunchShape> shapes = shapes_of(cells, limits_, plan_.run.precision,
                                                plan_.run.saves_assigned || plan_.run.has_pointers);
    std::vector<ProgramSource> sources;
    std::vector<std::size_t> source_of;  // [program]: several may have one
    for (const auto& [signature, some] : cells) {
      ProgramSource source =
          write_program(signature, some, shapes[source_of.size()], plan_.run.integrator);
      const auto known = std::ranges::find(sources, source.text, &ProgramSource::text);
      source_of.push_back(static_cast<std::size_t>(known - sources.begin()));
      if (known == sources.end()) sources.push_back(std::move(source));
    }
    // Multiprocessors side by side have a cache of instructions in common.
    constexpr int has_clusters = 90;
    if (sources.size() > 1 && limits_.capability >= has_clusters)
      for (LaunchShape& shape : shapes) shape.neighbours = shape.shares_block ? 2 : 1;
    options_.activity->begin("preparing kernels", sources.size());
    const KernelCache kernels(options_.announce);
    std::vector<std::string> codes(sources.size());
    parallel_for(sources.size(), options_.threads, [&](std::size_t k) {
      codes[k] = kernels.code_of(sources[k], limits_.capability);
      options_.activity->add(1);
    });
    std::vector<std::size_t> shared_bytes(codes.size(), 0);
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      std::size_t& most = shared_bytes[source_of[p]];
      most = std::max(most, shapes[p].shared_bytes());
    }
    std::vector<std::shared_ptr<const LoadedKernels>> loaded;
    for (std::size_t s = 0; s < codes.size(); ++s)
      loaded.push_back(std::make_shared<LoadedKernels>(codes[s], shared_bytes[s]));
    kernel_count_ = loaded.size();
    after_.resize(cells.size());
    std::size_t k = 0;
    for (auto& [signature, some] : cells) {
      programs_.push_back(std::make_unique<DeviceProgram>(std::move(some), signature, shapes[k],
                                                          loaded[source_of[k]], plan_.run, outlets_,
                                                          memory_, static_cast<unsigned>(k)));
      ++k;
    }
  }

  void walk_all(StateWalk& walk) {
    trains_->settle();
    std::vector<Cells*> cells;
    for (const auto& program : programs_) cells.push_back(&program->fetch());
    walk_cells(walk, plan_.run, events_, cells);
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

  /// An epoch that is under way.
  struct Begun {
    Epoch epoch;
    std::span<const TrainEvent> trains;
    std::uint64_t report = 0;  ///< its number
    unsigned slot = 0;         ///< of two, for what goes to the host
    EpochResult* result = nullptr;
  };
  /// Who knows the spikes of the epoch before.
  enum class Known { all, on_device };

  /// Whether the values of gap junctions go from one rank to another after every step.
  bool gives_to_others() const { return plan_.has_gap_junctions && !is_alone_; }
  /// Whether states that follow them wait for that.
  bool follows_in_turn() const { return plan_.states_follow_gaps && !is_alone_; }

  void follow(const Epoch& epoch, bool is_known) {
    gaps_.read(stream());
    on_programs([&](DeviceProgram& program) { program.follow_gaps(epoch.last, is_known); });
    if (plan_.gaps_carry_variables) gaps_.publish(stream());
  }

  void begin(Begun begun, Known known) {
    const Epoch& epoch = begun.epoch;
    begun.report = ++report_number_;
    begun.slot = static_cast<unsigned>(report_number_ % 2);
    if (known == Known::all)
      delivery_.start(epoch, begun.trains, stream());
    else
      delivery_.start_ahead(epoch, begun.trains, outlets_.spikes.data(), stream());
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      const std::size_t first = first_cells_[p];
      const bool any = delivery_.has_connections();
      programs_[p]->set_events({any ? delivery_.begin() + first : nullptr,
                                any ? delivery_.end() + first : nullptr, delivery_.events(),
                                &delivery_.state()->halted});
    }
    rows_.open(epoch.first, epoch.last, begun.slot, stream());
    if (!resumed_.holds_gaps_at(epoch.first)) gaps_.read(stream());
    on_programs([&](DeviceProgram& program) { program.start_epoch(epoch.first, epoch.last); });
    gaps_.publish(stream());
    if (plan_.states_follow_gaps && is_alone_) follow(epoch, false);
    start_report({outlets_.spikes.data(), outlets_.spike_count.data(), delivery_.has_connections(),
                  spikes_[begun.slot].data(), static_cast<unsigned>(spikes_[begun.slot].size())},
                 outlets_.failure.data(), delivery_.totals(), delivery_.state(),
                 report_.data() + begun.slot, begun.report, stream());
    if (!follows_in_turn()) rows_.fetch(begun.slot, stream());
    begun_.push_back(begun);
  }

  /// Nothing has been done since the device found that there was no room.
  void begin_again() {
    device::wait(stream());
    delivery_.go_on(stream());
    Known known = Known::all;
    for (const Begun& begun : std::exchange(begun_, {})) {
      begin(begun, known);
      known = Known::on_device;
    }
  }

  /// Waits until what was launched first is done: once more where the device had no room.
  void make_sure() {
    wait_for_report();
    if (!report_of(begun_.front()).is_halted) return;
    begin_again();
    wait_for_report();
  }

  const EpochReport& report_of(const Begun& begun) const { return report_[begun.slot]; }

  /// The report comes a few microseconds before the stream says that it is done.
  void wait_for_report() {
    const Begun& begun = begun_.front();
    const volatile std::uint64_t& number = report_of(begun).number;
    for (unsigned turn = 1; number != begun.report; ++turn) {
      if (turn % 1024 != 0) continue;
      device::is_done(stream());  // throws where something went wrong
    }
    std::atomic_thread_fence(std::memory_order_acquire);
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
                     step::text_of(failure.refusal, room_for_awaited)));
  }

  void take_spikes(unsigned count, unsigned slot, EpochResult& result) {
    const PinnedArray<Spike>& some = spikes_[slot];
    if (count > some.size()) {  // had no room in the report; the next epoch waits for them
      const std::size_t rest = count - some.size();
      device::wait(stream());
      more_spikes_.reserve(rest);
      device::copy(more_spikes_.data(), outlets_.spikes.data() + some.size(), rest * sizeof(Spike),
                   device::Way::out, stream());
      device::wait(stream());
    }
    std::vector<network::CellSpike>& to = result.spikes.front();
    to.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Spike& spike = i < some.size() ? some[i] : more_spikes_[i - some.size()];
      to.push_back({spike.time_ms, CellId(spike.cell)});
    }
    own_ = to;
  }

  NetworkPlan& plan_;
  EngineOptions options_;
  /// What launch() gets is what finish() gave. An epoch is then begun while the one before runs.
  bool is_alone_;
  /// Loading the compiler takes long where a disk is slow: cells are made meanwhile.
  std::future<std::optional<std::string>> finds_compiler_;
  DeviceLimits limits_;
  DeviceMemory& memory_;
  Crew crew_;
  Outlets outlets_;
  std::vector<std::unique_ptr<DeviceProgram>> programs_;
  std::vector<RangePlan> ranges_;                     ///< until their cells are begun
  std::vector<std::unique_ptr<RangeEvents>> events_;  ///< [range]
  std::vector<std::uint32_t> first_cells_;            ///< [program] its first among all programs'
  SpikeDelivery delivery_;
  DeviceGaps gaps_;
  network::Resumed resumed_;
  std::optional<PinnedTrains> trains_;
  StreamMark before_;
  std::vector<StreamMark> after_;  ///< [program]
  std::vector<network::CellSpike> first_spikes_;
  std::size_t kernel_count_ = 0;
  std::size_t copies_ = 1;  ///< of each cell
  PinnedArray<Spike> spikes_[2] = {PinnedArray<Spike>(most_reported),
                                   PinnedArray<Spike>(most_reported)};  ///< [slot]
  PinnedArray<Spike> more_spikes_;                                      ///< than a report has
  PinnedArray<EpochReport> report_{2};                                  ///< [slot]
  std::uint64_t report_number_ = 0;
  std::deque<Begun> begun_;  ///< two at most
  /// Those of the last report, wherever the loop has them: the device still has them, too.
  std::span<const network::CellSpike> own_;
  SampledRows rows_;
  EpochResult* started_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> make_cell_engine(NetworkPlan& plan, EnginePart part,
                                         const EngineOptions& options) {
  return std::make_unique<CellEngine>(plan, std::move(part), options);
}

}  // namespace hillock::simulator::on_device
