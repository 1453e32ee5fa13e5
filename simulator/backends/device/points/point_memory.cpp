#include "simulator/backends/device/points/point_memory.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "mechanisms/runtime/step_draws.hpp"
#include "mechanisms/settling.hpp"
#include "simulator/backends/device/points/point_source.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

namespace {

/// One synapse in so many may be soon where spikes are passed while neurons advance: soon ones are
/// passed by the one warp that has their source.
constexpr std::uint64_t fewer_soon = 8;

/// What poisson_quantile() compares a uniform number with, so that steps compare and nothing else.
void append_thresholds(double mean, std::vector<double>& to) {
  const double none = mechanisms::exp<double>(-mean);
  mechanisms::PoissonSteps steps{mean, none, none, 0};
  for (; !steps.is_last(); steps.next()) to.push_back(steps.below);
  to.push_back(std::numeric_limits<double>::infinity());
}

}  // namespace

PointMemory::PointMemory(std::vector<PointPopulation>& populations, const NetworkPlan& plan,
                         const EngineOptions& options, DeviceMemory& memory)
    : populations_(populations),
      plan_(plan),
      runner_([threads = options.threads](std::size_t count,
                                          const std::function<void(std::size_t)>& body) {
        parallel_for(count, threads, body);
      }),
      memory_(memory),
      here_(populations.size()),
      tables_(populations, plan, runner_, memory),
      plastic_(plan, populations, memory) {
  place_of_.assign(plan.populations.size(), nowhere);
  for (std::size_t p = 0; p < populations.size(); ++p)
    place_of_[populations[p].plan->id.value] = count_of(p);
  find_kinds();
}

void PointMemory::find_kinds() {
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

std::size_t PointMemory::neurons() const {
  std::size_t count = 0;
  for (const PointPopulation& population : populations_) count += population.neurons;
  return count;
}

bool PointMemory::is_own(unsigned population, std::uint64_t cell) const {
  const unsigned p = place_of_[population];
  if (p == nowhere) return false;
  const std::uint64_t index = cell - populations_[p].plan->first.value;
  return here_[p].is_whole ? index < populations_[p].neurons
                           : std::ranges::binary_search(populations_[p].indices,
                                                        static_cast<std::uint32_t>(index));
}

void PointMemory::prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports,
                          SynapseOrder order) {
  network_.celsius = plan_.run.celsius;
  if (!populations_.empty()) network_.seed = populations_.front().plan->seed;
  take_outlets();
  rows_.make_room(epoch_steps, reports, {}, memory_);
  for (std::size_t p = 0; p < populations_.size(); ++p) put_inputs(p, epoch_steps, order);
  plastic_.prepare(network_, epoch_steps, reports);
  network_.is_apart =
      order == SynapseOrder::soon_first && tables_.soon() * fewer_soon <= tables_.synapses();
  take_columns();
  put_sources();
  put_samples();
  put_tasks();
}

PointSpike* PointMemory::take_log(std::size_t spikes) {
  return memory_.take<PointSpike>(spikes, DeviceUse::events).data();
}

void PointMemory::take_outlets() {
  const unsigned none = 0;
  const Failure nothing{};
  network_.log.count = memory_.put<unsigned>({&none, 1}, DeviceUse::events).data();
  const DeviceView<unsigned> begin = memory_.take<unsigned>(2, DeviceUse::events);
  begin.clear();
  network_.log.begin = begin.data();
  unsigned long long* const counters =
      memory_.take<unsigned long long>(all_counters, DeviceUse::events).data();
  network_.log.of_steps = counters;
  network_.passed = counters + std::size_t{4} * between_counters;
  network_.barrier = counters + std::size_t{8} * between_counters;
  network_.failure = memory_.put<Failure>({&nothing, 1}, DeviceUse::events).data();
  const DeviceView<Recording> recordings =
      memory_.take<Recording>(plan_.run.samples.size(), DeviceUse::samples);
  network_.recordings = recordings.data();
  network_.recording_count = count_of(recordings.size());
  rows_ = SampledRows(plan_.run.samples, recordings.data());
}

/// A population's connections, and the sums that they add to.
void PointMemory::put_inputs(std::size_t p, std::int64_t epoch_steps, SynapseOrder order) {
  PointPopulation& population = populations_[p];
  Population& here = here_[p];
  here.grid = network::SumGrid(plan_.run.weights.onto(population.plan->id));
  std::vector<PlasticConnections> plastic = join_plastic(population, plan_.run);
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
  for (PlasticConnections& connections : plastic) put_plastic(p, std::move(connections));
  tables_.add(tables, here.inputs, order);
  put_draws(p);
}

void PointMemory::put_plastic(std::size_t p, PlasticConnections connections) {
  const unsigned source = source_of(plan_, connections.synapses.first_source);
  const PointPopulation* const here = find_population(populations_, plan_.populations[source]->id);
  plastic_.add(std::move(connections), {p, source, here ? here->delay_of_time() : 1},
               here_[p].inputs, here_[p].grid);
}

template <class Number, class Host>
OneOrAll<Number> PointMemory::put_numbers(const Host& numbers) {
  if (numbers.is_one()) return {nullptr, static_cast<Number>(numbers.one())};
  const std::vector<Number> all(numbers.many().begin(), numbers.many().end());
  return {memory_.put<Number>(all, DeviceUse::cells).data(), Number{}};
}

void PointMemory::put_period(const StepPeriod& period, PointDraws& draws) {
  draws.first_step = put_numbers<long long>(period.first);
  draws.last_step = put_numbers<long long>(period.last);
}

/// Of one stimulus the draws for one part after the other.
void PointMemory::put_draws(std::size_t p) {
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
        put_period(noise->period, draws);
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
      draws.first_threshold = nowhere;
      if (counts.expected.is_one()) {
        draws.first_threshold = count_of(thresholds_.size());
        append_thresholds(counts.expected.one(), thresholds_);
      }
      OneOrManyOf<network::Sum> weights;
      for (std::size_t i = 0; i < counts.weight.size(); ++i)
        weights.push_back(here_[p].grid.multiple_of(counts.weight[i]));
      draws.weight = put_numbers<network::Sum>(weights);
      put_period(counts.period, draws);
    }
  std::ranges::stable_sort(all, {}, &PointDraws::stimulus);
  here_[p].first_draw = count_of(draws_.size());
  here_[p].draws = count_of(all.size());
  draws_.insert(draws_.end(), all.begin(), all.end());
}

/// Which tables have synapses of the cells of each population of the network.
void PointMemory::put_sources() {
  std::vector<PointPiece> pieces;
  for (const auto& population : plan_.populations) {
    PointSource source{};
    source.first_cell = population->first.value;
    tables_.append_pieces_of(*population, source, pieces);
    network_.most_pieces = std::max(network_.most_pieces, source.pieces);
    for (std::size_t p = 0; p < populations_.size(); ++p) {
      const auto& info = *populations_[p].mechanism->info;
      if (populations_[p].plan->id != population->id || info.spike < 0) continue;
      source.spiked = here_[p].columns[static_cast<std::size_t>(info.spike)].data();
      source.indices = here_[p].indices.data();
      source.neurons = populations_[p].neurons;
      source.delay_of_time = populations_[p].delay_of_time();
    }
    sources_.push_back(source);
  }
  put_lists(pieces);
}

/// They lie one after the other, so that kernels may bring them near at once.
void PointMemory::put_lists(const std::vector<PointPiece>& pieces) {
  std::string bytes;
  const auto append = [&]<class Element>(const std::vector<Element>& list) {
    static_assert(sizeof(Element) % 8 == 0);
    const std::size_t at = bytes.size();
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(Element));
    return at;
  };
  const std::size_t sources = append(sources_), of_pieces = append(pieces);
  const std::size_t tables = append(tables_.all()), draws = append(draws_);
  const std::size_t thresholds = append(thresholds_);
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
  network_.thresholds = reinterpret_cast<const double*>(at + thresholds);
  for (const std::size_t kind : of_kinds)
    kinds_argument_.push_back(reinterpret_cast<std::uintptr_t>(at + kind));
  if (bytes.size() <= std::size_t{point_near_words} * 8) near_words_ = count_of(bytes.size() / 8);
}

void PointMemory::put_tasks() {
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
std::string PointMemory::bytes_of_arrays(std::size_t p) const {
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
void PointMemory::take_columns() {
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

void PointMemory::put_variables() {
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (std::size_t c = 0; c < here_[p].columns.size(); ++c) {
      if (here_[p].columns[c].size() == 0) continue;
      const OneOrMany numbers = populations_[p].column(c);
      std::vector<double> all(populations_[p].neurons, numbers.one());
      if (!numbers.is_one()) all.assign(numbers.many().begin(), numbers.many().end());
      here_[p].columns[c].upload(all);
    }
  device::wait();  // kernels' stream does not wait for what is uploaded
}

void PointMemory::put_samples() {
  std::vector<PointSample> samples;
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (const begin::RecordedNumber& number : populations_[p].recorded()) {
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

void PointMemory::fetch_variables() {
  for (std::size_t p = 0; p < populations_.size(); ++p)
    for (std::size_t c = 0; c < here_[p].columns.size(); ++c) {
      if (static_cast<int>(c) < mechanisms::first_settled(*populations_[p].mechanism->info))
        continue;
      std::vector<double> all(populations_[p].neurons);
      here_[p].columns[c].download(all);
      populations_[p].put_column(c, all);
    }
}

}  // namespace hillock::simulator::on_device
