// Assembles the kernels of models as --backend cuda does and compiles them by NVRTC, which needs no
// GPU.
//
//     assemble_kernels CAPABILITY[,CAPABILITY...] MODEL...      as in 75,90

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

#include "network/placement.hpp"
#include "simulator/backends/cuda/assembly.hpp"
#include "simulator/backends/cuda/nvrtc.hpp"
#include "simulator/command/loaded_model.hpp"

namespace {

using namespace hillock;
namespace cuda = simulator::cuda;

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream text(list);
  for (std::string one; std::getline(text, one, ',');) numbers.push_back(std::stoi(one));
  return numbers;
}

/// How many kernels were compiled.
std::size_t compile(const std::string& file, const std::vector<int>& capabilities) {
  const command::LoadedModel model =
      command::load_model({file, {}}, command::OwnMechanisms::loaded, command::Use::run);
  simulator::Activity activity;
  const network::AllHere all_here(model.network);
  simulator::NetworkPlan plan = simulator::outline_network(
      model.network, model.mechanisms, {&all_here, 2, simulator::Connections::made, &activity});
  simulator::Crew crew(simulator::work_of_ranges(plan), 2);
  const cuda::Assembly assembly = cuda::assemble(plan, crew, activity);
  for (const int capability : capabilities)
    for (const auto& [signature, cells] : assembly.cells) {
      // Turing has the least shared memory of those that are compiled for.
      const cuda::LaunchShape shape = cuda::shape_of(signature, cells, {0, capability, 64 << 10});
      const std::string code =
          cuda::compile_for_device(cuda::write_program(signature, cells, shape), capability);
      if (code.size() < 1000) throw std::runtime_error("a kernel without code");
      fmt::print("{} sm_{}: {} cells, {} threads each, {} bytes\n", file, capability,
                 cells.entries.size(), shape.team, code.size());
    }
  return assembly.cells.size() * capabilities.size();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("assemble_kernels CAPABILITY[,CAPABILITY...] MODEL...\n", stderr);
    return 2;
  }
  try {
    std::size_t kernels = 0;
    for (int i = 2; i < count; ++i) kernels += compile(arguments[i], numbers_of(arguments[1]));
    fmt::print("{} kernels\n", kernels);
    return kernels > 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 1;
  }
}
