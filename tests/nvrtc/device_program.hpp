#pragma once
// Compiles a text for the device with NVRTC, from headers of ours alone. Needs no GPU.

#include <nvrtc.h>

#include <string>
#include <vector>

namespace hillock {

struct DeviceHeader {
  std::string name, text;
};

struct DeviceProgram {
  bool compiled = false;
  std::string log;
  std::size_t bytes = 0;  ///< of machine code
};

inline DeviceProgram compile_for_device(const std::string& source,
                                        const std::vector<DeviceHeader>& headers) {
  std::vector<const char*> names, texts;
  for (const DeviceHeader& header : headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  DeviceProgram result;
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", static_cast<int>(names.size()),
                         texts.data(), names.data()) != NVRTC_SUCCESS)
    return result;
  const char* options[] = {"--std=c++20", "--gpu-architecture=sm_90"};
  result.compiled = nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS;
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  result.log.resize(size);
  nvrtcGetProgramLog(program, result.log.data());
  if (result.compiled) nvrtcGetCUBINSize(program, &result.bytes);
  nvrtcDestroyProgram(&program);
  return result;
}

}  // namespace hillock
