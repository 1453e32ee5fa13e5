#include "simulator/backends/device/cells/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "simulator/backends/unsupported_on_device.hpp"

namespace hillock::simulator::on_device {

using mechanisms::SharedQuantity;

namespace {

/// A thread keeps its tasks of a contraction in registers: of larger cells they would not fit.
constexpr std::size_t most_rows_of_contraction = 3072;

/// Cells of a class differ by a quarter in size at most.
int size_class_of(std::size_t rows) {
  constexpr double step = 1.25;
  return static_cast<int>(std::ceil(std::log(static_cast<double>(rows)) / std::log(step)));
}

/// Of a block's column index, for one lane: which variable, of which instance.
std::pair<std::size_t, std::size_t> variable_of(const cpu::MechanismBlock& block,
                                                std::size_t index) {
  const auto states = static_cast<std::size_t>(block.mechanism->info->states);
  const auto first_state = static_cast<std::size_t>(block.mechanism->info->first_state());
  if (block.uniform && index >= states * block.count) return {index - states * block.count, 0};
  const std::size_t column = index / block.count;
  return {column < states ? first_state + column : column - states, index % block.count};
}

template <class T>
void append_to(std::vector<T>& all, std::vector<T>& more) {
  if (all.empty())
    all = std::move(more);
  else
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::size_t number_of(SharedQuantity quantity) {
  switch (quantity) {
    case SharedQuantity::reversal:
      return 1;
    case SharedQuantity::inside:
      return 2;
    case SharedQuantity::outside:
      return 3;
    default:
      return 0;
  }
}

const std::vector<double>& IonCells::of(SharedQuantity quantity) const {
  return *std::array{&current, &reversal, &inside, &outside}[number_of(quantity)];
}

Signature signature_of(const cpu::StartedGroup& started, const std::string& solver) {
  const cpu::GroupLayout& layout = *started.layout;
  Signature signature;
  signature.population = layout.population->id;
  for (std::size_t b = 0; b < layout.blocks.size(); ++b)
    signature.blocks.push_back({layout.blocks[b].mechanism, started.is_constant[b] != 0,
                                started.prepares_ions[b] != 0, layout.blocks[b].is_pointed_at});
  for (const cpu::IonBlock& ion : layout.ions) signature.ions.push_back(ion.ion);
  const std::size_t rows = layout.row_count();
  signature.one_row = rows == 1;
  if (rows == 1) return signature;
  signature.size_class = size_class_of(rows);
  signature.contracts = (solver == "auto" && contraction_pays(started)) || solver == "contraction";
  if (rows > most_rows_of_contraction) signature.contracts = false;
  signature.one_solves = solver == "hines";
  return signature;
}

unsigned Cells::image_of(const cpu::StartedGroup& started, const solver::LaneTree& tree,
                         bool contracts) {
  CellImage image = make_image(started, tree, contracts);
  const auto number = static_cast<unsigned>(images.size());
  const auto [known, is_new] = known_images.try_emplace(image.bytes(), number);
  if (!is_new) return known->second;
  images.push_back({static_cast<int>(image.constant.size()),
                    static_cast<int>(image.branches.size()),
                    static_cast<int>(image.level_begin.size()) - 1,
                    static_cast<int>(image.children.size()),
                    constant.size(),
                    branches.size(),
                    level_begin.size(),
                    children.size(),
                    {}});
  if (contracts) images.back().contraction = contract(started.layout->parent, image);
  append_to(branches, image.branches);
  append_to(level_begin, image.level_begin);
  append_to(children, image.children);
  append_to(coupling_uS, image.coupling_uS);
  append_to(capacity_uS, image.capacity_uS);
  append_to(source_nA, image.source_nA);
  append_to(constant, image.constant);
  append_to(factor, image.factor);
  append_to(area_factors, image.area_factors);
  append_to(parents, image.parents);
  append_to(node_order, image.node_order);
  instance_of_row.resize(image.instance_of_row.size());
  for (std::size_t b = 0; b < instance_of_row.size(); ++b)
    append_to(instance_of_row[b], image.instance_of_row[b]);
  return number;
}

void Cells::add(const cpu::StartedGroup& started, const solver::LaneTree& tree,
                const Signature& signature) {
  const cpu::GroupLayout& layout = *started.layout;
  const std::size_t rows = layout.row_count();
  if (!population) {
    population = layout.population;
    for (const cpu::MechanismBlock& block : layout.blocks) mechanisms.push_back(block.mechanism);
    for (const cpu::IonBlock& ion : layout.ions) {
      ion_names.push_back(ion.ion);
      ions_kept_by.push_back(ion.kept_by);
    }
  }
  const unsigned image = image_of(started, tree, signature.contracts);
  entries.push_back({image, -1, layout.id_of(0).value, v_mV.size()});
  if (!layout.detector_rows.empty() && layout.detector_rows.front() >= 0)
    entries.back().detector_row =
        static_cast<int>(row_of(static_cast<std::size_t>(layout.detector_rows.front())));
  indices.push_back(layout.indices.front());
  above.push_back(started.above);
  most_rows = std::max(most_rows, static_cast<int>(rows));
  const auto add_rows = [&](std::vector<double>& all, const LaneArray& some) {
    if (some.empty()) return;
    const std::size_t first = all.size();
    all.resize(first + rows);
    for (std::size_t row = 0; row < rows; ++row) all[first + row_of(row)] = some[row];
  };
  if (!started.membrane_nA->empty()) {
    membrane_nA.resize(v_mV.size());  // of cells before, of which nobody records it
    add_rows(membrane_nA, *started.membrane_nA);
  }
  ions.resize(layout.ions.size());
  for (std::size_t k = 0; k < ions.size(); ++k) {
    const cpu::IonBlock& ion = layout.ions[k];
    add_rows(ions[k].current, ion.current_mA_per_cm2);
    add_rows(ions[k].reversal, ion.reversal_mV);
    add_rows(ions[k].inside, ion.inside_mM);
    add_rows(ions[k].outside, ion.outside_mM);
    ions[k].nernst_mV.resize(v_mV.size() + rows, 0);
    for (const auto& [row, mV] : ion.nernst)
      ions[k].nernst_mV[v_mV.size() + row_of(static_cast<std::size_t>(row))] = mV;
  }
  add_rows(v_mV, *started.v_mV);
  blocks.resize(layout.blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) add_block(started, b);
  add_awaited(started);
  add_numbers(started);
  add_gaps(started);
}

std::size_t Cells::row_of(std::size_t row) const {
  const Contraction* contraction = images[entries.back().image].contraction.get();
  return contraction ? static_cast<std::size_t>(contraction->row_of[row]) : row;
}

std::size_t Cells::instance_of(std::size_t block, std::size_t instance) const {
  const Contraction* contraction = images[entries.back().image].contraction.get();
  if (!contraction || contraction->instance_of[block].empty()) return instance;
  return static_cast<std::size_t>(contraction->instance_of[block][instance]);
}

void Cells::add_awaited(const cpu::StartedGroup& started) {
  const cpu::GroupLayout& layout = *started.layout;
  std::vector<std::size_t> first(blocks.size());  // [block] the cell's first instance
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t count = layout.blocks[b].count;
    first[b] = blocks[b].awaited_counts.size();
    if (layout.blocks[b].mechanism->info->sends_events) {
      blocks[b].awaited.resize((first[b] + count) * room_for_awaited);
      blocks[b].awaited_counts.resize(first[b] + count);
    }
    const cpu::EventDelivery::Watches& watches = started.events->watches(b);
    blocks[b].watch_bits.insert(blocks[b].watch_bits.end(), watches.bits.begin(),
                                watches.bits.end());
    blocks[b].watches.insert(blocks[b].watches.end(), watches.all.begin(), watches.all.end());
  }
  unsigned long long number = 0;
  for (const cpu::SelfEvents::Sent& sent : started.events->awaited()) {
    const auto& [time_ms, kind, target, weight, flag] = sent.event;
    BlockCells& block = blocks[target.block];
    const std::size_t instance = first[target.block] + target.instance;
    unsigned& count = block.awaited_counts[instance];
    if (count == room_for_awaited)
      throw UnsupportedOnDevice(
          {}, fmt::format("{} of {}[{}] awaits more than {} events at t = 0: more than a device "
                          "has room for",
                          layout.blocks[target.block].mechanism->signature.name,
                          layout.population->name, layout.indices.front(), room_for_awaited));
    const bool has_slot = target.slot != cpu::InstanceTarget::no_slot;
    // Arguments of this cell's connections are the last that were added.
    const std::size_t arguments =
        block.arguments.size() - layout.blocks[target.block].arguments.size();
    block.awaited[instance * room_for_awaited + count++] = {
        time_ms,        weight,
        flag,           has_slot ? static_cast<unsigned>(arguments) + target.slot : no_slot,
        number++,       kind == cpu::SelfEvent::Kind::spike,
        sent.is_movable};
  }
}

PointerTarget Cells::target_of(const cpu::StartedGroup& started,
                               const cpu::PointerAddress& address) const {
  using Kind = cpu::PointerAddress::Kind;
  PointerTarget target{address.kind, address.block, address.quantity, 0, address.index};
  if (address.kind == Kind::variable) {
    std::tie(target.variable, target.index) =
        variable_of(started.layout->blocks[address.block], address.index);
    target.index = instance_of(address.block, target.index);
  } else if (address.kind != Kind::itself) {
    target.index = row_of(address.index);
  }
  return target;
}

void Cells::add_block(const cpu::StartedGroup& started, std::size_t b) {
  const cpu::MechanismBlock& from = started.layout->blocks[b];
  const mechanisms::MechanismInfo& info = *from.mechanism->info;
  BlockCells& to = blocks[b];
  to.counts.push_back(static_cast<std::uint32_t>(from.count));
  to.columns.resize(from.mechanism->signature.variables.size());
  for (std::size_t c = 0; c < to.columns.size(); ++c) {
    const std::size_t first = to.columns[c].size();
    to.columns[c].resize(first + from.count);
    for (std::size_t i = 0; i < from.count; ++i)
      to.columns[c][first + instance_of(b, i)] = from.columns[from.index_of(1, c, i)];
  }
  to.keeps_assigned = to.keeps_assigned || from.keep_assigned;
  to.is_looked_into = to.is_looked_into || from.is_looked_into;
  if (!from.pointers.empty()) {
    to.pointers.resize(from.pointers.size());
    for (std::size_t k = 0; k < from.pointers.size(); ++k) {
      const std::size_t first = to.pointers[k].size();
      to.pointers[k].resize(first + from.pointers[k].size());
      for (std::size_t i = 0; i < from.pointers[k].size(); ++i)
        to.pointers[k][first + instance_of(b, i)] = target_of(started, from.pointers[k][i]);
    }
  }
  if (info.diffusion_count > 0) {
    to.link_counts.push_back(static_cast<std::uint32_t>(from.links.size()));
    for (solver::DiffusionLink link : from.links) {
      link.instance = static_cast<int>(instance_of(b, static_cast<std::size_t>(link.instance)));
      link.row = static_cast<int>(row_of(static_cast<std::size_t>(link.row)));
      to.links.push_back(link);
    }
  }
  if (!info.is_point_process) return;
  for (const int row : from.nodes)
    to.rows.push_back(static_cast<int>(row_of(static_cast<std::size_t>(row))));
  to.area_factors.insert(to.area_factors.end(), from.area_factors.begin(), from.area_factors.end());
  if (!info.keeps_arguments) return;
  to.first_connection.push_back(static_cast<std::int64_t>(to.arguments.size()) -
                                static_cast<std::int64_t>(from.first_connection_of_range) *
                                    info.arguments);
  for (const unsigned slot : from.connections)
    to.connections.push_back(static_cast<unsigned>(to.arguments.size()) + slot);
  for (std::size_t i = 0; i < from.count; ++i)
    to.connection_counts.push_back(from.first_connection[i + 1] - from.first_connection[i]);
  to.arguments.insert(to.arguments.end(), from.arguments.begin(), from.arguments.end());
}

void Cells::add_numbers(const cpu::StartedGroup& started) {
  const cpu::GroupLayout& layout = *started.layout;
  const auto cell = static_cast<std::uint32_t>(entries.size() - 1);
  for (const cpu::SampledColumn& column : layout.samples)
    samples.push_back(
        {cell, column.recording, column.column, terms.size() + column.first_term, column.terms});
  for (const cpu::SampledTerm& term : layout.terms) {
    NumberSource source;
    source.factor = term.factor;
    source.quantity = term.quantity;
    source.cell = cell;
    source.block = term.block;
    source.kind = term.kind;
    if (term.kind == step::Summand::variable) {
      std::tie(source.variable, source.index) = variable_of(layout.blocks[term.block], term.index);
      source.index = instance_of(term.block, source.index);
    } else if (term.kind != step::Summand::constant) {
      source.index = row_of(term.index);
    }
    terms.push_back(source);
  }
  for (const cpu::PlayedColumn& column : layout.played)
    played.push_back({variable_at(started, column.block, column.index), column.table});
}

/// A number of a block's columns, of the last cell.
NumberSource Cells::variable_at(const cpu::StartedGroup& started, std::size_t block,
                                std::size_t index) const {
  NumberSource source;
  source.kind = step::Summand::variable;
  source.cell = static_cast<std::uint32_t>(entries.size() - 1);
  source.block = block;
  std::tie(source.variable, source.index) = variable_of(started.layout->blocks[block], index);
  source.index = instance_of(block, source.index);
  return source;
}

void Cells::add_gaps(const cpu::StartedGroup& started) {
  const auto cell = static_cast<std::uint32_t>(entries.size() - 1);
  for (const cpu::GapSlot& gap : started.layout->gaps_published)
    gaps_published.push_back(
        {gap.value, cell,
         target_of(started, {cpu::PointerAddress::Kind::voltage, 0, {}, gap.index})});
  for (const cpu::PublishedNumber& number : started.layout->numbers_published)
    gaps_published.push_back({number.value, cell, target_of(started, number.at)});
  for (const cpu::GapSlot& gap : started.layout->gaps_read)
    gaps_read.push_back({gap.value, variable_at(started, gap.block, gap.index)});
}

void Cells::append(Cells&& more) {
  if (entries.empty()) {
    *this = std::move(more);
    return;
  }
  const auto first_cell = static_cast<std::uint32_t>(entries.size());
  const std::size_t first_row = v_mV.size(), first_term = terms.size();
  // Images that are known already are the same for both.
  std::vector<unsigned> image_numbers(more.images.size());
  for (const auto& [bytes, number] : more.known_images) {
    const auto [known, is_new] =
        known_images.try_emplace(bytes, static_cast<unsigned>(images.size()));
    image_numbers[number] = known->second;
    if (!is_new) continue;
    const ImagePart& image = more.images[number];
    const int rows = image.rows;
    images.push_back({rows, image.branches, image.levels, image.children, constant.size(),
                      branches.size(), level_begin.size(), children.size(), image.contraction});
    const auto copy = [&](auto& to, const auto& from, std::size_t begin, int count) {
      const auto at = from.begin() + static_cast<std::ptrdiff_t>(begin);
      to.insert(to.end(), at, at + count);
    };
    const std::size_t first = image.first_row;
    copy(branches, more.branches, image.first_branch, image.branches);
    copy(level_begin, more.level_begin, image.first_level, image.levels + 1);
    copy(children, more.children, image.first_child, image.children);
    copy(coupling_uS, more.coupling_uS, first, rows);
    copy(capacity_uS, more.capacity_uS, first, rows);
    copy(source_nA, more.source_nA, first, rows);
    copy(constant, more.constant, first, rows);
    copy(factor, more.factor, first, rows);
    copy(area_factors, more.area_factors, first, rows);
    copy(parents, more.parents, first, rows);
    copy(node_order, more.node_order, first, rows);
    for (std::size_t b = 0; b < instance_of_row.size(); ++b)
      if (!more.instance_of_row[b].empty())
        copy(instance_of_row[b], more.instance_of_row[b], first, rows);
  }
  for (CellEntry entry : more.entries) {
    entry.image = image_numbers[entry.image];
    entry.first_row += first_row;
    entries.push_back(entry);
  }
  append_to(indices, more.indices);
  append_to(above, more.above);
  append_to(v_mV, more.v_mV);
  if (!membrane_nA.empty() || !more.membrane_nA.empty()) {
    membrane_nA.resize(first_row);
    append_to(membrane_nA, more.membrane_nA);
    membrane_nA.resize(v_mV.size());
  }
  for (std::size_t k = 0; k < ions.size(); ++k) {
    append_to(ions[k].current, more.ions[k].current);
    append_to(ions[k].reversal, more.ions[k].reversal);
    append_to(ions[k].inside, more.ions[k].inside);
    append_to(ions[k].outside, more.ions[k].outside);
    append_to(ions[k].nernst_mV, more.ions[k].nernst_mV);
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    BlockCells &to = blocks[b], &from = more.blocks[b];
    const auto first_argument = static_cast<unsigned>(to.arguments.size());
    for (std::int64_t& first : from.first_connection) first += first_argument;
    for (unsigned& slot : from.connections) slot += first_argument;
    for (std::size_t c = 0; c < to.columns.size(); ++c) append_to(to.columns[c], from.columns[c]);
    append_to(to.counts, from.counts);
    append_to(to.rows, from.rows);
    append_to(to.area_factors, from.area_factors);
    for (std::size_t k = 0; k < to.pointers.size(); ++k)
      append_to(to.pointers[k], from.pointers[k]);
    append_to(to.arguments, from.arguments);
    append_to(to.connections, from.connections);
    append_to(to.connection_counts, from.connection_counts);
    append_to(to.first_connection, from.first_connection);
    for (AwaitedEvent& event : from.awaited)
      if (event.slot != no_slot) event.slot += first_argument;
    append_to(to.awaited, from.awaited);
    append_to(to.awaited_counts, from.awaited_counts);
    append_to(to.watch_bits, from.watch_bits);
    append_to(to.watches, from.watches);
    append_to(to.links, from.links);
    append_to(to.link_counts, from.link_counts);
    to.keeps_assigned = to.keeps_assigned || from.keeps_assigned;
    to.is_looked_into = to.is_looked_into || from.is_looked_into;
  }
  for (Sampled column : more.samples) {
    column.cell += first_cell;
    column.first_term += first_term;
    samples.push_back(column);
  }
  for (NumberSource term : more.terms) {
    term.cell += first_cell;
    terms.push_back(term);
  }
  for (Played one : more.played) {
    one.target.cell += first_cell;
    played.push_back(one);
  }
  for (GapPublished gap : more.gaps_published) {
    gap.cell += first_cell;
    gaps_published.push_back(gap);
  }
  for (GapRead gap : more.gaps_read) {
    gap.target.cell += first_cell;
    gaps_read.push_back(gap);
  }
  most_rows = std::max(most_rows, more.most_rows);
}

}  // namespace hillock::simulator::on_device
