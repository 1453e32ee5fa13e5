#include "simulator/output/potentials.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

}  // namespace

PotentialBytes potential_bytes(double columns, std::size_t contacts, double rows_an_epoch,
                               double rows_of_run, int threads) {
  const double numbers = sizeof(double);
  const auto cells = static_cast<std::size_t>(columns);
  const auto enough = static_cast<double>(enough_samples(cells, contacts));
  const double epoch = std::ceil(rows_an_epoch);
  const double rows = std::min(epoch >= enough ? epoch : enough + epoch, rows_of_run);
  const auto sums = static_cast<double>(solver::sums_size(contacts));
  const auto work = static_cast<double>(
      solver::work_size(static_cast<std::size_t>(rows), solver::contact_blocks(contacts)));
  return {.map = numbers * static_cast<double>(solver::map_size(cells, contacts)),
          .currents = numbers * (rows * (columns + (threads + 1) * sums) + threads * work)};
}

PotentialSums::PotentialSums(const PotentialPlan& plan,
                             const std::vector<models::ReportLayout>& reports)
    : plan_(&plan), columns_(reports[plan.report].element_ids.size()) {
  std::size_t column = 0;
  for (const PotentialPlan::Cell& cell : plan.cells)
    first_.push_back(std::exchange(column, column + cell.columns));
}

void PotentialSums::add(std::vector<double> currents, std::size_t samples, int threads) {
  if (samples == 0) return used_.push_back(std::move(currents));
  waiting_.push_back({std::move(currents), samples});
  waiting_samples_ += samples;
  if (waiting_samples_ >= enough_samples(columns_, contacts())) multiply(threads);
}

void PotentialSums::add_sums(std::vector<double> sums) {
  sums_.insert(sums_.end(), sums.begin(), sums.end());
  used_.push_back(std::move(sums));
}

std::vector<double> PotentialSums::used_currents() {
  if (used_.empty()) return {};
  std::vector<double> memory = std::move(used_.back());
  used_.pop_back();
  return memory;
}

std::vector<double> PotentialSums::take(int threads) {
  multiply(threads);
  return std::exchange(sums_, {});
}

/// Each piece of work is some cells at some contacts, of like size, with sums of its own.
void PotentialSums::multiply(int threads) {
  if (waiting_.empty()) return;
  const std::size_t samples = std::exchange(waiting_samples_, 0);
  const std::size_t blocks = solver::contact_blocks(contacts());
  const std::size_t size = solver::sums_size(contacts());
  const std::size_t pieces =
      std::clamp<std::size_t>(plan_->cells.size(), 1, static_cast<std::size_t>(threads));
  const std::size_t cuts = std::min(blocks, static_cast<std::size_t>(threads) / pieces);
  std::vector<const double*> currents;  // [sample]
  for (const Currents& some : waiting_)
    for (std::size_t row = 0; row < some.samples; ++row)
      currents.push_back(some.numbers.data() + row * columns_);
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
  for (Currents& some : waiting_) used_.push_back(std::move(some.numbers));
  waiting_.clear();
}

std::vector<double> PotentialSums::values_of(const std::vector<double>& sums,
                                             std::size_t contacts) {
  const std::size_t size = solver::sums_size(contacts);
  std::vector<double> values;
  values.reserve(sums.size() / size * contacts);
  for (std::size_t sample = 0; sample < sums.size(); sample += size)
    for (std::size_t contact = 0; contact < contacts; ++contact) {
      double parts[ExactSum::parts];
      for (std::size_t part = 0; part < ExactSum::parts; ++part)
        parts[part] = sums[sample + solver::place_in_sums(part, contact)];
      values.push_back(ExactSum::value(parts));
    }
  return values;
}

models::ReportLayout layout_of_potential(const models::ReportLayout& currents,
                                         std::shared_ptr<const models::Potential> potential) {
  models::ReportLayout layout;
  layout.name = currents.name;
  layout.units = "mV";
  layout.float64 = currents.float64;
  layout.gzip_level = currents.gzip_level;
  layout.start_ms = currents.start_ms;
  layout.every_ms = currents.every_ms;
  layout.samples = currents.samples;
  layout.node_ids = {0};
  layout.index_pointers = {0, potential->contacts.size()};
  layout.element_ids.resize(potential->contacts.size());
  std::iota(layout.element_ids.begin(), layout.element_ids.end(), 0U);
  layout.element_pos.assign(layout.element_ids.size(), 0);
  layout.potential = std::move(potential);
  return layout;
}

}  // namespace hillock::simulator
