// Batches of tridiagonal systems of different lengths on the GPU: cuThomasVBatch's two paddings,
// systems sorted by length, and a warp a system. Timed and checked as in gpu/thomas.cu.

#include <algorithm>

#include "bench/gpu/thomas.hpp"
#include "bench/gpu/thomas_values.cuh"
#include "bench/reference.hpp"
#include "solver/batches/thomas/device.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

struct Method {
  const char* name;
  ThomasVariableLayout layout;
  ThomasKernel kernel;
  ThomasPadding padding;
};

const Method methods[] = {
    {"no computing padding", ThomasVariableLayout::padded, ThomasKernel::sweep,
     ThomasPadding::skip},
    {"computing padding", ThomasVariableLayout::padded, ThomasKernel::sweep,
     ThomasPadding::compute},
    {"ours: sorted by warps", ThomasVariableLayout::sorted, ThomasKernel::sweep,
     ThomasPadding::skip},
    {"ours", ThomasVariableLayout::compact, ThomasKernel::warp, ThomasPadding::skip}};

/// Of a few systems of the compact layout.
template <class Real>
double error_of(const ThomasVariableArrangement& compact, const DeviceArray<Real>& pristine,
                const DeviceArray<Real>& solved) {
  double worst = 0;
  const std::size_t systems = compact.size.size();
  for (const std::size_t system : {std::size_t{0}, systems / 2, systems - 1}) {
    const std::size_t n = compact.size[system];
    const auto field = [&](const DeviceArray<Real>& from, ThomasField f) {
      return fetch(from.data() + compact.index(f, 0, system), n);
    };
    const auto lower = field(pristine, ThomasField::lower),
               diagonal = field(pristine, ThomasField::diagonal);
    const auto upper = field(pristine, ThomasField::upper), rhs = field(pristine, ThomasField::rhs);
    const auto x = field(solved, ThomasField::rhs);
    const auto reference =
        tridiagonal_reference(n, lower.data(), diagonal.data(), upper.data(), rhs.data());
    worst = worse(
        worst, error_over_bound(std::span<const long double>(reference), x.data(), thomas_kappa));
  }
  return worst;
}

}  // namespace

template <class Real>
std::vector<ThomasResult> measure_thomas_variable(const std::vector<std::uint32_t>& sizes) {
  const cudaStream_t stream = thomas_stream();
  const auto compact = arrange(ThomasVariableLayout::compact, sizes);
  DeviceArray<Real> pristine(compact.storage);
  fill<Real><<<1024, 256, 0, stream>>>(pristine.data(), compact.storage, Real(0));
  {
    DeviceArray<std::uint64_t> start(compact.start);
    DeviceArray<std::uint32_t> size(compact.size);
    HILLOCK_CUDA(cudaDeviceSynchronize());
    draw<Real><<<4096, 128, 0, stream>>>(pristine.data(), compact.field_stride, start.data(),
                                         size.data(), 0, sizes.size());
    HILLOCK_CUDA(cudaStreamSynchronize(stream));
  }
  const ThomasDeviceSlots compact_slots(compact);
  std::vector<ThomasResult> results;
  for (const Method& method : methods) {
    const auto a = arrange(method.layout, sizes);
    const ThomasDeviceSlots slots(a);
    DeviceArray<Real> input(a.storage);
    fill<Real><<<1024, 256, 0, stream>>>(input.data(), a.storage, Real(0));
    fill<Real><<<1024, 256, 0, stream>>>(input.data() + a.field_stride, a.field_stride, Real(1));
    const Timing conversion = time_sets(
        stream, 1, [] {},
        [&](std::size_t) {
          convert_on_device(compact_slots, pristine.data(), slots, input.data(), stream);
        });
    const std::size_t sets = sets_beyond_l2(a.storage * sizeof(Real));
    DeviceArray<Real> work(sets * a.storage);
    const auto restore = [&] {
      for (std::size_t set = 0; set < sets; ++set)
        HILLOCK_CUDA(cudaMemcpyAsync(work.data() + set * a.storage, input.data(),
                                     a.storage * sizeof(Real), cudaMemcpyDeviceToDevice, stream));
    };
    const auto solve = [&](std::size_t set) {
      Real* v = work.data() + set * a.storage;
      if (method.kernel == ThomasKernel::sweep)
        sweep_on_device(slots, v, method.padding, stream);
      else
        warp_on_device(slots, v, stream);
    };
    restore();
    solve(0);
    ThomasResult result{method.name, name_of(method.layout)};
    {
      DeviceArray<Real> solved(compact.storage);
      convert_on_device(slots, work.data(), compact_slots, solved.data(), stream);
      HILLOCK_CUDA(cudaStreamSynchronize(stream));
      result.error = error_of(compact, pristine, solved);
    }
    result.timing = time_sets(stream, sets, restore, solve);
    result.numbers_moved = method.kernel == ThomasKernel::sweep ? 9 : 5;
    result.conversion_us = conversion.us;
    result.storage_bytes = static_cast<double>(a.storage * sizeof(Real));
    result.table_bytes = static_cast<double>(slots.bytes());
    results.push_back(result);
  }
  return results;
}

template std::vector<ThomasResult> measure_thomas_variable<float>(
    const std::vector<std::uint32_t>&);
template std::vector<ThomasResult> measure_thomas_variable<double>(
    const std::vector<std::uint32_t>&);

}  // namespace hillock::bench
