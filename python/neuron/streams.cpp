// Streams of random numbers that C code of point processes keeps in POINTERs: hoc's Random objects
// and streams of Random123's, as far as known of how NEURON 8.2 and 9.0 keep them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "objects.hpp"

using namespace of_hillock;

namespace {

constexpr std::size_t largest_pointer = 40;  // bytes: of 9.0 a handle, which knows its type

/// What NEURON keeps of a POINTER: `which` of those and BBCOREPOINTERs that the point has; null
/// where it has none.
unsigned char* pointer_of(const void* point, int which) {
  constexpr int properties_at = 2, pointers_at = 3;  // words
  const auto* const process =
      static_cast<const void* const*>(static_cast<const Object*>(point)->what);
  const auto* const words =
      process ? static_cast<const void* const*>(process[properties_at]) : nullptr;
  static void* const first = of_neuron("nrn_dparam_ptr_start_");
  if (!words || !first) return nullptr;
  const auto type = *reinterpret_cast<const short*>(
      words + (is_9() ? 2 : 1));  // behind the next, of 9.0 the node
  const auto place = static_cast<std::size_t>((*static_cast<int**>(first))[type] + which);
  auto* const pointers = static_cast<unsigned char*>(const_cast<void*>(words[pointers_at]));
  return pointers ? pointers + place * (is_9() ? largest_pointer : sizeof(double*)) : nullptr;
}

/// hoc's Random.
struct Random {
  void** generator;
  void** distribution;
  int type;
  Object* object;
};

struct OfRan4 {
  void* functions;
  std::uint32_t high, first, low;
};
struct OfNormal {
  void *functions, *generator;
  char has_second;
  double second, mean, variance, deviation;
};

void* of_either(const char* in_8, const char* in_9) {
  return of_neuron(is_9() ? in_9 : in_8);
}

double number_in(std::uint32_t sequence, char which) {
  return 4.0 * sequence + which;
}

}  // namespace

/// A stream. generator: 0 not known, 1 Ran4, 2 Random123's; distribution: 0 not known, 1 uniform, 2
/// exponential, 3 normal. number: of the next word; ids: three, of Ran4 the low number, where 0 is
/// the one for all. first, second: lower end and width, or mean, or mean and standard deviation;
/// has_next, next: what a normal one has drawn already, for a mean of 0 and a deviation of 1.
struct HillockStream {
  int generator, distribution;
  double number, ids[3], first, second, has_next, next;
};

/// Keeps what a POINTER is, of `largest_pointer` bytes, and makes it stand for nothing. Returns 0
/// where there is none.
HILLOCK_SHOWN int hillock_take_pointer(const void* point, int which, unsigned char* kept) {
  unsigned char* const pointer = pointer_of(point, which);
  if (!pointer) return 0;
  const std::size_t size = is_9() ? largest_pointer : sizeof(double*);
  std::memcpy(kept, pointer, size);
  std::memset(pointer, 0, size);
  return 1;
}

/// It is again what was kept.
HILLOCK_SHOWN void hillock_give_pointer(const void* point, int which, const unsigned char* kept) {
  std::memcpy(pointer_of(point, which), kept, is_9() ? largest_pointer : sizeof(double*));
}

/// The address that C code keeps in a POINTER; null where it stands for nothing, or in 9.0 for a
/// number of the model's.
HILLOCK_SHOWN void* hillock_kept_in_pointer(const void* point, int which) {
  auto* const* const words = reinterpret_cast<void**>(pointer_of(point, which));
  if (!words) return nullptr;
  if (!is_9()) return words[0];
  return words[0] ? nullptr : words[2];
}

/// stream: hoc's Random, or Random123's own.
HILLOCK_SHOWN void hillock_stream(void* stream, int is_random, HillockStream* found) {
  static void* const ran4 = of_neuron("_ZTV9MCellRan4");
  static void* const random123 = of_neuron("_ZTV12NrnRandom123");
  static void* const uniform = of_neuron("_ZTV7Uniform");
  static void* const exponential = of_neuron("_ZTV14NegativeExpntl");
  static void* const normal = of_neuron("_ZTV6Normal");
  static void* const ids_of =
      of_either("nrnran123_getids3", "_Z17nrnran123_getids3P15nrnran123_StatePjS1_S1_");
  static void* const number_of_next =
      of_either("nrnran123_getseq", "_Z16nrnran123_getseqP15nrnran123_StatePjPc");
  *found = {};
  void* state = stream;
  if (is_random) {
    const auto* const random = static_cast<const Random*>(stream);
    const auto* const numbers = reinterpret_cast<const double*>(random->distribution) + 2;
    if (is_of_class(random->distribution, uniform)) {
      found->distribution = 1;
      found->first = numbers[0];
      found->second = numbers[2];
    } else if (is_of_class(random->distribution, exponential)) {
      found->distribution = 2;
      found->first = numbers[0];
    } else if (is_of_class(random->distribution, normal)) {
      const auto* const of = reinterpret_cast<const OfNormal*>(random->distribution);
      found->distribution = 3;
      found->first = of->mean;
      found->second = of->deviation;
      found->has_next = of->has_second == 1;
      found->next = of->second;
    }
    if (random->type == 2 && ran4 && is_of_class(random->generator, ran4)) {
      const auto* const of = reinterpret_cast<const OfRan4*>(random->generator);
      found->generator = 1;
      found->number = of->high;
      found->ids[0] = of->low;
    }
    if (random->type != 4 || !is_of_class(random->generator, random123)) return;
    state = random->generator[1];
  }
  if (!ids_of || !number_of_next) return;
  std::array<std::uint32_t, 4> numbers{};
  char which = 0;
  as<void(void*, std::uint32_t*, std::uint32_t*, std::uint32_t*)>(ids_of)(state, numbers.data(),
                                                                          &numbers[1], &numbers[2]);
  as<void(void*, std::uint32_t*, char*)>(number_of_next)(state, &numbers[3], &which);
  found->generator = 2;
  std::copy(numbers.begin(), numbers.begin() + 3, found->ids);
  found->number = number_in(numbers[3], which);
}

/// The key of all streams of Random123's.
HILLOCK_SHOWN unsigned hillock_random123_key() {
  static void* const key = of_neuron("_Z25nrnran123_get_globalindexv");
  return key ? as<std::uint32_t()>(key)() : 0;
}

/// Whether what a RANDOM of NEURON 9's is to give next is of other ids than those that it has.
/// random: what hoc has of it.
HILLOCK_SHOWN int hillock_is_stale(const void* random) {
  struct State {
    std::array<std::uint32_t, 4> counter, words;
    char which;
  };
  struct Words {
    std::array<std::uint32_t, 4> of;
  };
  static void* const words_of = of_neuron("_Z15nrnran123_iran3jjjj");
  const auto* const handle = static_cast<void* const*>(static_cast<const Object*>(random)->what);
  if (!words_of || !handle || handle[0] || !handle[2]) return 0;
  const auto* const state = static_cast<const State*>(handle[2]);
  const auto& of = state->counter;
  const Words known = as<Words(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)>(
      words_of)(of[0], of[2], of[3], of[1]);
  return std::equal(state->words.begin() + state->which, state->words.end(),
                    known.of.begin() + state->which)
             ? 0
             : 1;
}

/// It goes on from there: number, has_next and next of what hillock_stream() gives.
HILLOCK_SHOWN void hillock_put_stream(void* stream, int is_random, const HillockStream* now) {
  static void* const put =
      of_either("nrnran123_setseq", "_Z16nrnran123_setseqP15nrnran123_Statejc");
  void* state = stream;
  if (is_random) {
    auto* const random = static_cast<Random*>(stream);
    if (now->distribution == 3) {
      auto* const of = reinterpret_cast<OfNormal*>(random->distribution);
      of->has_second = now->has_next == 1 ? 1 : 0;
      of->second = now->next;
    }
    if (now->generator == 1) {
      reinterpret_cast<OfRan4*>(random->generator)->high = static_cast<std::uint32_t>(now->number);
      return;
    }
    state = random->generator[1];
  }
  const auto number = static_cast<std::uint64_t>(now->number);
  as<void(void*, std::uint32_t, char)>(put)(state, static_cast<std::uint32_t>(number / 4),
                                            static_cast<char>(number % 4));
}
