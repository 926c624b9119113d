// The copies of the lockstep kernel, one an instruction set, and the one that is used.
#pragma once

#include <string_view>
#include <vector>

#include "lanes/kernel.hpp"

namespace relaysow::playout {

struct Level {
    std::string_view name;
    Kernel run;  // null: the scalar path
    int lanes;
    bool (*by_lane)(const Options&);
    const Stages& (*stages)(const Lanes&);  // of single moves
};

// Those that this machine runs, the fastest first; the last is the scalar path.
std::vector<Level> levels();

// The fastest, or the one named by the environment variable RELAYSOW_ISA; std::invalid_argument if
// that is none of them.
Level level();

}  // namespace relaysow::playout
