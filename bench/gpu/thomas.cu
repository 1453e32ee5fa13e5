// Batches of tridiagonal systems of one length on the GPU: every layout and kernel, and cuSPARSE.
//
// Floor: every solver must read lower, diagonal, upper and rhs and write x once, 5 numbers a row;
// one thread a system with nothing kept on the chip moves 9. About 20 operations and one reciprocal
// a row, far below the arithmetic's limits.
// Timing: as many input sets as exceed the L2 several times, solved one after the other in one CUDA
// graph (one set: a plain launch), events around it, the input restored before each repeat; median.
// Conversions between layouts are timed apart. Solutions are compared with long double.

#include "bench/gpu/thomas.hpp"

#include <algorithm>
#include <functional>

#include "bench/build.hpp"
#include "bench/gpu/cusparse_peer.hpp"
#include "bench/gpu/thomas_values.cuh"
#include "bench/reference.hpp"
#include "solver/batches/thomas/device.hpp"

namespace hillock::bench {

namespace {

using namespace solver;

template <class Real>
class Case {
 public:
  Case(std::size_t rows, std::size_t systems)
      : flat_(arrange(ThomasLayout::flat, rows, systems)), pristine_flat_(flat_.storage) {
    fill<Real><<<1024, 256, 0, stream()>>>(pristine_flat_.data(), flat_.storage, Real(0));
    draw<Real><<<4096, 128, 0, stream()>>>(pristine_flat_.data(), flat_.field_stride, nullptr,
                                           nullptr, static_cast<std::uint32_t>(rows), systems);
    HILLOCK_CUDA(cudaGetLastError());
  }

  std::vector<ThomasResult> measure_all() {
    use(ThomasLayout::flat);
    const ThomasChoice choice = choose_thomas(flat_.rows, flat_.systems, sizeof(Real));
    const ThomasWarpPlan plan = plan_warps<Real>(flat_, choice.split);
    time("ours", 5, 0, [&](Real* v) { solve_on_device(plan, v, stream()); });
    if constexpr (with_cusparse) strided_peer();
    time("sweep", 9, 0, [&](Real* v) { sweep_on_device(flat_, v, stream()); });
    convert_timed(ThomasLayout::interleaved);
    convert_timed(ThomasLayout::block_interleaved);
    use(ThomasLayout::interleaved);
    time("sweep", 9, 0, [&](Real* v) { sweep_on_device(used_, v, stream()); });
    if constexpr (with_cusparse) interleaved_peers();
    use(ThomasLayout::unified_vector);
    time("sweep", 9, 0, [&](Real* v) { sweep_on_device(used_, v, stream()); });
    for (const std::size_t lanes : {32, 128}) {
      use(ThomasLayout::block_interleaved, lanes);
      time(lanes == 32 ? "sweep" : "sweep by 128", 9, 0,
           [&](Real* v) { sweep_on_device(used_, v, stream()); });
    }
    return results_;
  }

  std::vector<ThomasTuning> tune() {
    use(ThomasLayout::flat);
    std::vector<ThomasTuning> tried;
    for (const ThomasSplit split :
         {ThomasSplit{8, 9}, ThomasSplit{16, 9}, ThomasSplit{32, 3}, ThomasSplit{32, 5},
          ThomasSplit{32, 9}, ThomasSplit{32, 13}, ThomasSplit{32, 17}}) {
      if (flat_.rows > split.most_rows() || split.most_rows() > 3 * flat_.rows) continue;
      const ThomasWarpPlan plan = plan_warps<Real>(flat_, split);
      const Timing timing = time_sets(
          stream(), sets_, [&] { restore(); },
          [&](std::size_t set) {
            solve_on_device(plan, work_.data() + set * used_.storage, stream());
          },
          5, 0.1);
      tried.push_back({split, plan.warps, plan.blocks, timing});
    }
    return tried;
  }

 private:
  static cudaStream_t stream() { return thomas_stream(); }

  /// Makes the input sets of a layout.
  void use(ThomasLayout layout, std::size_t lanes = 32) {
    used_ = arrange(layout, flat_.rows, flat_.systems, lanes);
    pristine_ = DeviceArray<Real>();
    work_ = DeviceArray<Real>();
    sets_ = sets_beyond_l2(used_.storage * sizeof(Real));
    pristine_ = DeviceArray<Real>(used_.storage);
    fill<Real><<<1024, 256, 0, stream()>>>(pristine_.data(), used_.storage, Real(1));
    convert_on_device(flat_, pristine_flat_.data(), used_, pristine_.data(), stream());
    work_ = DeviceArray<Real>(sets_ * used_.storage);
  }

  void restore() {
    for (std::size_t set = 0; set < sets_; ++set)
      HILLOCK_CUDA(cudaMemcpyAsync(work_.data() + set * used_.storage, pristine_.data(),
                                   used_.storage * sizeof(Real), cudaMemcpyDeviceToDevice,
                                   stream()));
  }

  double verify(const std::function<void(Real*)>& solve) {
    restore();
    solve(work_.data());
    DeviceArray<Real> solved(flat_.storage);
    convert_on_device(used_, work_.data(), flat_, solved.data(), stream());
    HILLOCK_CUDA(cudaStreamSynchronize(stream()));
    double worst = 0;
    const std::size_t n = flat_.rows, last = flat_.systems - 1;
    for (const std::size_t system : {std::size_t{0}, std::min<std::size_t>(1, last),
                                     std::min(flat_.systems / 2 + 1, last), last}) {
      const auto field = [&](const DeviceArray<Real>& from, ThomasField f) {
        return fetch(from.data() + flat_.index(f, 0, system), n);
      };
      const auto lower = field(pristine_flat_, ThomasField::lower);
      const auto diagonal = field(pristine_flat_, ThomasField::diagonal);
      const auto upper = field(pristine_flat_, ThomasField::upper);
      const auto rhs = field(pristine_flat_, ThomasField::rhs), x = field(solved, ThomasField::rhs);
      const auto reference =
          tridiagonal_reference(n, lower.data(), diagonal.data(), upper.data(), rhs.data());
      worst = worse(
          worst, error_over_bound(std::span<const long double>(reference), x.data(), thomas_kappa));
    }
    return worst;
  }

  void time(const std::string& variant, int numbers_moved, double extra_bytes,
            const std::function<void(Real*)>& solve) {
    ThomasResult result{variant, name_of(used_.layout), {}, numbers_moved, extra_bytes};
    result.error = verify(solve);
    result.timing = time_sets(
        stream(), sets_, [&] { restore(); },
        [&](std::size_t set) { solve(work_.data() + set * used_.storage); });
    results_.push_back(result);
  }

  void strided_peer() {
    CusparsePeer peer(stream());
    const std::size_t bytes = peer.strided_bytes(flat_, pristine_flat_.data());
    DeviceArray<char> buffer(bytes);
    time("cuSPARSE gtsv2StridedBatch", 5, static_cast<double>(bytes),
         [&](Real* v) { peer.strided(flat_, v, buffer.data()); });
  }

  void interleaved_peers() {
    CusparsePeer peer(stream());
    for (const int algorithm : {0, 1, 2}) {
      const std::size_t bytes = peer.interleaved_bytes(algorithm, used_, pristine_.data());
      DeviceArray<char> buffer(bytes);
      time("cuSPARSE gtsvInterleavedBatch " + std::to_string(algorithm), 9,
           static_cast<double>(bytes),
           [&](Real* v) { peer.interleaved(algorithm, used_, v, buffer.data()); });
    }
  }

  void convert_timed(ThomasLayout layout) {
    const ThomasArrangement to = arrange(layout, flat_.rows, flat_.systems);
    DeviceArray<Real> result(to.storage);
    const auto add = [&](const char* variant, const std::function<void()>& convert) {
      const Timing timing = time_sets(
          stream(), 1, [] {}, [&](std::size_t) { convert(); });
      results_.push_back({variant, name_of(layout), timing, 8});
    };
    add("conversion from flat",
        [&] { convert_on_device(flat_, pristine_flat_.data(), to, result.data(), stream()); });
    DeviceArray<Real> flat_again(flat_.storage);
    add("conversion to flat",
        [&] { convert_on_device(to, result.data(), flat_, flat_again.data(), stream()); });
  }

  ThomasArrangement flat_, used_;
  std::size_t sets_ = 1;
  DeviceArray<Real> pristine_flat_, pristine_, work_;
  std::vector<ThomasResult> results_;
};

}  // namespace

template <class Real>
std::vector<ThomasResult> measure_thomas(std::size_t rows, std::size_t systems) {
  return Case<Real>(rows, systems).measure_all();
}

template <class Real>
std::vector<ThomasTuning> tune_thomas(std::size_t rows, std::size_t systems) {
  return Case<Real>(rows, systems).tune();
}

template std::vector<ThomasResult> measure_thomas<float>(std::size_t, std::size_t);
template std::vector<ThomasResult> measure_thomas<double>(std::size_t, std::size_t);
template std::vector<ThomasTuning> tune_thomas<float>(std::size_t, std::size_t);
template std::vector<ThomasTuning> tune_thomas<double>(std::size_t, std::size_t);

}  // namespace hillock::bench
