#pragma once
// What an instance must not ask for. Includes nothing, so that NVRTC can compile it.

namespace hillock::simulator::step {

enum class Refusal {
  too_many_messages,
  too_many_events,
  too_many_awaited,
  not_in_future,
  moves_nothing,
};

}  // namespace hillock::simulator::step
