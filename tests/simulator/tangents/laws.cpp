// A unit of its own, with a name for its instruction set that nobody else has.

#include "tests/simulator/tangents/emitted.hpp"

// Behind their mathematics.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/simulator/tangents/own_laws.hpp"

#define double Dual
#define Delivery DualDelivery
#include "mechanisms/emitted/all.hpp"
#undef double
#undef Delivery

namespace hillock::simulator::reference {

namespace {

using namespace mechanisms;

template <class... E>
std::map<std::string, Law<Dual>> make_laws(Evaluators<E...>) {
  return {{E::info.name, make_law<E, Dual>()}...};
}

std::filesystem::path& folder() {
  static std::filesystem::path one;
  return one;
}

/// Compiled of its emitted text, once for all runs, in a namespace of its own: others may have its
/// name.
const Law<Dual>* own_law(const Mechanism& mechanism) {
  const std::string name = fmt::format("{}_{:016x}", mechanism.signature.name,
                                       std::hash<std::string>()(mechanism.source));
  const std::filesystem::path library = folder() / (name + ".so");
  if (!exists(library)) {
    const std::filesystem::path text = std::filesystem::path(library).replace_extension(".cpp");
    std::ofstream(text) << "#include \"tests/simulator/tangents/emitted.hpp\"\n"
                        << "#define double Dual\n#define Delivery DualDelivery\n"
                        << mechanism.source << "#undef double\n#undef Delivery\n"
                        << "extern \"C\" const void* law() {\n"
                        << "  using namespace hillock;\n"
                        << "  static const auto one = simulator::reference::make_law<mechanisms::"
                        << mechanism.evaluator << ", simulator::reference::Dual>();\n"
                        << "  return &one;\n}\n";
    const std::string command =
        fmt::format("c++ -std=c++20 -O1 -w -fPIC -shared -DHILLOCK_ISA={} -I'{}' '{}' -o '{}'",
                    name, HILLOCK_ROOT, text.string(), library.string());
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error("cannot compile " + text.string());
  }
  void* const opened = dlopen(library.c_str(), RTLD_NOW);
  if (!opened) throw std::runtime_error(dlerror());
  return static_cast<const Law<Dual>*>(reinterpret_cast<const void* (*)()>(dlsym(opened, "law"))());
}

}  // namespace

void keep_own_laws(const std::filesystem::path& where) {
  folder() = where;
}

template <>
const Law<Dual>& law_of(const Mechanism& mechanism) {
  static const auto builtin = make_laws(BuiltinEvaluators());
  static std::map<std::string, const Law<Dual>*> own;  // by source
  const auto found = builtin.find(mechanism.signature.name);
  if (!mechanism.own_loops && found != builtin.end()) return found->second;
  const Law<Dual>*& law = own[mechanism.source];
  if (!law) law = own_law(mechanism);
  return *law;
}

}  // namespace hillock::simulator::reference
