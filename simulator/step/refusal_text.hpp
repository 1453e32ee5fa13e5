#pragma once
// What a run says when an instance asks for what cannot be.

#include <string>

#include "simulator/step/refusal.hpp"

namespace hillock::simulator::step {

/// Goes on from "NET_RECEIVE of NAME ". most_awaited: events that an instance may await there.
std::string text_of(Refusal refusal, unsigned most_awaited);

}  // namespace hillock::simulator::step
