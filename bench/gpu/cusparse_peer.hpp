#pragma once
// cuSPARSE's batches of tridiagonal systems, the peers of the table thomas. Plain C++; defined only
// where cuSPARSE was found.

#include <cstddef>

#include "solver/batches/thomas/arrangement.hpp"

struct CUstream_st;

namespace hillock::bench {

/// A handle on one stream. Every member throws DeviceError when cuSPARSE refuses.
/// Real: float or double. v: device, [storage] of the arrangement, rhs becomes the solution.
class CusparsePeer {
 public:
  explicit CusparsePeer(CUstream_st* stream);
  CusparsePeer(const CusparsePeer&) = delete;
  CusparsePeer& operator=(const CusparsePeer&) = delete;
  ~CusparsePeer();

  /// gtsv2StridedBatch, for layout flat; and the workspace it wants.
  template <class Real>
  std::size_t strided_bytes(const solver::ThomasArrangement& a, Real* v);
  template <class Real>
  void strided(const solver::ThomasArrangement& a, Real* v, void* buffer);

  /// gtsvInterleavedBatch, for layout interleaved. algorithm: 0 Thomas, 1 LU, 2 QR.
  template <class Real>
  std::size_t interleaved_bytes(int algorithm, const solver::ThomasArrangement& a, Real* v);
  template <class Real>
  void interleaved(int algorithm, const solver::ThomasArrangement& a, Real* v, void* buffer);

 private:
  void* handle_ = nullptr;
};

}  // namespace hillock::bench
