// Chooses moves: draws a candidate in each lane, lifts its seeds and begins to sow them.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/draw.hpp"
#include "lanes/stages/first_lap.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Records the moves that are made where `decide`.
INLINE void begin_sowings(Lanes& lanes, M decide, V pit, V hand, V number) {
    Choice& choice = lanes.choice;
    store(choice.from, choose(decide, pit, load(choice.from)));
    store(choice.lift, choose(decide, hand, load(choice.lift)));
    store(lanes.sowing.laps, where(~decide, load(lanes.sowing.laps)));
    store(choice.chosen, choose(decide, number, load(choice.chosen)));
}

// Lets the lanes sow that have decided, and keeps the numbers of the games' first moves.
INLINE void begin_laps(Lanes& lanes, uint64_t deciding) {
    Choice& choice = lanes.choice;
    lanes.sowing.crossed &= ~deciding;
    for (uint64_t left = choice.first_move_unnamed & deciding; left; left &= left - 1) {
        const int lane = first_bit(left);
        choice.first_number[lane] = choice.chosen[lane];
    }
    choice.first_move_unnamed &= ~deciding;
    lanes.phase.lapping |= deciding;
}

// Lifts the seeds of the moves from these pits of the own row.  Returns the hands: what is
// `lifted`, or, where that is all, what the pits hold.
template <class FixedRules>
INLINE V lift(Lanes& lanes, M decide, uint64_t deciding, V own_pit, V lifted) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits;
    const bool has_protection = rules.has_protection, any_lift = rules.any_lift;
    uint8_t* const ring = lanes.rings.now;
    V hand = choose(decide, lifted, load(lanes.sowing.hand));
    const M decided = mask(deciding);
    if (n <= 16) {
        for (int j = 0; j < n; ++j) {
            const M here = decided & equal(own_pit, all(j));
            const V held = load(ring + j * L);
            if (any_lift) {
                const V seeds = has_protection ? held & all(seed_bits) : held;
                store(ring + j * L, choose(here, sub(seeds, lifted), held));
            } else {
                hand = choose(here, held, hand);
                store(ring + j * L, where(~here, held));
            }
        }
        if (has_protection && !any_lift) hand = choose(decide, hand & all(seed_bits), hand);
        store(lanes.sowing.hand, hand);
        return hand;
    }
    store(lanes.sowing.hand, hand);
    const int seeds_of = has_protection ? seed_bits : 0xFF;
    for (uint64_t left = deciding; left; left &= left - 1) {
        const int lane = first_bit(left);
        uint8_t& held = ring[lanes.sowing.pit[lane] * L + lane];
        const int seeds = held & seeds_of;
        if (!any_lift) lanes.sowing.hand[lane] = static_cast<uint8_t>(seeds);
        held = static_cast<uint8_t>(seeds - lanes.sowing.hand[lane]);
    }
    return load(lanes.sowing.hand);
}

// Draws a candidate for each lane `deciding` and lifts its seeds; `sums` are the candidates in the
// pits of the own row up to each, and `sum` those in all.  Where it `draws_again`, a candidate
// whose first lap is illegal is drawn anew.
template <class FixedRules>
INLINE Undecided decide(Lanes& lanes, uint64_t deciding, const V* sums, V sum, V duty,
                        bool draws_again) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const M decide = mask(deciding);
    alignas(64) uint8_t drawing[L];
    store(drawing, where(decide, all(0xFF)));
    const M both = rules.either ? ~nonzero(duty) : none();
    store(lanes.choice.candidates, add_where(both, sum, sum));
    draw(lanes, drawing);
    const CandidateSums among{sums, both, duty};
    V number = load(lanes.choice.drawn), own_pit, lifted = all(0);
    M cw;
    among.find(rules, number, own_pit, lifted, cw);
    Undecided undecided;
    if (draws_again) {
        undecided = draw_legal<FixedRules>(lanes, decide, among, number, own_pit, lifted, cw);
    }
    const V pit = choose(decide, own_pit, load(lanes.sowing.pit));
    const uint64_t clockwise = bits(cw) & deciding;
    deciding &= ~(undecided.none_legal | undecided.overdrawn);
    store(lanes.sowing.pit, pit);
    const V hand = lift<FixedRules>(lanes, decide, deciding, own_pit, lifted);
    begin_sowings(lanes, decide, pit, hand, number);
    lanes.sowing.clockwise = (lanes.sowing.clockwise & ~deciding) | clockwise;
    lanes.choice.from_clockwise = (lanes.choice.from_clockwise & ~deciding) | clockwise;
    begin_laps(lanes, deciding);
    return undecided;
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
