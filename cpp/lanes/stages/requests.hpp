// What the kernel hands over to the driver, and how long lanes wait for each other.
#pragma once

#include "lanes/lanes.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

void serve(Lanes& lanes, uint64_t which, Request request) {
    for (; which; which &= which - 1) {
        lanes.driver.serve(lanes.driver.context, first_bit(which), request);
    }
}

// Serves the choosing lanes that are held back from deciding, each for one reason.
void serve_held_back(Lanes& lanes, uint64_t stuck, uint64_t repeated, uint64_t undecided,
                     uint64_t limited) {
    serve(lanes, stuck, Request::stuck);
    serve(lanes, repeated, Request::repeated);
    serve(lanes, undecided & ~(repeated | limited), Request::undecided);
    serve(lanes, limited & ~repeated, Request::limit);
}

// Returns how many of the lanes that play must wait before they are served.
INLINE int enough_waiting(const Lanes& lanes) {
    const int playing = count_bits(lanes.phase.lapping | lanes.phase.ended | lanes.phase.choosing);
    const int enough = (playing * lanes.pace.patience + 63) / 64;
    return enough < 1 ? 1 : enough;
}

// Leaves the sowings that go on for long to the driver.
void leave_long_sowings(Lanes& lanes) {
    for (uint64_t left = lanes.phase.lapping; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (lanes.sowing.laps[lane] >= lanes.pace.steps_to_long) {
            lanes.driver.serve(lanes.driver.context, lane, Request::left_to_scalar);
        }
    }
}

// Ends a turn of all lanes: the driver takes the small counts over before a byte of them can
// overflow.
INLINE void end_turn(Lanes& lanes) {
    if (--lanes.counts.turns_to_flush == 0) {
        lanes.counts.turns_to_flush = lanes.counts.turns_between_flushes;
        lanes.driver.flush(lanes.driver.context);
    }
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
