// What FUNCTION_TABLEs of a session's mechanisms are given by hoc, which only their libraries know:
// such a function, when it is called, tells NEURON's function that interpolates.

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "neuron.hpp"

using namespace of_hillock;

namespace {

/// As far as known of NEURON's own. points: null where they are evenly spaced.
struct Argument {
  int count;
  const double* points;
  double first, last, part;
};
struct Table {
  const double* values;
  const Argument* arguments;
  double constant;
};

const char* name_of_interpolation() {
  return is_9() ? "_Z14hoc_func_tablePviPd" : "hoc_func_table";
}

const Table* told = nullptr;
int arguments_told = 0;

/// In the place of NEURON's.
double note(void* table, int arguments, double* /*where*/) {
  told = static_cast<const Table*>(table);
  arguments_told = arguments;
  return 0;
}

/// Where a library has an address; whether nobody may write there.
struct Place {
  void** address;
  bool is_protected;
};

/// Where loaded libraries have the address of NEURON's function.
std::vector<Place> places_of_interpolation() {
  std::vector<Place> places;
  const auto look = [](dl_phdr_info* library, std::size_t, void* found) {
    const auto at = [&](std::uintptr_t address) {  // of some systems relative to the library
      return reinterpret_cast<const char*>(
          address < library->dlpi_addr ? library->dlpi_addr + address : address);
    };
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * tables[2] = {};
    std::size_t sizes[2] = {};
    std::uintptr_t first_protected = 0, size_protected = 0;
    for (int k = 0; k < library->dlpi_phnum; ++k) {
      const ElfW(Phdr)& part = library->dlpi_phdr[k];
      if (part.p_type == PT_GNU_RELRO) {
        first_protected = library->dlpi_addr + part.p_vaddr;
        size_protected = part.p_memsz;
      }
      if (part.p_type != PT_DYNAMIC) continue;
      const auto* entry =
          reinterpret_cast<const ElfW(Dyn)*>(library->dlpi_addr + library->dlpi_phdr[k].p_vaddr);
      for (; entry->d_tag != DT_NULL; ++entry) {
        const std::uintptr_t value = entry->d_un.d_val;
        if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at(value));
        if (entry->d_tag == DT_STRTAB) names = at(value);
        if (entry->d_tag == DT_RELA) tables[0] = reinterpret_cast<const ElfW(Rela)*>(at(value));
        if (entry->d_tag == DT_RELASZ) sizes[0] = value;
        if (entry->d_tag == DT_JMPREL) tables[1] = reinterpret_cast<const ElfW(Rela)*>(at(value));
        if (entry->d_tag == DT_PLTRELSZ) sizes[1] = value;
      }
    }
    for (int k = 0; k < 2 && symbols && names; ++k)
      for (std::size_t i = 0; i < sizes[k] / sizeof *tables[k] && tables[k]; ++i) {
        const std::size_t symbol = tables[k][i].r_info >> 32;
        if (symbol == 0 || symbols[symbol].st_shndx != SHN_UNDEF ||
            std::strcmp(names + symbols[symbol].st_name, name_of_interpolation()) != 0)
          continue;
        const std::uintptr_t address = library->dlpi_addr + tables[k][i].r_offset;
        static_cast<std::vector<Place>*>(found)->push_back(
            {reinterpret_cast<void**>(address), address - first_protected < size_protected});
      }
    return 0;
  };
  dl_iterate_phdr(look, &places);
  return places;
}

/// Puts an address there, and what was there into it.
bool exchange(const Place& place, void*& address) {
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const page =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place.address) / size * size);
  if (place.is_protected && mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return false;
  std::swap(*place.address, address);
  if (place.is_protected) mprotect(page, size, PROT_READ);
  return true;
}

}  // namespace

struct HillockTable {
  const double* values;
  int arguments;  ///< 0 of a constant
  int counts[2];
  const double* points[2];
  double firsts[2], lasts[2];
};

/// What is behind the FUNCTION_TABLE that call() calls, as long as nobody gives it something else.
/// Returns how many arguments it has; 0 where nothing was given, -1 where this system keeps
/// functions' addresses in another way than is known.
HILLOCK_SHOWN int hillock_table(void (*call)(), HillockTable* table) {
  const std::vector<Place> places = places_of_interpolation();
  std::vector<void*> addresses(places.size(), reinterpret_cast<void*>(&note));
  told = nullptr;
  arguments_told = 0;
  bool can_exchange = true;
  for (std::size_t k = 0; k < places.size(); ++k)
    can_exchange = exchange(places[k], addresses[k]) && can_exchange;
  if (can_exchange) call();
  for (std::size_t k = 0; k < places.size(); ++k)
    if (addresses[k] != reinterpret_cast<void*>(&note)) exchange(places[k], addresses[k]);
  if (arguments_told == 0) return -1;
  if (!told) return 0;
  *table = {told->values, told->values == &told->constant ? 0 : arguments_told, {}, {}, {}, {}};
  for (int k = 0; k < arguments_told && k < 2; ++k) {
    const Argument& of = told->arguments[k];
    table->counts[k] = of.count;
    table->points[k] = of.points;
    table->firsts[k] = of.first;
    table->lasts[k] = of.last;
  }
  return arguments_told;
}
