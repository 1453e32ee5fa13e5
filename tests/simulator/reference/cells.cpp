#include <algorithm>
#include <deque>

#include "simulator/step/integrators.hpp"
#include "tests/simulator/reference/range.hpp"
#include "tests/simulator/reference/roundoff.hpp"

namespace hillock::simulator::reference {

namespace {

class Cells final : public Range {
 public:
  Cells(RangePlan plan, const RunConstants& run, const begin::Beginner& beginner)
      : run_(run), plan_(std::move(plan)), inbox_(take_inbox(plan_)) {
    const auto cells = beginner.of_cells(plan_, run_, solver::RowOrder::by_branch);
    for (std::size_t c = 0; c < plan_.cell_count(); ++c)
      begun_.push_back(cells->begin(c, {}, spikes_));
    for (const begin::BegunCell& begun : begun_) cells_.emplace_back(begun, run_);
  }

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override {
    inbox_.start(run_.boundaries(), epoch_steps);
    for (begin::BegunCell& cell : begun_) cell.number_columns(reports);
  }

  void start(EpochResult& result) override {
    result.spikes.push_back(spikes_);
    for (Cell<double>& cell : cells_) {
      cell.begin_epoch({}, result.samples);
      cell.sample(0);
    }
  }

  void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
              EpochResult& result) override {
    for (const auto& some : spikes) inbox_.send(some);
    std::vector<std::vector<Event<double>>> events(cells_.size());
    for (const network::Arrival& arrival : inbox_.take(epoch.first, epoch.last))
      hand_out(arrival, events);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      cells_[c].begin_epoch(std::move(events[c]), result.samples);
      step::with_integrator(run_.integrator, [&](auto integrator) {
        for (std::int64_t step = epoch.first; step < epoch.last; ++step)
          take_step<decltype(integrator)>(c, step);
      });
      result.spikes.push_back(cells_[c].take_spikes());
    }
  }

 private:
  /// Puts the events of one source where their cells are.
  void hand_out(const network::Arrival& arrival,
                std::vector<std::vector<Event<double>>>& events) const {
    const network::FanInTable& table = inbox_.table(arrival.table);
    const std::vector<std::uint32_t>& first = plan_.points[table.mechanism].first;
    const std::size_t block = plan_.density_count() + table.mechanism;
    for (std::uint32_t e = arrival.begin; e < arrival.begin + arrival.count; ++e) {
      const network::FanInEntry entry = table.connections[e];
      const auto after = std::ranges::upper_bound(first, entry.instance);
      const auto cell = static_cast<std::size_t>(after - first.begin()) - 1;
      events[cell].push_back({inbox_.step_of(arrival), arrival.time_ms, entry.weight, block,
                              entry.instance - first[cell]});
    }
  }

  template <class Integrator>
  void take_step(std::size_t c, std::int64_t step) {
    if (!Roundoff::looks_at(step, c)) {
      step::take_step<Integrator>(cells_[c], step);
      return;
    }
    const Cell<double> before(cells_[c]);
    Cell<long double> exact(before);
    step::take_step<Integrator>(exact, step);
    step::take_step<Integrator>(cells_[c], step);
    roundoff().add_cell(before, cells_[c], exact);
  }

  const RunConstants& run_;
  RangePlan plan_;
  network::Inbox inbox_;
  std::vector<network::CellSpike> spikes_;  ///< of t = 0
  std::deque<begin::BegunCell> begun_;      ///< which cells_ refer to
  std::deque<Cell<double>> cells_;
};

}  // namespace

std::unique_ptr<Range> make_cells(RangePlan plan, const RunConstants& run,
                                  const begin::Beginner& beginner) {
  return std::make_unique<Cells>(std::move(plan), run, beginner);
}

}  // namespace hillock::simulator::reference
