#include "solver/batches/thomas/variable.hpp"

#include <algorithm>
#include <numeric>

namespace hillock::solver {
namespace {

constexpr std::size_t warp = 32;

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

const char* name_of(ThomasVariableLayout layout) {
  switch (layout) {
    case ThomasVariableLayout::padded:
      return "padded to the longest, interleaved";
    case ThomasVariableLayout::sorted:
      return "sorted, interleaved by warps";
    case ThomasVariableLayout::compact:
      return "compact";
  }
  return "?";
}

ThomasVariableArrangement arrange(ThomasVariableLayout layout,
                                  std::span<const std::uint32_t> sizes) {
  const std::size_t systems = sizes.size();
  if (systems == 0) throw InvalidBatch(0, 0, "nothing to solve");
  ThomasVariableArrangement a;
  a.layout = layout;
  a.system.resize(systems);
  std::iota(a.system.begin(), a.system.end(), 0u);
  if (layout == ThomasVariableLayout::sorted)
    std::stable_sort(a.system.begin(), a.system.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return sizes[x] > sizes[y]; });
  a.size.resize(systems);
  a.start.resize(systems);
  for (std::size_t slot = 0; slot < systems; ++slot) {
    a.size[slot] = sizes[a.system[slot]];
    if (a.size[slot] == 0) throw InvalidBatch(systems, a.rows_in_all, "a system has no rows");
    a.longest = std::max(a.longest, a.size[slot]);
    a.rows_in_all += a.size[slot];
  }
  std::size_t used = 0;
  switch (layout) {
    case ThomasVariableLayout::padded:
      a.row_stride = round_up(systems, warp);
      for (std::size_t slot = 0; slot < systems; ++slot) a.start[slot] = slot;
      used = a.longest * a.row_stride;
      break;
    case ThomasVariableLayout::sorted:
      a.row_stride = warp;
      for (std::size_t first = 0; first < systems; first += warp) {
        const std::size_t last = std::min(first + warp, systems);
        for (std::size_t slot = first; slot < last; ++slot) a.start[slot] = used + slot - first;
        used += warp * a.size[first];  // the longest of its group, since sorted
      }
      break;
    case ThomasVariableLayout::compact:
      a.row_stride = 1;
      for (std::size_t slot = 0; slot < systems; ++slot) {
        a.start[slot] = used;
        used += round_up(a.size[slot], 4);  // 16 bytes of floats, 32 of doubles
      }
      break;
  }
  a.field_stride = round_up(used, thomas_field_alignment);
  a.storage = thomas_fields * a.field_stride;
  return a;
}

template <class Real>
void convert(const ThomasVariableArrangement& from, const std::vector<Real>& values,
             const ThomasVariableArrangement& to, std::vector<Real>& result) {
  const std::size_t systems = from.system.size();
  if (to.system.size() != systems || to.rows_in_all != from.rows_in_all)
    throw InvalidBatch(to.system.size(), to.rows_in_all, "other systems than those to convert");
  if (values.size() != from.storage)
    throw InvalidBatch(systems, from.rows_in_all, "storage of the wrong size");
  std::vector<std::size_t> slot_in_from(systems);
  for (std::size_t slot = 0; slot < systems; ++slot) slot_in_from[from.system[slot]] = slot;
  result.assign(to.storage, Real(0));
  std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(to.field_stride), to.field_stride,
              Real(1));
  for (std::size_t slot = 0; slot < systems; ++slot) {
    const std::size_t source = slot_in_from[to.system[slot]];
    if (from.size[source] != to.size[slot])
      throw InvalidBatch(systems, to.rows_in_all, "other lengths than those to convert");
    for (std::size_t f = 0; f < thomas_fields; ++f)
      for (std::size_t row = 0; row < to.size[slot]; ++row) {
        const auto field = static_cast<ThomasField>(f);
        result[to.index(field, row, slot)] = values[from.index(field, row, source)];
      }
  }
}

template void convert<float>(const ThomasVariableArrangement&, const std::vector<float>&,
                             const ThomasVariableArrangement&, std::vector<float>&);
template void convert<double>(const ThomasVariableArrangement&, const std::vector<double>&,
                              const ThomasVariableArrangement&, std::vector<double>&);

}  // namespace hillock::solver
