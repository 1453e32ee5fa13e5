// In place of NVRTC: a kernel's text compiled for the host into a shared library, whose path stands
// for the code.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "simulator/backends/cuda/nvrtc.hpp"

namespace hillock::simulator::cuda {

namespace {

constexpr const char* entries = R"(
namespace hillock::simulator::cuda {
extern "C" {
unsigned long host_arrays_bytes = sizeof(Arrays<Program>);
void host_run_epoch(void** a) {
  run_epoch(*static_cast<const Arrays<Program>*>(a[0]), *static_cast<const long long*>(a[1]),
            *static_cast<const long long*>(a[2]), *static_cast<const EpochEvents*>(a[3]));
}
void host_take_samples(void** a) {
  take_samples(*static_cast<const Arrays<Program>*>(a[0]), *static_cast<const long long*>(a[1]));
}
}
}
)";

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

}  // namespace

std::optional<std::string> nvrtc_version() {
  return "host";
}

std::vector<std::string> nvrtc_options(const ProgramSource&, int) {
  // The CPU's arithmetic, and no symbol shared among kernels.
  return {"-std=c++20",      "-O1",           "-w", "-shared", "-fPIC", "-ffp-contract=off",
          "-fno-gnu-unique", "-Wl,-Bsymbolic"};
}

NvrtcResult compile_for_device(const ProgramSource& source, int capability) {
  static std::atomic<int> number = 0;
  const std::filesystem::path folder =
      std::filesystem::path(std::getenv("HILLOCK_CACHE")) / fmt::format("host-{}", number++);
  std::filesystem::create_directories(folder);
  for (const SourceHeader& header : source.mechanisms) write(folder / header.name, header.text);
  write(folder / "kernel.cpp",
        "#include \"tests/simulator/cuda/host_form/device_words.hpp\"\n" + source.text + entries);
  std::string command = HILLOCK_HOST_COMPILER;
  for (const std::string& option : nvrtc_options(source, capability)) command += ' ' + option;
  command += fmt::format(" -I{} -I{} {}/kernel.cpp -o {}/kernel.so 2>{}/log", HILLOCK_SOURCES,
                         folder.string(), folder.string(), folder.string(), folder.string());
  if (std::system(command.c_str()) != 0) return {"", content_of(folder / "log")};
  return {(folder / "kernel.so").string(), ""};
}

}  // namespace hillock::simulator::cuda
