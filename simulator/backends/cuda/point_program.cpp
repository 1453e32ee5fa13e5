#include "simulator/backends/cuda/point_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "mechanisms/settling.hpp"
#include "network/events.hpp"
#include "network/propagation/driven_inputs.hpp"
#include "simulator/backends/cuda/kernel_cache.hpp"
#include "simulator/backends/cuda/point_source.hpp"
#include "simulator/parallel.hpp"

namespace hillock::simulator::cuda {

namespace {

/// One synapse in so many may be soon where spikes are passed while neurons advance: soon ones are
/// passed by the one warp that has their source.
constexpr std::uint64_t fewer_soon = 8;
/// So many warps of a block of run_points at most advance neurons where the others pass spikes.
constexpr unsigned most_neuron_warps = 19;

unsigned count_of(std::size_t count) {
  return static_cast<unsigned>(count);
}

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
                           DeviceMemory& memory)
    : populations_(populations),
      plan_(plan),
      limits_(limits),
      options_(options),
      memory_(memory),
      runner_([threads = options.threads](std::size_t count,
                                          const std::function<void(std::size_t)>& body) {
        parallel_for(count, threads, body);
      }),
      here_(populations.size()) {
  find_kinds();
  const KernelCache kernels(options.announce);
  load(kernels.code_of(write_points(kinds_), limits.capability));
  blocks_ = count_of(static_cast<std::size_t>(limits.multiprocessors) * 8);
  int cooperates = 0;
  HILLOCK_CUDA(cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, limits.device));
  if (!cooperates) return;
  int at_once = 0;
  HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &at_once, reinterpret_cast<const void*>(run_), static_cast<int>(point_threads_together), 0));
  if (at_once > 0) together_ = count_of(static_cast<std::size_t>(limits.multiprocessors));
}

PointProgram::~PointProgram() {
  if (stream_) cudaStreamDestroy(stream_);
  if (library_) cudaLibraryUnload(library_);
}

void PointProgram::load(const std::string& code) {
  HILLOCK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  HILLOCK_CUDA(
      cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  const std::pair<cudaKernel_t*, const char*> names[] = {
      {&run_, "run_points"},
      {&advance_, "advance_points"},
      {&propagate_log_, "propagate_log"},
      {&propagate_given_, "propagate_given"},
      {&propagate_neurons_, "propagate_neurons"},
      {&propagate_synapses_, "propagate_synapses"},
      {&add_inputs_, "add_inputs"},
      {&take_samples_, "take_samples"}};
  for (const auto& [kernel, name] : names)
    HILLOCK_CUDA(cudaLibraryGetKernel(kernel, library_, name));
}

void PointProgram::find_kinds() {
  std::vector<unsigned> places;
  for (std::size_t p = 0; p < populations_.size(); ++p) {
    const auto known = std::ranges::find(kinds_, populations_[p].mechanism);
    here_[p].kind = count_of(static_cast<std::size_t>(known - kinds_.begin()));
    if (known == kinds_.end()) {
      kinds_.push_back(populations_[p].mechanism);
      places.push_back(0);
    }
    here_[p].place = places[here_[p].kind]++;
  }
}

void PointProgram::prepare(std::int64_t epoch_steps,
                           std::span<const models::ReportLayout> reports) {
  const unsigned none = 0;
  const Failure nothing{};
  // A neuron spikes once in a step at most.
  const std::size_t most_spikes = neurons() * static_cast<std::size_t>(epoch_steps);
  network_.log.spikes = memory_.take<PointSpike>(most_spikes, DeviceUse::events).data();
  network_.log.count = memory_.put<unsigned>({&none, 1}, DeviceUse::events).data();
  const DeviceView<unsigned> begin = memory_.take<unsigned>(2, DeviceUse::events);
  begin.clear();
  network_.log.begin = begin.data();
  counters_ = memory_.take<unsigned long long>(9, DeviceUse::events);
  network_.log.of_steps = counters_.data();
  network_.passed = counters_.data() + 4;
  network_.barrier = counters_.data() + 8;
  network_.failure = memory_.put<Failure>({&nothing, 1}, DeviceUse::events).data();
  network_.celsius = plan_.run.celsius;
  if (!populations_.empty()) network_.seed = populations_.front().plan->seed;
  const DeviceView<Recording> recordings =
      memory_.take<Recording>(plan_.run.samples.size(), DeviceUse::samples);
  network_.recordings = recordings.data();
  network_.recording_count = count_of(recordings.size());
  rows_ = SampledRows(plan_.run.samples, recordings.data());
  rows_.make_room(epoch_steps, reports, memory_);
  for (std::size_t p = 0; p < populations_.size(); ++p) put_inputs(p, epoch_steps);
  const std::uint64_t synapses =
      std::accumulate(table_sizes_.begin(), table_sizes_.end(), std::uint64_t{0});
  network_.is_apart = runs_together() && soon_ * fewer_soon <= synapses;
  take_columns();
  put_sources();
  put_samples();
  put_tasks();
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
  for (const mechanisms::Mechanism* kind : kinds_)
    variables = std::max(variables, kind->info->count());
  const std::size_t bytes =
      static_cast<std::size_t>(variables) * neuron_warps_ * 32 * sizeof(double);
  cudaFuncAttributes used{};
  HILLOCK_CUDA(cudaFuncGetAttributes(&used, reinterpret_cast<const void*>(run_)));
  if (bytes + used.sharedSizeBytes > static_cast<std::size_t>(limits_.shared_bytes)) return;
  near_bytes_ = bytes;
  HILLOCK_CUDA(cudaKernelSetAttributeForDevice(run_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(bytes), limits_.device));
}

std::size_t PointProgram::neurons() const {
  std::size_t count = 0;
  for (const PointPopulation& population : populations_) count += population.neurons;
  return count;
}

/// As many grids may wait at once as a burst of all neurons asks for, if there is memory for them.
void PointProgram::load_grids() {
  const models::Propagation how = plan_.run.propagation;
  if (how != models::Propagation::spikes && how != models::Propagation::spike_blocks) return;
  child_grids_ = &load_child_grids();
  constexpr std::uint64_t fewest = 2048, most = 1 << 20;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(neurons() * tables_.size(), fewest, most);
  HILLOCK_CUDA(child_grids_->set_limit(count_of(pending_grids().value_or(wanted))));
  child_counts_ = memory_.take<ChildGridCounts>(1, DeviceUse::events);
  child_counts_.clear();
}

StartedGrids PointProgram::grids() const {
  if (child_counts_.size() == 0) return {};
  ChildGridCounts counts{};
  child_counts_.download({&counts, 1});
  return {counts.started, counts.refused};
}

/// A population's connections, and the sums that they add to.
void PointProgram::put_inputs(std::size_t p, std::int64_t epoch_steps) {
  PointPopulation& population = populations_[p];
  Population& here = here_[p];
  here.grid = network::SumGrid(plan_.run.weights.onto(population.plan->id));
  std::vector<network::SynapseTable> tables =
      join_connections(population, plan_.run, here.grid, runner_);
  std::int64_t longest = 1;
  for (const network::SynapseTable& table : tables)
    longest = std::max(longest, table.longest_steps());
  const bool has_trains = std::ranges::any_of(
      population.parts, [](const PointPart& part) { return !part.trains.all().empty(); });
  if (has_trains) longest += population.plan->step.most_in(epoch_steps);
  const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(longest) + 1);
  here.sums = memory_.take<network::Sum>(slots * population.channels() * population.neurons,
                                         DeviceUse::events);
  here.sums.clear();
  here.inputs = {here.sums.data(), static_cast<long long>(slots) - 1, population.neurons,
                 count_of(population.channels())};
  put_tables(p, tables);
  put_draws(p);
}

template <class Word>
network::SynapseView<Word> PointProgram::put_synapses(network::SynapseView<Word> view,
                                                      std::size_t size) {
  view.words = memory_.put<Word>(std::span(view.words, size), DeviceUse::connections).data();
  if (view.weights)
    view.weights = memory_.put<int>(std::span(view.weights, size), DeviceUse::connections).data();
  return view;
}

/// Where a source's synapses begin that are not soon: from which a spike arrives after the next
/// step.
void PointProgram::put_soon_first(network::SynapseTable& table,
                                  const std::vector<std::uint32_t>& first) {
  const auto& source = plan_.populations[table_sources_.back()];
  const auto here =
      std::ranges::find(populations_, source->id, [](const auto& some) { return some.plan->id; });
  const bool is_early = here != populations_.end() && here->mechanism->info->spikes_at_beginning;
  const std::int64_t known_after = source->step.run_steps;
  if (!is_early || table.shortest_steps() > known_after) {
    tables_.back().others = tables_.back().first;
    return;
  }
  const std::vector<std::uint32_t> others = table.put_soon_first(known_after, runner_);
  tables_.back().others = memory_.put<unsigned>(others, DeviceUse::connections).data();
  for (std::size_t s = 0; s < others.size(); ++s) soon_ += others[s] - first[s];
}

void PointProgram::put_tables(std::size_t p, std::vector<network::SynapseTable>& tables) {
  for (network::SynapseTable& table : tables) {
    network::SynapseTable own = std::move(table);  // its memory is given back
    if (own.size() == 0) continue;
    PointTable& on_device = tables_.emplace_back();
    on_device.inputs = here_[p].inputs;
    on_device.first_source = own.first_source();
    on_device.source_count = own.source_count();
    const std::vector<std::uint32_t> first = own.first_of_sources();
    on_device.first = memory_.put<unsigned>(first, DeviceUse::connections).data();
    table_sizes_.push_back(count_of(own.size()));
    table_sources_.push_back(source_of(own.first_source()));
    if (runs_together()) put_soon_first(own, first);
    if (plan_.run.propagation == models::Propagation::synapses)
      put_sources_of_synapses(count_of(tables_.size()) - 1, first);
    own.with_view([&](auto view) {
      view = put_synapses(view, own.size());
      if constexpr (sizeof(*view.words) == sizeof(unsigned))
        on_device.synapses = view;
      else
        on_device.long_synapses = view;
    });
    most_of_source_.push_back(own.most_of_a_source());
  }
}

template <class Number, class Host>
OneOrAll<Number> PointProgram::put_numbers(const Host& numbers) {
  if (numbers.is_one()) return {nullptr, static_cast<Number>(numbers.one())};
  const std::vector<Number> all(numbers.many().begin(), numbers.many().end());
  return {memory_.put<Number>(all, DeviceUse::cells).data(), Number{}};
}

/// Of one stimulus the draws for one part after the other.
void PointProgram::put_draws(std::size_t p) {
  std::vector<PointDraws> all;
  for (const PointPart& part : populations_[p].parts)
    for (const StepInput& input : part.step_inputs) {
      const DrivenNeurons& neurons =
          std::visit([](const auto& some) -> const DrivenNeurons& { return some.neurons; }, input);
      PointDraws& draws = all.emplace_back();
      draws.stimulus = neurons.stimulus;
      draws.begin = part.first_neuron + neurons.cells.front();
      draws.end = draws.begin + count_of(neurons.cells.size());
      if (neurons.cells.back() - neurons.cells.front() + 1 != neurons.cells.size())
        throw std::logic_error("a stimulus reaches neurons that do not lie side by side");
      if (const auto* noise = std::get_if<GaussianNoise>(&input)) {
        draws.kind = PointDraws::Kind::gaussian;
        draws.expected = put_numbers<double>(noise->mean);
        draws.sd = put_numbers<double>(noise->sd);
        continue;
      }
      if (const auto* current = std::get_if<InjectedCurrent>(&input)) {
        draws.kind = PointDraws::Kind::current;
        draws.current = put_current(*current);
        continue;
      }
      const auto& counts = std::get<EventCounts>(input);
      draws.kind = PointDraws::Kind::counts;
      draws.expected = put_numbers<double>(counts.expected);
      OneOrManyOf<network::Sum> weights;
      for (std::size_t i = 0; i < counts.weight.size(); ++i)
        weights.push_back(here_[p].grid.multiple_of(counts.weight[i]));
      draws.weight = put_numbers<network::Sum>(weights);
      draws.first_step = put_numbers<long long>(counts.first);
      draws.last_step = put_numbers<long long>(counts.last);
    }
  std::ranges::stable_sort(all, {}, &PointDraws::stimulus);
  here_[p].first_draw = count_of(draws_.size());
  here_[p].draws = count_of(all.size());
  draws_.insert(draws_.end(), all.begin(), all.end());
}

void PointProgram::put_sources_of_synapses(unsigned t, const std::vector<std::uint32_t>& first) {
  const PopulationPlan& population = *plan_.populations[table_sources_[t]];
  std::vector<unsigned> number(population.size, not_here);  // of each of its cells
  for (const PointPopulation& some : populations_)
    if (some.plan->id == population.id)
      for (unsigned n = 0; n < some.neurons; ++n) number[some.indices[n]] = n;
  const std::uint64_t begin = tables_[t].first_source - population.first.value;
  std::vector<unsigned> sources(first.back());
  for (std::size_t s = 0; s + 1 < first.size(); ++s)
    std::fill(sources.begin() + first[s], sources.begin() + first[s + 1], number[begin + s]);
  tables_[t].sources = memory_.put<unsigned>(sources, DeviceUse::connections).data();
}

/// Which tables have synapses of the cells of each population of the network.
void PointProgram::put_sources() {
  std::vector<PointPiece> pieces;
  for (const auto& population : plan_.populations) {
    PointSource source{};
    source.first_cell = population->first.value;
    source.first_piece = count_of(pieces.size());
    std::vector<unsigned> tables;
    for (unsigned t = 0; t < tables_.size(); ++t)
      if (tables_[t].first_source < population->first.value + population->size &&
          tables_[t].first_source + tables_[t].source_count > population->first.value)
        tables.push_back(t);
    source.tables = count_of(tables.size());
    for (const unsigned t : tables) pieces.push_back({t, 0});
    for (const unsigned t : tables)
      for (unsigned part = 1; part * synapses_of_piece < most_of_source_[t]; ++part)
        pieces.push_back({t, part});
    source.pieces = count_of(pieces.size()) - source.first_piece;
    network_.most_pieces = std::max(network_.most_pieces, source.pieces);
    for (std::size_t p = 0; p < populations_.size(); ++p) {
      const auto& info = *populations_[p].mechanism->info;
      if (populations_[p].plan->id != population->id || info.spike < 0) continue;
      source.spiked = here_[p].columns[static_cast<std::size_t>(info.spike)].data();
      source.indices = here_[p].indices.data();
      source.neurons = populations_[p].neurons;
      source.delay_of_time =
          1 - (info.spikes_at_beginning ? static_cast<int>(population->step.run_steps) : 0);
    }
    sources_.push_back(source);
  }
  put_lists(pieces);
}

/// They lie one after the other, so that kernels may bring them near at once.
void PointProgram::put_lists(const std::vector<PointPiece>& pieces) {
  std::string bytes;
  const auto append = [&]<class Element>(const std::vector<Element>& list) {
    static_assert(sizeof(Element) % 8 == 0);
    const std::size_t at = bytes.size();
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(Element));
    return at;
  };
  const std::size_t sources = append(sources_), of_pieces = append(pieces);
  const std::size_t tables = append(tables_), draws = append(draws_);
  std::vector<std::size_t> of_kinds;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    of_kinds.push_back(bytes.size());
    for (std::size_t p = 0; p < populations_.size(); ++p)
      if (here_[p].kind == k) bytes += bytes_of_arrays(p);
  }
  const char* const at =
      memory_.put<char>(std::span<const char>(bytes), DeviceUse::connections).data();
  network_.sources = reinterpret_cast<const PointSource*>(at + sources);
  network_.pieces = reinterpret_cast<const PointPiece*>(at + of_pieces);
  network_.tables = reinterpret_cast<const PointTable*>(at + tables);
  network_.draws = reinterpret_cast<const PointDraws*>(at + draws);
  for (const std::size_t kind : of_kinds)
    kinds_argument_.push_back(reinterpret_cast<std::uintptr_t>(at + kind));
  if (bytes.size() <= std::size_t{point_near_words} * 8) near_words_ = count_of(bytes.size() / 8);
}

void PointProgram::put_tasks() {
  constexpr unsigned of_warp = 32;
  std::vector<PointTask> tasks;
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (unsigned begin = 0; begin < populations_[p].neurons; begin += of_warp)
      tasks.push_back({here_[p].kind, here_[p].place, begin});
  network_.tasks = memory_.put<PointTask>(tasks, DeviceUse::cells).data();
  network_.task_count = count_of(tasks.size());
}

/// A PointArrays of as many variables as the population's mechanism has, byte by byte: the host
/// learns of mechanisms when it runs.
std::string PointProgram::bytes_of_arrays(std::size_t p) const {
  const PointPopulation& population = populations_[p];
  const Population& here = here_[p];
  std::string bytes;
  const auto append = [&](const auto& value) {
    bytes.resize((bytes.size() + alignof(decltype(value)) - 1) / alignof(decltype(value)) *
                 alignof(decltype(value)));
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(count_of(population.neurons));
  append(count_of(population.plan->id.value));
  append(static_cast<unsigned long long>(population.plan->first.value));
  append(static_cast<const unsigned*>(here.indices.data()));
  for (const DeviceView<double>& column : here.columns) append(static_cast<double*>(column.data()));
  for (const double one : here.ones) append(one);
  append(here.inputs);
  append(here.grid.spacing());
  append(here.first_draw);
  append(here.draws);
  append(count_of(static_cast<std::size_t>(population.plan->step.run_steps)));
  append(population.plan->step.ms);
  append(plan_.run.implicit_ms(population.plan->step.ms));
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

/// Memory for what is not one number for all neurons, or may not stay so.
void PointProgram::take_columns() {
  for (std::size_t p = 0; p < populations_.size(); ++p) {
    PointPopulation& population = populations_[p];
    Population& here = here_[p];
    const auto& info = *population.mechanism->info;
    const auto variables = static_cast<std::size_t>(info.count());
    here.columns.resize(variables);
    here.ones.resize(variables);
    for (std::size_t c = 0; c < variables; ++c) {
      const OneOrMany numbers = population.column(c);
      if (static_cast<int>(c) >= mechanisms::first_settled(info) || !numbers.is_one())
        here.columns[c] = memory_.take<double>(population.neurons, DeviceUse::cells);
      else
        here.ones[c] = numbers.one();
    }
    here.is_whole =
        population.indices.empty() || population.indices.back() + 1 == population.indices.size();
    if (!here.is_whole) here.indices = memory_.put<unsigned>(population.indices, DeviceUse::cells);
  }
}

void PointProgram::put_variables() {
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (std::size_t c = 0; c < here_[p].columns.size(); ++c) {
      if (here_[p].columns[c].size() == 0) continue;
      const OneOrMany numbers = populations_[p].column(c);
      std::vector<double> all(populations_[p].neurons, numbers.one());
      if (!numbers.is_one()) all.assign(numbers.many().begin(), numbers.many().end());
      here_[p].columns[c].upload(all);
    }
  HILLOCK_CUDA(cudaDeviceSynchronize());  // kernels' stream does not wait for what is uploaded
}

void PointProgram::put_samples() {
  std::vector<PointSample> samples;
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (const RecordedNumber& number : recorded_of(populations_[p])) {
      PointSample sample{nullptr, number.factor, number.recording, number.column};
      if (number.variable >= 0) {
        const auto k = static_cast<std::size_t>(number.variable);
        if (here_[p].columns[k].size() > 0)
          sample.from = here_[p].columns[k].data() + number.neuron;
        else
          sample.factor *= here_[p].ones[k];
      }
      samples.push_back(sample);
    }
  network_.samples = memory_.put<PointSample>(samples, DeviceUse::samples).data();
  network_.sample_count = count_of(samples.size());
}

void PointProgram::fetch_variables() {
  HILLOCK_CUDA(cudaStreamSynchronize(stream_));
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (std::size_t c = 0; c < here_[p].columns.size(); ++c) {
      if (static_cast<int>(c) < mechanisms::first_settled(*populations_[p].mechanism->info))
        continue;
      std::vector<double> all(populations_[p].neurons);
      here_[p].columns[c].download(all);
      populations_[p].put_column(c, all);
    }
}

bool PointProgram::is_own(std::uint64_t cell) const {
  for (std::size_t p = 0; p < populations_.size(); ++p) {
    const PopulationPlan& plan = *populations_[p].plan;
    const std::uint64_t index = cell - plan.first.value;
    if (index < plan.size)
      return here_[p].is_whole ? index < populations_[p].neurons
                               : std::ranges::binary_search(populations_[p].indices,
                                                            static_cast<std::uint32_t>(index));
  }
  return false;
}

unsigned PointProgram::source_of(std::uint64_t cell) const {
  const auto after = std::ranges::upper_bound(
      plan_.populations, cell, {}, [](const auto& population) { return population->first.value; });
  return count_of(static_cast<std::size_t>(after - plan_.populations.begin()) - 1);
}

void PointProgram::launch(cudaKernel_t kernel, unsigned blocks,
                          std::initializer_list<void*> arguments) {
  if (blocks == 0) return;
  HILLOCK_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                dim3(point_block_threads), const_cast<void**>(arguments.begin()), 0,
                                stream_));
}

/// Brings spikes that the device does not know to their targets.
void PointProgram::take_in(std::int64_t first,
                           std::span<const std::vector<network::CellSpike>> spikes,
                           bool is_resumed) {
  if (network_.most_pieces == 0) return;
  std::vector<PointSpike> given;
  for (const auto& some : spikes)
    for (const network::CellSpike& spike : some)
      if (is_resumed || !is_own(spike.cell.value))
        given.push_back(
            {spike.cell.value, source_of(spike.cell.value),
             static_cast<int>(network::arrival_step(spike.time_ms, plan_.run.dt_ms) - first)});
  if (given.empty()) return;
  given_.reserve(given.size());
  std::ranges::copy(given, given_.data());
  PointSpike* const at = given_.data();  // read by the device where it lies
  unsigned count = count_of(given.size());
  long long from_first = first, from = resumed_at_;
  launch(propagate_given_, blocks_,
         {&network_, const_cast<PointSpike**>(&at), &count, &from_first, &from, &blocks_});
}

void PointProgram::take_trains(std::int64_t first, std::int64_t last) {
  std::vector<PointInput> inputs;
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (PointPart& part : populations_[p].parts)
      network::drive_inputs(
          part.trains, part.stimuli, here_[p].grid, step_of(p).ended_by(first),
          step_of(p).ended_by(last), step_of(p).ms,
          [&](std::int64_t step, std::uint32_t neuron, network::Sum weight) {
            inputs.push_back({here_[p].inputs, step, weight, part.first_neuron + neuron});
          });
  if (inputs.empty()) return;
  inputs_.reserve(inputs.size());
  std::ranges::copy(inputs, inputs_.data());
  const PointInput* at = inputs_.data();
  unsigned count = count_of(inputs.size());
  launch(add_inputs_, (count + point_block_threads - 1) / point_block_threads, {&at, &count});
}

/// Whether one grid does all steps of an epoch.
bool PointProgram::runs_together() const {
  const models::Propagation how = plan_.run.propagation;
  return together_ > 0 &&
         (how == models::Propagation::automatic || how == models::Propagation::queue);
}

/// Brings the spikes of a step to their synapses.
void PointProgram::propagate(std::int64_t step, std::int64_t first) {
  const auto blocks_for = [](std::size_t threads) {
    return count_of((threads + point_block_threads - 1) / point_block_threads);
  };
  long long at = step, from = first;
  switch (plan_.run.propagation) {
    case models::Propagation::neurons:
      for (unsigned s = 0; s < sources_.size(); ++s)
        if (sources_[s].pieces > 0 && plan_.populations[s]->step.ends_at(step + 1))
          launch(propagate_neurons_, blocks_for(sources_[s].neurons), {&network_, &s, &at});
      break;
    case models::Propagation::synapses:
      for (unsigned t = 0; t < tables_.size(); ++t)
        if (sources_[table_sources_[t]].neurons > 0 &&
            plan_.populations[table_sources_[t]]->step.ends_at(step + 1))
          launch(propagate_synapses_, blocks_for(table_sizes_[t]),
                 {&network_, &table_sources_[t], &t, &table_sizes_[t], &at});
      break;
    case models::Propagation::spikes:
    case models::Propagation::spike_blocks: {
      HILLOCK_CUDA(
          child_grids_->propagate(network_, step, first, count_of(neurons()),
                                  plan_.run.propagation == models::Propagation::spike_blocks,
                                  child_counts_.data(), stream_));
      break;
    }
    default:
      launch(propagate_log_, blocks_, {&network_, &at, &from, &blocks_});
  }
}

void PointProgram::launch_epoch(const Epoch& epoch) {
  const bool is_kept = epoch.is_saved || epoch.next_last == epoch.last;
  long long from = epoch.first, to = epoch.last, kept = is_kept ? epoch.last - 1 : -1;
  if (runs_together()) {
    bool stays_near = near_bytes_ > 0;
    void* arguments[] = {&network_,  kinds_argument_.data(), &from,        &to,        &kept,
                         &together_, &neuron_warps_,         &near_words_, &stays_near};
    HILLOCK_CUDA(cudaMemsetAsync(counters_.data(), 0, counters_.size() * sizeof(unsigned long long),
                                 stream_));
    HILLOCK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(run_), dim3(together_),
                                             dim3(point_threads_together), arguments, near_bytes_,
                                             stream_));
    return;
  }
  constexpr unsigned warps = point_block_threads / 32;
  for (long long step = from; step < to; ++step) {
    long long at = step, next = step + 1;
    launch(advance_, (network_.task_count + warps - 1) / warps,
           {&network_, kinds_argument_.data(), &at, &from, &kept});
    launch(take_samples_, network_.sample_count > 0 ? blocks_ : 0, {&network_, &next, &blocks_});
    propagate(step, from);
  }
}

void PointProgram::start_epoch(const Epoch& epoch,
                               std::span<const std::vector<network::CellSpike>> spikes,
                               bool is_resumed) {
  first_ = epoch.first;
  if (network_.task_count == 0) return;  // a rank without neurons
  rows_.open(epoch.first, epoch.last, 0, stream_);
  HILLOCK_CUDA(cudaMemsetAsync(network_.log.count, 0, sizeof(unsigned), stream_));
  HILLOCK_CUDA(cudaMemsetAsync(network_.log.begin, 0, 2 * sizeof(unsigned), stream_));
  take_in(epoch.first, spikes, is_resumed);
  take_trains(epoch.first, epoch.last);
  launch_epoch(epoch);
  HILLOCK_CUDA(cudaMemcpyAsync(count_.data(), network_.log.count, sizeof(unsigned),
                               cudaMemcpyDeviceToHost, stream_));
  HILLOCK_CUDA(cudaMemcpyAsync(failure_.data(), network_.failure, sizeof(Failure),
                               cudaMemcpyDeviceToHost, stream_));
  rows_.fetch(0, stream_);
}

void PointProgram::check_failure() const {
  const Failure& failure = failure_[0];
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

void PointProgram::finish_epoch(EpochResult& result) {
  if (network_.task_count == 0) return;
  HILLOCK_CUDA(cudaStreamSynchronize(stream_));
  check_failure();
  const unsigned count = count_[0];
  spikes_.reserve(count);
  if (count > 0)
    HILLOCK_CUDA(cudaMemcpy(spikes_.data(), network_.log.spikes, count * sizeof(PointSpike),
                            cudaMemcpyDeviceToHost));
  std::vector<network::CellSpike>& to = result.spikes.front();
  to.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    const models::PointStep& own = plan_.populations[spikes_[i].population]->step;
    to.push_back({static_cast<double>(own.ended_by(first_ + spikes_[i].step)) * own.ms,
                  CellId(spikes_[i].cell)});
  }
  rows_.hand_over(0, result);
}

}  // namespace hillock::simulator::cuda
