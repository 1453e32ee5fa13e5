#include "simulator/backends/device/compiler/kernel_cache.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "core/text/sha256.hpp"
#include "simulator/backends/device/compiler/device_headers.hpp"
#include "simulator/backends/device/compiler/nvrtc.hpp"

namespace hillock::simulator::on_device {

namespace {

constexpr std::size_t digits_of_kernel_key = 32;

/// Of the headers that are the same for all kernels.
const std::string& sum_of_device_headers() {
  static const std::string sum = [] {
    std::string all;
    for (const DeviceHeader& header : device_headers())
      all += fmt::format("\n{}\n{}", header.name, header.text);
    return sha256(all);
  }();
  return sum;
}

std::string folder_of(const ProgramSource& source, int capability) {
  std::string all = fmt::format("{}\n{}\n{}", sum_of_device_headers(),
                                fmt::join(nvrtc_options(source, capability), " "), source.text);
  for (const SourceHeader& header : source.mechanisms)
    all += fmt::format("\n{}\n{}", header.name, sha256(header.text));
  return "kernel-" + sha256(all).substr(0, digits_of_kernel_key);
}

std::string file_of(const std::string& version) {
  return fmt::format("nvrtc-{}.cubin", version);
}

/// What the compiler found fault with: mechanisms' evaluators, or a kernel.
std::string refused_of(const ProgramSource& source, const std::string& log) {
  std::vector<std::string> all, refused;
  for (const SourceHeader& header : source.mechanisms) {
    all.push_back(header.mechanism);
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(header.name + "(") && line.find("error") != std::string::npos) {
        refused.push_back(header.mechanism);
        break;
      }
  }
  if (refused.empty()) return fmt::format("a kernel of the mechanisms {} is", fmt::join(all, ", "));
  return fmt::format("the mechanism{} {} {}", refused.size() == 1 ? "" : "s",
                     fmt::join(refused, ", "), refused.size() == 1 ? "is" : "are");
}

}  // namespace

KernelCache::KernelCache(mechanisms::Announce announce) : announce_(std::move(announce)) {
  try {
    cache_.emplace();
  } catch (const InputOutputError& problem) {
    announce_once(problem.what());
  }
}

std::string KernelCache::code_of(const ProgramSource& source, int capability) const {
  const std::string folder = folder_of(source, capability);
  if (auto code = find(folder)) return *code;
  NvrtcResult result = compile_for_device(source, capability);
  if (result.code.empty()) refuse(source, result.log);
  keep(folder, result.code);
  return std::move(result.code);
}

std::optional<std::string> KernelCache::find(const std::string& folder) const {
  if (!cache_) return std::nullopt;
  std::optional<std::string> file = nvrtc_version();
  if (file) file = file_of(*file);
  try {
    auto kept = cache_->find(folder, file, [&](const std::string& line) {
      const std::lock_guard lock(mutex_);
      announce_(line);
    });
    if (kept) return std::move(kept->content);
  } catch (const InputOutputError& problem) {
    announce_once(problem.what());
  }
  return std::nullopt;
}

void KernelCache::keep(const std::string& folder, const std::string& code) const {
  if (!cache_) return;
  try {
    const mechanisms::BuildingFolder building(*cache_);
    cache_->keep(building, folder, file_of(nvrtc_version().value()), code);
  } catch (const InputOutputError& problem) {
    announce_once(problem.what());
  }
}

void KernelCache::refuse(const ProgramSource& source, const std::string& log) const {
  std::string kept = "Its source could not be kept";
  try {
    if (cache_) {
      mechanisms::BuildingFolder building(*cache_);
      building.write("hillock.cu", source.text);
      for (const SourceHeader& header : source.mechanisms) building.write(header.name, header.text);
      building.write("log", log);
      building.leave();
      kept = fmt::format("Its source and the compiler's words are kept in {}",
                         building.path().string());
    }
  } catch (const InputOutputError&) {  // the kernel's fault is what is to be told
  }
  throw KernelRefused(
      fmt::format("{} not accepted by the compiler for GPUs (NVRTC {}). That is a bug of Hillock. "
                  "{}. On the CPU the model runs (--backend cpu)",
                  refused_of(source, log), nvrtc_version().value(), kept));
}

void KernelCache::announce_once(const std::string& problem) const {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(has_announced_, true))
    announce_(fmt::format("{} (kernels are compiled anew in every run)", problem));
}

}  // namespace hillock::simulator::on_device
