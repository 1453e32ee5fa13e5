#undef _FORTIFY_SOURCE  // whose longjmp refuses to go from stack to stack

#include "simulator/backends/host/fibers.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace on_host {

namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;
constexpr unsigned warp_threads = 32;

enum class Waiting { for_nothing, for_warp, for_block, has_ended };

/// Contexts begin fibers; jumps, which ask nothing of the system, go from one to another.
struct Fiber {
  jmp_buf here;
  std::vector<char> stack = std::vector<char>(stack_bytes);
  Waiting waiting = Waiting::for_nothing;
  bool has_begun = false;
};

struct Grid {
  jmp_buf scheduler;
  std::vector<std::unique_ptr<Fiber>> fibers;  ///< block by block
  unsigned running = 0;
  unsigned threads = 0;  ///< of a block
  const std::function<void(unsigned, unsigned)>* body = nullptr;
};
Grid grid;  // one runs at a time

void wait(Waiting what) {
  Fiber& fiber = *grid.fibers[grid.running];
  fiber.waiting = what;
  if (_setjmp(fiber.here) == 0) _longjmp(grid.scheduler, 1);
}

/// A fiber goes through one grid after the other.
void enter() {
  for (;;) {
    (*grid.body)(grid.running / grid.threads, grid.running % grid.threads);
    wait(Waiting::has_ended);
  }
}

void begin(Fiber& fiber) {
  fiber.has_begun = true;
  ucontext_t context{};
  getcontext(&context);
  context.uc_stack.ss_sp = fiber.stack.data();
  context.uc_stack.ss_size = fiber.stack.size();
  makecontext(&context, enter, 0);
  setcontext(&context);
}

/// Returns when it waits.
void let_go_on(Fiber& fiber) {
  if (_setjmp(grid.scheduler) != 0) return;
  if (fiber.has_begun) _longjmp(fiber.here, 1);
  begin(fiber);
}

/// Lets threads [begin, end) go on if all of them wait for that, or have ended.
bool release(unsigned begin, unsigned end, Waiting what) {
  bool any = false;
  for (unsigned t = begin; t < end; ++t) {
    const Waiting waiting = grid.fibers[t]->waiting;
    if (waiting != what && waiting != Waiting::has_ended) return false;
    any = any || waiting == what;
  }
  for (unsigned t = begin; t < end; ++t)
    if (grid.fibers[t]->waiting == what) grid.fibers[t]->waiting = Waiting::for_nothing;
  return any;
}

/// Whether a warp does not go on: now and then, for a while, when others do.
bool is_asleep(unsigned warp, unsigned round) {
  constexpr unsigned rounds_of_sleep = 24, one_in = 8;
  unsigned draw = round / rounds_of_sleep * 0x9E3779B9u ^ warp * 0x85EBCA6Bu;
  draw = (draw ^ draw >> 15) * 0x2C1B3C6Du;
  return (draw ^ draw >> 12) % one_in == 0;
}

/// Lets all go on that do not wait. Returns whether there were any.
bool go_round(const Blocks& of, unsigned round,
              const std::function<void(unsigned, unsigned)>& before) {
  bool any = false;
  for (unsigned t = 0; t < of.blocks * of.threads; ++t) {
    if (grid.fibers[t]->waiting != Waiting::for_nothing) continue;
    any = true;
    if (of.blocks > 1 && is_asleep(t / warp_threads, round)) continue;
    grid.running = t;
    before(t / of.threads, t % of.threads);
    let_go_on(*grid.fibers[t]);
  }
  return any;
}

}  // namespace

void sync_block() {
  wait(Waiting::for_block);
}
void sync_warp() {
  wait(Waiting::for_warp);
}
void let_others() {
  wait(Waiting::for_nothing);
}

void run_blocks(const Blocks& blocks, const std::function<void(unsigned, unsigned)>& before,
                const std::function<void(unsigned, unsigned)>& body) {
  grid.body = &body;
  grid.threads = blocks.threads;
  const unsigned count = blocks.blocks * blocks.threads;
  while (grid.fibers.size() < count) grid.fibers.push_back(std::make_unique<Fiber>());
  for (unsigned t = 0; t < count; ++t) {
    Fiber& fiber = *grid.fibers[t];
    fiber.has_begun = fiber.has_begun && fiber.waiting == Waiting::has_ended;
    fiber.waiting = Waiting::for_nothing;
  }
  for (unsigned round = 0;; ++round) {
    bool has_run = go_round(blocks, round, before);
    for (unsigned begin = 0; begin < count; begin += blocks.threads) {
      const unsigned end = begin + blocks.threads;
      for (unsigned t = begin; t < end; t += warp_threads)
        has_run = release(t, std::min(end, t + warp_threads), Waiting::for_warp) || has_run;
      has_run = release(begin, end, Waiting::for_block) || has_run;
    }
    if (has_run) continue;
    for (unsigned t = 0; t < count; ++t)
      if (grid.fibers[t]->waiting != Waiting::has_ended)
        throw std::logic_error("threads wait at different barriers");
    return;
  }
}

}  // namespace on_host
