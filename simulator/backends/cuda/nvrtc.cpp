#include "simulator/backends/cuda/nvrtc.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <fmt/format.h>

#include <stdexcept>

#include "simulator/backends/cuda/device_headers.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::cuda {

namespace {

/// The functions of the library that are called.
struct Nvrtc {
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
  for (const std::string& name : {"libnvrtc.so." + version, std::string("libnvrtc.so"),
                                  std::string(HILLOCK_CUDA_LIBRARIES) + "/libnvrtc.so." + version})
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw solver::DeviceError("dlopen", "libnvrtc.so." + version,
                            "kernels are compiled by NVRTC, which is not there: install it (of "
                            "the CUDA Toolkit) or put its folder into LD_LIBRARY_PATH");
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw solver::DeviceError("dlsym", name, "the library has no such function");
}

const Nvrtc& nvrtc() {
  static const Nvrtc functions = [] {
    void* library = open_library();
    Nvrtc all;
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

std::string compile_for_device(const ProgramSource& source, int capability) {
  const Nvrtc& compiler = nvrtc();
  std::vector<const char*> names, texts;
  for (const SourceHeader& header : source.mechanisms) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  for (const DeviceHeader& header : device_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  nvrtcProgram program = nullptr;
  if (compiler.create(&program, source.text.c_str(), "hillock.cu", static_cast<int>(names.size()),
                      texts.data(), names.data()) != NVRTC_SUCCESS)
    throw std::logic_error("NVRTC takes no program");
  const std::string architecture = fmt::format("--gpu-architecture=sm_{}", capability);
  // The CPU's arithmetic: nothing is contracted but what says so.
  const char* options[] = {"--std=c++20", architecture.c_str(), "--fmad=false", "-default-device"};
  const nvrtcResult result = compiler.compile(program, 4, options);
  std::size_t size = 0;
  std::string code;
  if (result == NVRTC_SUCCESS) {
    compiler.code_size(program, &size);
    code.resize(size);
    compiler.code(program, code.data());
  } else {
    compiler.log_size(program, &size);
    code.resize(size);
    compiler.log(program, code.data());
  }
  compiler.destroy(&program);
  if (result != NVRTC_SUCCESS)
    throw std::logic_error("NVRTC does not accept a kernel of Hillock's: " + code);
  return code;
}

}  // namespace hillock::simulator::cuda
