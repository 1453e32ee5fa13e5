#include "simulator/backends/cuda/sampled_rows.hpp"

#include <algorithm>

namespace hillock::simulator::cuda {

SampledRows::SampledRows(std::span<const SampleTimes> times, Recording* recordings)
    : times_(times), recordings_(recordings), host_recordings_(times.size()) {}

void SampledRows::make_room(std::int64_t epoch_steps,
                            std::span<const models::ReportLayout> reports) {
  for (std::size_t k = 0; k < reports.size(); ++k) {
    const std::size_t rows = static_cast<std::size_t>(epoch_steps / times_[k].every) + 1;
    rows_.emplace_back(rows * reports[k].element_ids.size());
    host_rows_.emplace_back(rows_.back().size());
  }
}

void SampledRows::open(std::int64_t last, const EpochResult& result, cudaStream_t stream) {
  sizes_.clear();
  for (std::size_t k = 0; k < result.samples.size(); ++k) {
    const SampleBuffer& buffer = result.samples[k];
    host_recordings_[k] = {times_[k].first, times_[k].every, times_[k].count,
                           rows_[k].data(), buffer.columns,  buffer.first_sample};
    sizes_.push_back(static_cast<std::size_t>(times_[k].up_to(last) - buffer.first_sample) *
                     buffer.columns);
  }
  if (host_recordings_.size() > 0)
    HILLOCK_CUDA(cudaMemcpyAsync(recordings_, host_recordings_.data(),
                                 host_recordings_.size() * sizeof(Recording),
                                 cudaMemcpyHostToDevice, stream));
}

void SampledRows::fetch(cudaStream_t stream) {
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    if (sizes_[k] > 0)
      HILLOCK_CUDA(cudaMemcpyAsync(host_rows_[k].data(), rows_[k].data(),
                                   sizes_[k] * sizeof(double), cudaMemcpyDeviceToHost, stream));
}

void SampledRows::hand_over(const EpochResult& result) const {
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    std::copy_n(host_rows_[k].data(), sizes_[k], result.samples[k].data);
}

}  // namespace hillock::simulator::cuda
