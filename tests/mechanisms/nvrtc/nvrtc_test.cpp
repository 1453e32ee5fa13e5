// Every evaluator compiles with NVRTC, without a single standard header. Needs no GPU.

#include <gtest/gtest.h>
#include <nvrtc.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string read(const std::string& path) {
  const std::string folder = path.starts_with("emitted/")              ? HILLOCK_TEST_EMITTED_DIR
                             : path.starts_with("mechanisms/emitted/") ? HILLOCK_EMITTED_DIR
                                                                       : HILLOCK_SOURCE_DIR;
  std::ifstream file(folder + "/" + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A kernel that runs all of an evaluator's functions, one instance a thread.
std::string kernel_for(const std::string& header, const std::string& evaluator, bool receives) {
  std::string source = "#include \"" + header + "\"\n" +
                       "using namespace hillock::mechanisms;\nusing E = " + evaluator + ";\n" + R"(
extern "C" __global__ void run(E::Variables<double>* all, const double* v, double* i, double* g,
                               double time, double dt, double celsius) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  E::Variables<double> x = all[t];
  const Instant<double> at{v[t], time, dt, celsius};
  E::initialise<double>(x, at);
  const Current<double> flow = E::current<double>(x, at);
  i[t] = flow.i;
  g[t] = flow.g;
  E::advance<double>(x, at);
)";
  if (receives)
    source +=
        "  double weight = 0.5;\n  Delivery event;\n  event.arguments = &weight;\n"
        "  E::receive(x, at, event);\n";
  return source + "  all[t] = x;\n}\n";
}

struct Case {
  std::string header, evaluator;
  bool receives;
};

Case built_in(const std::string& name, const std::string& evaluator, bool receives = false) {
  return {"mechanisms/emitted/" + name + ".hpp", evaluator, receives};
}
Case emitted(const std::string& evaluator, bool receives = false) {
  return {"emitted/" + evaluator + ".hpp", evaluator, receives};
}

class Nvrtc : public testing::TestWithParam<Case> {};

TEST_P(Nvrtc, CompilesTheEvaluatorForTheDevice) {
  std::vector<std::string> names = {"mechanisms/math.hpp",
                                    "mechanisms/info.hpp",
                                    "mechanisms/evaluator.hpp",
                                    "mechanisms/nmodl/runtime.hpp",
                                    "mechanisms/nmodl/draws.hpp",
                                    "mechanisms/nmodl/tables.hpp",
                                    GetParam().header};
  std::vector<std::string> texts;
  std::vector<const char*> name_pointers, text_pointers;
  for (const auto& name : names) texts.push_back(read(name));
  for (std::size_t i = 0; i < names.size(); ++i) {
    name_pointers.push_back(names[i].c_str());
    text_pointers.push_back(texts[i].c_str());
  }
  const std::string source =
      kernel_for(GetParam().header, GetParam().evaluator, GetParam().receives);
  nvrtcProgram program = nullptr;
  ASSERT_EQ(
      nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", static_cast<int>(names.size()),
                         text_pointers.data(), name_pointers.data()),
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

INSTANTIATE_TEST_SUITE_P(
    Catalogue, Nvrtc,
    testing::Values(built_in("hh", "Hh"), built_in("hh_traub", "HhTraub"), built_in("pas", "Pas"),
                    built_in("expsyn", "Expsyn", true), built_in("exp2syn", "Exp2syn", true),
                    built_in("iclamp", "Iclamp"), built_in("seclamp", "Seclamp"),
                    built_in("nmda", "Nmda", true), built_in("nat", "Nat"), built_in("nap", "Nap"),
                    built_in("kdr", "Kdr"), built_in("ka", "Ka"), built_in("kv31", "Kv31"),
                    built_in("km", "Km"), built_in("ih", "Ih"), built_in("cat", "Cat"),
                    built_in("cal", "Cal"), built_in("cal_ghk", "CalGhk"), built_in("sk", "Sk"),
                    built_in("bk", "Bk"), built_in("capool", "Capool")),
    [](const auto& test) { return test.param.evaluator; });

INSTANTIATE_TEST_SUITE_P(Emitted, Nvrtc,
                         testing::Values(emitted("MethodsTest"), emitted("KineticTest"),
                                         emitted("StatementsTest"), emitted("LastingTest"),
                                         emitted("ChoicesTest"), emitted("ShellsTest"),
                                         emitted("ChannelTest"), emitted("SteadyTest"),
                                         emitted("NoiseTest"), emitted("ImplicitTest"),
                                         emitted("TablesTest")),
                         [](const auto& test) { return test.param.evaluator; });

}  // namespace
