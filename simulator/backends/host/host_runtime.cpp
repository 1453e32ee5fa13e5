// The host as a device (solver/device/runtime.hpp): memory is its own, what is put into a stream is
// done when it is waited for (host_stream.hpp), and a kernel is a shared library
// (host_compiler.cpp). Linked before what stands for another machine.

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/host/fibers.hpp"
#include "simulator/backends/host/host_entry.hpp"
#include "simulator/backends/host/host_runtime.hpp"
#include "simulator/backends/host/host_stream.hpp"
#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"
#include "solver/device/runtime.hpp"

namespace {

/// As in device_words.hpp.
struct HostThread {
  unsigned thread, block, block_size, grid_size;
  void (*sync_block)();
  void (*sync_warp)();
  void (*let_others)();
};

/// A kernel with what its block's threads share.
struct KernelOfBlock {
  void (*run)(void**) = nullptr;
  HostThread* thread = nullptr;
};

struct LoadedKernel {
  std::vector<KernelOfBlock> blocks;  ///< for as many as run at once
  std::vector<std::size_t> argument_bytes;
};

struct HostLibrary {
  std::vector<void*> handles;  ///< a copy of the library for each block that runs at once
  std::map<std::string, LoadedKernel> kernels;
};

template <class Function>
Function symbol(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  if (!found) throw std::runtime_error(std::string("no symbol ") + name);
  return reinterpret_cast<Function>(found);
}

/// HILLOCK_HOST_TOGETHER: a device of so many multiprocessors, whose blocks may wait for their
/// grid.
int multiprocessors_together() {
  const char* const number = std::getenv("HILLOCK_HOST_TOGETHER");
  return number ? std::atoi(number) : 0;
}

std::mutex one_at_a_time;  // of ranks that are threads

void run(const LoadedKernel& kernel, unsigned blocks, unsigned threads, void** arguments) {
  const std::lock_guard lock(one_at_a_time);
  const auto& [run, thread] = kernel.blocks.front();
  thread->block_size = threads;
  thread->grid_size = blocks;
  for (unsigned b = blocks; b-- > 0;) {  // the CPU's order is nobody's
    thread->block = b;
    on_host::run_blocks(
        {1, threads}, [&](unsigned, unsigned t) { thread->thread = t; },
        [&](unsigned, unsigned) { run(arguments); });
  }
}

void run_together(const LoadedKernel& kernel, unsigned blocks, unsigned threads, void** arguments) {
  const std::lock_guard lock(one_at_a_time);
  for (unsigned b = 0; b < blocks; ++b) {
    HostThread& thread = *kernel.blocks[b].thread;
    thread.block_size = threads;
    thread.grid_size = blocks;
    thread.block = b;
  }
  on_host::run_blocks(
      {blocks, threads}, [&](unsigned b, unsigned t) { kernel.blocks[b].thread->thread = t; },
      [&](unsigned b, unsigned) { kernel.blocks[b].run(arguments); });
}

using Arguments = std::vector<std::vector<std::max_align_t>>;

/// What a kernel is given stays as it was when it was launched.
template <class Run>
void start(const LoadedKernel& kernel, void** arguments, const Run& run) {
  Arguments copies;
  for (std::size_t a = 0; a < kernel.argument_bytes.size(); ++a) {
    const std::size_t bytes = kernel.argument_bytes[a];
    copies.emplace_back(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copies.back().data(), arguments[a], bytes);
  }
  on_host::start([copies = std::move(copies), run]() mutable {
    std::vector<void*> all;
    for (auto& copy : copies) all.push_back(copy.data());
    run(all.data());
  });
}

/// A library's copies have variables of their own; they are files only until they are loaded.
void* load_copy(const std::string& path, int number) {
  static std::atomic<int> copies = 0;
  std::string file = path;
  if (number > 0) {
    file += fmt::format(".{}.{}", getpid(), copies++);
    std::filesystem::copy_file(path, file);
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (number > 0) std::filesystem::remove(file);
  if (!handle) throw std::runtime_error(dlerror());
  return handle;
}

on_host::TogetherCounts together_counts;

constexpr std::size_t memory_bytes = std::size_t{4} << 30;

}  // namespace

on_host::TogetherCounts on_host::counts_together() {
  const std::lock_guard lock(one_at_a_time);
  return together_counts;
}

namespace hillock::solver {

DeviceAnswers ask_device(int) {
  DeviceAnswers answers;
  answers.driver_version = answers.runtime_version = 13000;
  answers.devices = 1;
  answers.name = "the host";
  answers.capability = 90;
  return answers;
}
int device_count() {
  return 1;
}
std::string describe_device(int) {
  return "the host";
}
DeviceRoom room_of_device() {
  return {memory_bytes, memory_bytes};
}

}  // namespace hillock::solver

namespace hillock::device {

namespace {

HostLibrary& own(Library library) {
  return *reinterpret_cast<HostLibrary*>(library);
}
const LoadedKernel& own(Kernel kernel) {
  return *reinterpret_cast<const LoadedKernel*>(kernel);
}
/// How much was started when it was recorded.
std::uint64_t& own(Mark mark) {
  return *reinterpret_cast<std::uint64_t*>(mark);
}

}  // namespace

Machine machine() {
  const int together = multiprocessors_together();
  return {.capability = 90,
          .multiprocessors = together > 0 ? together : 4,
          .block_bytes = 227 << 10,
          .launches_together = together > 0};
}

void* try_take(std::size_t bytes) {
  void* const address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (address) std::memset(address, 0xff, bytes);  // NaNs: nobody may rely on zeros
  return address;
}
void* take(std::size_t bytes) {
  if (void* const address = try_take(bytes)) return address;
  throw std::bad_alloc();
}
void give_back(void* address) noexcept {
  on_host::do_all();
  if (address) std::memset(address, 0xff, malloc_usable_size(address));
  std::free(address);
}
void* take_of_host(std::size_t bytes) {
  return take(bytes);
}
void give_back_of_host(void* address) noexcept {
  give_back(address);
}

void copy(void* to, const void* from, std::size_t bytes, Way) {
  std::memcpy(to, from, bytes);
}
void copy(void* to, const void* from, std::size_t bytes, Way, Stream) {
  on_host::start([=] { std::memcpy(to, from, bytes); });
}
void clear(void* to, std::size_t bytes) {
  std::memset(to, 0, bytes);
}
void clear(void* to, std::size_t bytes, Stream) {
  on_host::start([=] { std::memset(to, 0, bytes); });
}

// All streams of a thread are one.
Stream make_stream(Urgency) {
  return nullptr;
}
void drop(Stream) noexcept {}
bool is_done(Stream) {
  return !on_host::do_next();
}
void wait(Stream) {
  on_host::do_all();
}
void wait() {
  on_host::do_all();
}
void wait_before_leaving() noexcept {
  on_host::do_all();
}

Mark make_mark(Clock) {
  return reinterpret_cast<Mark>(new std::uint64_t{0});
}
void drop(Mark mark) noexcept {
  delete reinterpret_cast<std::uint64_t*>(mark);
}
void record(Mark mark, Stream) {
  own(mark) = on_host::started();
}
void hold(Stream, Mark) {}
void wait(Mark mark) {
  on_host::do_until(own(mark));
}
/// The host has no clock for it.
double seconds_between(Mark, Mark) {
  return 0;
}

/// code: the path of a shared library.
Library load(const std::string& code) {
  auto* const loaded = new HostLibrary;
  for (int copy = 0; copy < std::max(1, multiprocessors_together()); ++copy) {
    void* const handle = load_copy(code, copy);
    loaded->handles.push_back(handle);
    auto* const thread = symbol<HostThread*>(handle, "host_thread");
    thread->sync_block = on_host::sync_block;
    thread->sync_warp = on_host::sync_warp;
    thread->let_others = on_host::let_others;
    for (const auto* entry = symbol<const HostEntry*>(handle, "host_entries"); entry->name;
         ++entry) {
      LoadedKernel& kernel = loaded->kernels[entry->name];
      kernel.blocks.push_back({entry->run, thread});
      kernel.argument_bytes.clear();
      std::ranges::copy_if(entry->bytes, std::back_inserter(kernel.argument_bytes),
                           [](std::size_t bytes) { return bytes > 0; });
    }
  }
  return reinterpret_cast<Library>(loaded);
}
void drop(Library library) noexcept {
  if (!library) return;
  for (void* const handle : own(library).handles) dlclose(handle);
  delete &own(library);
}
Kernel kernel_of(Library library, const char* name) {
  return reinterpret_cast<Kernel>(&own(library).kernels.at(name));
}
KernelNeed need_of(Kernel kernel) {
  return {.first_argument_bytes = own(kernel).argument_bytes.front()};
}
void allow_shared(Kernel, std::size_t) {}
int blocks_at_once(Kernel, const Grid&) {
  return 1;
}

void launch(Kernel kernel, const Grid& grid, void** arguments, Stream) {
  start(own(kernel), arguments,
        [&its = own(kernel), grid](void** copies) { run(its, grid.blocks, grid.threads, copies); });
}
/// Of point neurons alone.
void launch_together(Kernel kernel, const Grid& grid, void** arguments, Stream) {
  if (grid.blocks > own(kernel).blocks.size())
    throw solver::DeviceExhausted("more blocks than may wait for one another");
  const auto* const network = static_cast<const simulator::on_device::PointNetwork*>(arguments[0]);
  ++(network->is_apart ? together_counts.apart : together_counts.all_warps);
  together_counts.blocks = grid.blocks;
  start(own(kernel), arguments, [&its = own(kernel), grid](void** copies) {
    run_together(its, grid.blocks, grid.threads, copies);
  });
}

void check(int answer, const char* call) {
  if (answer != 0) throw solver::DeviceError(call, "the host", "an error");
}

}  // namespace hillock::device
