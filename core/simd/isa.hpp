#pragma once
// The instruction sets that the CPU's inner loops are compiled for, and the one in use.
//
// Code that is compiled once for each of them lies in files named isa/<set>.cpp, which the build
// compiles with that set's options and -DHILLOCK_ISA=<set>. Everything such a file instantiates
// lies in an inline namespace of that name: the linker would otherwise be free to put one file's
// copy of a template in place of another's, and an AVX-512 body in the hands of a machine without
// it. For the same reason these files use no containers of the standard library.

#include <string_view>

namespace hillock {

enum class Isa { baseline, avx2, avx512 };

inline constexpr int isa_count = 3;

/// "baseline" (what every machine of its kind has: on aarch64 NEON, with FMA), "avx2" (with FMA:
/// x86-64-v3), "avx512" (x86-64-v4).
std::string_view name_of(Isa isa);

/// Whether this machine and this build have it.
bool is_available(Isa isa);

/// The best one available, or the one that the environment's HILLOCK_ISA names. Read once.
/// Results do not depend on it. Throws UsageError.
Isa active_isa();

}  // namespace hillock
