// Every evaluator compiles with NVRTC, without a single standard header: the catalogue as the
// program holds it, and the tests' constructs as a model's own. Needs no GPU.

#include <gtest/gtest.h>
#include <nvrtc.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/embedded_texts.hpp"
#include "mechanisms/load/mod_file.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/description.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"

namespace hillock::mechanisms {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name, source, evaluator;
};

/// A kernel that runs all of an evaluator's functions, one instance a thread.
std::string kernel_for(const Case& given) {
  return "#include \"evaluator.hpp\"\nusing namespace hillock::mechanisms;\nusing E = " +
         given.evaluator + ";\n" + R"(
template <class E>
__device__ void events(typename E::template Variables<double>& x, const Instant<double>& at,
                       double* arguments) {
  Delivery event;
  event.arguments = arguments;
  if constexpr (E::info.starts) E::start(x, at, event);
  if constexpr (E::info.begins_connections) E::connect(x, at, event);
  if constexpr (E::info.receives_events) E::receive(x, at, event);
  if constexpr (E::info.watches > 0)
    for (int k = 0; k < E::info.watches; ++k) arguments[0] += E::watch(k, x, at);
  for (int k = 0; k < event.message_count; ++k) arguments[0] += event.messages[k].time_ms;
}

extern "C" __global__ void run(E::Variables<double>* all, const double* v, double* i, double* g,
                               double time, double dt, double celsius, double* arguments) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  E::Variables<double> x = all[t];
  const Instant<double> at{v[t], time, dt, celsius};
  E::initialise<double>(x, at);
  const Current<double> flow = E::current<double>(x, at);
  i[t] = flow.i;
  g[t] = flow.g;
  E::advance<double>(x, at);
  events<E>(x, at, arguments + t * E::info.arguments);
  all[t] = x;
}

/// The same in single precision; what its numbers do not fit into is not asked to.
template <class E>
__device__ void step_in_single(typename E::template Variables<float>& x, const Instant<double>& wide,
                               float& i, float& g) {
  if constexpr (!E::info.keeps_doubles) {
    const Instant<float> at = in_single(wide);
    E::template initialise<float>(x, at);
    const Current<float> flow = E::template current<float>(x, at);
    i = flow.i;
    g = flow.g;
    E::template advance<float>(x, at);
  }
}

extern "C" __global__ void run_in_single(E::Variables<float>* all, const double* v, float* i,
                                         float* g, double time, double dt, double celsius) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  step_in_single<E>(all[t], {v[t], time, dt, celsius}, i[t], g[t]);
}
)";
}

std::vector<Case> built_in() {
  std::vector<Case> all;
  for (const Mechanism& mechanism : catalogue())
    all.push_back({mechanism.signature.name, mechanism.source, mechanism.evaluator});
  return all;
}

/// Numbers for every FUNCTION_TABLE of a file, the points of the last argument uneven.
GivenTables tables_of(const nmodl::Module& module) {
  GivenTables tables;
  for (const nmodl::FunctionTable& table : module.function_tables) {
    const auto& block = module.syntax.blocks[static_cast<std::size_t>(table.block)];
    GivenTable given{std::vector<TableAxis>(block.arguments.size(), {2, -80, 20}), {}, {}};
    given.axes.back() = {3, -70, 0, {-70, -40, 0}};
    for (int k = 0; k < 3 << (given.axes.size() - 1); ++k) given.values.push_back(std::sqrt(k));
    tables.emplace(table.name, given);
  }
  return tables;
}

std::vector<Case> constructs() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(HILLOCK_TEST_DIR "/emitted"))
    if (entry.path().extension() == ".mod") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Case> all;
  for (const fs::path& file : files) {
    const nmodl::Checked checked = nmodl::check_file(file);
    if (!checked.module) {
      ADD_FAILURE() << file;
      continue;
    }
    const nmodl::EvaluatorIr evaluator = nmodl::lower(*checked.module, tables_of(*checked.module));
    all.push_back({file.stem().string(), nmodl::emit_header(evaluator, "Own"), "Own"});
  }
  return all;
}

class Nvrtc : public testing::TestWithParam<Case> {};

/// Compiles a kernel that may include `evaluator` as "evaluator.hpp".
void expect_compiles(const std::string& source, const std::string& evaluator) {
  std::vector<const char*> names{"evaluator.hpp"}, texts{evaluator.c_str()};
  for (const EmbeddedText& header : embedded_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  nvrtcProgram program = nullptr;
  ASSERT_EQ(nvrtcCreateProgram(&program, source.c_str(), "kernel.cu",
                               static_cast<int>(names.size()), texts.data(), names.data()),
            NVRTC_SUCCESS);
  const char* options[] = {"--std=c++20", "--gpu-architecture=sm_90"};
  const nvrtcResult result = nvrtcCompileProgram(program, 2, options);
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  ASSERT_EQ(result, NVRTC_SUCCESS) << log;
  ASSERT_EQ(nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
  EXPECT_GT(size, 1000u);
  nvrtcDestroyProgram(&program);
}

TEST_P(Nvrtc, CompilesTheEvaluatorForTheDevice) {
  expect_compiles(kernel_for(GetParam()), GetParam().source);
}

TEST(NvrtcPhilox, OfBothWidthsCompilesForTheDevice) {
  expect_compiles(R"(#include "core/random/philox.hpp"
extern "C" __global__ void run(unsigned* narrow, unsigned long long* wide, double* number) {
  const unsigned t = threadIdx.x;
  narrow[t] = hillock::philox<unsigned>({{t, 1, 2, 3}}, 4, 5).word[0];
  wide[t] = hillock::philox<unsigned long long>({{t, 1, 2, 3}}, 4, 5).word[0];
  number[t] = hillock::unit_interval(wide[t]);
}
)",
                  "");
}

std::string name_of_case(const testing::TestParamInfo<Case>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Nvrtc, testing::ValuesIn(built_in()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Constructs, Nvrtc, testing::ValuesIn(constructs()), name_of_case);

/// What the files above have between them.
TEST(NvrtcCases, MeetEveryFunctionOfAnEvaluator) {
  std::vector<Case> all = built_in();
  std::ranges::move(constructs(), std::back_inserter(all));
  for (const char* what :
       {" receive(", " start(", " connect(", " watch(", "Grid<", "draw_normal"}) {
    const auto count = std::ranges::count_if(
        all, [&](const Case& each) { return each.source.find(what) != std::string::npos; });
    EXPECT_GT(count, 0) << what;
  }
}

}  // namespace
}  // namespace hillock::mechanisms
