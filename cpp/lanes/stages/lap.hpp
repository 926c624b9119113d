// Where the lap that each lane sows ends.
#pragma once

#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Takes whole rounds of the ring out of `seeds` where there are more than one round takes, so that
// what is left is sown in one round.  Calls `count` with the lanes of each round taken out.
template <class Count>
INLINE void take_out_rounds(M act, V pits_a_round, V& seeds, const Count& count) {
    for (M more = act & below(pits_a_round, seeds); bits(more);
         more = act & below(pits_a_round, seeds)) {
        count(more);
        seeds = sub(seeds, where(more, pits_a_round));
    }
}

// The last pit of a lap of one round at most, and where the lap wraps over the end of the ring.
struct LapEnd {
    V pit;
    M wraps;

    INLINE LapEnd(M clockwise, V from, V seeds, V size)
        : pit(choose(clockwise, sub(from, seeds), add(from, seeds))), wraps(at_most(size, pit)) {
        pit = choose(wraps, choose(clockwise, add(pit, size), sub(pit, size)), pit);
    }
};

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
