#include "simulator/backends/cuda/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "simulator/unsupported_on_device.hpp"

namespace hillock::simulator::cuda {

using mechanisms::SharedQuantity;

namespace {

/// Rows of a cell that one warp works on; of larger cells whole blocks do.
constexpr std::size_t most_rows_of_warp = 256;
constexpr int warp = 32, small_block = 128, large_block = 512;

int team_for(std::size_t rows) {
  if (rows == 1) return 1;
  if (rows <= most_rows_of_warp) return warp;
  return rows <= 2048 ? small_block : large_block;
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
void put(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
void append_to(std::vector<T>& all, std::vector<T>& more) {
  if (all.empty())
    all = std::move(more);
  else
    all.insert(all.end(), more.begin(), more.end());
}

/// What one cell adds to the tables by row of an image.
struct ImageRows {
  std::vector<RowLinks> links;
  std::vector<int> level_begin;
  std::vector<double> coupling_uS, capacity_uS, source_nA, constant, factor, area_factors;
  std::vector<int> node_order;
  std::vector<std::vector<int>> instance_of_row;

  std::string bytes() const {
    std::string bytes;
    put(bytes, links);
    put(bytes, level_begin);
    put(bytes, node_order);
    for (const auto* column :
         {&coupling_uS, &capacity_uS, &source_nA, &constant, &factor, &area_factors})
      put(bytes, *column);
    for (const auto& column : instance_of_row) put(bytes, column);
    return bytes;
  }
};

std::vector<RowLinks> links_of(const cpu::StartedGroup& started) {
  const std::vector<int>& parent = started.layout->parent;
  std::vector<RowLinks> links(parent.size());
  for (std::size_t row = 0; row < parent.size(); ++row)
    links[row] = {parent[row], 0, 0, static_cast<int>(started.kinds[row])};
  for (std::size_t row = parent.size(); row-- > 1;) {  // children lie side by side
    RowLinks& above = links[static_cast<std::size_t>(parent[row])];
    above.children_begin = static_cast<int>(row);
    if (above.children_end == 0) above.children_end = static_cast<int>(row) + 1;
  }
  return links;
}

/// The first row of every level, and one after the last.
std::vector<int> levels_of(const std::vector<int>& parent) {
  std::vector<int> begin{0}, depth(parent.size());
  for (std::size_t row = 1; row < parent.size(); ++row) {
    depth[row] = depth[static_cast<std::size_t>(parent[row])] + 1;
    if (depth[row] == static_cast<int>(begin.size())) begin.push_back(static_cast<int>(row));
  }
  begin.push_back(static_cast<int>(parent.size()));
  return begin;
}

std::vector<double> plain(const LaneArray& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

ImageRows rows_of(const cpu::StartedGroup& started, const solver::LaneTree& tree) {
  const cpu::GroupLayout& layout = *started.layout;
  const std::size_t rows = layout.row_count();
  ImageRows image{links_of(started),
                  levels_of(layout.parent),
                  plain(layout.coupling_uS, rows),
                  plain(*started.capacity_uS, rows),
                  plain(*started.source_nA, rows),
                  plain(started.constant, rows),
                  plain(*started.factor, rows),
                  std::vector<double>(rows, 0),
                  std::vector<int>(rows),
                  {}};
  std::iota(image.node_order.begin(), image.node_order.end(), 0);
  std::ranges::sort(image.node_order, {},
                    [&](int row) { return tree.node_of(static_cast<std::size_t>(row), 0); });
  for (std::size_t row = 0; row < rows; ++row)
    if (started.kinds[row] == solver::RowRun::Kind::changing) image.factor[row] = 0;
  for (const cpu::MechanismBlock& block : layout.blocks) {
    std::vector<int>& instances = image.instance_of_row.emplace_back();
    if (block.mechanism->info->is_point_process) continue;
    instances.assign(rows, -1);
    for (std::size_t i = 0; i < block.count; ++i) {
      const auto row = static_cast<std::size_t>(block.nodes[i]);
      instances[row] = static_cast<int>(i);
      image.area_factors[row] = block.area_factors[i];
    }
  }
  return image;
}

}  // namespace

Signature signature_of(const cpu::StartedGroup& started) {
  const cpu::GroupLayout& layout = *started.layout;
  Signature signature;
  signature.population = layout.population->id;
  for (std::size_t b = 0; b < layout.blocks.size(); ++b)
    signature.blocks.push_back({layout.blocks[b].mechanism, started.is_constant[b] != 0,
                                started.prepares_ions[b] != 0, layout.blocks[b].is_pointed_at});
  for (const cpu::IonBlock& ion : layout.ions) signature.ions.push_back(ion.ion);
  signature.team = team_for(layout.row_count());
  signature.one_row = layout.row_count() == 1;
  return signature;
}

unsigned Cells::image_of(const cpu::StartedGroup& started, const solver::LaneTree& tree) {
  ImageRows image = rows_of(started, tree);
  const auto number = static_cast<unsigned>(images.size());
  const auto [known, is_new] = known_images.try_emplace(image.bytes(), number);
  if (!is_new) return known->second;
  images.push_back(
      {static_cast<int>(image.links.size()), static_cast<int>(image.level_begin.size()) - 1,
       static_cast<unsigned>(links.size()), static_cast<unsigned>(level_begin.size())});
  append_to(links, image.links);
  append_to(level_begin, image.level_begin);
  append_to(coupling_uS, image.coupling_uS);
  append_to(capacity_uS, image.capacity_uS);
  append_to(source_nA, image.source_nA);
  append_to(constant, image.constant);
  append_to(factor, image.factor);
  append_to(area_factors, image.area_factors);
  append_to(node_order, image.node_order);
  instance_of_row.resize(image.instance_of_row.size());
  for (std::size_t b = 0; b < instance_of_row.size(); ++b)
    append_to(instance_of_row[b], image.instance_of_row[b]);
  return number;
}

void Cells::add(const cpu::StartedGroup& started, const solver::LaneTree& tree) {
  const cpu::GroupLayout& layout = *started.layout;
  const std::size_t rows = layout.row_count();
  if (!population) {
    population = layout.population;
    for (const cpu::MechanismBlock& block : layout.blocks) mechanisms.push_back(block.mechanism);
    for (const cpu::IonBlock& ion : layout.ions) ion_names.push_back(ion.ion);
  }
  entries.push_back({image_of(started, tree),
                     layout.detector_rows.empty() ? -1 : layout.detector_rows.front(),
                     layout.id_of(0).value, v_mV.size()});
  indices.push_back(layout.indices.front());
  above.push_back(started.above);
  most_rows = std::max(most_rows, static_cast<int>(rows));
  if (!started.membrane_nA->empty()) {
    membrane_nA.resize(v_mV.size());  // of cells before, of which nobody records it
    membrane_nA.insert(membrane_nA.end(), started.membrane_nA->begin(),
                       started.membrane_nA->begin() + static_cast<std::ptrdiff_t>(rows));
  }
  const auto add_rows = [&](std::vector<double>& all, const LaneArray& some) {
    if (!some.empty())
      all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(rows));
  };
  ions.resize(layout.ions.size());
  for (std::size_t k = 0; k < ions.size(); ++k) {
    const cpu::IonBlock& ion = layout.ions[k];
    add_rows(ions[k].current, ion.current_mA_per_cm2);
    add_rows(ions[k].reversal, ion.reversal_mV);
    add_rows(ions[k].inside, ion.inside_mM);
    add_rows(ions[k].outside, ion.outside_mM);
    ions[k].nernst_mV.resize(v_mV.size() + rows, 0);
    for (const auto& [row, mV] : ion.nernst) ions[k].nernst_mV[v_mV.size() + row] = mV;
  }
  add_rows(v_mV, *started.v_mV);
  blocks.resize(layout.blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) add_block(started, b);
  add_awaited(started);
  add_numbers(started);
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
    for (const auto& watches : started.events->watches(b)) {
      blocks[b].watches.push_back({watches.active, watches.held});
      blocks[b].watch_flags.insert(blocks[b].watch_flags.end(), watches.flags.begin(),
                                   watches.flags.end());
    }
  }
  for (const cpu::SelfEvents::Sent& sent : started.events->awaited()) {
    const auto& [time_ms, kind, target, weight, flag] = sent.event;
    BlockCells& block = blocks[target.block];
    const std::size_t instance = first[target.block] + target.instance;
    AwaitedCount& count = block.awaited_counts[instance];
    if (count.count == room_for_awaited)
      throw UnsupportedOnDevice(
          {}, fmt::format("{} of {}[{}] awaits more than {} events at t = 0: more than a device "
                          "has room for",
                          layout.blocks[target.block].mechanism->signature.name,
                          layout.population->name, layout.indices.front(), room_for_awaited));
    const bool has_slot = target.slot != cpu::InstanceTarget::no_slot;
    // Arguments of this cell's connections are the last that were added.
    const std::size_t arguments =
        block.arguments.size() - layout.blocks[target.block].arguments.size();
    block.awaited[instance * room_for_awaited + count.count] = {
        time_ms,        weight,
        flag,           has_slot ? static_cast<unsigned>(arguments) + target.slot : no_slot,
        count.sent,     kind == cpu::SelfEvent::Kind::spike,
        sent.is_movable};
    ++count.count;
    ++count.sent;
  }
}

void Cells::add_block(const cpu::StartedGroup& started, std::size_t b) {
  const cpu::MechanismBlock& from = started.layout->blocks[b];
  const mechanisms::MechanismInfo& info = *from.mechanism->info;
  BlockCells& to = blocks[b];
  to.counts.push_back(static_cast<std::uint32_t>(from.count));
  to.columns.resize(from.mechanism->signature.variables.size());
  for (std::size_t c = 0; c < to.columns.size(); ++c)
    for (std::size_t i = 0; i < from.count; ++i)
      to.columns[c].push_back(from.columns[from.index_of(1, c, i)]);
  to.keeps_assigned = to.keeps_assigned || from.keep_assigned;
  to.is_looked_into = to.is_looked_into || from.is_looked_into;
  if (!from.pointers.empty()) {
    to.pointers.resize(from.pointers.size());
    for (std::size_t k = 0; k < from.pointers.size(); ++k)
      for (const cpu::PointerAddress& address : from.pointers[k]) {
        PointerTarget target{address.kind, address.block, address.quantity, 0, address.index};
        if (address.kind == cpu::PointerAddress::Kind::variable)
          std::tie(target.variable, target.index) =
              variable_of(started.layout->blocks[address.block], address.index);
        to.pointers[k].push_back(target);
      }
  }
  if (!info.is_point_process) return;
  to.rows.insert(to.rows.end(), from.nodes.begin(), from.nodes.end());
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
    source.index = term.index;
    switch (term.kind) {
      case ProbeTerm::Kind::constant:
        break;
      case ProbeTerm::Kind::voltage:
        source.kind = NumberSource::Kind::voltage;
        break;
      case ProbeTerm::Kind::membrane_current:
        source.kind = NumberSource::Kind::membrane_current;
        break;
      case ProbeTerm::Kind::ion:
        source.kind = NumberSource::Kind::ion;
        source.factor = 1;
        break;
      case ProbeTerm::Kind::variable:
        source.kind = NumberSource::Kind::variable;
        std::tie(source.variable, source.index) =
            variable_of(layout.blocks[term.block], term.index);
        break;
    }
    terms.push_back(source);
  }
  for (const cpu::PlayedColumn& column : layout.played) {
    NumberSource source;
    source.kind = NumberSource::Kind::variable;
    source.cell = cell;
    source.block = column.block;
    std::tie(source.variable, source.index) =
        variable_of(layout.blocks[column.block], column.index);
    played.push_back({source, column.table});
  }
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
    const Image& image = more.images[number];
    const auto rows = static_cast<std::ptrdiff_t>(image.rows);
    images.push_back({image.rows, image.levels, static_cast<unsigned>(links.size()),
                      static_cast<unsigned>(level_begin.size())});
    const auto copy = [&](auto& to, const auto& from, std::ptrdiff_t first, std::ptrdiff_t count) {
      to.insert(to.end(), from.begin() + first, from.begin() + first + count);
    };
    const auto first = static_cast<std::ptrdiff_t>(image.first_row);
    copy(links, more.links, first, rows);
    copy(level_begin, more.level_begin, static_cast<std::ptrdiff_t>(image.first_level),
         image.levels + 1);
    copy(coupling_uS, more.coupling_uS, first, rows);
    copy(capacity_uS, more.capacity_uS, first, rows);
    copy(source_nA, more.source_nA, first, rows);
    copy(constant, more.constant, first, rows);
    copy(factor, more.factor, first, rows);
    copy(area_factors, more.area_factors, first, rows);
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
    append_to(to.watches, from.watches);
    append_to(to.watch_flags, from.watch_flags);
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
  most_rows = std::max(most_rows, more.most_rows);
}

}  // namespace hillock::simulator::cuda
