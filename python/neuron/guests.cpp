// Mechanisms that NEURON 8.2 computes for a run, step by step, as it has compiled them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "neuron.hpp"
#include "nodes.hpp"

namespace {

using namespace of_hillock;

struct Thread;
struct Block;
struct Instances {
  void** nodes;
  int* indices;
  double** data;
  void*** pointers;
  void** props;
  void* of_thread;
  int count;
};
struct Listed {
  Listed* next;
  Instances* instances;
  int type;
};
/// As far as known of NEURON's own.
struct Thread {
  double t, dt, cj;
  Listed* first;
  Instances** of_types;
  int cells, end, number, stops, children;
  double *rhs, *d, *a, *b, *v, *area;
  void* further[8];
  double computing;
  Block* blocks[5];
};
/// BEFORE and AFTER blocks.
struct Block {
  Instances* instances;
  const struct {
    void (*compute)(void*, double*, void**, void*, Thread*);
    int type;
  } * of;
  Block* next;
};
enum When { before_breakpoint = 2, after_solve, before_step };
using Compute = void(Thread*, Instances*, int);
struct Functions {
  void* alloc;
  Compute *current, *jacob, *state, *initialize;
  void* destructor;
  const char* const* name;
  void* of_variable_steps[6];
  int is_vectorized, thread_size;
  void* of_threads[2];
  void (*check_tables)(double*, void**, void*, Thread*, int);
  void* update_ions;
  int is_point;
  void* further[3];
};

/// Where NEURON has its numbers of an ion.
enum Place { reversal, inside, outside, current };

/// Sources of spikes: cell `cells[k]` sends to netcons[first[k]] … netcons[first[k + 1] - 1].
struct Sources {
  std::size_t count;
  const std::uint64_t* cells;
  const int* first;
  const int* netcons;
  const double* delays;
  const char* are_on_grid;
};

}  // namespace

extern "C" {

extern void* core2nrn_NetCon_event_;

/// types: of the mechanisms, and of ions, in NEURON's order; writers: how many of them, the first,
/// set concentrations. Of each row: its node, and where its
/// numbers of each ion are, null where it has none. times: of a run's beginning, and of each half
/// of a step. record: [step][number] as Vectors record them, shown: what is there behind the step's
/// events.
struct HillockGuests {
  int types, ions, writers;
  const int *type, *ion;
  std::size_t rows;
  double* numbers;
  const int* nodes;
  double** of_ions;
  std::int64_t first_step;
  double dt;
  const double* times;
  Sources sources;
  std::size_t records;
  double** recorded;
  double *record, *shown;
};

struct HillockSpike {
  double time;
  std::uint64_t cell;
};
}

namespace {

constexpr double late = 1e-10;  // than a step's end is a spike in NEURON

Thread& thread() {
  return **static_cast<Thread**>(of_neuron("nrn_threads"));
}
const Functions& functions(int type) {
  static void* const all = of_neuron("memb_func");
  return (*static_cast<const Functions**>(all))[type];
}
double* of_ion(const HillockGuests* of, std::size_t row, int ion) {
  return of->of_ions[row * static_cast<std::size_t>(of->ions) + static_cast<std::size_t>(ion)];
}

void deliver(Thread& nt) {
  static void* const events = of_neuron("_Z18nrn_deliver_eventsP9NrnThread");
  as<void(Thread*)>(events)(&nt);
}
void each(Thread& nt, const int* types, int count, Compute* Functions::*function) {
  for (int k = 0; k < count; ++k)
    if (const auto compute = functions(types[k]).*function)
      compute(&nt, nt.of_types[types[k]], types[k]);
}
void call_blocks(Thread& nt, const HillockGuests* of, int when) {
  for (const Block* block = nt.blocks[when]; block; block = block->next)
    if (std::find(of->type, of->type + of->types, block->of->type) != of->type + of->types)
      for (int i = 0; i < block->instances->count; ++i)
        block->of->compute(block->instances->nodes[i], block->instances->data[i],
                           block->instances->pointers[i], block->instances->of_thread, &nt);
}
void take_concentrations(const HillockGuests* of) {
  const int ions = of->ions, width = 3 + 6 * ions;
  for (std::size_t r = 0; r < of->rows; ++r) {
    const double* const row = of->numbers + r * static_cast<std::size_t>(width);
    for (int k = 0; k < ions; ++k) {
      double* const ion = of_ion(of, r, k);
      if (!ion || std::isnan(row[1 + k])) continue;
      ion[inside] = row[1 + ions + k];
      ion[outside] = row[1 + 2 * ions + k];
    }
  }
}
void tell_concentrations(const HillockGuests* of) {
  const int ions = of->ions, width = 3 + 6 * ions;
  for (std::size_t r = 0; r < of->rows; ++r) {
    double* const row = of->numbers + r * static_cast<std::size_t>(width) + 3 + 3 * ions;
    for (int k = 0; k < ions; ++k) {
      const double* const ion = of_ion(of, r, k);
      row[ions + k] = ion ? ion[inside] : 0;
      row[2 * ions + k] = ion ? ion[outside] : 0;
    }
  }
}
/// Of NEURON's, that a statement of hoc's ends with.
struct Failed {};

/// 0: NEURON has ended with an error, of which it has told.
template <class Work>
int ended_well(const Work& work) {
  using Jump = void();
  static auto* const target = static_cast<Jump**>(of_neuron("oc_jump_target_"));
  Jump* const before = *target;
  *target = [] { throw Failed(); };
  int good = 1;
  try {
    work();
  } catch (const Failed&) {
    good = 0;
  }
  *target = before;
  return good;
}
void note(const HillockGuests* of, std::int64_t step, double* rows) {
  double* const row = rows + static_cast<std::size_t>(step - of->first_step) * of->records;
  for (std::size_t k = 0; k < of->records; ++k) row[k] = *of->recorded[k];
}

}  // namespace

/// Whether NEURON keeps its functions of a mechanism where they are looked for.
HILLOCK_SHOWN int hillock_guests_are_known(int type, const char* name) {
  if (is_9() || !of_neuron("memb_func") || !of_neuron("oc_jump_target_") ||
      !of_neuron("_Z18nrn_deliver_eventsP9NrnThread"))
    return 0;
  return std::strcmp(*functions(type).name, name) == 0;
}

HILLOCK_SHOWN void hillock_guests_hear(HillockGuests* of, const HillockSpike* spikes,
                                       std::size_t count) {
  const Sources& known = of->sources;
  const double now = thread().t;
  if (now == of->times[0]) return;  // of what was before a run NEURON has heard
  for (const HillockSpike* spike = spikes; spike < spikes + count; ++spike) {
    std::size_t begin = 0, end = known.count;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (known.cells[middle] < spike->cell)
        begin = middle + 1;
      else
        end = middle;
    }
    if (begin == known.count || known.cells[begin] != spike->cell) continue;
    const auto step = std::llround(spike->time / of->dt) - of->first_step;
    const double time = known.are_on_grid[begin] ? of->times[2 * step] + late : spike->time;
    for (int k = known.first[begin]; k < known.first[begin + 1]; ++k)
      as<void(int, double, std::size_t)>(core2nrn_NetCon_event_)(
          0, time + known.delays[k], static_cast<std::size_t>(known.netcons[k]));
  }
}

HILLOCK_SHOWN int hillock_guests_begin(HillockGuests* of, std::int64_t step) {
  return ended_well([&] {
    Thread& nt = thread();
    const int ions = of->ions, told = 1 + 3 * ions, width = told + 2 + 3 * ions;
    nt.t = of->times[2 * (step - of->first_step) + 1];
    nt.dt = of->dt;
    nt.cj = 1 / of->dt;
    for (std::size_t r = 0; r < of->rows; ++r) {
      const double* const row = of->numbers + r * static_cast<std::size_t>(width);
      nt.v[of->nodes[r]] = row[0];
      nt.rhs[of->nodes[r]] = nt.d[of->nodes[r]] = 0;
    }
    take_concentrations(of);
    deliver(nt);
    for (int k = 0; k < of->types; ++k) {
      const Functions& known = functions(of->type[k]);
      Instances& some = *nt.of_types[of->type[k]];
      if (known.check_tables && some.count > 0)
        known.check_tables(some.data[0], some.pointers[0], some.of_thread, &nt, of->type[k]);
    }
    call_blocks(nt, of, before_breakpoint);
    each(nt, of->ion, of->ions, &Functions::current);
    each(nt, of->type, of->types, &Functions::current);
    each(nt, of->type, of->types, &Functions::jacob);
    for (std::size_t r = 0; r < of->rows; ++r) {
      double* const row = of->numbers + r * static_cast<std::size_t>(width);
      const int node = of->nodes[r];
      const double to_nA = 0.01 * nt.area[node];  // of mA/cm2
      const double uS = nt.d[node] * to_nA;
      row[told] = -nt.rhs[node] * to_nA - uS * row[0];
      row[told + 1] = uS;
      for (int k = 0; k < ions; ++k) {
        const double* const ion = of_ion(of, r, k);
        row[told + 2 + k] = ion ? ion[current] * to_nA : 0;
      }
    }
    tell_concentrations(of);
  });
}

HILLOCK_SHOWN int hillock_guests_solve(HillockGuests* of, std::int64_t step) {
  return ended_well([&] {
    Thread& nt = thread();
    const int ions = of->ions, told = 1 + 3 * ions, width = told + 2 + 3 * ions;
    nt.t = of->times[2 * (step - of->first_step) + 2];
    for (std::size_t r = 0; r < of->rows; ++r) {
      const double* const row = of->numbers + r * static_cast<std::size_t>(width);
      nt.v[of->nodes[r]] = row[0];
      for (int k = 0; k < ions; ++k)
        if (double* const ion = of_ion(of, r, k); ion && !std::isnan(row[1 + k]))
          ion[current] = row[1 + k];
    }
    each(nt, of->type, of->writers, &Functions::state);
    tell_concentrations(of);
  });
}

HILLOCK_SHOWN int hillock_guests_end(HillockGuests* of, std::int64_t step) {
  return ended_well([&] {
    Thread& nt = thread();
    take_concentrations(of);
    each(nt, of->type + of->writers, of->types - of->writers, &Functions::state);
    for (const int when : {after_solve, before_step}) call_blocks(nt, of, when);
    note(of, step, of->record);
    deliver(nt);
    note(of, step, of->shown);
  });
}
