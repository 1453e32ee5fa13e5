// In place of NVRTC: a kernel's text compiled for the host into a shared library, whose path stands
// for the code.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "core/text/sha256.hpp"
#include "simulator/backends/device/compiler/device_headers.hpp"
#include "simulator/backends/device/compiler/nvrtc.hpp"

namespace hillock::simulator::on_device {

namespace {

/// The list of a text's kernels, for host_runtime.cpp.
std::string entries_of(const std::string& text) {
  static const std::regex kernel(R"((?:__launch_bounds__\([^)]*\)|\bPOINTS)\s+(\w+)\()");
  std::string entries;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kernel);
       at != std::sregex_iterator(); ++at)
    entries += fmt::format("    HostKernel<{0}>::entry(\"{0}\"),\n", (*at)[1].str());
  return fmt::format(R"(
extern "C" {{
HostEntry host_entries[] = {{
{}    {{}}}};
}}
)",
                     entries);
}

/// Arrays of fixed size that a block's threads share are of point neurons only: there is one block
/// at a time. Bounds of a launch say nothing here (device_words.hpp), and many texts differ in
/// these alone.
std::string with_entries(const std::string& text) {
  static const std::regex bounds(R"(__launch_bounds__\([^)]*\))");
  const bool is_of_points = text.find("point_run.hpp") != std::string::npos;
  return fmt::format(R"(#include "simulator/backends/host/device_words.hpp"
{}{}
using namespace hillock::simulator::on_device;
{})",
                     is_of_points ? "#undef __shared__\n#define __shared__ static\n" : "",
                     std::regex_replace(text, bounds, ""), entries_of(text));
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Of what kernels include here and not on a device.
const std::string& sum_of_host_headers() {
  static const std::string sum = [] {
    const std::filesystem::path folder =
        std::filesystem::path(HILLOCK_SOURCES) / "simulator/backends/host";
    std::set<std::filesystem::path> headers;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".hpp") headers.insert(entry.path());
    std::string all;
    for (const auto& header : headers) all += content_of(header);
    return sha256(all);
  }();
  return sum;
}

}  // namespace

std::optional<std::string> nvrtc_version() {
  return "host";
}

std::vector<std::string> nvrtc_options(const ProgramSource&, int) {
  // The CPU's arithmetic, and no symbol shared among kernels; what is kept of it has all in its
  // name.
  return {"-std=c++20",
          "-O1",
          "-w",
          "-shared",
          "-fPIC",
          "-ffp-contract=off",
          "-fno-gnu-unique",
          "-Wl,-Bsymbolic",
          "-DHOST_HEADERS=" + sum_of_host_headers()};
}

namespace {

/// What is compiled of a source, by which it is known.
struct HostSource {
  std::string text;
  std::vector<SourceHeader> mechanisms;
  std::vector<std::string> options;

  std::string key() const {
    std::string all = fmt::format("{}\n{}", fmt::join(options, " "), text);
    for (const DeviceHeader& header : device_headers()) all += header.text;
    for (const SourceHeader& header : mechanisms) all += header.name + header.text;
    return sha256(all).substr(0, 32);
  }
};

/// The library is kept by the key, for every process with this cache.
NvrtcResult compile(const HostSource& source, const std::string& key) {
  static std::atomic<int> number = 0;
  const std::filesystem::path cache = std::getenv("HILLOCK_CACHE"), kept = cache / ("host-" + key);
  const std::string library = kept / "kernel.so";
  if (std::filesystem::exists(library)) return {library, ""};
  const std::filesystem::path folder = cache / fmt::format("host-{}-{}", getpid(), number++);
  std::filesystem::create_directories(folder);
  for (const SourceHeader& header : source.mechanisms) write(folder / header.name, header.text);
  write(folder / "kernel.cpp", source.text);
  std::string command = HILLOCK_HOST_COMPILER;
  for (const std::string& option : source.options) command += ' ' + option;
  command += fmt::format(" -I{} -I{} {}/kernel.cpp -o {}/kernel.so 2>{}/log", HILLOCK_SOURCES,
                         folder.string(), folder.string(), folder.string(), folder.string());
  if (std::system(command.c_str()) != 0) return {"", content_of(folder / "log")};
  std::error_code is_there_by_now;
  std::filesystem::rename(folder, kept, is_there_by_now);
  if (is_there_by_now) std::filesystem::remove_all(folder);
  return {library, ""};
}

}  // namespace

NvrtcResult compile_for_device(const ProgramSource& source, int capability,
                               const std::vector<std::string>&) {
  // Ranks are threads here, and want the same at the same time.
  static std::mutex mutex;
  static std::map<std::string, std::shared_future<NvrtcResult>> results;
  const HostSource host{with_entries(source.text), source.mechanisms,
                        nvrtc_options(source, capability)};
  const std::string key = host.key();
  std::shared_future<NvrtcResult> result;
  {
    const std::lock_guard lock(mutex);
    result = results[key];
    if (!result.valid())
      result = results[key] = std::async(std::launch::deferred, compile, host, key).share();
  }
  return result.get();
}

}  // namespace hillock::simulator::on_device
