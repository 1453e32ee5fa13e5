#pragma once
// What the command is busy with: shown as progress, and named when memory runs out.

#include "simulator/threads/activity.hpp"

namespace hillock::command {

inline simulator::Activity& current_activity() {
  static simulator::Activity activity;
  return activity;
}

}  // namespace hillock::command
