#include "simulator/backends/device/cells/device_program.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hillock::simulator::on_device {

device::Kernel LoadedKernels::find(const char* name) const {
  const device::Kernel kernel = device::kernel_of(library_, name);
  device::allow_shared(kernel, shared_bytes_);
  return kernel;
}

DeviceProgram::DeviceProgram(Cells&& cells, const Signature& signature, const LaunchShape& shape,
                             std::shared_ptr<const LoadedKernels> kernels, const RunConstants& run,
                             const Outlets& outlets, DeviceMemory& memory, unsigned number)
    : cells_(std::move(cells)), shape_(shape), memory_(memory), kernels_(std::move(kernels)) {
  arrays_of_cells_.program = number;
  const std::uint64_t before = memory_.bytes().all();
  upload(signature, run, outlets);
  bytes_ = memory_.bytes().all() - before;
  release();
  stream_ = device::make_stream(device::Urgency::usual);
  run_epoch_ = kernels_->find("run_epoch");
  take_samples_ = kernels_->find("take_samples");
  if (device::need_of(run_epoch_).first_argument_bytes != words_.size() * sizeof(std::uint64_t))
    throw std::logic_error("a kernel's arrays are not what the host makes of them");
  if (std::ranges::any_of(signature.blocks, &BlockSignature::follows_gaps))
    follow_gaps_ = kernels_->find("follow_gaps");
  check_launch(run_epoch_);
}

DeviceProgram::~DeviceProgram() {
  device::drop(stream_);
}

void DeviceProgram::set_columns(std::span<const std::size_t> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) sampled_columns_[k].column = columns[k];
  if (columns.empty() || !memory_.is_there()) return;
  device::copy(sampled_, sampled_columns_.data(), sampled_columns_.size() * sizeof(SampledColumn),
               device::Way::in);
  if (!membrane_columns_) return;
  const auto stride = static_cast<std::size_t>(shape_.stride);
  std::vector<unsigned> by_row(row_elements_.size, no_column);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::uint32_t cell = cells_.samples[k].cell;
    if (k < at_once_.begin[cell]) continue;
    if (columns[k] >= no_column) throw std::length_error("a sample of 2^32 membrane currents");
    by_row[row_elements_.first[cell] + sampled_columns_[k].at * stride] =
        static_cast<unsigned>(columns[k]);
  }
  device::copy(membrane_columns_, by_row.data(), by_row.size() * sizeof(unsigned), device::Way::in);
}

std::string DeviceProgram::describe(std::size_t cell, int row) const {
  RangePlan one;
  one.population = cells_.population;
  one.indices = {cells_.indices[cell]};
  one.kinds = one.population->cells->kinds_of(*one.population, one.indices);
  const ImagePart& image = cells_.images[cells_.entries[cell].image];
  const int node = cells_.nodes[image.first_row + static_cast<std::size_t>(row)];
  return one.kinds.front()->cell->describe(NodeId(node));
}

unsigned DeviceProgram::slot_of(std::size_t block, std::size_t cell,
                                std::uint32_t connection) const {
  return static_cast<unsigned>(cells_.blocks[block].first_connection[cell] +
                               static_cast<std::int64_t>(connection) *
                                   cells_.mechanisms[block]->info->arguments);
}

void DeviceProgram::launch(device::Kernel kernel, void** arguments) const {
  device::launch(kernel, grid(), arguments, stream_);
}

device::Grid DeviceProgram::grid() const {
  const auto teams = static_cast<std::size_t>(teams_of_block());
  return {static_cast<unsigned>((cell_count() + teams - 1) / teams),
          static_cast<unsigned>(shape_.block_threads), shape_.shared_bytes(),
          static_cast<unsigned>(shape_.neighbours)};
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

}  // namespace hillock::simulator::on_device
