#include "simulator/begin/begun_cell.hpp"

#include <algorithm>
#include <span>

namespace hillock::simulator::begin {

namespace {

class Numbers {
 public:
  Numbers(const RangePlan& plan, std::size_t c, BegunCell& cell)
      : plan_(plan), c_(c), cell_(cell) {}

  void add() {
    for (const PointerPlan& pointers : plan_.pointers) add_pointers(pointers);
    for (const Probe& probe : of_cell(plan_.probes, &Probe::cell)) add_probe(probe);
    for (const Playback& playback : plan_.playbacks) add_playback(playback);
    for (const GapEndPlan& end : of_cell(plan_.gap_ends, &GapEndPlan::cell)) add_gap_end(end);
  }

 private:
  /// Those of the cell, of what lies by cell.
  template <class One>
  std::span<const One> of_cell(const std::vector<One>& all, std::uint32_t One::*cell) const {
    return std::span(std::ranges::lower_bound(all, c_, {}, cell),
                     std::ranges::upper_bound(all, c_, {}, cell));
  }

  std::size_t row_of(NodeId node) const {
    return static_cast<std::size_t>(cell_.tree->rows[static_cast<std::size_t>(node.value)]);
  }
  std::size_t instance_at(std::size_t block, NodeId node) const {
    const std::vector<int>& rows = cell_.blocks[block].rows;
    return static_cast<std::size_t>(std::ranges::lower_bound(rows, static_cast<int>(row_of(node))) -
                                    rows.begin());
  }
  /// The k-th of the plan's on the cell.
  std::size_t instance(std::size_t block, std::size_t k) const {
    return plan_.is_density(block) ? instance_at(block, NodeId(plan_.nodes_of(block, c_)[k])) : k;
  }
  /// One that the plan counts through all cells.
  std::size_t own(std::size_t block, std::uint32_t instance) const {
    return this->instance(block, instance - plan_.first_instance(block, c_));
  }

  PointerTarget target_of(const PointerSource& source, NodeId node) const {
    using Kind = PointerTarget::Kind;
    switch (source.kind) {
      case PointerSource::Kind::voltage:
        return {Kind::voltage, 0, {}, 0, row_of(node)};
      case PointerSource::Kind::ion:
        return {Kind::ion, source.ion, source.quantity, 0, row_of(node)};
      default:
        return {Kind::variable,
                source.block,
                {},
                source.variable,
                instance(source.block, source.instance)};
    }
  }

  void add_pointers(const PointerPlan& pointers) {
    BegunBlock& block = cell_.blocks[pointers.block];
    block.pointers.resize(static_cast<std::size_t>(block.mechanism->info->coupling_count));
    std::vector<PointerTarget>& targets = block.pointers[pointers.coupling];
    targets.resize(block.rows.size());
    const std::uint64_t first = plan_.first_instance(pointers.block, c_);
    const auto nodes = plan_.nodes_of(pointers.block, c_);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      targets[instance(pointers.block, k)] =
          target_of(pointers.sources[first + k], NodeId(nodes[k]));
  }

  void add_probe(const Probe& probe) {
    cell_.samples.push_back({0, static_cast<std::uint32_t>(probe.recording), probe.column,
                             cell_.terms.size(), probe.terms.size()});
    for (const ProbeTerm& term : probe.terms) {
      NumberSource& source = cell_.terms.emplace_back();
      source.kind = term.kind;
      source.factor = term.factor;
      source.quantity = term.quantity;
      if (term.kind == step::Summand::variable) {
        source.block = term.block;
        source.variable = term.variable;
        source.index = plan_.is_density(term.block) ? instance_at(term.block, term.node)
                                                    : own(term.block, term.instance);
      } else if (term.kind != step::Summand::constant) {
        source.block = term.ion;
        source.index = row_of(term.node);
        source.layer = term.layer;
      }
    }
  }

  NumberSource variable_at(std::size_t block, std::size_t variable, std::size_t index) const {
    return {step::Summand::variable, 1, block, variable, {}, 0, index, 0};
  }

  void add_playback(const Playback& playback) {
    if (playback.is_density) {
      if (playback.cell == c_)
        cell_.played.push_back({variable_at(playback.block, playback.variable,
                                            instance_at(playback.block, playback.node)),
                                playback.table});
      return;
    }
    const std::vector<std::uint32_t>& first =
        plan_.points[playback.block - plan_.density_count()].first;
    if (playback.instance < first[c_] || playback.instance >= first[c_ + 1]) return;
    cell_.played.push_back(
        {variable_at(playback.block, playback.variable, own(playback.block, playback.instance)),
         playback.table});
  }

  void add_gap_end(const GapEndPlan& end) {
    if (end.publishes != GapEndPlan::none)
      cell_.gaps_published.push_back({end.publishes, 0, target_of(end.source, end.node)});
    if (end.reads != GapEndPlan::none)
      cell_.gaps_read.push_back(
          {end.reads, variable_at(end.block, end.variable, own(end.block, end.instance))});
  }

  const RangePlan& plan_;
  std::size_t c_;
  BegunCell& cell_;
};

}  // namespace

void BegunCell::number_columns(std::span<const models::ReportLayout> reports) {
  for (Sampled& sampled : samples) {
    const models::ReportLayout& report = reports[sampled.recording];
    const auto at = std::ranges::lower_bound(report.node_ids, index);
    sampled.column += report.index_pointers[static_cast<std::size_t>(at - report.node_ids.begin())];
  }
}

bool BegunCell::is_sampled(std::span<const step::SampleTimes> times, std::int64_t step) const {
  return std::ranges::any_of(
      samples, [&](const Sampled& sampled) { return times[sampled.recording].contains(step); });
}

void add_numbers(const RangePlan& plan, std::size_t c, BegunCell& cell) {
  Numbers(plan, c, cell).add();
}

}  // namespace hillock::simulator::begin
