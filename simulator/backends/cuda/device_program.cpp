#include "simulator/backends/cuda/device_program.hpp"

#include <cstring>
#include <utility>

#include "simulator/backends/cpu/layout_builder.hpp"

namespace hillock::simulator::cuda {

DeviceLimits limits_of_device() {
  solver::require_device(0, "--backend cuda");
  DeviceLimits limits;
  int major = 0, minor = 0;
  HILLOCK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, limits.device));
  HILLOCK_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, limits.device));
  HILLOCK_CUDA(cudaDeviceGetAttribute(&limits.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                      limits.device));
  HILLOCK_CUDA(cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount,
                                      limits.device));
  limits.capability = 10 * major + minor;
  return limits;
}

DeviceProgram::DeviceProgram(Cells&& cells, const Signature& signature, const LaunchShape& shape,
                             const std::string& code, const RunConstants& run,
                             const Outlets& outlets, unsigned number)
    : cells_(std::move(cells)), shape_(shape) {
  arrays_of_cells_.program = number;
  upload(signature, run, outlets);
  release();
  HILLOCK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  HILLOCK_CUDA(
      cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  HILLOCK_CUDA(cudaLibraryGetKernel(&run_epoch_, library_, "run_epoch"));
  HILLOCK_CUDA(cudaLibraryGetKernel(&take_samples_, library_, "take_samples"));
  std::size_t offset = 0, size = 0;
  HILLOCK_CUDA(cudaFuncGetParamInfo(reinterpret_cast<const void*>(run_epoch_), 0, &offset, &size));
  if (size != words_.size() * sizeof(std::uint64_t))
    throw std::logic_error("a kernel's arrays are not what the host makes of them");
  for (cudaKernel_t kernel : {run_epoch_, take_samples_})
    HILLOCK_CUDA(cudaKernelSetAttributeForDevice(kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(shape_.shared_bytes()), 0));
}

DeviceProgram::~DeviceProgram() {
  if (stream_) cudaStreamDestroy(stream_);
  if (library_) cudaLibraryUnload(library_);
}

void DeviceProgram::set_columns(std::span<const std::size_t> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) sampled_columns_[k].column = columns[k];
  if (!columns.empty())
    HILLOCK_CUDA(cudaMemcpy(sampled_, sampled_columns_.data(),
                            sampled_columns_.size() * sizeof(SampledColumn),
                            cudaMemcpyHostToDevice));
}

std::string DeviceProgram::describe(std::size_t cell, int row) const {
  RangePlan one;
  one.population = cells_.population;
  one.indices = {cells_.indices[cell]};
  one.kinds = one.population->cells->kinds_of(*one.population, one.indices);
  const auto tree = cpu::tree_of(one, {0, 1, 1, 1}, solver::RowOrder::by_branch);
  return one.kinds.front()->cell->describe(NodeId(tree->node_of(static_cast<std::size_t>(row), 0)));
}

unsigned DeviceProgram::slot_of(std::size_t block, std::size_t cell,
                                std::uint32_t connection) const {
  return static_cast<unsigned>(cells_.blocks[block].first_connection[cell] +
                               static_cast<std::int64_t>(connection) *
                                   cells_.mechanisms[block]->info->arguments);
}

void DeviceProgram::set_events(std::span<const unsigned> begin, std::span<const Event> events) {
  if (events.empty()) {
    epoch_events_ = {};
    return;
  }
  if (event_begin_.size() < begin.size())
    event_begin_ = solver::DeviceArray<unsigned>(begin.size());
  if (events_.size() < events.size())
    events_ = solver::DeviceArray<Event>(events.size() + events.size() / 2);
  event_begin_.upload(begin);
  events_.upload(events);
  epoch_events_ = {event_begin_.data(), events_.data()};
}

void DeviceProgram::launch(cudaKernel_t kernel, void** arguments) const {
  const std::size_t teams = static_cast<std::size_t>(shape_.block_threads / shape_.team);
  const auto blocks = static_cast<unsigned>((cell_count() + teams - 1) / teams);
  HILLOCK_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                dim3(static_cast<unsigned>(shape_.block_threads)), arguments,
                                shape_.shared_bytes(), stream_));
}

void DeviceProgram::start_epoch(std::int64_t first, std::int64_t last) {
  long long begin = first, end = last;
  void* arguments[] = {words_.data(), &begin, &end, &epoch_events_};
  launch(run_epoch_, arguments);
}

void DeviceProgram::take_samples(std::int64_t step) {
  if (cells_.samples.empty()) return;
  long long at = step;
  void* arguments[] = {words_.data(), &at};
  launch(take_samples_, arguments);
}

}  // namespace hillock::simulator::cuda
