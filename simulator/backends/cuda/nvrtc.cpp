#include "simulator/backends/device/compiler/nvrtc.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/program/own_libraries.hpp"
#include "simulator/backends/device/compiler/device_headers.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

namespace {

/// The functions of the library that are called.
struct Nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) code_size;
  decltype(&nvrtcGetCUBIN) code;
};

void* open_library() {
  const std::string version = std::to_string(CUDA_VERSION / 1000);
  const std::string file = "libnvrtc.so." + version;
  std::vector<std::string> places{file, "libnvrtc.so",
                                  std::string(HILLOCK_CUDA_LIBRARIES) + "/" + file};
  std::string advice = "it is part of the CUDA Toolkit";
  if (const auto packages = python_packages()) {
    places.push_back(*packages / "nvidia" / ("cu" + version) / "lib" / file);
    advice += ", and comes with pip install 'hillock-sim[gpu]'";
  }
  for (const std::string& place : places)
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw solver::DeviceUnusable(fmt::format(
      "kernels are compiled by NVRTC ({}), which is not there. Install it ({}), or name "
      "its folder in LD_LIBRARY_PATH",
      file, advice));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    throw solver::DeviceUnusable(fmt::format("the NVRTC that is here has no {}", name));
}

const Nvrtc& nvrtc() {
  static const Nvrtc functions = [] {
    void* library = open_library();
    Nvrtc all;
    find(library, "nvrtcVersion", all.version);
    find(library, "nvrtcCreateProgram", all.create);
    find(library, "nvrtcCompileProgram", all.compile);
    find(library, "nvrtcDestroyProgram", all.destroy);
    find(library, "nvrtcGetProgramLogSize", all.log_size);
    find(library, "nvrtcGetProgramLog", all.log);
    find(library, "nvrtcGetCUBINSize", all.code_size);
    find(library, "nvrtcGetCUBIN", all.code);
    return all;
  }();
  return functions;
}

}  // namespace

std::optional<std::string> nvrtc_version() {
  try {
    int major = 0, minor = 0;
    if (nvrtc().version(&major, &minor) == NVRTC_SUCCESS) return fmt::format("{}.{}", major, minor);
  } catch (const solver::DeviceUnusable&) {
  }
  return std::nullopt;
}

std::vector<std::string> nvrtc_options(const ProgramSource& source, int capability) {
  std::vector<std::string> options{"--std=c++20",
                                   fmt::format("--gpu-architecture=sm_{}", capability),
                                   // The CPU's arithmetic: nothing is contracted but what says so.
                                   "--fmad=false", "-default-device"};
  if (source.has_floats)  // which need not be IEEE's to the last bit
    options.insert(options.end(), {"--ftz=true", "--prec-div=false", "--prec-sqrt=false"});
  return options;
}

NvrtcResult compile_for_device(const ProgramSource& source, int capability,
                               const std::vector<std::string>& further) {
  const Nvrtc& compiler = nvrtc();
  std::vector<const char*> names, texts, options;
  for (const SourceHeader& header : source.mechanisms) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  for (const DeviceHeader& header : device_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  std::vector<std::string> words = nvrtc_options(source, capability);
  words.insert(words.end(), further.begin(), further.end());
  for (const std::string& word : words) options.push_back(word.c_str());
  nvrtcProgram program = nullptr;
  if (compiler.create(&program, source.text.c_str(), "hillock.cu", static_cast<int>(names.size()),
                      texts.data(), names.data()) != NVRTC_SUCCESS)
    throw std::logic_error("NVRTC takes no program");
  NvrtcResult result;
  std::size_t size = 0;
  if (compiler.compile(program, static_cast<int>(options.size()), options.data()) ==
      NVRTC_SUCCESS) {
    compiler.code_size(program, &size);
    result.code.resize(size);
    compiler.code(program, result.code.data());
  } else {
    compiler.log_size(program, &size);
    result.log.resize(size);
    compiler.log(program, result.log.data());
  }
  compiler.destroy(&program);
  return result;
}

}  // namespace hillock::simulator::on_device
