// The copies of the lockstep kernel, one an instruction set, and the one that is used.
#pragma once

#include <string_view>
#include <vector>

#include "lanes/kernel.hpp"

namespace relaysow::lanes {

struct InstructionSet {
    std::string_view name;
    Kernel run;  // null: games are on the scalar path
    int width;
    bool (*by_lane)(const LaneRules&);
    const Stages& (*stages)(const Lanes&);  // of single moves
};

// Those that this machine runs, the fastest first; the last is the scalar path.
std::vector<InstructionSet> instruction_sets();

// The fastest, or the one named by the environment variable RELAYSOW_ISA; std::invalid_argument if
// that is none of them.
InstructionSet instruction_set_in_use();

}  // namespace relaysow::lanes
