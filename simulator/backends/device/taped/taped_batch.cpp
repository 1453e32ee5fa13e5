#include "simulator/backends/device/taped/taped_batch.hpp"

#include <algorithm>
#include <utility>

#include "core/errors/errors.hpp"
#include "simulator/backends/device/compiler/kernel_cache.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/backends/device/taped/taped_program.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

namespace {

class Batch final : public taped::TapedBatch {
 public:
  explicit Batch(const taped::BatchOfCells& batch) : run_(batch.run), count_(batch.cells.size()) {
    taped::refuse_if(run_.integrator != models::Integrator::backward_euler,
                     "integrator: crank_nicolson on a GPU");
    taped::refuse_if(run_.guests != nullptr, "what the process computes on a GPU");
    for (const begin::BegunCell* cell : batch.cells)
      taped::refuse_if(!cell->ions.empty(),
                       "ions that change, or whose currents are gathered, on a GPU");
    const KernelCache kernels(batch.announce);
    const DeviceLimits limits = limits_of_device();
    of_programs_ = find_alike(batch.cells);
    for (const std::vector<std::size_t>& alike : of_programs_) {
      std::vector<const begin::BegunCell*> cells;
      for (const std::size_t c : alike) cells.push_back(batch.cells[c]);
      programs_.push_back(std::make_unique<TapedProgram>(
          AlikeCells(std::move(cells), batch.adjoints[alike.front()], limits), run_, kernels,
          memory_, batch.threads));
    }
    if (bytes() > batch.most_bytes) taped::refuse_bytes(run_.steps, bytes(), batch.most_bytes);
    memory_.need_all();
    recordings_ = memory_.take<TapedRecording>(run_.samples.size(), DeviceUse::samples);
    rows_.resize(run_.samples.size());
    by_.resize(run_.samples.size());
    for (const auto& program : programs_) program->use(recordings_);
  }
  ~Batch() override { device::wait_before_leaving(); }

  void start(std::span<const SampleBuffer> samples) override {
    for (const auto& program : programs_) program->put_samples();
    record(samples, [](TapedProgram& program) { program.start_sampling(); });
  }

  std::vector<network::CellSpike> advance(Epoch epoch,
                                          std::span<const SampleBuffer> samples) override {
    return record(samples, [&](TapedProgram& program) { program.start(epoch); });
  }

  std::vector<taped::CellDerivatives> undo(
      std::span<const taped::SampleDerivatives> samples) override {
    std::vector<TapedRecording> recordings(run_.samples.size());
    for (std::size_t r = 0; r < recordings.size(); ++r) {
      recordings[r] = {run_.samples[r], 0, 0, nullptr, nullptr};
      if (r >= samples.size() || !samples[r].data) continue;
      const std::size_t size = static_cast<std::size_t>(run_.samples[r].count) * samples[r].columns;
      renew(by_[r], size);
      by_[r].upload({samples[r].data, size});
      recordings[r].columns = samples[r].columns;
      recordings[r].by = by_[r].data();
    }
    recordings_.upload(recordings);
    device::wait();  // copies of the host's memory are there
    for (const auto& program : programs_) program->start_back();
    finish();
    std::vector<taped::CellDerivatives> all(count_);
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      std::vector<taped::CellDerivatives> some = programs_[p]->derivatives();
      for (std::size_t k = 0; k < some.size(); ++k) all[of_programs_[p][k]] = std::move(some[k]);
    }
    return all;
  }

  std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const auto& program : programs_) bytes += program->kept_bytes();
    return bytes;
  }

 private:
  void renew(DeviceView<double>& view, std::size_t size) {
    if (view.size() < size) memory_.renew(view, size, DeviceUse::samples);
  }

  template <class Start>
  std::vector<network::CellSpike> record(std::span<const SampleBuffer> samples,
                                         const Start& start) {
    std::vector<TapedRecording> recordings(run_.samples.size());
    for (std::size_t r = 0; r < recordings.size(); ++r) {
      const SampleBuffer& to = samples[r];
      renew(rows_[r], to.rows * to.columns);
      recordings[r] = {run_.samples[r], to.columns, to.first_sample, rows_[r].data(), nullptr};
    }
    recordings_.upload(recordings);
    device::wait();  // copies of the host's memory are there
    for (const auto& program : programs_) start(*program);
    std::vector<network::CellSpike> spikes = finish();
    for (std::size_t r = 0; r < samples.size(); ++r)
      rows_[r].download({samples[r].data, samples[r].rows * samples[r].columns});
    return spikes;
  }

  std::vector<network::CellSpike> finish() {
    std::vector<network::CellSpike> spikes;
    for (const auto& program : programs_) program->finish(spikes);
    std::ranges::sort(spikes, [](const network::CellSpike& a, const network::CellSpike& b) {
      return std::pair(a.cell, a.time_ms) < std::pair(b.cell, b.time_ms);
    });
    return spikes;
  }

  const RunConstants& run_;
  std::size_t count_;
  DeviceMemory memory_{DeviceMemory::Kind::taken};
  std::vector<std::vector<std::size_t>> of_programs_;  ///< the batch's cells
  std::vector<std::unique_ptr<TapedProgram>> programs_;
  DeviceView<TapedRecording> recordings_;
  std::vector<DeviceView<double>> rows_, by_;  ///< [recording]
};

}  // namespace

std::unique_ptr<taped::TapedBatch> make_taped_batch(const taped::BatchOfCells& batch) {
  return std::make_unique<Batch>(batch);
}

}  // namespace hillock::simulator::on_device
