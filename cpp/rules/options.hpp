// The options of the rules as enumerations, and their limits.
//
// There are no functions here: the lockstep kernel, compiled for several instruction sets, includes
// this, and the linker could hand a copy for one instruction set to others.
#pragma once

#include <stdint.h>

namespace relaysow {

// As in options.py.
inline constexpr int min_pits = 3, max_pits = 64, max_seeds = 1000;
inline constexpr int64_t most_laps = 1'000'000'000'000;  // of `max_laps`

#define RELAYSOW_OPTION(Type, name, ...) enum class Type : uint8_t { __VA_ARGS__ };
#include "rules/options.def"

}  // namespace relaysow
