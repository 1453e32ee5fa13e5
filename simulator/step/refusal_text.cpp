#include "simulator/step/refusal_text.hpp"

#include <fmt/format.h>

#include "mechanisms/evaluator.hpp"

namespace hillock::simulator::step {

std::string text_of(Refusal refusal, unsigned most_awaited) {
  switch (refusal) {
    case Refusal::too_many_messages:
      return fmt::format("asks for more than {} events at once",
                         mechanisms::Delivery::most_messages);
    case Refusal::too_many_events:
      return "is called more than a million times in one step (does it send itself events that "
             "arrive at once?)";
    case Refusal::too_many_awaited:
      return fmt::format(
          "sends more than {} events that have not come: more than a device has room for (the CPU "
          "has no such limit: --backend cpu)",
          most_awaited);
    case Refusal::not_in_future:
      return "asks for an event that is not in the future";
    case Refusal::moves_nothing:
      break;
  }
  return "moves its event of flag 1 (net_move), but awaits none";
}

}  // namespace hillock::simulator::step
