// What long work asks now and then: has Ctrl-C been pressed?
#pragma once

#include "play/sowing.hpp"

namespace relaysow {

// For work that holds the GIL, and for work that has released it: answers Ctrl-C, and lets other
// threads run.
extern const Poll poll_with_gil;
extern const Poll poll_without_gil;

void check_signals();

}  // namespace relaysow
