// Single moves: captures, gives the turns on, and proves that the next movers can move.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/capture.hpp"
#include "lanes/stages/prove.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Ends the sowings and turns the rings to their movers.  Leaves `choosing` the lanes where a legal
// move is still to be proved.
template <class FixedRules>
void land(Lanes& lanes) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits, R = rules.ring_rows;
    uint8_t* const ring = lanes.rings.now;
    V restored = all(0), where_restored = all(0xFF);
    if (lanes.phase.ended) {
        where_restored = choose(mask(lanes.phase.ended), load(lanes.sowing.pit), where_restored);
        end_sowings<FixedRules>(lanes, restored);
    }
    const auto turn_to_movers = [&] {
        const M turns = mask(lanes.turn.mover ^ lanes.rings.viewer);
        lanes.rings.viewer = lanes.turn.mover;
        for (int j = 0; j < n; ++j) {
            uint8_t *const near_row = ring + j * L, *const far_row = ring + (n + j) * L;
            const V near = load(near_row) | where(equal(where_restored, all(j)), restored);
            const V far = load(far_row) | where(equal(where_restored, all(n + j)), restored);
            store(near_row, choose(turns, far, near));
            store(far_row, choose(turns, near, far));
        }
        where_restored = all(0xFF);
    };
    turn_to_movers();
    uint64_t able, wanted = lanes.phase.choosing;
    if (rules.direction_duty) wanted &= ~bits(nonzero(load(ring + R * L)));
    if (rules.pit_duty) wanted &= ~bits(nonzero(load(ring + (R + 1) * L)));
    lanes.phase.choosing &= ~prove_legal<FixedRules>(lanes, wanted, 0, able);
    const uint64_t stuck = rules.passes && !rules.row_empty_ends ? wanted & ~able : 0;
    if (stuck) {
        const uint64_t passing = prove_legal<FixedRules>(lanes, stuck, n, able);
        lanes.turn.mover ^= passing;
        turn_to_movers();
        lanes.turn.passed |= passing;
        lanes.phase.choosing &= ~passing;
    }
    Step& step = lanes.step;
    alignas(64) uint8_t moved[L], kept[L];
    store(moved, where(mask(step.moved), all(1)));
    store(kept, where(~mask(step.captured), all(0xFF)));
    for (int lane = 0; lane < L; ++lane) {
        step.moves[lane] += moved[lane];
        step.since_capture[lane] =
            (step.since_capture[lane] + moved[lane]) & static_cast<int8_t>(kept[lane]);
    }
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
