#include "simulator/backends/device/cells/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <deque>
#include <functional>
#include <span>
#include <type_traits>

#include "simulator/backends/unsupported_on_device.hpp"
#include "simulator/threads/parallel.hpp"
#include "solver/contraction/packed_tasks.hpp"

namespace hillock::simulator::on_device {

using mechanisms::SharedQuantity;

namespace {

/// Cells of a class differ by a quarter in size at most.
int size_class_of(std::size_t rows) {
  constexpr double step = 1.25;
  return static_cast<int>(std::ceil(std::log(static_cast<double>(rows)) / std::log(step)));
}

template <class T>
void append_to(std::vector<T>& all, std::vector<T>& more) {
  if (all.empty())
    all = std::move(more);
  else
    all.insert(all.end(), more.begin(), more.end());
}

/// Adds zeros.
void fill_up(OneOrMany& rows, std::size_t size) {
  rows.append(size - rows.size(), 0);
}

/// Calls body(of one, of the other) for each table by row of images, but those of blocks.
template <class One, class Other, class Body>
void each_row_table(One& one, Other& other, const Body& body) {
  body(one.coupling_uS, other.coupling_uS);
  body(one.capacity_uS, other.capacity_uS);
  body(one.source_nA, other.source_nA);
  body(one.constant, other.constant);
  body(one.factor, other.factor);
  body(one.area_factors, other.area_factors);
  body(one.parents, other.parents);
  body(one.nodes, other.nodes);
  body(one.node_order, other.node_order);
  if (other.layers.has.empty()) return;
  body(one.layers.has, other.layers.has);
  body(one.layers.inside_uS, other.layers.inside_uS);
  one.layers.layers.resize(other.layers.layers.size());
  for (std::size_t l = 0; l < one.layers.layers.size(); ++l) {
    auto& of_one = one.layers.layers[l];
    auto& of_other = other.layers.layers[l];
    body(of_one.along_uS, of_other.along_uS);
    body(of_one.diagonal_uS, of_other.diagonal_uS);
    body(of_one.across_uS, of_other.across_uS);
    body(of_one.charge_uS, of_other.charge_uS);
  }
}

/// Calls body(list_of) for each list that lies cell by cell; list_of(Cells&) is a cells' own.
template <class Body>
void each_list(const Cells& cells, const Body& body) {
  const auto list = [&](auto Cells::*member) {
    body([member](Cells & of) -> auto& { return of.*member; });
  };
  list(&Cells::entries);
  list(&Cells::indices);
  list(&Cells::above);
  list(&Cells::v_mV);
  list(&Cells::membrane_nA);
  list(&Cells::samples);
  list(&Cells::terms);
  list(&Cells::played);
  list(&Cells::fields);
  list(&Cells::gaps_published);
  list(&Cells::gaps_read);
  const auto each_of = [&](auto Cells::*member) {
    for (std::size_t k = 0; k < (cells.*member).size(); ++k)
      body([ member, k ](Cells & of) -> auto& { return (of.*member)[k]; });
  };
  each_of(&Cells::layers_mV);
  each_of(&Cells::fields_nA);
  each_of(&Cells::fields_ground_nA);
  for (std::size_t k = 0; k < cells.ions.size(); ++k)
    for (OneOrMany IonCells::*member : {&IonCells::current, &IonCells::reversal, &IonCells::inside,
                                        &IonCells::outside, &IonCells::nernst_mV})
      body([ member, k ](Cells & of) -> auto& { return of.ions[k].*member; });
  for (std::size_t b = 0; b < cells.blocks.size(); ++b) {
    const auto list_of_block = [&](auto BlockCells::*member) {
      body([ member, b ](Cells & of) -> auto& { return of.blocks[b].*member; });
    };
    list_of_block(&BlockCells::counts);
    list_of_block(&BlockCells::rows);
    list_of_block(&BlockCells::area_factors);
    list_of_block(&BlockCells::arguments);
    list_of_block(&BlockCells::connections);
    list_of_block(&BlockCells::connection_counts);
    list_of_block(&BlockCells::first_connection);
    list_of_block(&BlockCells::awaited);
    list_of_block(&BlockCells::awaited_counts);
    list_of_block(&BlockCells::watch_bits);
    list_of_block(&BlockCells::watches);
    list_of_block(&BlockCells::links);
    list_of_block(&BlockCells::link_counts);
    for (std::size_t c = 0; c < cells.blocks[b].columns.size(); ++c)
      body([ b, c ](Cells & of) -> auto& { return of.blocks[b].columns[c]; });
    for (std::size_t k = 0; k < cells.blocks[b].pointers.size(); ++k)
      body([ b, k ](Cells & of) -> auto& { return of.blocks[b].pointers[k]; });
  }
}

/// What lists become that lie behind one another, made by several threads.
class Joining {
 public:
  Joining(Cells& all, std::vector<Cells>& parts) : all_(all), parts_(parts) {}

  /// The list of each part is put behind that of all, and its memory given back.
  template <class ListOf>
  void add(const ListOf& list_of) {
    pieces_.push_back([this, list_of] {
      auto& list = list_of(all_);
      list.reserve(size_of(list_of));
      for (Cells& part : parts_) {
        list.insert(list.end(), list_of(part).begin(), list_of(part).end());
        list_of(part) = {};
      }
    });
  }
  template <class ListOf>
  requires std::same_as<std::invoke_result_t<ListOf, Cells&>, OneOrMany&> void add(
      const ListOf& list_of) {
    OneOrMany& list = list_of(all_);
    OneOrMany ones;  // of each part one number
    bool are_ones = true;
    const auto look_at = [&](const OneOrMany& part) {
      if (part.empty()) return;
      are_ones = are_ones && part.is_one();
      ones.push_back(part[0]);
    };
    look_at(list);
    for (Cells& part : parts_) look_at(list_of(part));
    if (are_ones && ones.is_one()) {
      list = OneOrMany(size_of(list_of), ones.one());
      return;
    }
    auto& numbers = many_.emplace_back(&list, UnsetVector<double>(size_of(list_of))).second;
    double* to = numbers.data();
    const auto put = [&](OneOrMany& from) {
      pieces_.push_back([&from, to] {
        if (from.is_one())
          std::fill_n(to, from.size(), from.one());
        else
          std::ranges::copy(from.many(), to);
        from = {};
      });
      to += from.size();
    };
    put(list);
    for (Cells& part : parts_) put(list_of(part));
  }

  void work(int threads) {
    parallel_for(pieces_.size(), threads, [&](std::size_t k) { pieces_[k](); });
    for (auto& [list, numbers] : many_) *list = OneOrMany(std::move(numbers));
  }

 private:
  template <class ListOf>
  std::size_t size_of(const ListOf& list_of) const {
    std::size_t size = list_of(all_).size();
    for (Cells& part : parts_) size += list_of(part).size();
    return size;
  }

  Cells& all_;
  std::vector<Cells>& parts_;
  std::vector<std::function<void()>> pieces_;
  std::deque<std::pair<OneOrMany*, UnsetVector<double>>> many_;
};

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

const OneOrMany& IonCells::of(SharedQuantity quantity) const {
  return *std::array{&current, &reversal, &inside, &outside}[number_of(quantity)];
}

Signature signature_of(const begin::BegunCell& cell, const std::string& solver,
                       std::uint64_t alike) {
  Signature signature;
  signature.population = cell.population->id;
  for (const begin::BegunBlock& block : cell.blocks)
    signature.blocks.push_back(
        {block.mechanism, block.is_constant, block.prepares_ions, block.is_pointed_at});
  for (const begin::BegunIon& ion : cell.ions) signature.ions.push_back(ion.ion);
  const std::size_t rows = cell.row_count();
  signature.layers = static_cast<int>(cell.layers.layers.size());
  signature.one_row = rows == 1 && signature.layers == 0;
  if (signature.one_row) return signature;
  signature.size_class = size_class_of(rows);
  const bool may_contract = solver == "auto" && contraction_pays(cell);
  const bool lies_beside = may_contract && side_by_side_pays(cell, alike);
  signature.contracts = (may_contract && !lies_beside) || solver == "contraction";
  signature.is_quick = lies_beside && most_change(cell);
  if (rows > solver::contraction::most_packed_nodes || signature.layers > 0)
    signature.contracts = false;
  signature.one_solves = solver == "hines";
  return signature;
}

unsigned Cells::image_of(const begin::BegunCell& cell, bool contracts) {
  CellImage image = make_image(cell, contracts);
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
  if (contracts) images.back().contraction = contract(cell.tree->parent, image);
  append_to(branches, image.branches);
  append_to(level_begin, image.level_begin);
  append_to(children, image.children);
  each_row_table(*this, image, [](auto& all, auto& more) { append_to(all, more); });
  instance_of_row.resize(image.instance_of_row.size());
  for (std::size_t b = 0; b < instance_of_row.size(); ++b)
    append_to(instance_of_row[b], image.instance_of_row[b]);
  return number;
}

void Cells::add(const begin::BegunCell& cell, unsigned image) {
  const std::size_t rows = cell.row_count();
  const bool has_layers = !cell.layers.layers.empty();
  if (!population) {
    population = cell.population;
    for (const begin::BegunBlock& block : cell.blocks) mechanisms.push_back(block.mechanism);
    for (const begin::BegunIon& ion : cell.ions) {
      ion_names.push_back(ion.ion);
      ions_kept_by.push_back(ion.kept_by);
    }
  }
  entries.push_back({image, -1, cell.id.value, v_mV.size()});
  if (cell.detector_row >= 0)
    entries.back().detector_row =
        static_cast<int>(row_of(static_cast<std::size_t>(cell.detector_row)));
  indices.push_back(cell.index);
  above.push_back(cell.is_above);
  most_rows = std::max(most_rows, static_cast<int>(rows));
  const Contraction* const contraction = images[image].contraction.get();
  std::vector<double> placed_rows;
  const auto add_rows = [&](OneOrMany& all, const std::vector<double>& some) {
    if (some.empty()) return;
    if (!contraction) return all.append(std::span(some));
    placed_rows.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) placed_rows[row_of(row)] = some[row];
    all.append(std::span<const double>(placed_rows));
  };
  if (!cell.membrane_nA.empty()) {
    const auto draws = [](const auto& variable) { return variable.name == "_draws"; };
    for (const begin::BegunBlock& block : cell.blocks)  // which it would be asked for twice
      if (block.mechanism->info->is_electrode && block.mechanism->info->changes_in_current &&
          std::ranges::any_of(block.mechanism->signature.variables, draws))
        throw UnsupportedOnDevice(
            {}, fmt::format("{} of {}[{}] draws for the current that it injects, and currents of "
                            "membranes are recorded, which is not there yet on a GPU",
                            block.mechanism->signature.name, cell.population->name, cell.index));
    fill_up(membrane_nA, v_mV.size());  // of cells before, of which nobody records it
    add_rows(membrane_nA, cell.membrane_nA);
  }
  fields_nA.resize(std::max(fields_nA.size(), cell.fields.size()));
  for (std::size_t f = 0; f < cell.fields.size(); ++f) {
    fields.push_back({static_cast<std::uint32_t>(entries.size() - 1), cell.fields[f].stimulus,
                      cell.fields[f].in_time});
    fill_up(fields_nA[f], v_mV.size());
    add_rows(fields_nA[f], cell.fields[f].nA);
  }
  if (has_layers) fields_ground_nA.resize(fields_nA.size());
  for (std::size_t f = 0; f < cell.fields.size() && has_layers; ++f) {
    fill_up(fields_ground_nA[f], v_mV.size());
    add_rows(fields_ground_nA[f], cell.fields[f].ground_nA);
  }
  layers_mV.resize(cell.layers.layers.size());
  for (OneOrMany& layer : layers_mV) layer.append(rows, 0);
  ions.resize(cell.ions.size());
  for (std::size_t k = 0; k < ions.size(); ++k) {
    const begin::BegunIon& ion = cell.ions[k];
    add_rows(ions[k].current, ion.current_mA_per_cm2);
    add_rows(ions[k].reversal, ion.reversal_mV);
    add_rows(ions[k].inside, ion.inside_mM);
    add_rows(ions[k].outside, ion.outside_mM);
    ions[k].nernst_mV.append(rows, 0);
    for (const auto& [row, mV] : ion.nernst_mV)
      ions[k].nernst_mV.set(v_mV.size() + row_of(row), mV);
  }
  add_rows(v_mV, cell.v_mV);
  blocks.resize(cell.blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    add_awaited(cell, b);
    add_block(cell.blocks[b], b);
  }
  add_numbers(cell);
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

/// Before the block's arguments and instances are there.
void Cells::add_awaited(const begin::BegunCell& cell, std::size_t b) {
  const begin::BegunBlock& from = cell.blocks[b];
  BlockCells& to = blocks[b];
  to.watch_bits.insert(to.watch_bits.end(), from.watch_bits.begin(), from.watch_bits.end());
  to.watches.insert(to.watches.end(), from.watches.begin(), from.watches.end());
  if (!from.mechanism->info->sends_events) return;
  const std::size_t first = to.awaited_counts.size();
  to.awaited_counts.resize(first + from.rows.size());
  to.awaited.resize(to.awaited_counts.size() * room_for_awaited);
  for (const begin::AwaitedEvent& event : from.awaited) {
    unsigned& count = to.awaited_counts[first + event.instance];
    if (count == room_for_awaited)
      throw UnsupportedOnDevice(
          {}, fmt::format("{} of {}[{}] awaits more than {} events at t = 0: more than a device "
                          "has room for",
                          from.mechanism->signature.name, cell.population->name, cell.index,
                          room_for_awaited));
    unsigned slot = no_slot;
    if (event.connection != begin::AwaitedEvent::no_connection)
      slot = static_cast<unsigned>(to.arguments.size()) +
             from.connections[from.first_connection[event.instance] + event.connection];
    to.awaited[(first + event.instance) * room_for_awaited + count++] = {
        event.time_ms, event.weight,   event.flag,      slot,
        event.rank,    event.is_spike, event.is_movable};
  }
}

PointerTarget Cells::placed(PointerTarget target) const {
  if (target.kind == PointerTarget::Kind::variable)
    target.index = instance_of(target.block, target.index);
  else if (target.kind != PointerTarget::Kind::itself)
    target.index = row_of(target.index);
  return target;
}

NumberSource Cells::placed(NumberSource source) const {
  source.cell = static_cast<std::uint32_t>(entries.size() - 1);
  if (source.kind == step::Summand::variable)
    source.index = instance_of(source.block, source.index);
  else if (source.kind != step::Summand::constant)
    source.index = row_of(source.index);
  return source;
}

void Cells::add_block(const begin::BegunBlock& from, std::size_t b) {
  const mechanisms::MechanismInfo& info = *from.mechanism->info;
  const std::size_t count = from.rows.size();
  const Contraction* const contraction = images[entries.back().image].contraction.get();
  const bool are_moved = contraction && !contraction->instance_of[b].empty();
  BlockCells& to = blocks[b];
  to.counts.push_back(static_cast<std::uint32_t>(count));
  to.columns.resize(from.columns.size());
  std::vector<double> moved(count);
  for (std::size_t c = 0; c < to.columns.size(); ++c) {
    const OneOrMany& column = from.columns[c];
    if (!are_moved || column.is_one()) {
      to.columns[c].append(column);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i)
      moved[static_cast<std::size_t>(contraction->instance_of[b][i])] = column[i];
    to.columns[c].append(std::span<const double>(moved));
  }
  to.keeps_assigned = to.keeps_assigned || from.keeps_assigned;
  to.is_looked_into = to.is_looked_into || from.is_looked_into;
  to.is_pointed_at = from.is_pointed_at;
  if (!from.pointers.empty()) to.pointers.resize(from.pointers.size());
  for (std::size_t k = 0; k < from.pointers.size(); ++k) {
    const std::size_t first = to.pointers[k].size();
    to.pointers[k].resize(first + from.pointers[k].size());
    for (std::size_t i = 0; i < from.pointers[k].size(); ++i)
      to.pointers[k][first + instance_of(b, i)] = placed(from.pointers[k][i]);
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
  for (const int row : from.rows)
    to.rows.push_back(static_cast<int>(row_of(static_cast<std::size_t>(row))));
  to.area_factors.insert(to.area_factors.end(), from.area_factors.begin(), from.area_factors.end());
  if (!info.keeps_arguments) return;
  to.first_connection.push_back(static_cast<std::int64_t>(to.arguments.size()) -
                                static_cast<std::int64_t>(from.first_connection_of_range) *
                                    info.arguments);
  for (const unsigned slot : from.connections)
    to.connections.push_back(static_cast<unsigned>(to.arguments.size()) + slot);
  for (std::size_t i = 0; i < count; ++i)
    to.connection_counts.push_back(from.first_connection[i + 1] - from.first_connection[i]);
  to.arguments.insert(to.arguments.end(), from.arguments.begin(), from.arguments.end());
}

void Cells::add_numbers(const begin::BegunCell& begun) {
  if (!begun.layers.layers.empty() && !begun.gaps_published.empty())
    throw UnsupportedOnDevice(
        {}, fmt::format("{}[{}] has extracellular layers and gap junctions, which is not there yet "
                        "on a GPU",
                        begun.population->name, begun.index));
  const auto cell = static_cast<std::uint32_t>(entries.size() - 1);
  for (Sampled column : begun.samples) {
    column.cell = cell;
    column.first_term += terms.size();
    samples.push_back(column);
  }
  for (const NumberSource& term : begun.terms) terms.push_back(placed(term));
  for (const Played& one : begun.played) played.push_back({placed(one.target), one.table});
  for (const GapPublished& gap : begun.gaps_published)
    gaps_published.push_back({gap.value, cell, placed(gap.source)});
  for (const GapRead& gap : begun.gaps_read) gaps_read.push_back({gap.value, placed(gap.target)});
}

/// The image of others, if it is not here yet. Returns its number.
unsigned Cells::take_image(Cells& more, const std::string& bytes, unsigned number) {
  const auto [known, is_new] =
      known_images.try_emplace(bytes, static_cast<unsigned>(images.size()));
  if (!is_new) return known->second;
  const ImagePart& image = more.images[number];
  images.push_back({image.rows, image.branches, image.levels, image.children, constant.size(),
                    branches.size(), level_begin.size(), children.size(), image.contraction});
  const auto copy = [](auto& to, const auto& from, std::size_t begin, int count) {
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(begin);
    to.insert(to.end(), at, at + count);
  };
  const auto copy_rows = [&](auto& to, const auto& from) {
    copy(to, from, image.first_row, image.rows);
  };
  copy(branches, more.branches, image.first_branch, image.branches);
  copy(level_begin, more.level_begin, image.first_level, image.levels + 1);
  copy(children, more.children, image.first_child, image.children);
  each_row_table(*this, more, copy_rows);
  for (std::size_t b = 0; b < instance_of_row.size(); ++b)
    if (!more.instance_of_row[b].empty()) copy_rows(instance_of_row[b], more.instance_of_row[b]);
  return known->second;
}

void Cells::number_behind(Cells& more, const Behind& at) {
  std::vector<unsigned> image_numbers(more.images.size());
  for (const auto& [bytes, number] : more.known_images)
    image_numbers[number] = take_image(more, bytes, number);
  for (CellEntry& entry : more.entries) {
    entry.image = image_numbers[entry.image];
    entry.first_row += at.rows;
  }
  for (Sampled& column : more.samples) {
    column.cell += at.cells;
    column.first_term += at.terms;
  }
  for (NumberSource& term : more.terms) term.cell += at.cells;
  for (Played& one : more.played) one.target.cell += at.cells;
  for (FieldCells& field : more.fields) field.cell += at.cells;
  for (GapPublished& gap : more.gaps_published) gap.cell += at.cells;
  for (GapRead& gap : more.gaps_read) gap.target.cell += at.cells;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    BlockCells& block = more.blocks[b];
    const unsigned first_argument = at.arguments[b];
    for (std::int64_t& first : block.first_connection) first += first_argument;
    for (unsigned& slot : block.connections) slot += first_argument;
    for (AwaitedEvent& event : block.awaited)
      if (event.slot != no_slot) event.slot += first_argument;
    blocks[b].keeps_assigned = blocks[b].keeps_assigned || block.keeps_assigned;
    blocks[b].is_looked_into = blocks[b].is_looked_into || block.is_looked_into;
    blocks[b].is_pointed_at = block.is_pointed_at;
  }
  most_rows = std::max(most_rows, more.most_rows);
}

Cells joined(std::vector<Cells>&& parts, int threads) {
  // What some have of their rows and others do not is 0 there.
  bool has_membrane = false;
  std::size_t fields = 0, grounds = 0;
  for (const Cells& part : parts) {
    has_membrane = has_membrane || !part.membrane_nA.empty();
    fields = std::max(fields, part.fields_nA.size());
    grounds = std::max(grounds, part.fields_ground_nA.size());
  }
  for (Cells& part : parts) {
    if (has_membrane) fill_up(part.membrane_nA, part.v_mV.size());
    part.fields_nA.resize(fields);
    part.fields_ground_nA.resize(grounds);
    for (OneOrMany& field : part.fields_nA) fill_up(field, part.v_mV.size());
    for (OneOrMany& field : part.fields_ground_nA) fill_up(field, part.v_mV.size());
  }
  Cells all = std::move(parts.front());
  parts.erase(parts.begin());
  Cells::Behind at;
  const auto count = [&at](const Cells& part) {
    at.cells += static_cast<std::uint32_t>(part.entries.size());
    at.rows += part.v_mV.size();
    at.terms += part.terms.size();
    at.arguments.resize(part.blocks.size());
    for (std::size_t b = 0; b < part.blocks.size(); ++b)
      at.arguments[b] += static_cast<unsigned>(part.blocks[b].arguments.size());
  };
  count(all);
  for (Cells& part : parts) {
    all.number_behind(part, at);
    count(part);
  }
  if (parts.empty()) return all;
  Joining joining(all, parts);
  each_list(all, [&](const auto& list_of) { joining.add(list_of); });
  joining.work(threads);
  return all;
}

}  // namespace hillock::simulator::on_device
