#include "core/simd/isa.hpp"

#include <cstdlib>
#include <string>

#include "core/errors/errors.hpp"

namespace hillock {

namespace avx512 {
/// Whether this build has all loops for it.
bool is_compiled();
}  // namespace avx512

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    default:
      return "baseline";
  }
}

bool is_available(Isa isa) {
#if defined(HILLOCK_X86_64)
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512)
    return avx512::is_compiled() && is_available(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#endif
  return isa == Isa::baseline;
}

namespace {

Isa choose() {
  const char* wanted = std::getenv("HILLOCK_ISA");
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::baseline}) {
    if (!wanted || !*wanted) {
      if (is_available(isa)) return isa;
    } else if (name_of(isa) == wanted) {
      if (is_available(isa)) return isa;
      throw UsageError("HILLOCK_ISA=" + std::string(wanted) + ": this machine does not have it" +
                       (isa == Isa::avx512 ? ", or hillock was built without it" : ""));
    }
  }
  throw UsageError("HILLOCK_ISA=" + std::string(wanted) + ": it is baseline, avx2 or avx512");
}

}  // namespace

Isa active_isa() {
  static const Isa isa = choose();
  return isa;
}

}  // namespace hillock
