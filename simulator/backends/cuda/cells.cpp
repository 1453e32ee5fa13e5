#include "simulator/backends/cuda/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "simulator/unsupported_on_device.hpp"

namespace hillock::simulator::cuda {

using mechanisms::SharedQuantity;

namespace {

/// Contraction keeps more of a row than sweeps do: larger cells would not fit on a chip.
constexpr std::size_t most_rows_of_contraction = 1024;

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
  std::vector<Branch> branches;
  std::vector<int> level_begin, children;
  std::vector<double> coupling_uS, capacity_uS, source_nA, constant, factor, area_factors;
  std::vector<int> node_order;
  std::vector<std::vector<int>> instance_of_row;
  std::vector<char> is_late;  ///< where cells contract: [row]

  std::string bytes() const {
    std::string bytes;
    put(bytes, branches);
    put(bytes, level_begin);
    put(bytes, children);
    put(bytes, node_order);
    put(bytes, is_late);
    for (const auto* column :
         {&coupling_uS, &capacity_uS, &source_nA, &constant, &factor, &area_factors})
      put(bytes, *column);
    for (const auto& column : instance_of_row) put(bytes, column);
    return bytes;
  }
};

/// Cuts a tree into branches; its rows come branch by branch.
void add_branches(const std::vector<int>& parent, const std::vector<solver::RowRun::Kind>& kinds,
                  ImageRows& image) {
  const auto rows = static_cast<int>(parent.size());
  const auto at = [](int row) { return static_cast<std::size_t>(row); };
  std::vector<int> child_count(parent.size(), 0);
  for (int row = 1; row < rows; ++row) ++child_count[at(parent[at(row)])];
  std::vector<int> depth;  // [branch]
  std::vector<int> branch_of(parent.size());
  for (int row = 0; row < rows; ++row) {
    const int above = row == 0 ? -1 : parent[at(row)];
    const bool begins = row == 0 || child_count[at(above)] > 1;
    if (begins) {
      image.branches.push_back({row, row, row, above, 0, 0});
      depth.push_back(row == 0 ? 0 : depth[at(branch_of[at(above)])] + 1);
    }
    branch_of[at(row)] = static_cast<int>(image.branches.size()) - 1;
    Branch& branch = image.branches.back();
    branch.last = row;
    if (kinds[at(row)] == solver::RowRun::Kind::changing) branch.constant_from = row + 1;
  }
  std::vector<std::vector<int>> children(image.branches.size());
  for (const Branch& branch : image.branches)
    if (branch.parent >= 0) children[at(branch_of[at(branch.parent)])].push_back(branch.first);
  std::vector<int> order(image.branches.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int b) {
    const Branch& branch = image.branches[at(b)];
    return std::pair(depth[at(b)], branch.first - branch.last);
  });
  std::vector<Branch> sorted;
  for (const int b : order) {
    if (depth[at(b)] == static_cast<int>(image.level_begin.size()))
      image.level_begin.push_back(static_cast<int>(sorted.size()));
    Branch branch = image.branches[at(b)];
    branch.children_begin = static_cast<int>(image.children.size());
    image.children.insert(image.children.end(), children[at(b)].begin(), children[at(b)].end());
    branch.children_end = static_cast<int>(image.children.size());
    sorted.push_back(branch);
  }
  image.level_begin.push_back(static_cast<int>(sorted.size()));
  image.branches = std::move(sorted);
}

/// Whether contraction takes less time than sweeps along branches, one after the other. Cycles of a
/// GPU: of a row on its way up and down, and of a step of contraction.
bool pays(const cpu::StartedGroup& started) {
  constexpr double changing_row = 280, constant_row = 40, step = 350, early_step = 200;
  ImageRows image;
  add_branches(started.layout->parent, started.kinds, image);
  double sweep = 0;
  for (std::size_t level = 0; level + 1 < image.level_begin.size(); ++level) {
    double longest = 0;
    for (int b = image.level_begin[level]; b < image.level_begin[level + 1]; ++b) {
      const Branch& branch = image.branches[static_cast<std::size_t>(b)];
      const int changing = std::min(branch.constant_from, branch.last + 1) - branch.first;
      longest = std::max(longest, changing * changing_row +
                                      (branch.last + 1 - branch.first - changing) * constant_row);
    }
    sweep += longest;
  }
  const auto rows = static_cast<double>(started.kinds.size());
  const bool all_change = std::ranges::all_of(
      started.kinds, [](auto kind) { return kind == solver::RowRun::Kind::changing; });
  const double rounds = 2 * std::log2(rows);
  return sweep > rounds * (all_change ? step : early_step);
}

std::vector<double> plain(const LaneArray& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Rows that something happens at: their diagonals change.
std::vector<char> changing_rows(const cpu::StartedGroup& started) {
  std::vector<char> changes(started.kinds.size(), 0);
  for (std::size_t b = 0; b < started.layout->blocks.size(); ++b)
    if (!started.is_constant[b])
      for (const int row : started.layout->blocks[b].nodes)
        changes[static_cast<std::size_t>(row)] = 1;
  return changes;
}

/// Constants of rows, of which some only lie above what changes: the diagonals that sweeps began
/// with instead of the pivots that they ended with.
void undo_sweeps(const cpu::StartedGroup& started, ImageRows& image) {
  const std::vector<int>& parent = started.layout->parent;
  const auto is_kept = [&](std::size_t row) {
    return started.kinds[row] != solver::RowRun::Kind::changing;
  };
  for (std::size_t row = 0; row < parent.size(); ++row)
    if (is_kept(row)) image.constant[row] = 1 / image.constant[row];
  for (std::size_t row = 1; row < parent.size(); ++row)
    if (const auto above = static_cast<std::size_t>(parent[row]); is_kept(above))
      image.constant[above] += image.factor[row] * image.coupling_uS[row];
}

ImageRows rows_of(const cpu::StartedGroup& started, const solver::LaneTree& tree, bool contracts) {
  const cpu::GroupLayout& layout = *started.layout;
  const std::size_t rows = layout.row_count();
  ImageRows image{{},
                  {},
                  {},
                  plain(layout.coupling_uS, rows),
                  plain(*started.capacity_uS, rows),
                  plain(*started.source_nA, rows),
                  plain(started.constant, rows),
                  plain(*started.factor, rows),
                  std::vector<double>(rows, 0),
                  std::vector<int>(rows),
                  {},
                  {}};
  if (contracts) {
    image.is_late = changing_rows(started);
    undo_sweeps(started, image);
  }
  add_branches(layout.parent, started.kinds, image);
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

Signature signature_of(const cpu::StartedGroup& started, models::SolverFamily solver) {
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
  signature.contracts = (solver == models::SolverFamily::automatic && pays(started)) ||
                        solver == models::SolverFamily::contraction;
  if (rows > most_rows_of_contraction) signature.contracts = false;
  return signature;
}

unsigned Cells::image_of(const cpu::StartedGroup& started, const solver::LaneTree& tree,
                         bool contracts) {
  ImageRows image = rows_of(started, tree, contracts);
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
  if (contracts) {
    auto contraction = std::make_shared<Contraction>();
    contraction->schedule =
        solver::make_contraction_schedule(started.layout->parent, image.is_late);
    contraction->early = solver::contraction::eliminate_early(contraction->schedule,
                                                              image.coupling_uS, image.constant);
    image.constant = contraction->early.diagonal;
    images.back().contraction = std::move(contraction);
  }
  append_to(branches, image.branches);
  append_to(level_begin, image.level_begin);
  append_to(children, image.children);
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

void Cells::add(const cpu::StartedGroup& started, const solver::LaneTree& tree,
                const Signature& signature) {
  const cpu::GroupLayout& layout = *started.layout;
  const std::size_t rows = layout.row_count();
  if (!population) {
    population = layout.population;
    for (const cpu::MechanismBlock& block : layout.blocks) mechanisms.push_back(block.mechanism);
    for (const cpu::IonBlock& ion : layout.ions) ion_names.push_back(ion.ion);
  }
  entries.push_back({image_of(started, tree, signature.contracts),
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
