#include "solver/batches/thomas/arrangement.hpp"

namespace hillock::solver {
namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

const char* name_of(ThomasLayout layout) {
  switch (layout) {
    case ThomasLayout::flat:
      return "flat";
    case ThomasLayout::interleaved:
      return "interleaved";
    case ThomasLayout::unified_vector:
      return "unified vector";
    case ThomasLayout::block_interleaved:
      return "block interleaved";
  }
  return "?";
}

ThomasArrangement arrange(ThomasLayout layout, std::size_t rows, std::size_t systems,
                          std::size_t lanes) {
  if (rows == 0 || systems == 0) throw InvalidBatch(systems, rows * systems, "nothing to solve");
  if (lanes == 0) throw UsageError("tridiagonal systems: a group needs at least one lane");
  ThomasArrangement a;
  a.layout = layout;
  a.rows = rows;
  a.systems = systems;
  switch (layout) {
    case ThomasLayout::flat:
      a.lanes = 1;
      a.row_stride = 1;
      break;
    case ThomasLayout::interleaved:
      a.lanes = a.row_stride = systems;
      break;
    case ThomasLayout::unified_vector:
      a.lanes = systems;
      a.row_stride = thomas_fields * systems;
      break;
    case ThomasLayout::block_interleaved:
      a.lanes = a.row_stride = lanes;
      break;
  }
  a.group_stride = rows * a.row_stride;
  const std::size_t groups = (systems + a.lanes - 1) / a.lanes;
  if (layout == ThomasLayout::unified_vector) {
    a.field_stride = systems;
    a.storage = a.group_stride;
  } else {
    a.field_stride = round_up(groups * a.group_stride, thomas_field_alignment);
    a.storage = thomas_fields * a.field_stride;
  }
  return a;
}

template <class Real>
void convert(const ThomasArrangement& from, const std::vector<Real>& values,
             const ThomasArrangement& to, std::vector<Real>& result) {
  if (from.rows != to.rows || from.systems != to.systems)
    throw InvalidBatch(to.systems, to.rows * to.systems,
                       "cannot be converted to from one of another shape");
  if (values.size() != from.storage)
    throw InvalidBatch(from.systems, from.rows * from.systems, "storage of the wrong size");
  result.assign(to.storage, Real(0));
  if (to.layout != ThomasLayout::unified_vector) {
    const auto diagonal = static_cast<std::size_t>(ThomasField::diagonal) * to.field_stride;
    for (std::size_t i = 0; i < to.field_stride; ++i) result[diagonal + i] = Real(1);
  }
  for (std::size_t system = 0; system < from.systems; ++system)
    for (std::size_t f = 0; f < thomas_fields; ++f)
      for (std::size_t row = 0; row < from.rows; ++row) {
        const auto field = static_cast<ThomasField>(f);
        result[to.index(field, row, system)] = values[from.index(field, row, system)];
      }
}

template void convert<float>(const ThomasArrangement&, const std::vector<float>&,
                             const ThomasArrangement&, std::vector<float>&);
template void convert<double>(const ThomasArrangement&, const std::vector<double>&,
                              const ThomasArrangement&, std::vector<double>&);

std::size_t necessary_bytes(std::size_t rows_in_all, std::size_t bytes_of_a_number) {
  return 5 * rows_in_all * bytes_of_a_number;
}

std::size_t two_sweep_bytes(std::size_t rows_in_all, std::size_t bytes_of_a_number) {
  return 9 * rows_in_all * bytes_of_a_number;
}

}  // namespace hillock::solver
