#include "simulator/backends/device/taped/taped_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "core/errors/errors.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/backends/device/taped/taped_source.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

namespace {

using begin::BegunCell;

/// What never changes of a diagonal, but by mechanisms.
std::vector<double> constant_uS(const BegunCell& cell) {
  std::vector<double> constant = cell.capacity_uS;
  for (std::size_t r = 1; r < constant.size(); ++r) {
    constant[r] += cell.coupling_uS[r];
    constant[static_cast<std::size_t>(cell.tree->parent[r])] += cell.coupling_uS[r];
  }
  return constant;
}

}  // namespace

TapedProgram::TapedProgram(AlikeCells&& cells, const RunConstants& run, const KernelCache& kernels,
                           DeviceMemory& memory, int threads)
    : cells_(std::move(cells)), run_(run), memory_(memory), threads_(threads) {
  stream_ = device::make_stream(device::Urgency::usual);
  compile(kernels);
  put_run();
  put_tree();
  put_rows();
  put_live();
  for (std::size_t b = 0; b < cells_.blocks.size(); ++b) blocks_.push_back(put_block(b));
  choose_kept();
  failures_ = memory_.take<TapedFailure>(cells_.count(), DeviceUse::cells);
  failures_.clear();
  head_.failures = failures_.data();
  spike_count_ = memory_.take<unsigned>(1, DeviceUse::events);
  spike_count_.clear();
  head_.spike_count = spike_count_.data();
}

TapedProgram::~TapedProgram() {
  device::drop(stream_);
  device::drop(library_);
}

void TapedProgram::compile(const KernelCache& kernels) {
  const DeviceLimits limits = limits_of_device();
  const Quotients quotients = run_.solver == "exact" ? Quotients::exact : Quotients::quick;
  library_ =
      device::load(kernels.code_of(write_taped_program(cells_, quotients), limits.capability));
  run_taped_ = device::kernel_of(library_, "run_taped");
  sample_taped_ = device::kernel_of(library_, "sample_taped");
  go_back_ = device::kernel_of(library_, "go_back");
  const device::Grid grid{1, static_cast<unsigned>(cells_.shape.threads()),
                          cells_.shape.chip_bytes};
  for (const device::Kernel kernel : {run_taped_, sample_taped_, go_back_})
    device::allow_shared(kernel, grid.shared_bytes);
  const auto blocks_of = [&](device::Kernel kernel) {
    const auto most =
        static_cast<std::size_t>(device::blocks_at_once(kernel, grid) * limits.multiprocessors);
    if (most == 0)
      throw solver::DeviceExhausted(
          "a kernel that keeps steps or goes back over them cannot be started");
    return static_cast<unsigned>(std::min(cells_.groups(), most));
  };
  blocks_ahead_ = blocks_of(run_taped_);
  blocks_back_ = blocks_of(go_back_);
}

void TapedProgram::put_run() {
  static_cast<network::Boundaries&>(head_) = run_.boundaries();
  head_.clock_ms = put(run_.clock_ms);
  head_.celsius = run_.celsius;
  head_.steps = run_.steps;
  head_.interpolates = run_.spike_time == models::SpikeTime::interpolated;
  head_.cells = static_cast<unsigned>(cells_.count());
  head_.groups = static_cast<unsigned>(cells_.groups());
}

/// Rows that are solved take turns, those below others before them: of those that may come next the
/// deepest do, which takes the fewest turns there are (T. C. Hu, Operations Research 9, 1961).
void TapedProgram::put_tree() {
  const std::vector<int>& parents = cells_.first().tree->parent;
  const std::size_t rows = parents.size(),
                    solvers = static_cast<std::size_t>(cells_.shape.solvers());
  std::vector<std::vector<int>> below(rows);
  for (std::size_t r = rows; r-- > 1;)
    below[static_cast<std::size_t>(parents[r])].push_back(static_cast<int>(r));
  std::vector<int> depth(rows, 0), other_children;
  std::vector<std::size_t> waits_for(rows);
  std::priority_queue<std::pair<int, int>> ready;  // depth and row
  for (std::size_t r = 0; r < rows; ++r) {
    if (r > 0) depth[r] = depth[static_cast<std::size_t>(parents[r])] + 1;
    waits_for[r] = below[r].size();
    if (waits_for[r] == 0) ready.emplace(depth[r], static_cast<int>(r));
  }
  constexpr TapedTurn none{-1, -1, TapedTurn::none, TapedTurn::none};
  turns_.assign(empty_turns * solvers, none);
  while (!ready.empty()) {
    const std::size_t first = turns_.size();
    for (std::size_t k = 0; k < solvers && !ready.empty(); ++k, ready.pop()) {
      const int row = ready.top().second;
      const std::vector<int>& its = below[static_cast<std::size_t>(row)];
      TapedTurn turn{row, parents[static_cast<std::size_t>(row)],
                     its.empty() ? TapedTurn::none : its.front(), TapedTurn::none};
      if (its.size() == 2) turn.second = its.back();
      if (its.size() > 2) {
        turn.second = TapedTurn::list - static_cast<int>(other_children.size());
        other_children.push_back(static_cast<int>(its.size() - 1));
        other_children.insert(other_children.end(), its.begin() + 1, its.end());
      }
      turns_.push_back(turn);
    }
    const std::size_t last = turns_.size();
    for (std::size_t k = first; k < last; ++k) {
      const int parent = turns_[k].parent;
      if (parent >= 0 && --waits_for[static_cast<std::size_t>(parent)] == 0)
        ready.emplace(depth[static_cast<std::size_t>(parent)], parent);
    }
    turns_.resize(first + solvers, none);
  }
  while ((turns_.size() / solvers) % empty_turns != 0) turns_.resize(turns_.size() + solvers, none);
  head_.turns = static_cast<int>(turns_.size() / solvers) - empty_turns;
  turns_.resize(turns_.size() + empty_turns * solvers, none);
  head_.solve = put(turns_);
  head_.other_children = put(other_children);
  head_.parents = put(parents);
  head_.rows = static_cast<int>(rows);
  head_.detector_row = cells_.first().detector_row;
  head_.threshold_mV = cells_.first().population->threshold_mV;
  std::vector<int> above;
  for (const BegunCell* cell : cells_.cells) above.push_back(cell->is_above ? 1 : 0);
  head_.above = memory_.put<int>(above, DeviceUse::cells).data();
}

TapedNumbers TapedProgram::put_numbers(
    bool differ, std::size_t size, const std::function<double(std::size_t, std::size_t)>& number) {
  if (differ) return {put(cells_.laid_out(size, number, threads_)), true};
  std::vector<double> alike(size);
  for (std::size_t k = 0; k < size; ++k) alike[k] = number(0, k);
  return {put(alike), false};
}

void TapedProgram::put_rows() {
  using Column = std::vector<double> BegunCell::*;
  const auto differ = [&](Column column) {
    return std::ranges::any_of(cells_.cells, [&](const BegunCell* cell) {
      return cell->*column != cells_.first().*column;
    });
  };
  const auto put_column = [&](Column column) {
    return put_numbers(differ(column), cells_.rows(),
                       [&](std::size_t c, std::size_t r) { return (cells_.cells[c]->*column)[r]; });
  };
  head_.capacity_uS = put_column(&BegunCell::capacity_uS);
  head_.coupling_uS = put_column(&BegunCell::coupling_uS);
  const auto put_turns = [&](int TapedTurn::*row) {
    return put_numbers(head_.coupling_uS.by_cell, turns_.size(), [&](std::size_t c, std::size_t k) {
      const int r = turns_[k].*row;
      return r < 0 ? 0 : cells_.cells[c]->coupling_uS[static_cast<std::size_t>(r)];
    });
  };
  head_.child_uS = put_turns(&TapedTurn::child);
  head_.second_uS = put_turns(&TapedTurn::second);
  head_.turn_uS = put_turns(&TapedTurn::row);
  const bool constants_differ = head_.capacity_uS.by_cell || head_.coupling_uS.by_cell;
  std::vector<std::vector<double>> constants(constants_differ ? cells_.count() : 1);
  parallel_for(constants.size(), threads_,
               [&](std::size_t c) { constants[c] = constant_uS(*cells_.cells[c]); });
  head_.constant_uS = put_numbers(constants_differ, cells_.rows(),
                                  [&](std::size_t c, std::size_t r) { return constants[c][r]; });
  by_v_ = take(cells_.rows());
  by_coupling_ = take(cells_.rows());
  by_capacity_ = take(cells_.rows());
  head_.by_v = by_v_.data();
  head_.by_coupling = by_coupling_.data();
  head_.by_capacity = by_capacity_.data();
}

void TapedProgram::put_live() {
  std::vector<std::pair<std::size_t, std::size_t>> homes;  // [number] block and its number there
  for (std::size_t b = 0; b < cells_.blocks.size(); ++b)
    for (std::size_t k = 0; k < block(b).states_size(); ++k) homes.emplace_back(b, k);
  const std::vector<double> live = cells_.laid_out(
      cells_.lasting(),
      [&](std::size_t c, std::size_t k) {
        const BegunCell& cell = *cells_.cells[c];
        if (k < cells_.rows()) return cell.v_mV[k];
        const auto [b, number] = homes[k - cells_.rows()];
        const std::size_t count = block(b).count();
        const auto state = static_cast<std::size_t>(cell.blocks[b].mechanism->info->first_state());
        return cell.blocks[b].columns[state + number / count][number % count];
      },
      threads_);
  head_.lasting = static_cast<int>(cells_.lasting());
  head_.live = memory_.put<double>(live, DeviceUse::cells).data();
}

TapedBlock TapedProgram::put_block(std::size_t b) {
  const AlikeBlock& from = block(b);
  const std::size_t count = from.count();
  TapedBlock to{};
  to.count = static_cast<int>(count);
  to.own_slots = static_cast<int>(from.own.size());
  to.back_slots = from.back_slots;
  to.states_at = static_cast<int>(cells_.rows());
  if (b > 0) to.states_at = blocks_.back().states_at + static_cast<int>(block(b - 1).states_size());
  const auto parts = static_cast<std::size_t>(cells_.shape.parts);
  std::vector<std::vector<TapedInstance>> of_parts(parts);
  for (std::size_t i = 0; i < count; ++i)
    of_parts[static_cast<std::size_t>(from.first.rows[i]) % parts].push_back(
        {static_cast<int>(i), from.first.rows[i]});
  std::size_t turns = 1;
  for (const auto& some : of_parts) turns = std::max(turns, some.size());
  std::vector<TapedInstance> instances(turns * parts, {-1, 0});
  for (std::size_t part = 0; part < parts; ++part)
    for (std::size_t turn = 0; turn < of_parts[part].size(); ++turn)
      instances[turn * parts + part] = of_parts[part][turn];
  to.turns = static_cast<int>(turns);
  to.instances = put(instances);
  to.placed = put(from.placed);
  if (!from.own.empty()) {
    const std::vector<double> own = cells_.laid_out(
        from.own.size() * count,
        [&](std::size_t c, std::size_t k) {
          const auto variable = static_cast<std::size_t>(from.own[k / count]);
          return cells_.cells[c]->blocks[b].columns[variable][k % count];
        },
        threads_);
    to.own = memory_.put<double>(own, DeviceUse::cells).data();
  }
  back_.push_back(take(static_cast<std::size_t>(from.back_slots) * count));
  to.back = back_.back().data();
  const std::size_t areas = from.first.area_factors.size();  // none of points without ions
  to.areas = put_numbers(from.areas_differ, areas, [&](std::size_t c, std::size_t i) {
    return cells_.cells[c]->blocks[b].area_factors[i];
  });
  return to;
}

/// As many steps lie between those that are kept as takes the least memory: all are made again,
/// once.
void TapedProgram::choose_kept() {
  const std::size_t lanes = cells_.lanes(), steps = static_cast<std::size_t>(run_.steps);
  const std::size_t lasting = cells_.lasting() * lanes;
  const std::size_t record = lasting + cells_.rows() * lanes;
  std::size_t best = 1, least = std::numeric_limits<std::size_t>::max();
  for (std::size_t every = 1; every <= steps; ++every) {
    const std::size_t size = cells_.groups() * ((steps + every - 1) / every) * lasting +
                             blocks_back_ * (every + 1) * record;
    if (size < least) {
      least = size;
      best = every;
    }
  }
  head_.every = static_cast<long long>(best);
  kept_ = memory_.take<double>(cells_.groups() * ((steps + best - 1) / best) * lasting,
                               DeviceUse::cells);
  const DeviceView<double> stretch =
      memory_.take<double>(blocks_back_ * (best + 1) * record, DeviceUse::cells);
  stretch_bytes_ = stretch.size() * sizeof(double);
  head_.kept = kept_.data();
  head_.stretch = stretch.data();
  const std::size_t rows = 2 * cells_.rows() * lanes;
  head_.aside = memory_.take<double>(blocks_back_ * rows, DeviceUse::cells).data();
  if (!cells_.shape.is_on_chip)
    head_.work =
        memory_.take<double>(std::max(blocks_ahead_, blocks_back_) * rows, DeviceUse::cells).data();
}

void TapedProgram::put_samples() {
  std::vector<unsigned> first_samples{0}, first_shares{0};
  std::vector<TapedSample> samples;
  std::vector<TapedTerm> terms;
  std::vector<TapedShare> shares;
  for (const BegunCell* cell : cells_.cells) {
    std::vector<std::vector<TapedShare>> of_parts(static_cast<std::size_t>(cells_.shape.parts));
    for (const begin::Sampled& one : cell->samples) {
      const auto column = static_cast<unsigned>(one.column);
      const int recording = static_cast<int>(one.recording);
      samples.push_back({recording, column, static_cast<unsigned>(terms.size()),
                         static_cast<unsigned>(one.terms)});
      for (std::size_t k = 0; k < one.terms; ++k) {
        const begin::NumberSource& from = cell->terms[one.first_term + k];
        TapedTerm term{from.kind, from.factor, 0, 0, static_cast<int>(from.index)};
        int row = term.index, derivative = 0;
        if (term.kind == step::Summand::variable) {
          const AlikeBlock& its = block(from.block);
          term.block = static_cast<int>(from.block);
          term.slot = its.homes[from.variable].slot;
          row = its.first.rows[from.index];
          derivative =
              its.back_homes[static_cast<std::size_t>(its.columns.derivatives[from.variable])].slot;
        }
        terms.push_back(term);
        if (term.kind == step::Summand::constant) continue;
        term.slot = derivative;
        of_parts[static_cast<std::size_t>(row % cells_.shape.parts)].push_back(
            {term, recording, column});
      }
    }
    first_samples.push_back(static_cast<unsigned>(samples.size()));
    for (const auto& some : of_parts) {
      shares.insert(shares.end(), some.begin(), some.end());
      first_shares.push_back(static_cast<unsigned>(shares.size()));
    }
  }
  head_.first_samples = put(first_samples);
  head_.samples = put(samples);
  head_.terms = put(terms);
  head_.first_shares = put(first_shares);
  head_.shares = put(shares);
}

void TapedProgram::use(DeviceView<TapedRecording> recordings) {
  head_.recordings = recordings.data();
  head_.recording_count = static_cast<int>(recordings.size());
}

void TapedProgram::launch(device::Kernel kernel, std::span<void*> arguments) {
  const std::size_t of_blocks = std::max(blocks_.size(), std::size_t{1}) * sizeof(TapedBlock),
                    bytes = sizeof head_ + of_blocks +
                            std::max(cells_.ones.size(), std::size_t{1}) * sizeof(double);
  static_assert(sizeof head_ % sizeof(std::uint64_t) == 0 &&
                sizeof(TapedBlock) % sizeof(std::uint64_t) == 0);
  words_.assign(bytes / sizeof(std::uint64_t), 0);
  auto* const to = reinterpret_cast<std::byte*>(words_.data());
  std::memcpy(to, &head_, sizeof head_);
  std::ranges::copy(std::as_bytes(std::span(blocks_)), to + sizeof head_);
  std::ranges::copy(std::as_bytes(std::span(cells_.ones)), to + sizeof head_ + of_blocks);
  if (device::need_of(kernel).first_argument_bytes != bytes)
    throw std::logic_error("a kernel's arrays are not what the host makes of them");
  std::vector<void*> all{words_.data()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  device::launch(kernel,
                 {kernel == go_back_ ? blocks_back_ : blocks_ahead_,
                  static_cast<unsigned>(cells_.shape.threads()), cells_.shape.chip_bytes},
                 all.data(), stream_);
}

void TapedProgram::start_sampling() {
  launch(sample_taped_);
}

void TapedProgram::start(Epoch epoch) {
  // A cell spikes in every other step at most.
  const auto most = cells_.count() * static_cast<std::size_t>((epoch.last - epoch.first) / 2 + 1);
  if (spikes_.size() < most) memory_.renew(spikes_, most, DeviceUse::events);
  head_.spikes = spikes_.data();
  device::clear(spike_count_.data(), sizeof(unsigned), stream_);
  long long first = epoch.first, last = epoch.last;
  void* arguments[] = {&first, &last};
  launch(run_taped_, arguments);
}

void TapedProgram::start_back() {
  launch(go_back_);
}

void TapedProgram::finish(std::vector<network::CellSpike>& spikes) {
  device::wait(stream_);
  std::vector<TapedFailure> failures(cells_.count());
  failures_.download(failures);
  for (std::size_t c = 0; c < failures.size(); ++c) {
    if (failures[c].boundary == 0) continue;
    const BegunCell& cell = *cells_.cells[c];
    throw NumericalFailure(
        {step::boundary_ms(failures[c].boundary, run_.dt_ms), cell.population->name, cell.index,
         ""},
        failures[c].block < 0
            ? "the membrane potential is not a finite number"
            : fmt::format(
                  "the derivative of {} is not a finite number",
                  block(static_cast<std::size_t>(failures[c].block)).first.mechanism->info->name));
  }
  unsigned count = 0;
  spike_count_.download({&count, 1});
  std::vector<TapedSpike> found(count);
  if (count > 0) spikes_.download(found);
  for (const TapedSpike& spike : found)
    spikes.push_back({spike.time_ms, cells_.cells[spike.cell]->id});
}

std::vector<taped::CellDerivatives> TapedProgram::derivatives() const {
  const std::size_t lanes = cells_.lanes();
  std::vector<taped::CellDerivatives> all(cells_.count());
  // Of an array with so many numbers a cell, some groups at a time, calls take(its derivatives,
  // number(k)) for every cell.
  constexpr std::size_t at_once = std::size_t{8} << 20;
  PinnedArray<double> some(at_once);
  const auto fetch = [&](const DeviceView<double>& from, std::size_t size, const auto& take) {
    some.reserve(size * lanes);
    const std::size_t groups = some.size() / std::max(size * lanes, std::size_t{1});
    for (std::size_t first = 0; first < cells_.groups(); first += groups) {
      const std::size_t here = std::min(groups, cells_.groups() - first);
      device::copy(some.data(), from.data() + first * size * lanes,
                   here * size * lanes * sizeof(double), device::Way::out);
      parallel_for(
          std::min(here * lanes, all.size() - first * lanes), threads_, [&](std::size_t c) {
            const double* const its = some.data() + c / lanes * size * lanes + c % lanes;
            take(all[first * lanes + c], [its, lanes](std::size_t k) { return its[k * lanes]; });
          });
    }
  };
  const auto fetch_rows = [&](const DeviceView<double>& from,
                              std::vector<double> taped::CellDerivatives::*to) {
    fetch(from, cells_.rows(), [&](taped::CellDerivatives& by, const auto& number) {
      (by.*to).resize(cells_.rows());
      for (std::size_t r = 0; r < cells_.rows(); ++r) (by.*to)[r] = number(r);
    });
  };
  fetch_rows(by_v_, &taped::CellDerivatives::v_mV);
  fetch_rows(by_coupling_, &taped::CellDerivatives::coupling_uS);
  fetch_rows(by_capacity_, &taped::CellDerivatives::capacity_uS);
  for (std::size_t b = 0; b < cells_.blocks.size(); ++b) {
    const AlikeBlock& its = block(b);
    const std::size_t count = its.count();
    fetch(back_[b], static_cast<std::size_t>(its.back_slots) * count,
          [&](taped::CellDerivatives& by, const auto& number) {
            auto& columns = by.columns.emplace_back(its.columns.derivatives.size());
            for (std::size_t v = 0; v < columns.size(); ++v) {
              const int from = its.columns.derivatives[v];
              if (from < 0) continue;
              const TapedHome home = its.back_homes[static_cast<std::size_t>(from)];
              if (home.kind != TapedHome::back) continue;
              columns[v].resize(count);
              for (std::size_t i = 0; i < count; ++i)
                columns[v][i] = number(static_cast<std::size_t>(home.slot) * count + i);
            }
          });
  }
  return all;
}

}  // namespace hillock::simulator::on_device
