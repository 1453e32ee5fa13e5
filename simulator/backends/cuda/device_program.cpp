#include "simulator/backends/cuda/device_program.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simulator/backends/cpu/layout_builder.hpp"
#include "simulator/backends/cuda/cuda_engine.hpp"
#include "solver/cuda/device_state.hpp"

namespace hillock::simulator::cuda {

DeviceLimits limits_of_device() {
  const solver::DeviceState state = solver::judge(solver::ask_device(), least_compute_capability);
  if (state.kind != solver::DeviceState::Kind::usable)
    throw solver::DeviceUnusable("--backend cuda: " + state.why);
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
                             const Outlets& outlets, DeviceMemory& memory, unsigned number)
    : cells_(std::move(cells)), shape_(shape), memory_(memory) {
  arrays_of_cells_.program = number;
  const std::uint64_t before = memory_.bytes().all();
  upload(signature, run, outlets);
  bytes_ = memory_.bytes().all() - before;
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
  if (std::ranges::any_of(signature.blocks, &BlockSignature::follows_gaps))
    HILLOCK_CUDA(cudaLibraryGetKernel(&follow_gaps_, library_, "follow_gaps"));
  for (cudaKernel_t kernel : {run_epoch_, take_samples_, follow_gaps_})
    if (kernel)
      HILLOCK_CUDA(cudaKernelSetAttributeForDevice(kernel,
                                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                   static_cast<int>(shape_.shared_bytes()), 0));
  check_launch(run_epoch_);
}

DeviceProgram::~DeviceProgram() {
  if (stream_) cudaStreamDestroy(stream_);
  if (library_) cudaLibraryUnload(library_);
}

void DeviceProgram::set_columns(std::span<const std::size_t> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) sampled_columns_[k].column = columns[k];
  if (!columns.empty() && memory_.is_there())
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
  const ImagePart& image = cells_.images[cells_.entries[cell].image];
  if (image.contraction) row = image.contraction->schedule.node[static_cast<std::size_t>(row)];
  return one.kinds.front()->cell->describe(NodeId(tree->node_of(static_cast<std::size_t>(row), 0)));
}

unsigned DeviceProgram::slot_of(std::size_t block, std::size_t cell,
                                std::uint32_t connection) const {
  return static_cast<unsigned>(cells_.blocks[block].first_connection[cell] +
                               static_cast<std::int64_t>(connection) *
                                   cells_.mechanisms[block]->info->arguments);
}

void DeviceProgram::launch(cudaKernel_t kernel, void** arguments) const {
  const auto teams = static_cast<std::size_t>(teams_of_block());
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

void DeviceProgram::follow_gaps(std::int64_t step, bool is_known) {
  if (!follow_gaps_) return;
  long long at = step;
  const unsigned* halted = is_known ? nullptr : epoch_events_.halted;
  void* arguments[] = {words_.data(), &at, &halted};
  launch(follow_gaps_, arguments);
}

}  // namespace hillock::simulator::cuda
