#include "solver/thomas/arrangement.hpp"

namespace hillock::solver::thomas {
namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

const char* name_of(Layout layout) {
  switch (layout) {
    case Layout::flat:
      return "flat";
    case Layout::interleaved:
      return "interleaved";
    case Layout::unified_vector:
      return "unified vector";
    case Layout::block_interleaved:
      return "block interleaved";
  }
  return "?";
}

InvalidBatch::InvalidBatch(std::size_t rows, std::size_t systems, const std::string& problem)
    : Error("batch of " + std::to_string(systems) + " tridiagonal systems of " +
            std::to_string(rows) + " rows: " + problem),
      rows_(rows),
      systems_(systems) {}

Arrangement arrange(Layout layout, std::size_t rows, std::size_t systems, std::size_t lanes) {
  if (rows == 0 || systems == 0) throw InvalidBatch(rows, systems, "nothing to solve");
  if (lanes == 0) throw InvalidBatch(rows, systems, "a group needs at least one lane");
  Arrangement a;
  a.layout = layout;
  a.rows = rows;
  a.systems = systems;
  switch (layout) {
    case Layout::flat:
      a.lanes = 1;
      a.row_stride = 1;
      break;
    case Layout::interleaved:
      a.lanes = a.row_stride = systems;
      break;
    case Layout::unified_vector:
      a.lanes = systems;
      a.row_stride = fields * systems;
      break;
    case Layout::block_interleaved:
      a.lanes = a.row_stride = lanes;
      break;
  }
  a.group_stride = rows * a.row_stride;
  const std::size_t groups = (systems + a.lanes - 1) / a.lanes;
  if (layout == Layout::unified_vector) {
    a.field_stride = systems;
    a.storage = a.group_stride;
  } else {
    a.field_stride = round_up(groups * a.group_stride, field_alignment);
    a.storage = fields * a.field_stride;
  }
  return a;
}

template <class Real>
void convert(const Arrangement& from, const std::vector<Real>& values, const Arrangement& to,
             std::vector<Real>& result) {
  if (from.rows != to.rows || from.systems != to.systems)
    throw InvalidBatch(to.rows, to.systems, "cannot be converted to from one of another shape");
  if (values.size() != from.storage)
    throw InvalidBatch(from.rows, from.systems, "storage of the wrong size");
  result.assign(to.storage, Real(0));
  if (to.layout != Layout::unified_vector) {
    const auto diagonal = static_cast<std::size_t>(Field::diagonal) * to.field_stride;
    for (std::size_t i = 0; i < to.field_stride; ++i) result[diagonal + i] = Real(1);
  }
  for (std::size_t system = 0; system < from.systems; ++system)
    for (std::size_t f = 0; f < fields; ++f)
      for (std::size_t row = 0; row < from.rows; ++row) {
        const auto field = static_cast<Field>(f);
        result[to.index(field, row, system)] = values[from.index(field, row, system)];
      }
}

template void convert<float>(const Arrangement&, const std::vector<float>&, const Arrangement&,
                             std::vector<float>&);
template void convert<double>(const Arrangement&, const std::vector<double>&, const Arrangement&,
                              std::vector<double>&);

std::size_t necessary_bytes(std::size_t rows_in_all, std::size_t bytes_of_a_number) {
  return 5 * rows_in_all * bytes_of_a_number;
}

std::size_t two_sweep_bytes(std::size_t rows_in_all, std::size_t bytes_of_a_number) {
  return 9 * rows_in_all * bytes_of_a_number;
}

}  // namespace hillock::solver::thomas
