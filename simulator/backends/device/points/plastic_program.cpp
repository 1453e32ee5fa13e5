#include "simulator/backends/device/points/plastic_program.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>
#include <utility>

#include "simulator/backends/device/points/point_launch.hpp"
#include "simulator/backends/device/points/point_source.hpp"
#include "simulator/backends/device/points/point_tables.hpp"

namespace hillock::simulator::on_device {

void PlasticProgram::load(device::Library library, device::Stream stream, unsigned blocks) {
  stream_ = stream;
  blocks_ = blocks;
  const std::pair<device::Kernel*, const char*> names[] = {{&note_given_, "note_given_spikes"},
                                                           {&pass_, "pass_arriving"},
                                                           {&settle_, "settle_weights"},
                                                           {&sample_, "take_weights"}};
  for (const auto& [kernel, name] : names) *kernel = device::kernel_of(library, name);
}

void PlasticProgram::add(PlasticConnections connections, const PlasticEnds& ends,
                         const network::InputRingView& inputs, const network::SumGrid& grid) {
  if (connections.synapses.size() == 0) return;
  const models::Stdp& stdp = *plan_.run.stdp[connections.projection];
  Table& table = tables_.emplace_back(Table{.projection = connections.projection,
                                            .target = ends.target,
                                            .synapses = std::move(connections.synapses),
                                            .decays = StdpTables(stdp, plan_.run.dt_ms)});
  const PlasticSynapses& synapses = table.synapses;
  PlasticTableView& view = table.view;
  const auto put = [&](const auto& numbers) {
    return memory_.put(std::span(numbers), DeviceUse::connections).data();
  };
  const std::vector<std::uint32_t> first = synapses.index.dense(synapses.source_count);
  view.rule = table.decays.rule();
  const std::span known(view.rule.plus_decay, static_cast<std::size_t>(view.rule.known_steps));
  view.rule.plus_decay = put(known);
  view.rule.minus_decay = put(std::span(table.decays.rule().minus_decay, known.size()));
  view.first = put(std::span<const unsigned>(first));
  view.first_source = synapses.first_source;
  view.source_count = synapses.source_count;
  view.source_population = ends.source_number;
  view.target_population = count_of(populations_[ends.target].plan->id.value);
  view.delay_of_time = ends.delay_of_time;
  view.targets = put(std::span<const unsigned>(synapses.targets));
  view.shortest = view.longest = synapses.longest_steps;
  view.pieces = 1;
  if (synapses.delays.is_one()) {
    unsigned most = 0;
    for (std::size_t s = 0; s < first.size() - 1; ++s)
      most = std::max(most, first[s + 1] - first[s]);
    view.pieces = (most + synapses_of_piece - 1) / synapses_of_piece;
  } else {
    view.delays = put(std::span<const unsigned>(synapses.delays.many()));
    view.shortest = *std::ranges::min_element(synapses.delays.many());
  }
  table.weights = memory_.take<double>(synapses.size(), DeviceUse::connections);
  view.weights = table.weights.data();
  view.inputs = inputs;
  view.sums_of_one = 1 / grid.spacing();
  longest_ = std::max(longest_, synapses.longest_steps);
}

/// Of a source those spikes that may be on their way and the one before; of a target those that
/// may come to a synapse after all weights were settled, and those of two epochs, at whose ends
/// they are.
void PlasticProgram::take_rings(Table& table, unsigned epoch_steps) {
  const auto take = [&](std::size_t neurons, unsigned slots, DeviceView<PastSpike>& spikes,
                        DeviceView<unsigned>& counts) {
    spikes = memory_.take<PastSpike>(neurons * slots, DeviceUse::connections);
    counts = memory_.take<unsigned>(neurons, DeviceUse::connections);
    counts.clear();
    return PastSpikesView{spikes.data(), counts.data(), slots};
  };
  const auto longest = static_cast<unsigned>(table.view.longest);
  const unsigned behind = table.view.rule.is_axonal ? 0 : 2 * longest;
  table.view.source_spikes = take(table.synapses.source_count, std::bit_ceil(longest + 4),
                                  table.source_spikes, table.source_counts);
  table.view.target_spikes =
      take(populations_[table.target].neurons, std::bit_ceil(behind + 2 * epoch_steps + 4),
           table.target_spikes, table.target_counts);
}

void PlasticProgram::prepare(PointNetwork& network, std::int64_t epoch_steps,
                             std::span<const models::ReportLayout> reports) {
  PlasticNetwork& plastic = network.plastic;
  plastic = {};
  if (is_empty()) return;
  is_source_.resize(plan_.populations.size());
  std::vector<PlasticTableView> views;
  for (Table& table : tables_) {
    take_rings(table, count_of(static_cast<std::size_t>(epoch_steps)));
    table.weights.upload(table.synapses.weights);
    is_source_[table.view.source_population] = true;
    views.push_back(table.view);
  }
  plastic.tables =
      memory_
          .put<PlasticTableView>(std::span<const PlasticTableView>(views), DeviceUse::connections)
          .data();
  plastic.table_count = count_of(views.size());
  number_weights(reports);
  std::vector<RecordedWeightsView> recorded;
  for (const Recorded& one : recorded_)
    recorded.push_back(
        {count_of(one.table), count_of(one.report), count_of(one.columns.size()),
         memory_.put<unsigned>(std::span<const unsigned>(one.columns), DeviceUse::samples).data()});
  plastic.recorded = memory_
                         .put<RecordedWeightsView>(std::span<const RecordedWeightsView>(recorded),
                                                   DeviceUse::samples)
                         .data();
  plastic.recorded_count = count_of(recorded.size());
  plastic.begins =
      memory_.take<unsigned>(static_cast<std::size_t>(epoch_steps) + 1, DeviceUse::events).data();
  const DeviceView<unsigned> is_full = memory_.take<unsigned>(1, DeviceUse::events);
  is_full.clear();
  is_full_[0] = 0;
  plastic.is_full = is_full.data();
  plastic.margin = count_of(static_cast<std::size_t>(epoch_steps)) + 1;
  begins_on_device_ =
      memory_.take<unsigned>(static_cast<std::size_t>(longest_) + 2, DeviceUse::events);
  window_begins_.reserve(begins_on_device_.size());
  on_device_ = memory_.take<PointSpike>(1024, DeviceUse::events);
}

/// Connections are in the order of their sources, and so are a neuron's columns.
void PlasticProgram::number_weights(std::span<const models::ReportLayout> reports) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const PointPopulation& population = populations_[tables_[t].target];
    for (const RecordedWeights& wanted : population.parts.front().recorded_weights) {
      if (wanted.projection != tables_[t].projection) continue;
      const models::ReportLayout& layout = reports[wanted.report];
      std::vector<std::size_t> next(population.neurons);
      for (std::size_t n = 0; n < next.size(); ++n) {
        const auto node = std::ranges::lower_bound(layout.node_ids, population.indices[n]);
        if (node != layout.node_ids.end() && *node == population.indices[n])
          next[n] = layout.index_pointers[static_cast<std::size_t>(node - layout.node_ids.begin())];
      }
      Recorded& recorded = recorded_.emplace_back(Recorded{t, wanted.report, {}});
      for (const std::uint32_t target : tables_[t].synapses.targets)
        recorded.columns.push_back(count_of(next[target]++));
    }
  }
}

void PlasticProgram::sample_start(std::span<const SampleBuffer> samples) const {
  for (const Recorded& recorded : recorded_) {
    if (!plan_.run.samples[recorded.report].contains(0)) continue;
    for (std::size_t s = 0; s < recorded.columns.size(); ++s)
      samples[recorded.report].data[recorded.columns[s]] =
          tables_[recorded.table].synapses.weights[s];
  }
}

void PlasticProgram::settle(PointNetwork& network, std::int64_t now) {
  if (network.plastic.settled_to == now) return;
  long long at = now;
  launch_points(stream_, settle_, blocks_, {&network, &at, &blocks_});
  network.plastic.settled_to = now;
}

void PlasticProgram::start_epoch(PointNetwork& network, std::int64_t first,
                                 std::vector<PointSpike> given) {
  for (const PointSpike& spike : given)
    if (is_source_[spike.population]) window_.push_back({spike, first + spike.step});
  put_window(network, first);
  std::erase_if(given, [&](const PointSpike& spike) { return !is_source_[spike.population]; });
  std::ranges::sort(given, {},
                    [](const PointSpike& spike) { return std::pair(spike.cell, spike.step); });
  if (!given.empty()) {
    new_spikes_.reserve(given.size());
    std::ranges::copy(given, new_spikes_.data());
    PointSpike* const at = new_spikes_.data();  // read by the device where it lies
    unsigned count = count_of(given.size());
    long long from = first;
    launch_points(stream_, note_given_, (count + point_block_threads - 1) / point_block_threads,
                  {&network, const_cast<PointSpike**>(&at), &count, &from});
  }
  if (is_full_[0] != 0) {
    settle(network, first);
    device::clear(network.plastic.is_full, sizeof(unsigned), stream_);
  }
}

/// Sorts the spikes that may be on their way by time, and forgets the others.
void PlasticProgram::put_window(PointNetwork& network, std::int64_t first) {
  std::erase_if(window_, [&](const Timed& one) { return one.time + longest_ < first; });
  std::ranges::sort(window_, {},
                    [](const Timed& one) { return std::pair(one.time, one.spike.cell); });
  window_spikes_.reserve(window_.size());
  for (std::size_t i = 0; i < window_.size(); ++i) {
    window_[i].spike.step = static_cast<int>(window_[i].time - first);
    window_spikes_[i] = window_[i].spike;
  }
  const std::int64_t from = first - longest_;
  std::size_t at = 0;
  for (std::size_t k = 0; k < begins_on_device_.size(); ++k) {
    while (at < window_.size() && window_[at].time < from + static_cast<std::int64_t>(k)) ++at;
    window_begins_[k] = count_of(at);
  }
  if (window_.size() > on_device_.size())
    memory_.renew(on_device_, window_.size() + window_.size() / 2, DeviceUse::events);
  const auto copy = [&](auto& to, const auto& from_host, std::size_t count) {
    if (count > 0)
      device::copy(to.data(), from_host.data(), count * sizeof(from_host[0]), device::Way::in,
                   stream_);
  };
  copy(on_device_, window_spikes_, window_.size());
  copy(begins_on_device_, window_begins_, begins_on_device_.size());
  network.plastic.given = on_device_.data();
  network.plastic.given_begins = begins_on_device_.data();
  network.plastic.given_from = from;
}

void PlasticProgram::pass(const PointNetwork& network, std::int64_t step, std::int64_t first) {
  long long at = step, from = first;
  launch_points(stream_, pass_, blocks_,
                {const_cast<PointNetwork*>(&network), &at, &from, &blocks_});
}

void PlasticProgram::sample(PointNetwork& network, std::int64_t step) {
  if (std::ranges::none_of(recorded_, [&](const Recorded& recorded) {
        return plan_.run.samples[recorded.report].contains(step);
      }))
    return;
  settle(network, step);
  long long at = step;
  launch_points(stream_, sample_, blocks_, {&network, &at, &blocks_});
}

void PlasticProgram::fetch(const PointNetwork& network) {
  device::copy(is_full_.data(), network.plastic.is_full, sizeof(unsigned), device::Way::out,
               stream_);
}

void PlasticProgram::finish_epoch(std::span<const PointSpike> spikes, std::int64_t first) {
  for (const PointSpike& spike : spikes)
    if (is_source_[spike.population]) window_.push_back({spike, first + spike.step});
}

PlasticProgram::Saved::Saved(Table& table, std::size_t neurons)
    : sources(table.synapses.source_count, table.view.source_spikes.slots),
      targets(neurons, table.view.target_spikes.slots),
      rule(table.decays.rule()),
      state(table.projection, table.synapses, targets, rule) {}

void PlasticProgram::begin_walk() {
  saved_.clear();
  for (Table& table : tables_)
    saved_.push_back(std::make_unique<Saved>(table, populations_[table.target].neurons));
}

void PlasticProgram::fetch_state(PointNetwork& network, std::int64_t now) {
  if (is_empty()) return;
  settle(network, now);
  device::wait(stream_);
  begin_walk();
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    table.weights.download(table.synapses.weights);
    table.source_spikes.download(saved_[t]->sources.spikes());
    table.source_counts.download(saved_[t]->sources.counts());
    table.target_spikes.download(saved_[t]->targets.spikes());
    table.target_counts.download(saved_[t]->targets.counts());
  }
}

void PlasticProgram::walk(StateWalk& walk, std::size_t population, const PointPart& part,
                          std::int64_t now) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (tables_[t].target != population) continue;
    const PastSpikesView sources = saved_[t]->sources.view();
    saved_[t]->state.walk(
        walk, part.first_neuron, now, [&](std::uint64_t source, std::int64_t delay) {
          const auto neuron = static_cast<unsigned>(source);
          const unsigned count = sources.count_until(neuron, now - 1 - delay);
          return count > sources.oldest(neuron) ? sources.at(neuron, count - 1) : PastSpike{};
        });
  }
}

void PlasticProgram::put_state(PointNetwork& network, std::int64_t now) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    Saved& saved = *saved_[t];
    for (std::uint32_t s = 0; s < saved.state.sources().size(); ++s)
      if (saved.state.sources()[s].is_there()) saved.sources.add(s, saved.state.sources()[s]);
    table.weights.upload(table.synapses.weights);
    table.source_spikes.upload(saved.sources.spikes());
    table.source_counts.upload(saved.sources.counts());
    table.target_spikes.upload(saved.targets.spikes());
    table.target_counts.upload(saved.targets.counts());
  }
  saved_.clear();
  window_.clear();
  network.plastic.settled_to = now;
  device::wait();  // kernels' stream does not wait for what is uploaded
}

}  // namespace hillock::simulator::on_device
