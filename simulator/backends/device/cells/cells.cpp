#include "simulator/backends/device/cells/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/backends/unsupported_on_device.hpp"
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

void append_to(IonCells& all, IonCells& more) {
  append_to(all.current, more.current);
  append_to(all.reversal, more.reversal);
  append_to(all.inside, more.inside);
  append_to(all.outside, more.outside);
  append_to(all.nernst_mV, more.nernst_mV);
}

void append_to(BlockCells& all, BlockCells& more) {
  const auto first_argument = static_cast<unsigned>(all.arguments.size());
  for (std::int64_t& first : more.first_connection) first += first_argument;
  for (unsigned& slot : more.connections) slot += first_argument;
  for (AwaitedEvent& event : more.awaited)
    if (event.slot != no_slot) event.slot += first_argument;
  for (std::size_t c = 0; c < all.columns.size(); ++c) append_to(all.columns[c], more.columns[c]);
  for (std::size_t k = 0; k < all.pointers.size(); ++k)
    append_to(all.pointers[k], more.pointers[k]);
  append_to(all.counts, more.counts);
  append_to(all.rows, more.rows);
  append_to(all.area_factors, more.area_factors);
  append_to(all.arguments, more.arguments);
  append_to(all.connections, more.connections);
  append_to(all.connection_counts, more.connection_counts);
  append_to(all.first_connection, more.first_connection);
  append_to(all.awaited, more.awaited);
  append_to(all.awaited_counts, more.awaited_counts);
  append_to(all.watch_bits, more.watch_bits);
  append_to(all.watches, more.watches);
  append_to(all.links, more.links);
  append_to(all.link_counts, more.link_counts);
  all.keeps_assigned = all.keeps_assigned || more.keeps_assigned;
  all.is_looked_into = all.is_looked_into || more.is_looked_into;
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

Signature signature_of(const begin::BegunCell& cell, const std::string& solver) {
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
  signature.contracts = (solver == "auto" && contraction_pays(cell)) || solver == "contraction";
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

void Cells::add(const begin::BegunCell& cell, const Signature& signature) {
  const std::size_t rows = cell.row_count();
  if (!population) {
    population = cell.population;
    for (const begin::BegunBlock& block : cell.blocks) mechanisms.push_back(block.mechanism);
    for (const begin::BegunIon& ion : cell.ions) {
      ion_names.push_back(ion.ion);
      ions_kept_by.push_back(ion.kept_by);
    }
  }
  const unsigned image = image_of(cell, signature.contracts);
  entries.push_back({image, -1, cell.id.value, v_mV.size()});
  if (cell.detector_row >= 0)
    entries.back().detector_row =
        static_cast<int>(row_of(static_cast<std::size_t>(cell.detector_row)));
  indices.push_back(cell.index);
  above.push_back(cell.is_above);
  most_rows = std::max(most_rows, static_cast<int>(rows));
  const auto add_rows = [&](std::vector<double>& all, const std::vector<double>& some) {
    if (some.empty()) return;
    const std::size_t first = all.size();
    all.resize(first + rows);
    for (std::size_t row = 0; row < rows; ++row) all[first + row_of(row)] = some[row];
  };
  if (!cell.membrane_nA.empty()) {
    membrane_nA.resize(v_mV.size());  // of cells before, of which nobody records it
    add_rows(membrane_nA, cell.membrane_nA);
  }
  fields_nA.resize(std::max(fields_nA.size(), cell.fields.size()));
  for (std::size_t f = 0; f < cell.fields.size(); ++f) {
    fields.push_back({static_cast<std::uint32_t>(entries.size() - 1), cell.fields[f].in_time});
    fields_nA[f].resize(v_mV.size());
    add_rows(fields_nA[f], cell.fields[f].nA);
  }
  if (signature.layers > 0) fields_ground_nA.resize(fields_nA.size());
  for (std::size_t f = 0; f < cell.fields.size() && signature.layers > 0; ++f) {
    fields_ground_nA[f].resize(v_mV.size());
    add_rows(fields_ground_nA[f], cell.fields[f].ground_nA);
  }
  layers_mV.resize(cell.layers.layers.size());
  for (std::vector<double>& layer : layers_mV) layer.resize(v_mV.size() + rows, 0);
  ions.resize(cell.ions.size());
  for (std::size_t k = 0; k < ions.size(); ++k) {
    const begin::BegunIon& ion = cell.ions[k];
    add_rows(ions[k].current, ion.current_mA_per_cm2);
    add_rows(ions[k].reversal, ion.reversal_mV);
    add_rows(ions[k].inside, ion.inside_mM);
    add_rows(ions[k].outside, ion.outside_mM);
    ions[k].nernst_mV.resize(v_mV.size() + rows, 0);
    for (const auto& [row, mV] : ion.nernst_mV) ions[k].nernst_mV[v_mV.size() + row_of(row)] = mV;
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
  BlockCells& to = blocks[b];
  to.counts.push_back(static_cast<std::uint32_t>(count));
  to.columns.resize(from.columns.size());
  for (std::size_t c = 0; c < to.columns.size(); ++c) {
    const std::size_t first = to.columns[c].size();
    to.columns[c].resize(first + count);
    for (std::size_t i = 0; i < count; ++i)
      to.columns[c][first + instance_of(b, i)] = from.columns[c][i];
  }
  to.keeps_assigned = to.keeps_assigned || from.keeps_assigned;
  to.is_looked_into = to.is_looked_into || from.is_looked_into;
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

void Cells::make_room(double times) {
  const auto grow = [times](auto& values) {
    values.reserve(static_cast<std::size_t>(times * static_cast<double>(values.size())) + 1);
  };
  for (std::vector<double>* rows : {&v_mV, &membrane_nA}) grow(*rows);
  for (auto* some : {&layers_mV, &fields_nA, &fields_ground_nA})
    for (std::vector<double>& rows : *some) grow(rows);
  for (IonCells& ion : ions)
    for (std::vector<double>* rows :
         {&ion.current, &ion.reversal, &ion.inside, &ion.outside, &ion.nernst_mV})
      grow(*rows);
  for (BlockCells& block : blocks)
    for (std::vector<double>& column : block.columns) grow(column);
}

void Cells::append(Cells&& more, std::size_t rows) {
  if (entries.empty()) {
    *this = std::move(more);
    if (rows > v_mV.size()) make_room(static_cast<double>(rows) / static_cast<double>(v_mV.size()));
    return;
  }
  const auto first_cell = static_cast<std::uint32_t>(entries.size());
  const std::size_t first_row = v_mV.size(), first_term = terms.size();
  std::vector<unsigned> image_numbers(more.images.size());
  for (const auto& [bytes, number] : more.known_images)
    image_numbers[number] = take_image(more, bytes, number);
  for (CellEntry& entry : more.entries) {
    entry.image = image_numbers[entry.image];
    entry.first_row += first_row;
  }
  for (Sampled& column : more.samples) {
    column.cell += first_cell;
    column.first_term += first_term;
  }
  for (NumberSource& term : more.terms) term.cell += first_cell;
  for (Played& one : more.played) one.target.cell += first_cell;
  for (FieldCells& field : more.fields) field.cell += first_cell;
  for (GapPublished& gap : more.gaps_published) gap.cell += first_cell;
  for (GapRead& gap : more.gaps_read) gap.target.cell += first_cell;
  append_to(entries, more.entries);
  append_to(indices, more.indices);
  append_to(above, more.above);
  append_to(v_mV, more.v_mV);
  for (std::size_t l = 0; l < layers_mV.size(); ++l) append_to(layers_mV[l], more.layers_mV[l]);
  if (!membrane_nA.empty() || !more.membrane_nA.empty()) {
    membrane_nA.resize(first_row);
    append_to(membrane_nA, more.membrane_nA);
    membrane_nA.resize(v_mV.size());
  }
  const auto append_fields = [first_row](auto& all, auto& some) {
    all.resize(std::max(all.size(), some.size()));
    for (std::size_t f = 0; f < some.size(); ++f) {
      all[f].resize(first_row);
      append_to(all[f], some[f]);
    }
  };
  append_fields(fields_nA, more.fields_nA);
  append_fields(fields_ground_nA, more.fields_ground_nA);
  for (std::size_t k = 0; k < ions.size(); ++k) append_to(ions[k], more.ions[k]);
  for (std::size_t b = 0; b < blocks.size(); ++b) append_to(blocks[b], more.blocks[b]);
  append_to(samples, more.samples);
  append_to(terms, more.terms);
  append_to(played, more.played);
  append_to(fields, more.fields);
  append_to(gaps_published, more.gaps_published);
  append_to(gaps_read, more.gaps_read);
  most_rows = std::max(most_rows, more.most_rows);
}

}  // namespace hillock::simulator::on_device
