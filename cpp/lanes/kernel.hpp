// The lockstep kernel as its drivers call it: one copy for every instruction set.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lanes/lanes.hpp"

namespace relaysow::lanes {

// Plays the games of all lanes, and those that the driver puts in their places, to their ends.
using Kernel = void (*)(Lanes&);

// Where the pits of observations and the masks of all lanes go, and how far a lane's are apart.
struct Shown {
    int16_t* pits;
    uint8_t* mask;  // null: the driver writes it
    size_t features, actions;
    uint64_t running;  // the other lanes' masks are empty
};

// The stages of single moves in all lanes, the driver going from one to the next.
struct Stages {
    void (*take_back)(Lanes&, uint64_t which);  // to what is in `before`
    void (*choose)(Lanes&, int64_t* actions);   // draws candidates where `choosing`, lifts them
    uint64_t (*differ)(const Lanes&, const int64_t* actions);  // from what was sown
    // Where `lapping`, in one group or in two; long sowings are left to the driver.
    void (*sow)(Lanes&, Lanes* beside);
    void (*land)(Lanes&);                         // `choosing`: where a move is still to be proved
    uint64_t (*note)(Lanes&, uint64_t choosers);  // keeps the positions; those that came before
    void (*note_alone)(Lanes&, int lane);         // keeps that of a lane that begins a game
    void (*show)(const Lanes&, const Shown&);
};

// Each copy of the kernel has these.
#define RELAYSOW_KERNEL(instruction_set)                                  \
    namespace instruction_set {                                           \
    void run(Lanes& lanes);                                               \
    bool by_lane(const LaneRules& rules); /* how `run` wants the rings */ \
    extern const int width;                                               \
    const Stages& stages(const Lanes& lanes);                             \
    }
RELAYSOW_KERNEL(baseline)
RELAYSOW_KERNEL(avx2)
RELAYSOW_KERNEL(avx512)
#undef RELAYSOW_KERNEL

}  // namespace relaysow::lanes
