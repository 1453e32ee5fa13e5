#undef _FORTIFY_SOURCE  // whose longjmp refuses to go from stack to stack

#include "tests/simulator/cuda/host_form/fibers.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace host_form {

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

struct Block {
  jmp_buf scheduler;
  std::vector<std::unique_ptr<Fiber>> fibers;
  unsigned running = 0;
  const std::function<void(unsigned)>* body = nullptr;
};
Block block;  // one runs at a time

void wait(Waiting what) {
  Fiber& fiber = *block.fibers[block.running];
  fiber.waiting = what;
  if (_setjmp(fiber.here) == 0) _longjmp(block.scheduler, 1);
}

/// A fiber goes through one block after the other.
void enter() {
  for (;;) {
    (*block.body)(block.running);
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
  if (_setjmp(block.scheduler) != 0) return;
  if (fiber.has_begun) _longjmp(fiber.here, 1);
  begin(fiber);
}

/// Lets threads [begin, end) go on if all of them wait for that, or have ended.
bool release(unsigned begin, unsigned end, Waiting what) {
  bool any = false;
  for (unsigned t = begin; t < end; ++t) {
    const Waiting waiting = block.fibers[t]->waiting;
    if (waiting != what && waiting != Waiting::has_ended) return false;
    any = any || waiting == what;
  }
  for (unsigned t = begin; t < end; ++t)
    if (block.fibers[t]->waiting == what) block.fibers[t]->waiting = Waiting::for_nothing;
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

void run_block(unsigned count, const std::function<void(unsigned)>& before,
               const std::function<void(unsigned)>& body) {
  block.body = &body;
  while (block.fibers.size() < count) block.fibers.push_back(std::make_unique<Fiber>());
  for (unsigned t = 0; t < count; ++t) {
    Fiber& fiber = *block.fibers[t];
    fiber.has_begun = fiber.has_begun && fiber.waiting == Waiting::has_ended;
    fiber.waiting = Waiting::for_nothing;
  }
  for (;;) {
    bool has_run = false;
    for (unsigned t = 0; t < count; ++t) {
      if (block.fibers[t]->waiting != Waiting::for_nothing) continue;
      block.running = t;
      before(t);
      let_go_on(*block.fibers[t]);
      has_run = true;
    }
    for (unsigned t = 0; t < count; t += warp_threads)
      has_run = release(t, std::min(count, t + warp_threads), Waiting::for_warp) || has_run;
    has_run = release(0, count, Waiting::for_block) || has_run;
    if (has_run) continue;
    for (unsigned t = 0; t < count; ++t)
      if (block.fibers[t]->waiting != Waiting::has_ended)
        throw std::logic_error("threads wait at different barriers");
    return;
  }
}

}  // namespace host_form
