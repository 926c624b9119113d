// Counts the sowings that have ended, and gives the turn on.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Adds what these lanes have captured to the movers' stores.  Their histories begin anew.
INLINE void count_captures(Lanes& lanes, M takers, V captured) {
    const uint64_t taking = bits(takers);
    if (!taking) return;
    alignas(64) uint8_t taken[2][L];
    const M north = mask(lanes.turn.mover);
    store(taken[0], where(~north, captured));
    store(taken[1], where(north, captured));
    for (int player = 0; player < 2; ++player) {
        uint16_t* const stores = lanes.counts.stores[player];
        for (int lane = 0; lane < L; ++lane) {
            stores[lane] = static_cast<uint16_t>(stores[lane] + taken[player][lane]);
        }
    }
    store(lanes.counts.captures, add_where(takers, load(lanes.counts.captures), all(1)));
    for (uint64_t left = taking; left; left &= left - 1) {
        lanes.log.segment[first_bit(left)] = lanes.log.now;
    }
    lanes.step.captured |= taking;
    lanes.log.history_is_drivers &= ~taking;
    lanes.log.beyond_window &= ~taking;
}

// Writes the duties that the sowings which ended bring to those who move `again`; the duties of the
// others lapse.
template <class FixedRules>
INLINE void set_duties(Lanes& lanes, M end, uint64_t again) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    if (!rules.direction_duty && !rules.pit_duty) return;
    const M more = mask(again);
    if (rules.direction_duty) {
        uint8_t* duty = lanes.rings.now + rules.ring_rows * L;
        const V opposite = choose(mask(lanes.choice.from_clockwise), all(1), all(2));
        store(duty, choose(end, where(more, opposite), load(duty)));
    }
    if (rules.pit_duty) {
        uint8_t* barred = lanes.rings.now + (rules.ring_rows + 1) * L;
        const V origin = add(load(lanes.choice.from), all(1));
        store(barred, choose(end, where(more, origin), load(barred)));
    }
}

// Counts the sowings that `ended`, in the lanes of `end`, where the `takers` have `captured`.  The
// turn goes to the other player, but where the mover moves `again`.
template <class FixedRules>
void count_sowings(Lanes& lanes, uint64_t ended, M end, M takers, V captured, uint64_t again) {
    Counts& counts = lanes.counts;
    count_captures(lanes, takers, captured);
    store(counts.moves, add_where(end, load(counts.moves), all(1)));
    store(counts.turns, add_where(mask(ended & lanes.turn.begins), load(counts.turns), all(1)));
    const V laps = where(end, load(lanes.sowing.laps));
    store(counts.longest, larger(load(counts.longest), laps));
    alignas(64) uint8_t sown[L];
    store(sown, laps);
    for (int lane = 0; lane < L; ++lane) {
        counts.laps[lane] = static_cast<uint16_t>(counts.laps[lane] + sown[lane]);
    }
    set_duties<FixedRules>(lanes, end, again);
    lanes.turn.begins = (lanes.turn.begins & ~ended) | (ended & ~again);
    lanes.turn.mover ^= ended & ~again;
    lanes.turn.passed &= ~ended;
    lanes.choice.refused &= ~ended;
    lanes.phase.choosing |= ended;
    lanes.phase.ended = 0;
}

// Returns the lanes whose game has as many moves as are to be counted.
INLINE uint64_t at_limit(const Lanes& lanes) {
    const V limit = load(lanes.counts.limit);
    return bits(equal(load(lanes.counts.moves), limit)) & ~bits(equal(limit, all(255)));
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
