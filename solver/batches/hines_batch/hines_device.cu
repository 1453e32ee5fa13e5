// Hines batches on a GPU: tables uploaded once, kernels queued on the batch's own stream.

#include "solver/batches/hines_batch/hines_device.hpp"

#include <algorithm>
#include <string>

#include "solver/cuda/memory.cuh"
#include "solver/batches/hines_batch/kernels.cuh"

namespace hillock::solver {
namespace {

using namespace hines;

/// Makes a device current and puts the old one back.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    HILLOCK_CUDA(cudaGetDevice(&before_));
    HILLOCK_CUDA(cudaSetDevice(device));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  HILLOCK_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  HILLOCK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

dim3 element_grid(const HinesSchedule& schedule) {
  int rows = 1;
  if (schedule.n_groups() > 0) rows = schedule.rows(0);
  const std::size_t elements =
      static_cast<std::size_t>(std::max(rows, 1)) * static_cast<std::size_t>(schedule.width);
  const auto x = std::clamp<std::size_t>((elements + 255) / 256, 1, 1 << 20);
  const auto y = std::clamp<std::size_t>(schedule.n_groups(), 1, 65535);
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y));
}

template <class T>
struct State {
  struct Set {
    DeviceArray<T> diagonal, coupling, rhs;
  };

  int device;
  Forest forest;
  HinesSchedule schedule;
  StreamTuning tuning;
  cudaStream_t stream = nullptr;
  DeviceArray<std::size_t> group_first, tree_first, word_first, first;
  DeviceArray<int> system_of_slot, size_of_slot, tree_of_slot, parent_of_row, node_of_row;
  DeviceArray<int> parent_of_element;
  DeviceArray<std::uint32_t> step_words;
  std::vector<Set> sets;
  DeviceSchedule view{};

  State(const Forest& batch, HinesArrangement arrangement, int on, int n_sets, StreamTuning tune)
      : device(on),
        forest(batch),
        schedule(make_hines_schedule(
            batch, arrangement, sizeof(T),
            static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, on)))),
        tuning(tune) {
    HILLOCK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    upload_tables();
    sets.resize(static_cast<std::size_t>(n_sets));
    for (Set& set : sets) {
      set.diagonal = DeviceArray<T>(schedule.length());
      set.coupling = DeviceArray<T>(schedule.length());
      set.rhs = DeviceArray<T>(schedule.length());
    }
    choose_tuning();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (stream) cudaStreamDestroy(stream);
  }

  void upload_tables() {
    const auto spans = [](const auto& values) { return std::span(values); };
    group_first = DeviceArray<std::size_t>(schedule.group_first);
    tree_first = DeviceArray<std::size_t>(schedule.tree_first);
    word_first = DeviceArray<std::size_t>(schedule.word_first);
    first = DeviceArray<std::size_t>(spans(forest.first()));
    system_of_slot = DeviceArray<int>(schedule.system_of_slot);
    size_of_slot = DeviceArray<int>(schedule.size_of_slot);
    tree_of_slot = DeviceArray<int>(schedule.tree_of_slot);
    parent_of_row = DeviceArray<int>(schedule.parent_of_row);
    node_of_row = DeviceArray<int>(schedule.node_of_row);
    step_words = DeviceArray<std::uint32_t>(schedule.step_words);
    HILLOCK_CUDA(cudaDeviceSynchronize());  // uploads are not ordered before this batch's stream
    view = {.width = schedule.width,
            .rows = schedule.n_groups() > 0 ? schedule.rows(0) : 0,
            .together = schedule.together,
            .n_slots = schedule.n_slots(),
            .group_first = schedule.one_size ? nullptr : group_first.data(),
            .size_of_slot = size_of_slot.data(),
            .tree_of_slot = schedule.one_tree ? nullptr : tree_of_slot.data(),
            .tree_first = tree_first.data(),
            .parent_of_row = parent_of_row.data(),
            .parent_of_element = nullptr,
            .word_first = word_first.data(),
            .step_words = step_words.data()};
    if (!schedule.one_tree && schedule.arrangement.walk != HinesArrangement::Walk::stream) {
      parent_of_element = DeviceArray<int>(schedule.length());
      spread_parents_kernel<<<element_grid(schedule), 256, 0, stream>>>(view,
                                                                        parent_of_element.data());
      HILLOCK_CUDA(cudaGetLastError());
      view.parent_of_element = parent_of_element.data();
    }
  }

  void choose_tuning() {
    if (schedule.arrangement.walk != HinesArrangement::Walk::stream) return;
    if (tuning.stages != 0 && (tuning.stages < 2 || tuning.stages > 4))
      throw UsageError("Hines batch: the walk `stream` has 2 to 4 stages, not " +
                       std::to_string(tuning.stages));
    const auto bytes = [this](cudaDeviceAttr which) {
      return static_cast<std::size_t>(attribute(which, device));
    };
    const StreamDevice numbers{
        .multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device),
        .most_blocks = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, device),
        .shared_of_multiprocessor = bytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
        .shared_of_block = bytes(cudaDevAttrMaxSharedMemoryPerBlockOptin),
        .shared_reserved = bytes(cudaDevAttrReservedSharedMemoryPerBlock)};
    tuning = choose_stream_tuning(schedule, sizeof(T), numbers, tuning);
  }

  template <int stages>
  void launch_stream(Set& set) {
    const std::size_t bytes =
        stream_shared_bytes(sizeof(T), stages, tuning.kept_chunks, schedule.stack_depth);
    allow_shared(stream_kernel<T, stages>, bytes);
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(schedule.n_groups()));
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    HILLOCK_CUDA(cudaLaunchKernelEx(&config, stream_kernel<T, stages>, view, schedule.stack_depth,
                                    tuning.kept_chunks, set.diagonal.data(),
                                    static_cast<const T*>(set.coupling.data()), set.rhs.data()));
  }

  template <bool one_tree, bool skip>
  void launch_parents(Set& set) {
    if (schedule.arrangement.walk == HinesArrangement::Walk::parents) {
      const auto blocks = static_cast<unsigned>((schedule.n_slots() + 127) / 128);
      parents_kernel<T, one_tree, skip><<<blocks, 128, 0, stream>>>(
          view, set.diagonal.data(), set.coupling.data(), set.rhs.data());
      return;
    }
    const std::size_t bytes = static_cast<std::size_t>(forest.largest()) *
                              static_cast<std::size_t>(schedule.width) * sizeof(T);
    allow_shared(parents_shared_rhs_kernel<T, one_tree, skip>, bytes);
    parents_shared_rhs_kernel<T, one_tree, skip>
        <<<static_cast<unsigned>(schedule.n_groups()), static_cast<unsigned>(schedule.width), bytes,
           stream>>>(view, set.diagonal.data(), set.coupling.data(), set.rhs.data());
  }

  void solve(Set& set) {
    if (schedule.n_slots() == 0) return;
    const bool skip = schedule.arrangement.padding == HinesArrangement::Padding::skipped;
    if (schedule.arrangement.walk == HinesArrangement::Walk::stream) {
      if (tuning.stages == 2) launch_stream<2>(set);
      if (tuning.stages == 3) launch_stream<3>(set);
      if (tuning.stages == 4) launch_stream<4>(set);
    } else if (schedule.one_tree) {
      skip ? launch_parents<true, true>(set) : launch_parents<true, false>(set);
    } else {
      skip ? launch_parents<false, true>(set) : launch_parents<false, false>(set);
    }
    HILLOCK_CUDA(cudaGetLastError());
  }
};

template <class T>
class Batch final : public HinesDevice<T> {
 public:
  Batch(const Forest& forest, const HinesOptions& options)
      : state_(forest, options.arrangement, options.device, options.n_sets, options.tuning) {}

  const HinesSchedule& schedule() const override { return state_.schedule; }
  StreamTuning tuning() const override { return state_.tuning; }

  void upload(const BatchValues<T>& values, int set) override {
    check_values(state_.forest, values);
    const OnDevice here(state_.device);
    const DeviceArray<T> diagonal(values.diagonal), coupling(values.coupling), rhs(values.rhs);
    HILLOCK_CUDA(cudaDeviceSynchronize());  // uploads are not ordered before this batch's stream
    arrange(diagonal.data(), coupling.data(), rhs.data(), set);
    synchronize();
  }

  void arrange(const T* diagonal, const T* coupling, const T* rhs, int set) override {
    State<T>& s = state_;
    if (s.schedule.n_slots() == 0) return;
    const OnDevice here(s.device);
    auto& values = s.sets.at(static_cast<std::size_t>(set));
    arrange_kernel<<<element_grid(s.schedule), 256, 0, s.stream>>>(
        s.view, flat_places(), diagonal, coupling, rhs, values.diagonal.data(),
        values.coupling.data(), values.rhs.data());
    HILLOCK_CUDA(cudaGetLastError());
  }

  void solve(int set) override {
    const OnDevice here(state_.device);
    state_.solve(state_.sets.at(static_cast<std::size_t>(set)));
  }

  void gather(T* flat_solution, int set) override {
    State<T>& s = state_;
    if (s.schedule.n_slots() == 0) return;
    const OnDevice here(s.device);
    gather_kernel<<<element_grid(s.schedule), 256, 0, s.stream>>>(
        s.view, flat_places(), s.sets.at(static_cast<std::size_t>(set)).rhs.data(), flat_solution);
    HILLOCK_CUDA(cudaGetLastError());
  }

  std::vector<T> solution(int set) override {
    const OnDevice here(state_.device);
    DeviceArray<T> flat(state_.forest.total());
    gather(flat.data(), set);
    synchronize();
    return flat.to_host();
  }

  void synchronize() override {
    const OnDevice here(state_.device);
    HILLOCK_CUDA(cudaStreamSynchronize(state_.stream));
  }

  CUstream_st* stream() const override { return state_.stream; }

  std::size_t bytes_held() const override {
    const State<T>& s = state_;
    std::size_t bytes = s.sets.size() * 3 * s.schedule.length() * sizeof(T);
    bytes += sizeof(std::size_t) *
             (s.group_first.size() + s.tree_first.size() + s.word_first.size() + s.first.size());
    bytes += sizeof(int) * (s.system_of_slot.size() + s.size_of_slot.size() +
                            s.tree_of_slot.size() + s.parent_of_row.size() + s.node_of_row.size() +
                            s.parent_of_element.size() + s.step_words.size());
    return bytes;
  }

 private:
  FlatPlaces flat_places() const {
    return {state_.system_of_slot.data(), state_.first.data(), state_.node_of_row.data()};
  }

  State<T> state_;
};

}  // namespace

template <class T>
std::unique_ptr<HinesDevice<T>> hines_on_device(const Forest& forest, const HinesOptions& options) {
  require_device(options.device, "solver/hines_batch");
  const OnDevice here(options.device);
  return std::make_unique<Batch<T>>(forest, options);
}

template std::unique_ptr<HinesDevice<float>> hines_on_device(const Forest&, const HinesOptions&);
template std::unique_ptr<HinesDevice<double>> hines_on_device(const Forest&, const HinesOptions&);

}  // namespace hillock::solver
