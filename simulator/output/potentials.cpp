#include "simulator/output/potentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "simulator/threads/parallel.hpp"

namespace hillock::simulator {

namespace {

/// A product reads all of the map, so that it should be of some samples: currents wait until there
/// are so many of them, or they take a third of what the map does, which is more than so little.
constexpr std::size_t enough_samples(std::size_t columns, std::size_t contacts) {
  constexpr std::size_t samples = 32, little = std::size_t{128} << 20;
  const std::size_t bytes_a_sample = std::max<std::size_t>(1, columns) * sizeof(double);
  const std::size_t map_bytes = solver::map_size(columns, contacts) * sizeof(double);
  return std::clamp<std::size_t>(std::max(little, map_bytes / 3) / bytes_a_sample, 1, samples);
}

/// What a sample's sums come to.
double value_at(const double* sums, std::size_t contact) {
  double parts[ExactSum::parts];
  for (std::size_t part = 0; part < ExactSum::parts; ++part)
    parts[part] = sums[solver::place_in_sums(part, contact)];
  return ExactSum::value(parts);
}

}  // namespace

PotentialBytes potential_bytes(const PotentialSize& size, int threads) {
  const double numbers = sizeof(double);
  const auto columns = static_cast<std::size_t>(size.columns);
  const auto enough = static_cast<double>(enough_samples(columns, size.contacts));
  const double epoch = std::ceil(size.samples_an_epoch);
  const double rows = std::min(epoch >= enough ? epoch : enough + epoch, size.samples_of_run);
  const auto sums = static_cast<double>(solver::sums_size(size.contacts));
  // Of cells by themselves an epoch's rows are written while the next ones are made.
  const double made =
      size.cells > 0 ? std::min(2.0, std::max(1.0, size.samples_of_run / std::max(1.0, rows))) *
                           size.cells * static_cast<double>(size.contacts)
                     : sums;
  const auto work = static_cast<double>(
      solver::work_size(static_cast<std::size_t>(rows), solver::contact_blocks(size.contacts)));
  const double of_run =
      size.steps_an_epoch / std::max(size.samples_an_epoch, 1e-12) * size.samples_of_run;  // steps
  const double steps =
      size.steps_an_epoch > 0 ? std::min(std::ceil(size.steps_an_epoch) + 1, of_run + 1) : 0;
  return {.map = numbers * static_cast<double>(solver::map_size(columns, size.contacts)),
          .currents = numbers * (rows * (size.columns + made + threads * sums) +
                                 steps * size.columns + threads * work)};
}

double room_for_currents(double room, double columns, std::size_t contacts) {
  const std::size_t map = solver::map_size(static_cast<std::size_t>(columns), contacts);
  return std::max(room, 0.5 * sizeof(double) * static_cast<double>(map));
}

PotentialSums::PotentialSums(const PotentialPlan& plan,
                             const std::vector<models::ReportLayout>& reports)
    : plan_(&plan),
      population_(reports[plan.report].population),
      state_name_(fmt::format("mean of record {}", plan.report)),
      cells_(reports[plan.report].node_ids),
      columns_(reports[plan.report].element_ids.size()),
      next_step_(std::max<std::int64_t>(0, plan.times.first - plan.times.every + 1)) {
  std::size_t column = 0;
  for (const PotentialPlan::Cell& cell : plan.cells)
    first_.push_back(std::exchange(column, column + cell.columns));
  if (plan.is_mean) sum_.resize(columns_);
}

void PotentialSums::add(CurrentRows currents, std::size_t rows, int threads) {
  if (rows == 0) return used_.push_back(std::move(currents));
  if (plan_->is_mean) {
    Currents means = means_of(currents, rows, threads);
    used_.push_back(std::move(currents));
    if (means.samples == 0) return;
    waiting_samples_ += means.samples;
    waiting_.push_back(std::move(means));
  } else {
    waiting_.push_back({std::move(currents), rows});
    waiting_samples_ += rows;
  }
  if (waiting_samples_ >= enough_samples(columns_, contacts())) multiply(threads);
}

/// Step by step in their order, which is no epoch's, so that a mean has the same bytes however long
/// these are.
PotentialSums::Currents PotentialSums::means_of(const CurrentRows& rows, std::size_t count,
                                                int threads) {
  Currents means;
  const std::int64_t begin = next_step_;
  next_step_ += static_cast<std::int64_t>(count);
  for (std::int64_t step = begin; step < next_step_; ++step)
    if (plan_->times.contains(step)) ++means.samples;
  means.numbers.resize(means.samples * columns_);
  constexpr std::size_t at_once = 2048;  // columns
  std::size_t left = held_;
  parallel_for((columns_ + at_once - 1) / at_once, threads, [&](std::size_t piece) {
    const std::size_t first = piece * at_once, end = std::min(first + at_once, columns_);
    std::size_t held = held_, sample = 0;
    for (std::size_t row = 0; row < count; ++row) {
      const double* const from = rows.data() + row * columns_;
      for (std::size_t c = first; c < end; ++c) sum_[c] = held == 0 ? from[c] : sum_[c] + from[c];
      ++held;
      if (!plan_->times.contains(begin + static_cast<std::int64_t>(row))) continue;
      double* const to = means.numbers.data() + sample++ * columns_;
      for (std::size_t c = first; c < end; ++c) to[c] = sum_[c] / static_cast<double>(held);
      held = 0;
    }
    if (piece == 0) left = held;
  });
  held_ = left;
  return means;
}

std::size_t PotentialSums::bytes_by_cell(std::size_t rows) const {
  if (!plan_->is_by_cell) return 0;
  const std::size_t waiting = waiting_samples_ + rows;
  const std::size_t multiplied = waiting >= enough_samples(columns_, contacts()) ? waiting : 0;
  return sizeof(double) * (sums_.size() + multiplied * plan_->cells.size() * contacts());
}

void PotentialSums::walk(StateWalk& walk, std::int64_t step) {
  if (!plan_->is_mean) return;
  if (!walk.is_saving()) {
    const std::int64_t first =
        std::max<std::int64_t>(0, plan_->times.first - plan_->times.every + 1);
    next_step_ = std::max(first, step + 1);
    held_ = 0;
    for (std::int64_t of = step; of >= first && !plan_->times.contains(of); --of) ++held_;
  }
  const auto numbers_of = [&](std::uint64_t cell) {
    const auto at = std::ranges::lower_bound(cells_, cell);
    if (at == cells_.end() || *at != cell) return;
    const auto c = static_cast<std::size_t>(at - cells_.begin());
    for (std::size_t k = first_[c]; k < first_[c] + plan_->cells[c].columns; ++k) {
      if (walk.is_saving() && held_ == 0) sum_[k] = 0;  // of a sample that has been made
      walk.number(sum_[k]);
    }
  };
  if (walk.is_saving()) {
    const CellIndices& cells = walk.begin_all(population_);
    walk.column(state_name_, [&](std::size_t c) { numbers_of(cells[c]); });
  } else if (!cells_.empty()) {  // a rank may have none of the population
    walk.begin(population_, cells_);
    walk.column(state_name_, [&](std::size_t c) { numbers_of(cells_[c]); });
  }
}

void PotentialSums::add_sums(const std::vector<double>& sums) {
  sums_.insert(sums_.end(), sums.begin(), sums.end());
}

CurrentRows PotentialSums::used_currents() {
  if (used_.empty()) return {};
  CurrentRows memory = std::move(used_.back());
  used_.pop_back();
  return memory;
}

std::vector<double> PotentialSums::take(int threads) {
  multiply(threads);
  return std::exchange(sums_, {});
}

void PotentialSums::multiply(int threads) {
  if (waiting_.empty()) return;
  waiting_samples_ = 0;
  std::vector<const double*> currents;  // [sample]
  for (const Currents& some : waiting_)
    for (std::size_t row = 0; row < some.samples; ++row)
      currents.push_back(some.numbers.data() + row * columns_);
  if (plan_->is_by_cell)
    append_cells(currents, threads);
  else
    add_sums_of(currents, threads);
  // An epoch gives back its own currents; of means the next one would take the memory of too
  // little.
  if (!plan_->is_mean)
    for (Currents& some : waiting_) used_.push_back(std::move(some.numbers));
  waiting_.clear();
}

/// Each piece of work is some cells at some contacts, of like size, with sums of its own.
void PotentialSums::add_sums_of(const std::vector<const double*>& currents, int threads) {
  const std::size_t samples = currents.size();
  const std::size_t blocks = solver::contact_blocks(contacts());
  const std::size_t size = solver::sums_size(contacts());
  const std::size_t pieces =
      std::clamp<std::size_t>(plan_->cells.size(), 1, static_cast<std::size_t>(threads));
  const std::size_t cuts = std::min(blocks, static_cast<std::size_t>(threads) / pieces);
  std::vector<solver::PotentialArray> parts(pieces * cuts);
  parallel_for(parts.size(), threads, [&](std::size_t number) {
    const std::size_t piece = number / cuts, cut = number % cuts;
    const auto cell_at = [&](std::size_t p) {
      return static_cast<std::size_t>(std::ranges::lower_bound(first_, columns_ * p / pieces) -
                                      first_.begin());
    };
    const std::size_t first_block = blocks * cut / cuts, end_block = blocks * (cut + 1) / cuts;
    solver::PotentialArray& part = parts[number];
    part.resize(samples * (size / blocks) * (end_block - first_block));
    solver::PotentialArray work(solver::work_size(samples, end_block - first_block));
    for (std::size_t c = cell_at(piece); c < cell_at(piece + 1); ++c) {
      const PotentialPlan::Cell& cell = plan_->cells[c];
      const std::size_t map_of_block = cell.columns * solver::contacts_at_once;
      solver::add_potentials()({.map = cell.map + first_block * map_of_block,
                                .sources = cell.columns,
                                .blocks = end_block - first_block,
                                .currents = currents.data(),
                                .first = first_[c],
                                .samples = samples,
                                .work = work.data(),
                                .sums = part.data()});
    }
  });
  const std::size_t begin = sums_.size();
  sums_.resize(begin + samples * size);
  for (std::size_t number = 0; number < parts.size(); ++number) {
    const std::size_t cut = number % cuts;
    const std::size_t first = size / blocks * (blocks * cut / cuts);
    const std::size_t width = parts[number].size() / samples;
    for (std::size_t sample = 0; sample < samples; ++sample)
      for (std::size_t i = 0; i < width; ++i)
        sums_[begin + sample * size + first + i] += parts[number][sample * width + i];
  }
}

/// The same of one cell after the other: a sum of one.
void PotentialSums::append_cells(const std::vector<const double*>& currents, int threads) {
  const std::size_t samples = currents.size(), size = solver::sums_size(contacts());
  const std::size_t width = plan_->cells.size() * contacts();
  const std::size_t begin = sums_.size();
  sums_.resize(begin + samples * width);
  const std::size_t pieces =
      std::min<std::size_t>(plan_->cells.size(), static_cast<std::size_t>(threads));
  parallel_for(pieces, threads, [&](std::size_t piece) {
    solver::PotentialArray work(solver::work_size(samples, solver::contact_blocks(contacts())));
    solver::PotentialArray sums(samples * size);
    for (std::size_t c = plan_->cells.size() * piece / pieces;
         c < plan_->cells.size() * (piece + 1) / pieces; ++c) {
      std::fill(sums.begin(), sums.end(), 0.0);
      solver::add_potentials()({.map = plan_->cells[c].map,
                                .sources = plan_->cells[c].columns,
                                .blocks = solver::contact_blocks(contacts()),
                                .currents = currents.data(),
                                .first = first_[c],
                                .samples = samples,
                                .work = work.data(),
                                .sums = sums.data()});
      for (std::size_t sample = 0; sample < samples; ++sample)
        for (std::size_t contact = 0; contact < contacts(); ++contact)
          sums_[begin + sample * width + c * contacts() + contact] =
              value_at(sums.data() + sample * size, contact);
    }
  });
}

std::vector<double> PotentialSums::values_of(const std::vector<double>& sums,
                                             std::size_t contacts) {
  const std::size_t size = solver::sums_size(contacts);
  std::vector<double> values;
  values.reserve(sums.size() / size * contacts);
  for (std::size_t sample = 0; sample < sums.size(); sample += size)
    for (std::size_t contact = 0; contact < contacts; ++contact)
      values.push_back(value_at(sums.data() + sample, contact));
  return values;
}

models::ReportLayout layout_of_potential(const models::ReportLayout& currents,
                                         const PotentialPlan& potential) {
  const std::size_t contacts = potential.of->size();
  models::ReportLayout layout;
  layout.name = currents.name;
  layout.units = potential.of->is_dipole() ? "nA um" : "mV";
  layout.float64 = currents.float64;
  layout.gzip_level = currents.gzip_level;
  layout.start_ms = currents.start_ms;
  layout.every_ms = currents.every_ms;
  layout.samples = currents.samples;
  layout.node_ids = {0};
  if (potential.is_by_cell) {
    layout.population = currents.population;
    layout.node_ids = currents.node_ids;
  } else {
    layout.potential = potential.of;
  }
  layout.index_pointers = {0};
  for (std::size_t node = 0; node < layout.node_ids.size(); ++node) {
    for (std::uint32_t contact = 0; contact < contacts; ++contact)
      layout.element_ids.push_back(contact);
    layout.index_pointers.push_back(layout.element_ids.size());
  }
  layout.element_pos.assign(layout.element_ids.size(), 0);
  return layout;
}

}  // namespace hillock::simulator
