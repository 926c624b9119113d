// Sows laps in all lanes at once, pit by pit along the ring.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/lap.hpp"
#include "lanes/stages/requests.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// What the laps of all lanes need stays in registers from one step, which is a lap in each lane, to
// the next, until enough lanes wait for the driver or for the next stage.
template <class FixedRules>
struct RowSowing {
    static constexpr bool has_protection = FixedRules::has_protection;
    Lanes& lanes;
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    const V size = all(R), pits_a_round = all(rules.pits_a_round), one = all(1);
    uint64_t lapping = lanes.phase.lapping, ended = lanes.phase.ended;
    uint64_t forbidden = 0, capped = 0, too_full = 0;
    M act = mask(lapping), cw = mask(lanes.sowing.clockwise), crossed = mask(lanes.sowing.crossed);
    V pit = load(lanes.sowing.pit), hand = load(lanes.sowing.hand), laps = load(lanes.sowing.laps),
      as_held = load(lanes.sowing.hand_as_held);
    const int enough = enough_waiting(lanes);
    uint64_t asking = 0;  // lanes that wait for the driver

    INLINE explicit RowSowing(Lanes& all_lanes) : lanes(all_lanes) {}

    // Sows one lap in each lane that is `lapping`.  Returns whether to go on.
    INLINE bool step() {
        if (rules.overflow_bits) leave_full_hands();
        V rounds = all(0), seeds = hand;
        take_out_rounds(act, pits_a_round, seeds,
                        [&](M more) { rounds = add_where(more, rounds, one); });
        const V room = choose(cw, pit, sub(all(n - 1), pit));
        crossed = crossed | (act & below(room, hand));
        const LapEnd lap(cw, pit, seeds, size);
        const V last = lap.pit;
        const M wraps = lap.wraps;
        // The pits sown are those of an interval, or where that wraps all but those of one.
        V begin = choose(wraps ^ cw, last, pit);
        begin = add_where(~cw, begin, one);
        V length = where(act, choose(wraps, sub(size, seeds), seeds));
        const V outside = where(act, add_where(wraps, rounds, one));
        const V change = choose(wraps, all(-1), one);  // inside
        V at = sub(all(0), begin);  // of each pit, from where the interval begins
        V at_last = choose(act, sub(last, begin), sub(size, begin));  // idle lanes never meet it
        V onward = one;
        const V at_pit = sub(pit, begin);
        const bool skips = rules.skipped && bits(nonzero(rounds));
        // Where no lane goes all round, as on long rings, one comparison tells what is sown:
        // counted down instead of up, the pits that are not in an interval are below its
        // complement.
        const bool plain = R > 32 && !bits(act & at_most(pits_a_round, hand));
        if (plain) {
            const M around = act & wraps;
            const auto mirrored = [&](V v) { return choose(around, sub(all(-1), v), v); };
            at = mirrored(at);
            at_last = mirrored(at_last);
            length = choose(around, sub(all(0), length), length);
            onward = choose(around, all(-1), one);
        }
        uint8_t* here = lanes.rings.now;
        // Sows so many pits onward, and lifts those in which a lap ends; the bits of `keep` stay.
        const auto rows = [&](int pits, V keep) __attribute__((always_inline)) {
            const auto lift = [&](V now) __attribute__((always_inline)) {
                if constexpr (has_protection) {
                    const M lifted = equal(at, at_last);
                    as_held = choose(lifted, now, as_held);
                    now = choose(lifted, now & keep, now);
                } else {
                    lift_where_equal(at, at_last, now, as_held);
                }
                store(here, now);
                at = add(at, onward);
                here += L;
            };
            if (plain) {
#pragma GCC unroll 4
                for (int i = 0; i < pits; ++i) {
                    lift(add_where(below(at, length), load(here), one));
                }
            } else {
#pragma GCC unroll 4
                for (int i = 0; i < pits; ++i) {
                    V now = add_where(below(at, length), add(load(here), outside), change);
                    if (skips) now = sub(now, where(equal(at, at_pit), rounds));
                    lift(now);
                }
            }
        };
        if constexpr (has_protection) {
            rows(n, all(0));
            rows(n, all(rules.owner_lifts ? protected_bit : 0));
        } else {
            rows(R, all(0));
        }
        hand = choose(act, has_protection ? as_held & all(seed_bits) : as_held, hand);
        pit = choose(act, last, pit);
        return end_laps();
    }

    // A hand that goes round more than once could fill a pit past its byte: the driver sows it.
    INLINE void leave_full_hands() {
        const uint64_t full = bits(act & below(pits_a_round, hand));
        if (!full) return;
        too_full |= full;
        asking |= full;
        act = act & ~mask(full);
        lapping &= ~full;
    }

    // Tells which sowings have ended with this lap, in an empty pit or because they are refused.
    INLINE bool end_laps() {
        const M first = equal(laps, all(0));
        laps = add_where(act, laps, one);
        const M done = act & equal(hand, one);
        M going = act & ~done;
        if (rules.checks_first_lap) {
            const M bad = going & first & below(pit, all(n));
            forbidden |= bits(bad);
            going = going & ~bad;
        }
        if (rules.max_laps) {
            const M bad = going & equal(laps, all(rules.max_laps));
            capped |= bits(bad);
            going = going & ~bad;
        }
        if (rules.reversed) cw = cw ^ going;
        act = going;
        const uint64_t still = bits(act);
        ended |= bits(done);
        asking |= lapping & ~still & ~ended;
        lapping = still;
        return lapping && count_bits(ended | lanes.phase.choosing | asking) < enough;
    }

    // Writes the state back and hands over what is the driver's.
    INLINE void finish() {
        store(lanes.sowing.pit, pit);
        store(lanes.sowing.hand, hand);
        store(lanes.sowing.hand_as_held, as_held);
        store(lanes.sowing.laps, laps);
        lanes.phase.lapping = lapping;
        lanes.phase.ended = ended;
        lanes.sowing.clockwise = bits(cw);
        lanes.sowing.crossed = bits(crossed);
        serve(lanes, forbidden, Request::forbidden);
        serve(lanes, capped, Request::capped);
        serve(lanes, too_full, Request::left_to_scalar);
    }
};

template <class FixedRules>
void sow(Lanes& lanes, unsigned& steps_left) {
    RowSowing<FixedRules> sowing(lanes);
    bool goes_on;
    do {
        goes_on = sowing.step();
    } while (--steps_left && goes_on);
    sowing.finish();
}

// Sows in two groups of lanes, a step of each in turn: while the steps of one group wait for their
// own results, those of the other go on.
template <class FixedRules>
void sow_both(Lanes& lanes, Lanes& beside) {
    RowSowing<FixedRules> first(lanes), second(beside);
    bool first_goes_on = lanes.phase.lapping != 0, second_goes_on = beside.phase.lapping != 0;
    unsigned steps_left = lanes.pace.steps_to_long;
    for (; steps_left && first_goes_on && second_goes_on; --steps_left) {
        first_goes_on = first.step();
        second_goes_on = second.step();
    }
    for (; steps_left && first_goes_on; --steps_left) first_goes_on = first.step();
    for (; steps_left && second_goes_on; --steps_left) second_goes_on = second.step();
    first.finish();
    second.finish();
}

// Sows single moves where lanes are `lapping`, in one group or in two.
template <class FixedRules>
void sow_moves(Lanes& lanes, Lanes* beside) {
    if (beside != nullptr) {
        sow_both<FixedRules>(lanes, *beside);
        leave_long_sowings(*beside);
    } else if (lanes.phase.lapping) {
        unsigned steps_left = lanes.pace.steps_to_long;
        sow<FixedRules>(lanes, steps_left);
    }
    leave_long_sowings(lanes);
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
