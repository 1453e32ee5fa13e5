#include "bench/gpu/cusparse_peer.hpp"

#include <cusparse.h>

#include <string>

#include "solver/cuda/device.hpp"

namespace hillock::bench {

namespace {

using solver::ThomasArrangement;

void check_cusparse(cusparseStatus_t status, const char* call, int line) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw solver::DeviceError(call, __FILE__ + (":" + std::to_string(line)),
                              cusparseGetErrorString(status));
}
#define CUSPARSE(call) check_cusparse((call), #call, __LINE__)

cusparseHandle_t as_handle(void* handle) {
  return static_cast<cusparseHandle_t>(handle);
}

int as_int(std::size_t number) {
  return static_cast<int>(number);
}

}  // namespace

CusparsePeer::CusparsePeer(CUstream_st* stream) {
  cusparseHandle_t handle{};
  CUSPARSE(cusparseCreate(&handle));
  handle_ = handle;
  CUSPARSE(cusparseSetStream(handle, stream));
}

CusparsePeer::~CusparsePeer() {
  cusparseDestroy(as_handle(handle_));
}

template <class Real>
std::size_t CusparsePeer::strided_bytes(const ThomasArrangement& a, Real* v) {
  const std::size_t f = a.field_stride;
  const auto size = [&](const auto& call) {
    std::size_t bytes = 0;
    CUSPARSE(call(as_handle(handle_), as_int(a.rows), v, v + f, v + 2 * f, v + 3 * f,
                  as_int(a.systems), as_int(a.rows), &bytes));
    return bytes;
  };
  if constexpr (sizeof(Real) == 4)
    return size(cusparseSgtsv2StridedBatch_bufferSizeExt);
  else
    return size(cusparseDgtsv2StridedBatch_bufferSizeExt);
}

template <class Real>
void CusparsePeer::strided(const ThomasArrangement& a, Real* v, void* buffer) {
  const std::size_t f = a.field_stride;
  const auto solve = [&](const auto& call) {
    CUSPARSE(call(as_handle(handle_), as_int(a.rows), v, v + f, v + 2 * f, v + 3 * f,
                  as_int(a.systems), as_int(a.rows), buffer));
  };
  if constexpr (sizeof(Real) == 4)
    solve(cusparseSgtsv2StridedBatch);
  else
    solve(cusparseDgtsv2StridedBatch);
}

template <class Real>
std::size_t CusparsePeer::interleaved_bytes(int algorithm, const ThomasArrangement& a, Real* v) {
  const std::size_t f = a.field_stride;
  const auto size = [&](const auto& call) {
    std::size_t bytes = 0;
    CUSPARSE(call(as_handle(handle_), algorithm, as_int(a.rows), v, v + f, v + 2 * f, v + 3 * f,
                  as_int(a.systems), &bytes));
    return bytes;
  };
  if constexpr (sizeof(Real) == 4)
    return size(cusparseSgtsvInterleavedBatch_bufferSizeExt);
  else
    return size(cusparseDgtsvInterleavedBatch_bufferSizeExt);
}

template <class Real>
void CusparsePeer::interleaved(int algorithm, const ThomasArrangement& a, Real* v, void* buffer) {
  const std::size_t f = a.field_stride;
  const auto solve = [&](const auto& call) {
    CUSPARSE(call(as_handle(handle_), algorithm, as_int(a.rows), v, v + f, v + 2 * f, v + 3 * f,
                  as_int(a.systems), buffer));
  };
  if constexpr (sizeof(Real) == 4)
    solve(cusparseSgtsvInterleavedBatch);
  else
    solve(cusparseDgtsvInterleavedBatch);
}

template std::size_t CusparsePeer::strided_bytes(const ThomasArrangement&, float*);
template std::size_t CusparsePeer::strided_bytes(const ThomasArrangement&, double*);
template void CusparsePeer::strided(const ThomasArrangement&, float*, void*);
template void CusparsePeer::strided(const ThomasArrangement&, double*, void*);
template std::size_t CusparsePeer::interleaved_bytes(int, const ThomasArrangement&, float*);
template std::size_t CusparsePeer::interleaved_bytes(int, const ThomasArrangement&, double*);
template void CusparsePeer::interleaved(int, const ThomasArrangement&, float*, void*);
template void CusparsePeer::interleaved(int, const ThomasArrangement&, double*, void*);

}  // namespace hillock::bench
